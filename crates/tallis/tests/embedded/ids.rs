//! Visitors by ids of any kind: hashed, the book's digits, and small numbers in a bitmap; and how long they are kept.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::sync::Arc;
use std::time::Duration;

use jiff::civil::{Date, date};
use tallis::{
    Bucket, ErrorKind, ExpireTime, ManualClock, SessionIds, Store, Visitors, VisitorsForm,
};
use testkit::rng::{Rng, rounds};
use xxhash_rust::xxh3::xxh3_64;

fn day() -> Date {
    date(2015, 5, 17)
}

/// A UUID of version 7 for that millisecond.
fn uuid7(ms: u64, rng: &mut Rng) -> String {
    let (a, b) = (rng.below(1 << 12), rng.below(1 << 62));
    format!(
        "{:08x}-{:04x}-7{a:03x}-{:04x}-{:012x}",
        ms >> 16,
        ms & 0xffff,
        0x8000 | b >> 48,
        b & 0xffff_ffff_ffff
    )
}

#[test]
fn ids_of_one_second_are_counted_exactly_by_their_hashes() {
    let (hashed, book) = (Visitors::new(Store::new()), Visitors::book(Store::new()));
    let mut rng = Rng::new(7);
    let ids = rounds(100_000, 1_000_000);
    for number in 0..ids {
        let uuid = uuid7(1_763_836_800_000 + number % 1000, &mut rng);
        assert!(hashed.count_visit(&uuid, day()).unwrap(), "{uuid}");
        if number < 1000 {
            let refused = book.count_visit(&uuid, day()).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
            assert!(refused.to_string().contains("Visitors::new"), "{refused}");
        }
    }
    assert_eq!(hashed.count(day()).unwrap(), ids);
    assert_eq!(book.count(day()).unwrap(), 0);
}

/// A checksum of the keys and payloads of a store, independent of the order of the keys.
fn digest(store: &Store) -> u64 {
    let mut sum = 0_u64;
    for key in store.scan() {
        let key = key.unwrap();
        let payload = store.dump(&key).unwrap().unwrap();
        sum = sum.wrapping_add(xxh3_64(&[&key[..], b"\0", &payload].concat()));
    }
    sum
}

#[test]
fn the_books_form_still_leaves_the_same_bytes() {
    let store = Store::builder().hash_seed(1).build();
    let visitors = Visitors::book(store.clone());
    let mut rng = Rng::new(15);
    // With the checksums of the version before ids were hashed.
    let mut counted = 0;
    for (visits, checksum) in [(100_000, 0xe5fd_629f_b690_e5ac), (1_000_000, 0xddfc_69ab_f187_b8c0)]
    {
        if visits > rounds(100_000, 1_000_000) {
            break;
        }
        while counted < visits {
            visitors.count_visit(rng.uuid(), day()).unwrap();
            counted += 1;
        }
        assert_eq!(digest(&store), checksum, "{visits} visits");
    }
}

#[test]
fn the_first_visitors_of_a_day_need_little_memory() {
    let bytes = |make: fn(Store) -> Visitors| {
        let store = Store::builder().hash_seed(1).build();
        let (visitors, before) = (make(store.clone()), store.used_memory().unwrap());
        for number in 0..1000 {
            visitors.count_id(SessionIds::Hashed.id(format!("{number}")).unwrap(), day()).unwrap();
        }
        (store.used_memory().unwrap() - before) / 1000
    };
    let (hashed, book) = (bytes(Visitors::new), bytes(Visitors::book));
    assert!(hashed <= 15 && book > 60, "{hashed} bytes a visitor, {book} in the book's form");
}

