//! The batches of recipes.

use std::collections::HashSet;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::date;
use tallis::{
    Bucket, ErrorKind, Funnel, ManualClock, Quota, ShardedSet, Store, UvFilling, UvLevel,
    UvWindows, Visitors, VisitorsForm,
};
use testkit::rng::Rng;

use super::payloads;

/// Numbers below 2^26 that are spread over 60 bits, except for a bitmap.
fn ids(rng: &mut Rng, form: VisitorsForm, count: usize) -> Vec<i64> {
    let id = |rng: &mut Rng| {
        let id = rng.below(6_000);
        let spread = if form == VisitorsForm::Bitmap { id } else { id << 47 | id };
        spread.cast_signed()
    };
    (0..count).map(|_| id(rng)).collect()
}

fn sorted(mut ids: Vec<i64>) -> Vec<i64> {
    ids.sort_unstable();
    ids
}

#[test]
fn batched_visits_count_like_single_visits() {
    for &form in VisitorsForm::ALL {
        let mut rng = Rng::new(1);
        let [one, many] = [(); 2].map(|()| Store::builder().hash_seed(1).build());
        let visitors =
            |store: &Store| Visitors::book(store.clone()).default_yesterday(2_000).form(form);
        let (single, together) = (visitors(&one), visitors(&many));
        for count in [0, 1, 2, 63, 700, 1024, 1025, 5_000] {
            let ids = ids(&mut rng, form, count);
            let new = ids.iter().filter(|&&id| single.count_id(id, Bucket::All).unwrap()).count();
            let found = if count % 2 == 0 {
                together.count_ids(ids.iter().copied(), Bucket::All).unwrap()
            } else {
                together.bucket(Bucket::All).unwrap().count_ids(&ids).unwrap()
            };
            assert_eq!(found, new as u64, "{form:?}");
            assert_eq!(single.count(Bucket::All).unwrap(), together.count(Bucket::All).unwrap());
        }
        let [a, b] = [&single, &together].map(|one| sorted(one.ids(Bucket::All).unwrap()));
        assert_eq!(a, b);
        // The shards do not depend on the size of batches, except in sets that split.
        if matches!(form, VisitorsForm::Forecast | VisitorsForm::Tagged | VisitorsForm::Bitmap) {
            assert_eq!(payloads(&one), payloads(&many), "{form:?}");
        }
        for shard in many.keys("unique:all:*[0-9}]").unwrap() {
            assert!(form == VisitorsForm::Bitmap || many.scard(&shard).unwrap() <= 512);
        }
    }
}

#[test]
fn each_of_many_threads_counts_its_own_visits() {
    for &form in VisitorsForm::ALL {
        let visitors = Visitors::new(Store::new()).form(form);
        let mut rng = Rng::new(2);
        let ids = ids(&mut rng, form, 12_000);
        let new: u64 = thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|thread| {
                    let (visitors, ids) = (visitors.clone(), &ids);
                    scope.spawn(move || {
                        let own = ids[thread * 2_000..thread * 2_000 + 6_000].chunks(500);
                        let count = |ids: &[i64]| {
                            visitors.count_ids(ids.iter().copied(), Bucket::All).unwrap()
                        };
                        own.map(count).sum::<u64>()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        let want = ids.iter().collect::<HashSet<_>>().len() as u64;
        assert_eq!((new, visitors.count(Bucket::All).unwrap()), (want, want), "{form:?}");
        assert_eq!(visitors.ids(Bucket::All).unwrap().len() as u64, want);
    }
}

#[test]
fn a_count_is_correct_while_shards_split() {
    let store = Store::new();
    let visitors = Visitors::new(store);
    visitors.count_ids(0..1_000, Bucket::All).unwrap();
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for id in 1_000..60_000 {
                assert!(visitors.count_id(id, Bucket::All).unwrap());
            }
        });
        let mut last = 1_000;
        while !writer.is_finished() {
            let count = visitors.count(Bucket::All).unwrap();
            assert!((last..=60_000).contains(&count), "{count} after {last}");
            last = count;
        }
    });
    assert_eq!(visitors.count(Bucket::All).unwrap(), 60_000);
}

#[test]
fn a_refused_visit_does_not_prevent_others() {
    let store = Store::new();
    let visitors = Visitors::new(store.clone());
    let error = visitors.clone().form(VisitorsForm::Bitmap);
    let refused = error.count_visits(["1", "x", "2"], Bucket::All).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
    assert_eq!(store.dbsize().unwrap(), 0, "an id that is refused is refused first");
    let refused = error.count_ids([1, -1, 2], Bucket::All).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
    assert_eq!(error.count(Bucket::All).unwrap(), 0);

    let store = Store::new();
    let visitors = Visitors::new(store.clone());
    assert_eq!(visitors.count_visits(["a", "b", "a"], Bucket::All).unwrap(), 2);
    store.set("unique:all:1", "no set").unwrap();
    let refused = visitors.count_visits(["c", "d"], Bucket::All).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::WrongType);
}

