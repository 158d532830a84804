//! Compares the calendar with a minute-by-minute scan, and tests the procedures one by one.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime, date};
use jiff::tz::TimeZone;
use store::{Limits, ManualClock, Store};
use testkit::rng::rounds;

use super::bucket::UvBucket;
use super::procedures::{self, BucketKey, CountKeys, RollKeys};
use super::users::User;
use super::{UvCalendar, UvFilling, UvLevel, UvWindows};
use crate::backend::Backend;
use crate::text::Text;

fn second(at: Timestamp) -> i64 {
    at.as_second()
}

fn utc(day: Date, hour: i8, minute: i8) -> i64 {
    second(day.at(hour, minute, 0, 0).to_zoned(TimeZone::UTC).unwrap().timestamp())
}

/// A few days of a time zone, scanned minute by minute.
struct Walk {
    calendar: UvCalendar,
    /// The first and last second of each bucket that is entirely in it, by what identifies the bucket.
    buckets: BTreeMap<(UvLevel, DateTime, Option<i32>), (i64, i64)>,
}

impl Walk {
    fn new(zone: &str, from: i64, to: i64) -> Self {
        let zone = TimeZone::get(zone).unwrap();
        let mut buckets = BTreeMap::new();
        let mut reached = DateTime::MIN;
        // Some days before, so that it is known which times the clock has reached.
        for start in (from - 3 * 86_400..to).step_by(60) {
            let at = Timestamp::from_second(start).unwrap();
            let (shown, offset) = (zone.to_datetime(at), zone.to_offset(at).seconds());
            reached = reached.max(shown);
            let today = reached.date();
            for (level, begin, offset) in [
                (UvLevel::Minute, shown, Some(offset)),
                (UvLevel::Hour, shown.date().at(shown.hour(), 0, 0, 0), Some(offset)),
                (UvLevel::Day, today.into(), None),
                (UvLevel::Month, today.first_of_month().into(), None),
            ] {
                let bucket = buckets.entry((level, begin, offset)).or_insert((start, start));
                assert_eq!(bucket.1, start, "{level:?} {begin} {offset:?} is not in one run");
                bucket.1 = start + 60;
            }
        }
        buckets.retain(|_, (start, end)| *start >= from && *end < to);
        Self { calendar: UvCalendar::new(zone), buckets }
    }

    /// Returns the fewest buckets of a range, found by trying all; overlaps are allowed.
    fn fewest(&self, from: i64, to: i64) -> usize {
        let minutes = usize::try_from((to - from) / 60).unwrap();
        let inside = |&&(start, end): &&(i64, i64)| from <= start && end <= to;
        let place = |at: i64| usize::try_from((at - from) / 60).unwrap();
        let mut best = vec![usize::MAX; minutes + 1];
        best[0] = 0;
        let mut inside: Vec<(usize, usize)> =
            self.buckets.values().filter(inside).map(|&(a, b)| (place(a), place(b))).collect();
        inside.sort_unstable_by_key(|&(_, end)| end);
        for (start, end) in inside {
            // From anywhere in the bucket, as far as it could be reached.
            let before = best[start..end].iter().min().copied().unwrap_or(usize::MAX);
            best[end] = best[end].min(before.saturating_add(1));
        }
        best[minutes]
    }

    fn check_cover(&self, from: i64, to: i64) {
        let [a, b] = [from, to].map(|at| Timestamp::from_second(at).unwrap());
        let cover = self.calendar.cover(a, b).unwrap();
        let ends: Vec<i64> = cover.iter().map(|bucket| bucket.end).collect();
        let starts: Vec<i64> = cover.iter().map(|bucket| bucket.start).collect();
        // They are consecutive from the first minute to the last.
        assert_eq!(starts.first().copied().unwrap_or(to), from);
        assert_eq!(ends.last().copied().unwrap_or(from), to);
        assert_eq!(starts[1.min(starts.len())..], ends[..ends.len().saturating_sub(1)]);
        assert!(cover.is_sorted());
        assert_eq!(cover.len(), self.fewest(from, to), "{a} {b}");
    }
}

