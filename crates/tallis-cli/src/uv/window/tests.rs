use std::collections::HashSet;

use testkit::rng::Rng;

use super::*;
use crate::uv::Stamp;

/// Counts a visit at a time in the format of a log.
fn visit(window: &mut Window, visitor: u64, time: &str) {
    let stamp = Stamp::parse(time.as_bytes()).unwrap();
    window.visit(&id(visitor), stamp.minute_of_utc()).unwrap();
}

fn id(visitor: u64) -> VisitorId {
    VisitorId::of(visitor.to_le_bytes())
}

fn ending(length: &str, end: &str) -> Window {
    Window::ending_at(length.parse().unwrap(), end.parse().unwrap())
}

fn moving(length: &str) -> Window {
    Window::new(length.parse().unwrap())
}

/// Formats `from to exact keys`, after checking that the approximate count is equal.
fn shown(window: &Window) -> String {
    let counted = window.count().unwrap().unwrap();
    assert_eq!(counted.exact, counted.approx, "{counted}");
    let [from, to] = [counted.from, counted.to].map(|at| at.strftime("%m-%dT%H:%M:%S").to_string());
    format!("{from} {to} {} {}", counted.exact, counted.keys)
}

#[test]
fn a_window_begins_with_its_first_minute_and_ends_before_its_end() {
    let mut window = ending("15m", "2015-05-17T10:15:00Z");
    assert_eq!(shown(&window), "05-17T10:00:00 05-17T10:15:00 0 15");
    for (visitor, time) in [(1, "09:59:59"), (2, "10:00:00"), (3, "10:14:59"), (4, "10:15:00")] {
        visit(&mut window, visitor, &format!("17/May/2015:{time} +0000"));
    }
    assert_eq!(shown(&window), "05-17T10:00:00 05-17T10:15:00 2 15");
}

#[test]
fn an_end_inside_a_minute_leaves_that_minute_out() {
    let mut window = ending("1h", "2015-05-17T10:15:59.999Z");
    for (visitor, time) in [(1, "09:14:59"), (2, "09:15:00"), (3, "10:14:59"), (4, "10:15:01")] {
        visit(&mut window, visitor, &format!("17/May/2015:{time} +0000"));
    }
    assert_eq!(shown(&window), "05-17T09:15:00 05-17T10:15:00 2 60");
}

#[test]
fn a_window_without_an_end_goes_with_the_latest_event() {
    let mut window = moving("1h");
    assert_eq!(window.count().unwrap(), None);
    visit(&mut window, 1, "17/May/2015:10:05:03 +0000");
    assert_eq!(shown(&window), "05-17T09:06:00 05-17T10:06:00 1 60");
    visit(&mut window, 2, "17/May/2015:10:59:00 +0000");
    assert_eq!(shown(&window), "05-17T10:00:00 05-17T11:00:00 2 1");
    // Late, but in the window.
    visit(&mut window, 3, "17/May/2015:10:00:59 +0000");
    assert_eq!(shown(&window), "05-17T10:00:00 05-17T11:00:00 3 1");
    // Too late.
    visit(&mut window, 4, "17/May/2015:09:59:59 +0000");
    assert_eq!(shown(&window), "05-17T10:00:00 05-17T11:00:00 3 1");
    // The first and the late one are removed.
    visit(&mut window, 2, "17/May/2015:11:05:00 +0000");
    assert_eq!(shown(&window), "05-17T10:06:00 05-17T11:06:00 1 60");
    // After a month, all are removed.
    visit(&mut window, 1, "30/Jun/2015:23:59:59 +0000");
    assert_eq!(shown(&window), "06-30T23:00:00 07-01T00:00:00 1 1");
}