/// In the book's form and in bitmaps, the counter is increased once for a batch.
#[test]
fn a_counter_counts_the_visits_that_are_not_refused() {
    let store = Store::new();
    let book = Visitors::book(store.clone());
    let ids = || 0..10_000;
    assert_eq!(book.count_ids(ids(), Bucket::All).unwrap(), 10_000);
    // The shard of an id in both of the following calls has another type.
    let mut shards = store.keys("unique:all:[0-9]*").unwrap().into_iter();
    let broken = shards.find(|key| store.sismember(key, "7000").unwrap()).unwrap();
    let lost = store.scard(&broken).unwrap() as u64;
    store.set(&broken, "no set").unwrap();
    assert_eq!(book.count_ids(ids(), Bucket::All).unwrap_err().kind(), ErrorKind::WrongType);
    assert_eq!(book.count(Bucket::All).unwrap(), 10_000);
    let error = book.count_ids(ids().map(|id| id + 5_000), Bucket::All).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongType);
    let members = store.keys("unique:all:[0-9]*").unwrap().into_iter().filter(|key| *key != broken);
    let members: usize = members.map(|key| store.scard(key).unwrap()).sum();
    assert_eq!(book.count(Bucket::All).unwrap(), members as u64 + lost);

    // A counter that is nearly full is increased as far as possible, and known ids are accepted.
    for form in [VisitorsForm::Forecast, VisitorsForm::Bitmap] {
        let store = Store::new();
        let visitors = Visitors::new(store.clone()).form(form);
        assert_eq!(visitors.count_ids([1, 2, 3], Bucket::All).unwrap(), 3);
        store.set("unique:all", i64::MAX - 1).unwrap();
        let full = visitors.count_ids([1, 4, 2, 5, 3], Bucket::All).unwrap_err();
        assert_eq!(full.kind(), ErrorKind::NotInteger);
        assert_eq!(store.get_int("unique:all").unwrap(), Some(i64::MAX));
        assert_eq!(visitors.count_ids([1, 2, 3], Bucket::All).unwrap(), 0);
        let [taken, left] = [4, 5].map(|id| visitors.count_ids([1, id, 2], Bucket::All).ok());
        assert!(taken.xor(left) == Some(0), "{form:?}: {taken:?} and {left:?}");
    }
}

/// In the form of a cluster, each shard has its own counter.
#[test]
fn the_counters_of_shards_count_the_visits_that_are_not_refused() {
    let store = Store::new();
    let visitors = Visitors::book(store.clone()).form(VisitorsForm::Tagged).default_yesterday(300);
    assert_eq!(visitors.count_ids(0..200, Bucket::All).unwrap(), 200);
    let counts = || {
        [0, 1].map(|shard| store.get_int(format!("unique:all:{{{shard}}}:count")).unwrap().unwrap())
    };
    let [first, second] = counts();
    // One shard has another type, and later the counter of one is full: the visits in the other one count.
    store.set("unique:all:{0}", "no set").unwrap();
    let refused = visitors.count_ids(200..400, Bucket::All).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::WrongType);
    let now = store.scard("unique:all:{1}").unwrap();
    assert_eq!(counts(), [first, i64::try_from(now).unwrap()]);
    assert!(counts()[1] > second);
    store.del("unique:all:{0}").unwrap();
    store.set("unique:all:{0}:count", i64::MAX - 1).unwrap();
    let full = visitors.count_ids(400..600, Bucket::All).unwrap_err();
    assert_eq!(full.kind(), ErrorKind::NotInteger);
    assert_eq!((counts()[0], store.scard("unique:all:{0}").unwrap()), (i64::MAX, 1));
    assert_eq!(counts()[1].unsigned_abs(), store.scard("unique:all:{1}").unwrap() as u64);
}