/// Returns time zones and days on which clocks are set or days left out.
fn walks() -> Vec<(Walk, i64, i64)> {
    [
        ("UTC", date(2019, 9, 27), 5),
        ("UTC", date(2016, 2, 27), 5),
        ("UTC", date(2015, 2, 27), 4),
        ("UTC", date(2019, 12, 30), 4),
        // 23 and 25 hours.
        ("Europe/Berlin", date(2019, 3, 30), 4),
        ("Europe/Berlin", date(2019, 10, 26), 4),
        // Half an hour.
        ("Australia/Lord_Howe", date(2019, 4, 6), 3),
        ("Australia/Lord_Howe", date(2019, 10, 5), 3),
        // From one minute after midnight back to the day before, at the end of a month.
        ("America/St_Johns", date(2009, 10, 31), 3),
        ("America/St_Johns", date(2009, 3, 7), 3),
        // From midnight back to eleven, and on to one.
        ("America/Sao_Paulo", date(2018, 2, 17), 3),
        ("America/Sao_Paulo", date(2018, 11, 3), 3),
        // A day that was left out, and one that was partly repeated.
        ("Pacific/Apia", date(2011, 12, 29), 4),
        ("Pacific/Kwajalein", date(1969, 9, 29), 4),
        ("Asia/Kathmandu", date(1985, 12, 31), 3),
        // A whole month.
        ("Europe/Berlin", date(2016, 1, 31), 31),
    ]
    .map(|(zone, day, days)| {
        let (from, to) = (utc(day, 0, 0), utc(day, 0, 0) + days * 86_400);
        (Walk::new(zone, from - 86_400, to + 86_400), from, to)
    })
    .into()
}

#[test]
fn buckets_equal_those_of_a_scan_and_no_two_have_the_same_name() {
    for (walk, ..) in walks() {
        let zone = walk.calendar.time_zone().iana_name().unwrap_or("UTC").to_owned();
        let mut names: HashSet<String> = HashSet::new();
        let mut count = 0;
        for (&(level, begin, offset), &(start, end)) in &walk.buckets {
            for at in (start..end).step_by(540).chain([start + 59, end - 1]) {
                let at = Timestamp::from_second(at).unwrap();
                let bucket = walk.calendar.bucket(level, at).unwrap();
                assert_eq!((bucket.start, bucket.end), (start, end), "{zone} {bucket}");
            }
            let bucket = walk.calendar.bucket_of(level, start).unwrap();
            let text = bucket.to_string();
            assert_eq!(walk.calendar.named(text.as_bytes()), Some(bucket), "{zone} {text}");
            let plain = begin.strftime("%Y%m%d%H%M").to_string();
            let (digits, rest) = text.split_at(level.digits());
            assert!(plain.starts_with(digits), "{zone} {text} {begin}");
            let offset = offset.map(|seconds| jiff::tz::Offset::from_seconds(seconds).unwrap());
            let sign = offset.map(|offset| offset.to_string().replace(':', ""));
            assert!(rest.is_empty() || sign.is_some_and(|sign| sign.starts_with(&rest[..3])));
            assert!(names.insert(text), "{zone}: two buckets are called {bucket}");
            count += 1;
        }
        assert!(count > 2_000, "{zone}");
    }
}

#[test]
fn names_that_no_bucket_has_are_refused() {
    let berlin = UvCalendar::new(TimeZone::get("Europe/Berlin").unwrap());
    for name in ["2019102702", "2019102702+0100", "201910270259+0100", "20191027", "201910"] {
        let bucket = berlin.named(name.as_bytes()).unwrap();
        assert_eq!(bucket.to_string(), name);
    }
    for name in [
        // Never shown.
        "2019033102",
        "201903310230",
        // Shown once, or for the first time.
        "2019102703+0100",
        "2019102702+0200",
        "2019102702+0300",
        // Days and months occur once.
        "20191027+0100",
        "189912",
        "230002",
    ] {
        assert_eq!(berlin.named(name.as_bytes()), None, "{name}");
    }
}

