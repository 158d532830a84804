//! The article: the users who log in, in a set and in a `HyperLogLog`.

use std::sync::Arc;
use std::time::Duration;

use tallis::jiff::Timestamp;
use tallis::{ManualClock, Store, UvLevel, UvWindows};

use super::bench::{Bench, in_batches};
use super::on_server::serialized;
use super::row::{Figure, Printed, Row, Source, Unit};
use crate::failure::Failure;

/// The keys of the article's program.
const SET: &str = "SET:USER:LOGIN:2019082811";
const SKETCH: &str = "PF:USER:LOGIN:2019082811";

const fn printed(
    name: &'static str,
    what: &'static str,
    unit: Unit,
    figure: u64,
    remark: &'static str,
) -> Printed {
    let figure = Figure::Whole(figure);
    let determined = !matches!(unit, Unit::BytesHeld);
    Printed { source: Source::Article, name, what, unit, figure, words: None, determined, remark }
}

const SET_LENGTH: Printed = printed(
    "users_set_serialized",
    "a million users in a set, serialized",
    Unit::BytesSerialized,
    10_888_895,
    "the elements are USER0 to USER999999; the length in a file (serializedlength of DEBUG OBJECT), \
     which the article presents as memory",
);

const SKETCH_LENGTH: Printed = printed(
    "users_hll_serialized",
    "the same in a HyperLogLog, serialized",
    Unit::BytesSerialized,
    10_481,
    "compressed with LZF, after PFCOUNT, which stores its count in the value",
);

const COUNT: Printed = printed(
    "users_hll_count",
    "PFCOUNT of the million",
    Unit::Count,
    1_007_336,
    "0.73 % above; the standard error is 0.81 %",
);

const SET_HELD: Printed = printed(
    "users_set_held",
    "the set in memory",
    Unit::BytesHeld,
    10_888_895,
    "the memory of the set in use; the server by MEMORY USAGE",
);

const SKETCH_HELD: Printed = printed(
    "users_hll_held",
    "the HyperLogLog in memory",
    Unit::BytesHeld,
    10_481,
    "16384 registers of 6 bits are 12288 bytes; the server by MEMORY USAGE",
);

const NEXT_SET: Printed = Printed {
    words: Some("10 MB (calculated)"),
    ..printed(
        "next_day_set",
        "each further day of a million new users, a set",
        Unit::BytesHeld,
        10_000_000,
        "the article has no figures for further days, but estimates 10 bytes per user, 100 MB for ten \
         million; the mean of the second and the third day",
    )
};

const NEXT_SKETCH: Printed = printed(
    "next_day_hll",
    "the same, a HyperLogLog",
    Unit::BytesHeld,
    10_481,
    "the printed figure is the serialized length of the first day; the mean of the second and the third day",
);

const DAY: Printed = Printed {
    words: Some("less than 2 MB"),
    ..printed(
        "day_windows",
        "a day of a million users by minute, hour, day and month",
        Unit::BytesHeld,
        2_000_000,
        "each user once, evenly over the day; minutes are kept for two hours, hours for two days; the \
         server by used_memory",
    )
};

const DAY_WHOLE: Printed = Printed {
    words: Some("less than 2 MB"),
    ..printed(
        "day_windows_kept",
        "the same with every minute kept",
        Unit::BytesHeld,
        2_000_000,
        "the article's program sets no expiry",
    )
};

/// The number of days after the first that are filled.
const FURTHER: u64 = 2;

/// Returns all rows of the article.
pub(super) fn rows(bench: &mut Bench<'_>) -> Result<Vec<Row>, Failure> {
    let mut rows = first_day(bench)?;
    rows.extend(further_days(bench)?);
    rows.extend(windows(bench)?);
    Ok(rows)
}

fn users(from: u64, count: u64) -> impl Iterator<Item = String> {
    (from..from + count).map(|user| format!("USER{user}"))
}

/// Returns the keys of a further day.
fn keys(day: u64) -> [String; 2] {
    [format!("{SET}:{day}"), format!("{SKETCH}:{day}")]
}

/// The figures of the first day, of Tallis or of the server.
struct First {
    set_length: u64,
    sketch_length: u64,
    count: u64,
    set_held: u64,
    sketch_held: u64,
}

/// Returns the rows of the first day.
pub(super) fn first_day(bench: &mut Bench<'_>) -> Result<Vec<Row>, Failure> {
    let count = bench.million;
    let store = Store::new();
    let ((), set_held) =
        bench.held(|| in_batches(users(0, count), |users| store.sadd(SET, users)))?;
    let ((), sketch_held) =
        bench.held(|| in_batches(users(0, count), |users| store.pfadd(SKETCH, users)))?;
    let counted = store.pfcount([SKETCH])?;
    let length = |key| Ok::<_, Failure>(serialized(&store.dump(key)?.unwrap_or_default()));
    let (set_length, sketch_length) = (length(SET)?, length(SKETCH)?);
    let tallis = First { set_length, sketch_length, count: counted, set_held, sketch_held };
    let server = bench.served(|live| {
        live.clear()?;
        live.add_all("SADD", SET, users(0, count))?;
        live.add_all("PFADD", SKETCH, users(0, count))?;
        let counted = live.pfcount(SKETCH)?;
        Ok(First {
            set_length: live.serialized(SET)?,
            sketch_length: live.serialized(SKETCH)?,
            count: counted,
            set_held: live.memory_usage(SET)?,
            sketch_held: live.memory_usage(SKETCH)?,
        })
    })?;
    let row = |printed: &Printed, of: fn(&First) -> u64| {
        printed
            .row(Figure::Whole(of(&tallis)), server.as_ref().map(|first| Figure::Whole(of(first))))
    };
    Ok(vec![
        row(&SET_LENGTH, |first| first.set_length),
        row(&SKETCH_LENGTH, |first| first.sketch_length),
        row(&COUNT, |first| first.count),
        row(&SET_HELD, |first| first.set_held),
        row(&SKETCH_HELD, |first| first.sketch_held),
    ])
}