#[test]
fn offsets_of_the_log_do_not_matter() {
    let mut window = moving("2d");
    for (visitor, time) in [
        (1, "17/May/2015:23:30:00 -0700"),
        (2, "18/May/2015:12:01:00 +0530"),
        (3, "18/May/2015:06:29:59 +0000"),
        (1, "18/May/2015:08:30:30 +0200"),
    ] {
        visit(&mut window, visitor, time);
    }
    // 06:30, 06:31, 06:29 and 06:30.
    assert_eq!(shown(&window), "05-16T06:32:00 05-18T06:32:00 3 84");
    assert_eq!(
        shown(&ending("2d", "2015-05-18T08:32:00+02:00")),
        shown(&ending("2d", "2015-05-18T06:32:00Z"))
    );
}

#[test]
fn a_window_before_or_after_all_events_is_empty() {
    for end in ["2015-05-17T10:05:00Z", "2015-05-17T11:06:00Z", "1900-01-01T00:00:00Z"] {
        let mut window = ending("1h", end);
        visit(&mut window, 1, "17/May/2015:10:05:03 +0000");
        let counted = window.count().unwrap().unwrap();
        assert_eq!((counted.exact, counted.approx), (0, 0), "{end}");
    }
}

#[test]
fn no_window_begins_before_the_calendar_or_ends_after_it() {
    let mut window = ending("7d", "1900-01-02T00:00:00Z");
    visit(&mut window, 1, "31/Dec/1899:23:59:59 +0000");
    visit(&mut window, 2, "01/Jan/1900:00:00:00 +0000");
    visit(&mut window, 3, "01/Jan/1900:23:59:59 +0000");
    assert_eq!(shown(&window), "01-01T00:00:00 01-02T00:00:00 2 1");
    assert_eq!(shown(&ending("1m", "1900-01-01T00:00:30Z")), "01-01T00:00:00 01-01T00:00:00 0 0");

    let mut window = moving("146097d");
    for (visitor, time) in [
        (1, "01/Jan/0001:00:00:00 +0000"),
        (2, "31/Dec/1899:23:59:59 +0000"),
        (3, "01/Jan/2300:00:00:00 +0000"),
        (4, "31/Dec/9999:23:59:59 -2359"),
    ] {
        visit(&mut window, visitor, time);
    }
    assert_eq!(window.count().unwrap(), None);
    visit(&mut window, 5, "01/Jan/1900:00:00:00 +0000");
    visit(&mut window, 6, "10/Feb/1955:12:00:00 +0000");
    visit(&mut window, 7, "31/Dec/2299:23:59:59 +0000");
    visit(&mut window, 8, "01/Jan/2300:00:00:00 +0000");
    // 4,800 months.
    assert_eq!(shown(&window), "01-01T00:00:00 01-01T00:00:00 3 4800");
}

/// All events, and a reference count of a window by a scan of them.
#[derive(Default)]
struct Plain {
    events: Vec<(i64, u64)>,
}

impl Plain {
    fn same(&self, window: &Window, from: i64, to: i64) {
        let within = self.events.iter().filter(|(second, _)| (from..to).contains(second));
        let visitors: HashSet<u64> = within.map(|&(_, visitor)| visitor).collect();
        let plain = Store::new();
        for &visitor in &visitors {
            plain.pfadd("all", [id(visitor).as_bytes()]).unwrap();
        }
        let counted = window.count().unwrap().unwrap();
        let ends = [counted.from, counted.to].map(Timestamp::as_second);
        assert_eq!(ends, [from, to]);
        assert_eq!(counted.exact, visitors.len() as u64, "{from} {to}");
        assert_eq!(counted.approx, plain.pfcount(["all"]).unwrap(), "{from} {to}");
        // The reported keys cover the whole window.
        let keys = window.windows.cover(counted.from, counted.to).unwrap();
        assert_eq!(counted.keys, keys.len() as u64);
        assert_eq!(counted.approx, window.store.pfcount(keys).unwrap(), "{from} {to}");
    }
}