#[test]
fn covers_are_exact_and_the_fewest_of_all() {
    let mut rng = testkit::rng::Rng::new(7);
    for (walk, from, to) in walks() {
        for _ in 0..rounds(20, 60) {
            let mut ends = [(); 2].map(|()| from + rng.range(0..=(to - from) / 60) * 60);
            ends.sort_unstable();
            walk.check_cover(ends[0], ends[1]);
        }
        // At the borders of buckets, where errors are likely.
        let mut borders: Vec<i64> = walk
            .buckets
            .iter()
            .filter(|((level, ..), _)| *level >= UvLevel::Day)
            .flat_map(|(_, &(start, end))| [start - 60, start, start + 60, end - 3600, end])
            .filter(|at| (from..=to).contains(at))
            .collect();
        borders.sort_unstable();
        borders.dedup();
        let most = usize::try_from(rounds(12, 25)).unwrap();
        let few = borders.len() / most + 1;
        let borders: Vec<i64> = borders.into_iter().step_by(few).collect();
        for (place, &start) in borders.iter().enumerate() {
            borders[place..].iter().for_each(|&end| walk.check_cover(start, end));
        }
    }
}

#[test]
fn whole_months_and_years_are_months() {
    let calendar = UvCalendar::new(TimeZone::get("Europe/Berlin").unwrap());
    let at = |text: &str| text.parse::<Timestamp>().unwrap();
    let names = |from, to| -> Vec<String> {
        let cover = calendar.cover(at(from), at(to)).unwrap();
        cover.iter().map(UvBucket::to_string).collect()
    };
    assert_eq!(names("2016-02-01T00:00+01", "2016-03-01T00:00+01"), ["201602"]);
    assert_eq!(names("2015-12-01T00:00+01", "2017-01-01T00:00+01").len(), 13);
    let cover = names("2015-12-30T23:59+01", "2016-03-02T01:01+01");
    let expected = "201512302359 20151231 201601 201602 20160301 2016030200 201603020100";
    assert_eq!(cover.join(" "), expected);
}

#[test]
fn ranges_take_in_the_minutes_that_they_begin_and_end_in() {
    let calendar = UvCalendar::utc();
    let at = |text: &str| text.parse::<Timestamp>().unwrap();
    let names = |from, to| -> Vec<String> {
        let cover = calendar.cover(at(from), at(to)).unwrap();
        cover.iter().map(UvBucket::to_string).collect()
    };
    let (one, two) = (["201909281911"], ["201909281911", "201909281912"]);
    assert_eq!(names("2019-09-28T19:11Z", "2019-09-28T19:12Z"), one);
    assert_eq!(names("2019-09-28T19:11:59.999999999Z", "2019-09-28T19:12Z"), one);
    assert_eq!(names("2019-09-28T19:11:59Z", "2019-09-28T19:12:00.000000001Z"), two);
    assert_eq!(names("2019-09-28T19:11:30Z", "2019-09-28T19:11:30.000000001Z"), one);
    assert_eq!(names("2019-09-28T19:11:30Z", "2019-09-28T19:11:31Z"), one);
    assert!(names("2019-09-28T19:11:30Z", "2019-09-28T19:11:30Z").is_empty());
    assert_eq!(names("1969-12-31T23:59:59.5Z", "1970-01-01T00:00Z"), ["196912312359"]);
    let turned = calendar.cover(at("2019-09-28T19:12Z"), at("2019-09-28T19:11Z"));
    assert_eq!(turned.unwrap_err().kind(), store::ErrorKind::InvalidArgument);
    // The limits of the calendar.
    assert_eq!(names("1900-01-01T00:00Z", "2300-01-01T00:00Z").len(), 4_800);
    for (from, to) in [
        ("1899-12-31T23:59:59Z", "1900-01-02T00:00Z"),
        ("2299-12-31T00:00Z", "2300-01-01T00:00:01Z"),
        ("2300-01-01T00:00Z", "2300-01-01T00:00Z"),
        ("-009999-01-02T01:59:59Z", "9999-12-30T22:00:00Z"),
    ] {
        let kind = calendar.cover(at(from), at(to)).unwrap_err().kind();
        assert_eq!(kind, store::ErrorKind::InvalidArgument, "{from} {to}");
    }
}