#[test]
fn the_keys_of_batched_visits_expire_with_their_day() {
    let day = date(2015, 5, 17);
    for &form in VisitorsForm::ALL {
        let clock = Arc::new(ManualClock::new(1_431_820_800_000));
        let end = 1_431_820_800_000 + 86_400_000;
        let store = Store::builder().clock(clock.clone()).build();
        let visitors = Visitors::book(store.clone())
            .default_yesterday(2_000)
            .form(form)
            .keep(Duration::from_millis(1500));
        assert_eq!(visitors.count_ids(0..3_000, day).unwrap(), 3_000);
        assert_eq!(visitors.count_ids(0..3_000, Bucket::All).unwrap(), 3_000);
        let of_day = |key: &[u8]| key.starts_with(b"unique:2015-05-17");
        for key in store.keys("*").unwrap() {
            let expected = if of_day(&key) { end + 1500 } else { -1 };
            assert_eq!(store.expire_time(&key).unwrap().millis(), expected, "{form:?}: {key:?}");
        }
        clock.set(end + 1499);
        assert_eq!(visitors.count_ids(2_999..3_010, day).unwrap(), 10);
        clock.set(end + 1500);
        let refused = visitors.count_ids([1, 2], day).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::NotKept, "{form:?}");
        assert!(store.keys("*").unwrap().iter().all(|key| !of_day(key)), "{form:?}");
    }
}

#[test]
fn batched_members_equal_single_members() {
    let forms: [fn(Store) -> ShardedSet; 4] = [
        |store| ShardedSet::new(store, "s", 2_000, 256),
        |store| ShardedSet::tagged(store, "s", 2_000, 256),
        |store| ShardedSet::splitting(store, "s"),
        |store| ShardedSet::compact(store, "s", 60),
    ];
    for (at, form) in forms.into_iter().enumerate() {
        let mut rng = Rng::new(5);
        let [one, many] = [(); 2].map(|()| Store::builder().hash_seed(1).build());
        let (single, together) = (form(one.clone()), form(many.clone()));
        for count in [0, 1, 5, 300, 1024, 1025, 3_000] {
            let members: Vec<String> = (0..count)
                .map(|_| match rng.below(8_000) {
                    text @ 0..200 => format!("text {text}"),
                    id => (id << 47).to_string(),
                })
                .collect();
            let new = members.iter().filter(|member| single.add(member).unwrap()).count();
            assert_eq!(together.add_many(&members).unwrap(), new as u64);
            let asked: Vec<String> = (0..2_000_u64).map(|id| (id << 47).to_string()).collect();
            let want: Vec<bool> = asked.iter().map(|one| single.contains(one).unwrap()).collect();
            assert_eq!(together.contains_many(&asked).unwrap(), want);
        }
        assert_eq!(single.card().unwrap(), together.card().unwrap());
        if at <= 1 {
            assert_eq!(payloads(&one), payloads(&many));
        }
        // Bytes are numbers here, each of which is a member.
        assert_eq!(together.contains_many([1_u8, 2, 3]).unwrap(), [false; 3]);
        assert_eq!(together.add_many([1_u8, 2, 1]).unwrap(), 2);
        let spread = || (0..8_000_i64).map(|id| id << 47);
        many.set(many.keys("s:*[0-9}]").unwrap().remove(0), "no set").unwrap();
        assert_eq!(together.add_many(spread()).unwrap_err().kind(), ErrorKind::WrongType);
        assert_eq!(together.contains_many(spread()).unwrap_err().kind(), ErrorKind::WrongType);
    }
}

fn windows(filling: UvFilling) -> (Arc<ManualClock>, Store, UvWindows) {
    let now: Timestamp = "2019-09-28T19:20:30Z".parse().unwrap();
    let clock = Arc::new(ManualClock::new(now.as_millisecond()));
    let store = Store::builder().clock(clock.clone()).hash_seed(1).build();
    let windows = UvWindows::new(store.clone(), "uv:").filling(filling);
    let windows = windows.keep(UvLevel::Minute, Duration::from_secs(3600));
    (clock, store, windows)
}

#[test]
fn batched_visits_of_windows_equal_single_visits() {
    for filling in [UvFilling::WriteThrough, UvFilling::RollUp] {
        let (one_clock, one, single) = windows(filling);
        let (many_clock, many, together) = windows(filling);
        let mut rng = Rng::new(9);
        for round in 0..30 {
            // Up to three hours late, when minutes are no longer kept; runs within one minute, or over several.
            let run = 1 + rng.below(400);
            let late = rng.below(3) * 3_600;
            let now = one_clock_seconds(&one_clock);
            let visits: Vec<(String, Timestamp)> = (0..rng.below(1_500))
                .map(|n| {
                    let second = now - i64::try_from(late + n / run * 60).unwrap();
                    (format!("user:{}", rng.below(40_000)), Timestamp::from_second(second).unwrap())
                })
                .collect();
            let new = visits.iter().filter(|(user, at)| single.record(user, *at).unwrap()).count();
            let found = together.record_many(visits.iter().map(|(user, at)| (user, *at))).unwrap();
            assert_eq!(found, new as u64, "{filling:?}, round {round}");
            assert_eq!(payloads(&one), payloads(&many), "{filling:?}, round {round}");
            for clock in [&one_clock, &many_clock] {
                clock.advance(45_000);
            }
        }
        assert_eq!(single.last_days_now(1).unwrap(), together.last_days_now(1).unwrap());
    }
}