#[test]
fn a_bitmap_has_a_bit_for_each_id() {
    let store = Store::new();
    let visitors = Visitors::new(store.clone()).form(VisitorsForm::Bitmap);
    let mut ids: Vec<i64> = (0..500).map(|number| number * number % 7919).collect();
    for &id in &ids {
        visitors.count_visit(id.to_string(), day()).unwrap();
        assert!(!visitors.count_id(id, day()).unwrap());
        assert!(!visitors.bucket(day()).unwrap().count_id(id).unwrap());
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(visitors.count(day()).unwrap(), ids.len() as u64);
    assert_eq!(visitors.ids(day()).unwrap(), ids);
    assert_eq!(store.bitcount("unique:2015-05-17:bitmap").unwrap(), ids.len() as u64);
    for id in ["-1", "67108864", "9223372036854775807", "", "x", "1.0", "01"] {
        let refused = visitors.count_visit(id, day()).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidArgument, "{id}");
        let refused = visitors.count_visit(id, date(2015, 5, 18)).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidArgument, "{id}");
    }
    assert_eq!(visitors.count(day()).unwrap(), ids.len() as u64);
    assert_eq!(store.dbsize().unwrap(), 2, "nothing is begun by what is refused");
    assert!(visitors.count_visit("67108863", day()).unwrap());

    // A bucket that another handle has begun keeps its form, and is counted together with others.
    let split = Visitors::new(store.clone());
    assert!(split.count_id(5, date(2015, 5, 18)).unwrap());
    assert!(!visitors.count_id(5, date(2015, 5, 18)).unwrap());
    assert_eq!(visitors.count(date(2015, 5, 18)).unwrap(), 1);
    let union = visitors.count_union([day(), date(2015, 5, 18)]).unwrap();
    assert_eq!(union, ids.len() as u64 + 1 + u64::from(!ids.contains(&5)));
}

#[test]
fn a_bucket_is_kept_as_long_as_configured() {
    let start = 1_431_820_800_000; // 2015-05-17T00:00:00Z
    let end = start + 86_400_000;
    for &form in VisitorsForm::ALL {
        let clock = Arc::new(ManualClock::new(start));
        let store = Store::builder().clock(clock.clone()).build();
        let visitors = Visitors::new(store.clone())
            .default_yesterday(2000)
            .form(form)
            .keep(Duration::from_millis(1500));
        for id in 0..3000 {
            visitors.count_id(id, day()).unwrap();
            visitors.count_id(id, Bucket::hour(day(), 23)).unwrap();
            visitors.count_id(id, Bucket::All).unwrap();
        }
        let of_day = |key: &[u8]| key.starts_with(b"unique:2015-05-17");
        let keys = store.keys("*").unwrap();
        assert!(keys.len() >= 6, "{form:?}");
        for key in keys {
            let expected = if of_day(&key) { end + 1500 } else { -1 };
            assert_eq!(store.expire_time(&key).unwrap().millis(), expected, "{form:?}: {key:?}");
        }
        let of_all = store.keys("unique:all*").unwrap();
        clock.set(end + 1499);
        assert!(visitors.count_id(5000, day()).unwrap());
        assert_eq!(visitors.count(day()).unwrap(), 3001);
        clock.set(end + 1500);
        for visitors in [visitors.clone(), visitors.keep(Duration::from_millis(1500))] {
            let refused = visitors.count_id(1, day()).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::NotKept, "{form:?}");
            assert_eq!(visitors.count(day()).unwrap(), 0);
            // The expired keys have been removed; the next call changes nothing at all.
            let changes = store.changes();
            assert!(visitors.count_id(1, day()).is_err());
            assert_eq!(store.changes(), changes, "{form:?}");
        }
        assert!(store.keys("*").unwrap().iter().all(|key| !of_day(key)), "{form:?}");
        assert!(matches!(store.expire_time(&of_all[0]).unwrap(), ExpireTime::Never));
    }
}