#[test]
fn subtracting_units_is_subtracting_them_one_by_one() {
    let mut rng = testkit::rng::Rng::new(3);
    for (walk, from, to) in walks() {
        let calendar = &walk.calendar;
        for level in [UvLevel::Minute, UvLevel::Hour, UvLevel::Day] {
            for _ in 0..30 {
                let start = calendar.bucket_of(level, rng.range(from..=to)).unwrap().start;
                let count = u32::try_from(rng.below(200)).unwrap();
                let one_by_one = (0..count)
                    .fold(start, |at, _| calendar.bucket_of(level, at - 1).unwrap().start);
                assert_eq!(calendar.back(level, start, count).unwrap(), one_by_one);
            }
        }
    }
    let now = utc(date(2019, 9, 28), 0, 0);
    for level in UvLevel::ALL {
        assert!(UvCalendar::utc().back(level, now, u32::MAX).is_err());
    }
}

#[test]
fn buckets_of_a_level_are_those_that_a_range_touches() {
    let berlin = UvCalendar::new(TimeZone::get("Europe/Berlin").unwrap());
    let at = |text: &str| text.parse::<Timestamp>().unwrap();
    let counts = |from, to| -> HashMap<UvLevel, usize> {
        let count = |level| berlin.buckets(level, at(from), at(to)).unwrap().len();
        UvLevel::ALL.map(|level| (level, count(level))).into()
    };
    let day = counts("2019-10-27T00:00+02", "2019-10-28T00:00+01");
    assert_eq!(UvLevel::ALL.map(|level| day[&level]), [1500, 25, 1, 1]);
    let night = counts("2019-10-31T23:59+01", "2019-11-01T00:01+01");
    assert_eq!(UvLevel::ALL.map(|level| night[&level]), [2, 2, 2, 2]);
    let none = counts("2019-10-31T23:59+01", "2019-10-31T23:59+01");
    assert_eq!(UvLevel::ALL.map(|level| none[&level]), [0; 4]);
}

const OPEN: &[u8] = b"uv:open";

/// Returns a store, and a minute and its hour, as arguments of procedures.
fn two_keys() -> (Store, [BucketKey<Vec<u8>>; 2]) {
    let store = Store::new();
    let windows = UvWindows::new(store.clone(), "uv:");
    let at: Timestamp = "2019-09-28T19:11Z".parse().unwrap();
    let keys = [UvLevel::Minute, UvLevel::Hour].map(|level| {
        let bucket = windows.calendar.bucket(level, at).unwrap();
        BucketKey { expires_at: Some(i64::MAX - 1), ..windows.bucket_key(bucket) }
    });
    (store, keys)
}

fn add_and_open(store: &Store, bucket: &BucketKey<Vec<u8>>, user: &str) -> bool {
    let user = User::new(user.into());
    let added = store.call(&procedures::add_and_open(OPEN, bucket, user.alone())).unwrap();
    assert!(added.1.is_none());
    added.0 > 0
}

fn roll(store: &Store, bucket: &BucketKey<Vec<u8>>, into: Option<&BucketKey<Vec<u8>>>) -> u64 {
    let buckets = std::slice::from_ref(bucket);
    let keys = RollKeys::new(OPEN, buckets, into, true);
    store.call(&procedures::roll(&keys)).unwrap()
}

fn open_names(store: &Store) -> Vec<Bytes> {
    store.call(&procedures::open_names(OPEN)).unwrap().1
}

#[test]
fn a_bucket_that_others_are_merged_into_is_open_and_stays() {
    let (store, [minute, hour]) = two_keys();
    // It was merged into larger buckets before, and would expire.
    store.pfadd(&hour.key, ["A"]).unwrap();
    store.pexpire_at(&hour.key, i64::MAX - 1).unwrap();
    assert!(add_and_open(&store, &minute, "B"));
    assert_eq!(roll(&store, &minute, Some(&hour)), 1);
    assert_eq!(open_names(&store), ["2019092819"]);
    assert_eq!(
        (store.ttl(&hour.key).unwrap().secs(), store.pfcount([&hour.key]).unwrap()),
        (-1, 2)
    );
    assert!(store.ttl(&minute.key).unwrap().secs() > 0);
}