fn one_clock_seconds(clock: &ManualClock) -> i64 {
    use tallis::Clock;
    clock.now_ms() / 1000
}

#[test]
fn a_refused_visit_of_windows_ends_the_call() {
    let (_, store, windows) = windows(UvFilling::WriteThrough);
    let now: Timestamp = "2019-09-28T19:20:30Z".parse().unwrap();
    windows.record_many((0..100).map(|user| (user, now))).unwrap();
    let before = payloads(&store);
    for key in ["uv:201909281920", "uv:2019092819", "uv:20190928", "uv:201909"] {
        let held = store.get(key).unwrap().unwrap();
        for broken in ["no sketch", "HYLL\u{1}\0\0\0\0\0\0\0\0\0\0\u{80}\u{7f}"] {
            store.set(key, broken).unwrap();
            let refused = windows.record_many((200..300).map(|user| (user, now))).unwrap_err();
            let kinds = [ErrorKind::InvalidHll, ErrorKind::WrongType];
            assert!(kinds.contains(&refused.kind()), "{key}: {refused}");
        }
        store.set(key, &held).unwrap();
        assert_eq!(payloads(&store).len(), before.len());
    }
    let old: Timestamp = "1850-01-01T00:00:00Z".parse().unwrap();
    let refused = windows.record_many([(1, now), (2, old)]).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
}

#[test]
fn visits_of_windows_before_one_that_is_refused_are_counted() {
    let (_, one, single) = windows(UvFilling::WriteThrough);
    let (_, many, together) = windows(UvFilling::WriteThrough);
    let now: Timestamp = "2019-09-28T19:20:30Z".parse().unwrap();
    for store in [&one, &many] {
        // A sketch that has only three quarters of its registers.
        let mut damaged = b"HYLL\x01\0\0\0\0\0\0\0\0\0\0\x80".to_vec();
        damaged.extend([0x6f, 0xff]);
        store.set("uv:201909281920", damaged).unwrap();
    }
    // Users of its registers come first, except for one.
    let (there, missing): (Vec<u64>, Vec<u64>) = (0..400).partition(|user| {
        hll::register_and_rank(hll::hash(user.to_string().as_bytes())).0 < 12_288
    });
    let mut users = there;
    users.insert(200, missing[0]);
    let refused = together.record_many(users.iter().map(|user| (user, now))).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidHll);
    let counted = users.iter().take_while(|user| single.record(user, now).is_ok()).count();
    assert_eq!(counted, 200);
    assert_eq!(payloads(&one), payloads(&many));
}

#[test]
fn batched_funnels_equal_single_funnels() {
    let quota = Quota::new(3, 1, Duration::from_secs(1)).unwrap();
    let clock = Arc::new(ManualClock::new(1_700_000_000_000));
    let [one, many] = [(); 2].map(|()| Store::builder().clock(clock.clone()).hash_seed(1).build());
    let [single, together] = [&one, &many].map(|store| Funnel::new(store.clone(), quota));
    let mut rng = Rng::new(4);
    for _ in 0..40 {
        let keys: Vec<String> = (0..rng.below(300)).map(|_| rng.below(50).to_string()).collect();
        let quantity = rng.below(3);
        let want: Vec<_> = keys.iter().map(|key| single.take(key, quantity).unwrap()).collect();
        assert_eq!(together.check_many(&keys, quantity).unwrap(), want);
        assert_eq!(payloads(&one), payloads(&many));
        clock.advance(700);
    }
    many.del(["9", "10"]).unwrap();
    many.sadd("9", 1).unwrap();
    let refused = together.check_many(["8", "9", "10"], 1).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::WrongType);
    assert!(many.exists("10").unwrap(), "the others have been poured into");
}

/// A set in a transaction that has named all its keys.
#[test]
fn a_set_is_counted_inside_a_transaction() {
    let store = Store::new();
    let set = ShardedSet::splitting(store.clone(), "s");
    set.add_many(0..1_000).unwrap();
    let mut keys = store.keys("s:*").unwrap();
    keys.push("s:1".into());
    let count = store.transaction(&keys, |tx| ShardedSet::splitting(tx, "s").card());
    assert_eq!(count.unwrap(), 1_000);
    let refused = store.transaction("s:shards", |tx| ShardedSet::splitting(tx, "s").card());
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::KeyNotNamed);
}