#[test]
fn the_keys_of_a_single_visitor_expire_too() {
    for &form in VisitorsForm::ALL {
        let clock = Arc::new(ManualClock::new(1_431_820_800_000));
        let store = Store::builder().clock(clock.clone()).build();
        let visitors = Visitors::new(store.clone()).form(form).keep(Duration::ZERO);
        assert!(visitors.count_id(7, day()).unwrap());
        assert!(store.dbsize().unwrap() >= 2);
        clock.advance(86_400_000);
        assert_eq!(store.keys("*").unwrap(), [""; 0], "{form:?}");
    }
}

#[test]
fn a_bucket_is_removed_with_all_its_keys() {
    for &form in VisitorsForm::ALL {
        let store = Store::new();
        let visitors = Visitors::book(store.clone()).default_yesterday(100).form(form);
        let (other, clone) = (date(2015, 5, 18), visitors.clone());
        assert!(!visitors.remove(day()).unwrap());
        for id in 0..2000 {
            visitors.count_id(id, day()).unwrap();
        }
        visitors.count_id(1, other).unwrap();
        let left = store.keys("unique:2015-05-18*").unwrap().len();
        assert!(visitors.remove(day()).unwrap(), "{form:?}");
        assert_eq!(store.dbsize().unwrap(), left, "{form:?}");
        assert_eq!(visitors.count(other).unwrap(), 1);
        assert!(!visitors.remove(day()).unwrap());
        // A clone with the bucket in its cache begins it again, too.
        assert!(clone.count_id(9, day()).unwrap());
        assert!(!visitors.count_id(9, day()).unwrap());
        assert_eq!(visitors.count(day()).unwrap(), 1);
        assert_eq!(visitors.ids(day()).unwrap(), [9], "{form:?}");
    }
}

#[test]
fn a_forecast_is_returned() {
    let store = Store::new();
    let visitors = Visitors::book(store.clone()).default_yesterday(1000);
    assert_eq!(visitors.expected(day()).unwrap(), Some(2048));
    visitors.count_id(1, day()).unwrap();
    assert_eq!(visitors.clone().default_yesterday(5).expected(day()).unwrap(), Some(2048));
    assert_eq!(visitors.expected(date(2015, 5, 18)).unwrap(), Some(2));
    for form in [VisitorsForm::Splitting, VisitorsForm::Compact, VisitorsForm::Bitmap] {
        let visitors = visitors.clone().form(form);
        assert_eq!(visitors.expected(date(2015, 5, 18)).unwrap(), None);
        assert_eq!(visitors.expected(day()).unwrap(), Some(2048));
    }
    let split = Visitors::new(store.clone());
    split.count_visit("alice", date(2015, 5, 19)).unwrap();
    assert_eq!(visitors.expected(date(2015, 5, 19)).unwrap(), None);
    let tagged = Visitors::new(store).form(VisitorsForm::Tagged);
    assert_eq!(tagged.expected(date(2015, 5, 18)).unwrap(), Some(2));
    tagged.count_visit("alice", date(2015, 5, 18)).unwrap();
    tagged.count_visit("bob", date(2015, 5, 18)).unwrap();
    for visitors in [&tagged, &visitors] {
        assert_eq!(visitors.expected(date(2015, 5, 18)).unwrap(), Some(2));
    }
}

#[test]
fn visits_are_counted_as_parts_of_a_transaction() {
    let store = Store::new();
    let counted = store.transaction_all(|tx| {
        let visitors = Visitors::new(tx);
        assert!(visitors.count_visit("alice", day())?);
        assert!(!visitors.count_visit("alice", day())?);
        tx.set("seen", "alice")?;
        visitors.count(day())
    });
    assert_eq!(counted.unwrap(), 1);
    assert_eq!(Visitors::new(&store).count(day()).unwrap(), 1);
    // The keys of a recipe must be named like any others.
    let refused = store.transaction("seen", |tx| Visitors::new(tx).count_visit("bob", day()));
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::KeyNotNamed);
    assert_eq!(Visitors::new(&store).count(day()).unwrap(), 1);
}