#[test]
fn a_bucket_that_is_no_longer_open_is_not_merged_again() {
    let (store, [minute, hour]) = two_keys();
    store.pfadd(&minute.key, ["A"]).unwrap();
    assert_eq!(roll(&store, &minute, Some(&hour)), 0);
    assert_eq!(store.exists_many([&hour.key, OPEN]).unwrap(), 0);
    assert_eq!(store.ttl(&minute.key).unwrap().secs(), -1);
    // Without a bucket to merge into, an open bucket is deleted.
    assert!(!add_and_open(&store, &minute, "A"));
    assert!(add_and_open(&store, &minute, "B"));
    let gone = BucketKey { expires_at: Some(1), ..minute };
    assert_eq!(roll(&store, &gone, None), 1);
    assert_eq!(store.exists_many([&gone.key, OPEN]).unwrap(), 0);
}

#[test]
fn a_count_is_of_one_point_in_time_or_an_error() {
    let (store, [minute, hour]) = two_keys();
    add_and_open(&store, &minute, "A");
    let names = open_names(&store);
    let keys = [Text::from_slice(&minute.key)];
    let count = |names: &[Bytes]| {
        let keys = CountKeys::new(OPEN, names, &keys);
        let counted = store.call(&procedures::count(&keys)).unwrap();
        counted.map(|(count, _)| count)
    };
    assert_eq!((count(&names), count(&[])), (Some(1), None));
    assert_eq!(count(&[Bytes::from_static(b"2019092819")]), None);
    add_and_open(&store, &hour, "B");
    assert_eq!(count(&names), None);
    store.del([OPEN]).unwrap();
    assert_eq!((count(&names), count(&[])), (None, Some(1)));
}

#[test]
fn a_count_takes_each_key_once() {
    for filling in [UvFilling::WriteThrough, UvFilling::RollUp] {
        let at = |time: &str| format!("2019-09-28T{time}Z").parse::<Timestamp>().unwrap();
        let clock = Arc::new(ManualClock::new(at("19:11:30").as_millisecond()));
        let store = Store::builder().clock(clock).build();
        let windows = UvWindows::new(store.clone(), "uv:").filling(filling);
        // Late visits, so that with roll-up there are open buckets inside the range, at its ends, and outside.
        for time in ["17:59", "18:00", "18:30", "18:59", "19:00", "19:10"] {
            windows.record(time, at(&format!("{time}:30"))).unwrap();
        }
        let (from, to) = (at("18:00:00"), at("19:02:00"));
        assert_eq!(windows.count(from, to).unwrap(), 4, "{filling:?}");
        let cover = windows.calendar.cover(from, to).unwrap();
        let keys = windows.keys_to_count(&cover, &open_names(&store)).unwrap();
        let different: HashSet<&Text> = keys.iter().collect();
        assert_eq!(different.len(), keys.len(), "{filling:?}");
        // The hour, two minutes, and the open buckets in the hour.
        assert_eq!(keys.len(), if filling == UvFilling::RollUp { 6 } else { 3 });
    }
}

#[test]
fn a_user_is_added_to_all_or_none() {
    let (store, keys) = two_keys();
    let buckets = keys.map(|BucketKey { bucket, key, name_at, expires_at }| BucketKey {
        bucket,
        key: store.prepare(&key),
        name_at,
        expires_at,
    });
    // Raising a register makes the value dense, which is impossible for this truncated one.
    store.set_limits(Limits { hll_sparse_max_bytes: 0, ..store.limits() });
    let mut damaged = hll::empty();
    let end = damaged.len();
    damaged[end - 2..].copy_from_slice(&[0x7f, 0xfe]);
    let users = (0..).map(|user: u64| user.to_le_bytes());
    let mut early = users.filter(|user| hll::register_and_rank(hll::hash(user)).0 < 16_000);
    let user = early.next().unwrap();
    for (broken, bytes) in [(0, &damaged[..]), (1, &damaged), (0, b"x"), (1, b"x")] {
        store.flushall().unwrap();
        store.set(&buckets[broken].key, bytes).unwrap();
        let user = User::new(user.as_slice().into());
        let error = store.call(&procedures::add_to_all(&buckets, user)).unwrap_err();
        assert_eq!(error.kind(), store::ErrorKind::InvalidHll);
        assert_eq!(store.get(&buckets[broken].key).unwrap().unwrap(), bytes);
        assert_eq!(store.dbsize().unwrap(), 1);
    }
}