fn further_days(bench: &mut Bench<'_>) -> Result<[Row; 2], Failure> {
    let count = bench.million;
    let days = 1..=FURTHER;
    let store = Store::new();
    let ((), sets) = bench.held(|| {
        for day in days.clone() {
            let [key, _] = keys(day);
            in_batches(users(day * count, count), |users| store.sadd(&*key, users))?;
        }
        Ok(())
    })?;
    let ((), sketches) = bench.held(|| {
        for day in days.clone() {
            let [_, key] = keys(day);
            in_batches(users(day * count, count), |users| store.pfadd(&*key, users))?;
        }
        Ok(())
    })?;
    let server = bench.served(|live| {
        live.clear()?;
        let (mut sets, mut sketches) = (0, 0);
        for day in days {
            let [set, sketch] = keys(day);
            live.add_all("SADD", &set, users(day * count, count))?;
            live.add_all("PFADD", &sketch, users(day * count, count))?;
            sets += live.memory_usage(&set)?;
            sketches += live.memory_usage(&sketch)?;
        }
        Ok([sets, sketches])
    })?;
    let mean = |bytes: u64| Figure::Whole(bytes / FURTHER);
    let [of_sets, of_sketches] = [0, 1].map(|at| server.map(|bytes: [u64; 2]| mean(bytes[at])));
    Ok([NEXT_SET.row(mean(sets), of_sets), NEXT_SKETCH.row(mean(sketches), of_sketches)])
}

/// The beginning of the article's day, 2019-09-28, UTC, in seconds.
const MIDNIGHT: i64 = 1_569_628_800;

const MINUTES: u64 = 24 * 60;

/// Returns the users of a minute of the day.
fn of_minute(minute: u64, count: u64) -> impl Iterator<Item = String> {
    let [first, end] = [minute, minute + 1].map(|minute| minute * count / MINUTES);
    users(first, end - first)
}

fn windows(bench: &mut Bench<'_>) -> Result<[Row; 2], Failure> {
    let count = bench.million;
    let (_, short) = bench.held(|| day(count, true))?;
    let (_, whole) = bench.held(|| day(count, false))?;
    let server = bench.served(|live| {
        live.clear()?;
        let whole = live.held(|live| {
            for minute in 0..MINUTES {
                for key in keys_of(minute) {
                    live.add_all("PFADD", &key, of_minute(minute, count))?;
                }
            }
            Ok(())
        })?;
        let before = live.used_memory()?;
        for minute in 0..MINUTES - KEPT_MINUTES {
            let [key, ..] = keys_of(minute);
            live.ask(["DEL", &key])?;
        }
        let short = whole.saturating_sub(before.saturating_sub(live.used_memory()?));
        Ok([short, whole])
    })?;
    let [of_short, of_whole] =
        [0, 1].map(|at| server.map(|bytes: [u64; 2]| Figure::Whole(bytes[at])));
    Ok([DAY.row(Figure::Whole(short), of_short), DAY_WHOLE.row(Figure::Whole(whole), of_whole)])
}

/// How many minutes are kept, with the short retention time.
const KEPT_MINUTES: u64 = 120;

/// Returns the article's keys for a minute of the day: of the minute itself, the hour, the day and the month.
fn keys_of(minute: u64) -> [String; 4] {
    let (hour, minute) = (minute / 60, minute % 60);
    [format!("0928{hour:02}{minute:02}"), format!("0928{hour:02}"), "0928".into(), "09".into()]
        .map(|bucket| format!("USER:LOGIN:{bucket}"))
}

/// Returns the windows of a day, at its end.
fn day(count: u64, is_short: bool) -> Result<(UvWindows, Store), Failure> {
    let clock = Arc::new(ManualClock::new(MIDNIGHT * 1000));
    let store = Store::builder().clock(clock.clone()).build();
    let mut windows = UvWindows::new(store.clone(), "USER:LOGIN:");
    if is_short {
        windows = windows
            .keep(UvLevel::Minute, Duration::from_secs(KEPT_MINUTES * 60))
            .keep(UvLevel::Hour, Duration::from_secs(2 * 24 * 3600));
    }
    for minute in 0..MINUTES {
        let second = MIDNIGHT + 60 * minute.cast_signed();
        let time =
            Timestamp::from_second(second).map_err(|error| Failure::Trouble(error.to_string()))?;
        clock.set(second * 1000);
        windows.record_many(of_minute(minute, count).map(|user| (user, time)))?;
        sweep(&store)?;
    }
    clock.set((MIDNIGHT + 60 * MINUTES.cast_signed()) * 1000);
    sweep(&store)?;
    Ok((windows, store))
}

/// Removes expired keys.
fn sweep(store: &Store) -> Result<(), Failure> {
    while store.sweep(1000)? > 0 {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_user_comes_in_one_minute() {
        let all: Vec<String> = (0..MINUTES).flat_map(|minute| of_minute(minute, 10_000)).collect();
        assert!(all.iter().eq(&users(0, 10_000).collect::<Vec<_>>()));
    }
}