/// Returns the time as in a log of a distant time zone.
fn stamp(second: i64, rng: &mut Rng) -> Stamp {
    let offset = jiff::tz::Offset::from_seconds(i32::try_from(rng.range(-47..=47)).unwrap() * 1800);
    let timestamp = Timestamp::from_second(second).unwrap();
    let zone = jiff::tz::TimeZone::fixed(offset.unwrap());
    let text = timestamp.to_zoned(zone).strftime("%d/%b/%Y:%H:%M:%S %z").to_string();
    Stamp::parse(text.as_bytes()).unwrap()
}

/// Returns events in approximate order of time, at most `step` seconds apart, except for gaps and late ones.
fn events(length: i64, start: &str, step: i64, rng: &mut Rng) -> Vec<(i64, u64)> {
    let mut now = start.parse::<Timestamp>().unwrap().as_second();
    let event = |_| {
        let most = if rng.below(40) == 0 { 3 * length } else { step };
        now += rng.range(0..=most);
        // By less than a window or by more; a clock may also be fast.
        let late = match rng.below(8) {
            0 => rng.range(0..=length + length / 2),
            1 => -rng.range(0..=90),
            _ => 0,
        };
        (now - late, rng.below(60))
    };
    (0..300).map(event).collect()
}

#[test]
fn counts_are_those_of_all_events_looked_at_one_by_one() {
    let mut rng = Rng::new(7);
    let lengths =
        [("1m", 40), ("15m", 400), ("1h", 600), ("1d", 5_000), ("26h", 6_000), ("40d", 90_000)];
    let starts = ["2015-05-29T22:14:00Z", "1969-12-20T00:00:00Z", "1904-02-28T23:00:00Z"];
    for ((length, step), start) in
        lengths.into_iter().flat_map(|of| starts.map(|start| (of, start)))
    {
        let length: WindowLength = length.parse().unwrap();
        let seconds = i64::from(length.minutes()) * 60;
        let events = events(seconds, start, step, &mut rng);
        let end: WindowEnd =
            Timestamp::from_second(events[150].0).unwrap().to_string().parse().unwrap();
        let (mut moving, mut fixed) = (Window::new(length), Window::ending_at(length, end));
        let (mut plain, mut latest) = (Plain::default(), i64::MIN);
        for (place, (second, visitor)) in events.into_iter().enumerate() {
            latest = latest.max(second);
            plain.events.push((second, visitor));
            let stamp = stamp(second, &mut rng);
            for window in [&mut moving, &mut fixed] {
                window.visit(&id(visitor), stamp.minute_of_utc()).unwrap();
            }
            if place % 20 == 19 {
                let to = (latest.div_euclid(60) + 1) * 60;
                plain.same(&moving, to - seconds, to);
                plain.same(&fixed, end.minute() * 60 - seconds, end.minute() * 60);
            }
        }
    }
}

#[test]
fn what_has_fallen_out_is_forgotten() {
    let mut window = moving("1h");
    let mut rng = Rng::new(3);
    let start = "2015-05-29T22:14:00Z".parse::<Timestamp>().unwrap().as_second();
    let (mut most_visitors, mut most_keys) = (0, 0);
    // Five days of a new visitor every 20 seconds.
    for event in 0..5 * 24 * 180 {
        let stamp = stamp(start + event * 20, &mut rng);
        window.visit(&id(event.unsigned_abs()), stamp.minute_of_utc()).unwrap();
        most_visitors = most_visitors.max(window.last_seen.len());
        most_keys = most_keys.max(window.store.dbsize().unwrap());
    }
    assert_eq!(window.count().unwrap().unwrap().exact, 180);
    // The window plus an hour until the next removal. Minutes are kept for that hour, too, and in addition there are
    // the set of open buckets, some hours, two days and two months.
    assert!(most_visitors <= 2 * 180 + 3, "{most_visitors}");
    assert!(most_keys <= 3 * 60 + 10, "{most_keys}");
}
