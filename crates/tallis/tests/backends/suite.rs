//! What every backend is asked.

use std::fmt::Debug;
use std::time::Duration;

use jiff::civil::{Date, date};
use jiff::{Timestamp, ToSpan};
use tallis::{
    Backend, BackendKind, Bucket, Cohort, Cohorts, Dedup, Error, Funnel, Locations, Period, Quota,
    SessionIds, ShardedHash, ShardedSet, SlidingCounter, SlidingWindow, UvFilling, UvWindows,
    Visitors, VisitorsForm,
};
use testkit::rng::Rng;

/// What the recipes of a backend returned, in order.
pub(crate) struct Log {
    lines: Vec<String>,
}

impl Log {
    fn add(&mut self, what: &str, outcome: &Result<impl Debug, Error>) {
        let line = match outcome {
            Ok(output) => format!("{what}: {output:?}"),
            Err(error) => format!("{what}: {:?} {error}", error.kind()),
        };
        self.lines.push(line);
    }
}

/// Where what is asked of every backend is the same: the day, and whether there are Bloom filters.
#[derive(Clone, Copy)]
pub(crate) struct Setting {
    pub(crate) now: Timestamp,
    pub(crate) blooms: bool,
}

/// Runs all recipes. What they return is the same on every backend.
pub(crate) fn run<B: Backend + Clone>(backend: &B, setting: Setting) -> Vec<String> {
    let mut log = Log { lines: Vec::new() };
    for form in [VisitorsForm::Forecast, VisitorsForm::Tagged, VisitorsForm::Bitmap] {
        visitors(backend, form, setting, &mut log);
    }
    sets(backend, &mut log);
    hashes(backend, &mut log);
    locations(backend, &mut log);
    windows(backend, setting, &mut log);
    cohorts(backend, &mut log);
    limits(backend, &mut log);
    if setting.blooms {
        dedups(backend, &mut log);
    }
    log.lines
}

const DAYS: [Date; 3] = [date(2026, 11, 19), date(2026, 11, 20), date(2026, 11, 21)];

fn visitors<B: Backend + Clone>(backend: &B, form: VisitorsForm, setting: Setting, log: &mut Log) {
    let mut rng = Rng::new(form as u64 + 1);
    let name = format!("visitors, {form:?}");
    // A day in each month, so that the forms do not meet.
    let day = |day: Date| day.saturating_add((form as i64 + 1).months());
    let on = |visitors: Visitors<B>| visitors.form(form).default_yesterday(1000);
    let visitors = on(Visitors::on(backend.clone()).session_ids(SessionIds::Hashed));
    for (number, at) in DAYS.map(day).into_iter().enumerate() {
        let mut ids: Vec<i64> = (0..600).map(|_| rng.range(0..=400)).collect();
        log.add(&name, &visitors.expected(at));
        for id in ids.drain(..200) {
            log.add(&name, &visitors.count_id(id, at));
        }
        log.add(&name, &visitors.count_ids(ids, at));
        log.add(&name, &visitors.bucket(at).and_then(|bucket| bucket.count_ids(&[1, 1000, 1])));
        log.add(&name, &visitors.count(at));
        if number == 1 {
            // Another handle, which remembers nothing.
            let other = on(Visitors::on(backend.clone()));
            log.add(&name, &other.count_ids(0..2000, at));
            log.add(&name, &other.count(at));
            log.add(&name, &other.expected(at));
        }
    }
    let kept = on(Visitors::on(backend.clone())).keep(Duration::from_secs(86_400 * 30));
    let today = setting.now.to_zoned(jiff::tz::TimeZone::UTC).date();
    let day = today.saturating_add((form as i64).days());
    for ids in [0..3, 1..200, 0..300] {
        log.add(&name, &kept.count_ids(ids, day));
    }
    log.add(&name, &kept.count(day));
    log.add(&name, &kept.count_id(1, date(2015, 5, 17)));
    log.add(&name, &visitors.count(Bucket::All));
}

fn sets<B: Backend + Clone>(backend: &B, log: &mut Log) {
    let mut rng = Rng::new(4);
    let make = |tagged: bool, name: &str| {
        let backend = backend.clone();
        if tagged {
            ShardedSet::tagged(backend, format!("tagged:{name}"), 2000, 50)
        } else {
            ShardedSet::new(backend, format!("set:{name}"), 2000, 50)
        }
    };
    for tagged in [false, true] {
        let [first, second, target] = ["one", "two", "three"].map(|name| make(tagged, name));
        for set in [&first, &second] {
            let members: Vec<i64> = (0..300).map(|_| rng.range(-200..=200)).collect();
            log.add("sets", &set.add_many(&members));
            log.add("sets", &set.add("a text"));
            log.add("sets", &set.add(members[7]));
            log.add("sets", &set.remove(members[9]));
            log.add("sets", &set.contains(members[9]));
            log.add("sets", &set.contains_many([members[1], 999, members[2]]));
            log.add("sets", &set.card());
            log.add("sets", &sorted(Ok(set.members())));
        }
        // Without tags the shards of one number of several sets lie in several slots.
        if tagged || backend.kind() != BackendKind::Cluster {
            log.add("sets", &sorted(first.inter([&second])));
            log.add("sets", &sorted(first.union([&second])));
            log.add("sets", &sorted(first.diff([&second])));
            log.add("sets", &first.inter_card([&second]));
            log.add("sets", &first.union_store([&second], &target));
            log.add("sets", &first.inter_store([&second], &target));
            log.add("sets", &first.diff_store([&second], &target));
        } else {
            let refused = first.inter_card([&second]).unwrap_err();
            assert!(refused.to_string().starts_with("CROSSSLOT"), "{refused}");
            // The keys and the log are as elsewhere.
            let members = |set: &ShardedSet<B>| sorted(Ok(set.members())).unwrap();
            let [one, two] = [&first, &second].map(members);
            let pick = |other: &Vec<String>, has: bool| -> Vec<String> {
                one.iter().filter(|one| other.contains(one) == has).cloned().collect()
            };
            let mut union: Vec<String> = [pick(&two, false), two.clone()].concat();
            union.sort();
            let diff = pick(&two, false);
            let inter = pick(&two, true);
            for members in [&inter, &union, &diff] {
                log.add("sets", &Ok(members));
            }
            log.add("sets", &Ok(inter.len()));
            for members in [&union, &inter, &diff] {
                log.add("sets", &Ok(members.len()));
            }
            target.add_many(&diff).unwrap();
        }
    }
}

fn sorted(
    members: Result<impl Iterator<Item = Result<bytes::Bytes, Error>>, Error>,
) -> Result<Vec<String>, Error> {
    let text = |member: bytes::Bytes| String::from_utf8_lossy(&member).into_owned();
    let mut members: Vec<String> =
        members?.map(|member| member.map(text)).collect::<Result<_, _>>()?;
    members.sort();
    Ok(members)
}

fn hashes<B: Backend + Clone>(backend: &B, log: &mut Log) {
    let hash = ShardedHash::new(backend.clone(), "hash", 1000, 50);
    let fields: Vec<(i64, String)> = (0..300).map(|n| (n * 7, format!("value {n}"))).collect();
    log.add("hashes", &hash.hset_multiple(&fields));
    log.add("hashes", &hash.hset("name", "text"));
    log.add("hashes", &hash.hset("name", "other"));
    log.add("hashes", &hash.hget("name"));
    log.add("hashes", &hash.hget("none"));
    log.add("hashes", &hash.hget_as::<Option<String>>(14));
    log.add("hashes", &hash.hmget([0, 7, 8, 2093]));
    log.add("hashes", &hash.hexists(21));
    log.add("hashes", &hash.hincr("count", 41));
    log.add("hashes", &hash.hincr("count", 1));
    log.add("hashes", &hash.hincr("name", 1));
    log.add("hashes", &hash.hdel([7, 8, 14]));
}

fn locations<B: Backend + Clone>(backend: &B, log: &mut Log) {
    let locations = Locations::new(backend.clone());
    let places = [("CAN", Some("QC")), ("USA", Some("CA")), ("NOR", None)];
    for (user, (country, region)) in (0..60).zip(places.into_iter().cycle()) {
        log.add("locations", &locations.set(user * 97, country, region));
    }
    log.add("locations", &locations.set((1 << 20) + 5, "CAN", "ON"));
    log.add("locations", &locations.set(3, "CAN", "ON"));
    log.add("locations", &locations.get(97));
    log.add("locations", &locations.get(98));
    log.add("locations", &locations.largest_user());
    let counts = |counts: Result<tallis::LocationCounts, Error>| {
        counts.map(|counts| {
            let mut countries: Vec<(String, u64)> =
                counts.countries().map(|(name, count)| (name.to_owned(), count)).collect();
            countries.sort();
            (counts.users(), counts.region("CAN", "QC"), countries)
        })
    };
    log.add("locations", &counts(locations.aggregate()));
    log.add("locations", &counts(locations.aggregate_list([0, 97, 194, 5, 1 << 20])));
}

fn windows<B: Backend + Clone>(backend: &B, setting: Setting, log: &mut Log) {
    for (filling, prefix) in [(UvFilling::WriteThrough, "uv:"), (UvFilling::RollUp, "rolled:")] {
        let windows = UvWindows::new(backend.clone(), prefix).filling(filling);
        let mut rng = Rng::new(6);
        let mut visit = |ago: i64| {
            let minutes = rng.range(ago - 200..=ago);
            (format!("user {}", rng.below(300)), setting.now - minutes.minutes())
        };
        for _ in 0..100 {
            let (user, at) = visit(600);
            log.add("windows", &windows.record(user, at));
        }
        let visits: Vec<_> = (0..500).map(|_| visit(300)).collect();
        log.add("windows", &windows.record_many(visits));
        log.add("windows", &windows.count(setting.now - 500.minutes(), setting.now));
        log.add("windows", &windows.roll_up());
        log.add("windows", &windows.count(setting.now - 300.minutes(), setting.now));
        let (user, at) = visit(600);
        log.add("windows", &windows.record(user, at));
        log.add("windows", &windows.count(setting.now - 5000.minutes(), setting.now));
    }
}

fn cohorts<B: Backend + Clone>(backend: &B, log: &mut Log) {
    let cohorts = Cohorts::new(backend.clone());
    let mut rng = Rng::new(7);
    for day in DAYS {
        for _ in 0..60 {
            let user = rng.below(500);
            log.add("cohorts", &cohorts.mark("active", user, day.at(9, 0, 0, 0)));
            log.add("cohorts", &cohorts.mark("signup", user / 3, day));
        }
        log.add("cohorts", &cohorts.unmark("active", 7, day));
    }
    log.add("cohorts", &cohorts.mark_unique("paying", 42));
    log.add("cohorts", &cohorts.has("paying", Period::UNIQUE, 42));
    let [first, second, third] = DAYS.map(|day| Cohort::of("active", Period::day(day)));
    log.add("cohorts", &cohorts.query(first.clone() & second.clone()).users());
    log.add("cohorts", &cohorts.query((first.clone() | second) - third).count());
    log.add("cohorts", &cohorts.count("active", Period::week(DAYS[0])));
    log.add("cohorts", &cohorts.query(first).store("{kept}"));
    let table = cohorts.retention("signup", "active", Period::day(DAYS[2]).last(3));
    log.add("cohorts", &table.map(|table| format!("{:?}", table.rows())));
    log.add("cohorts", &cohorts.delete("signup", Period::day(DAYS[1])));
}

fn limits<B: Backend + Clone>(backend: &B, log: &mut Log) {
    let hour = Duration::from_secs(3600);
    let window = SlidingWindow::new(backend.clone());
    let funnel = Quota::new(3, 1, hour).map(|quota| Funnel::new(backend.clone(), quota)).unwrap();
    let counter = SlidingCounter::new(backend.clone(), 3, hour).unwrap();
    let told = |throttle: Result<tallis::Throttle, Error>| {
        throttle.map(|told| (told.limited, told.limit, told.remaining, told.retry_after.is_some()))
    };
    for _ in 0..5 {
        log.add("limits", &window.can_reply("Lei", "reply", hour, 3));
        log.add("limits", &told(window.take("Lei", "read", hour, 3)));
        log.add("limits", &told(funnel.take("limit:funnel", 1)));
        log.add("limits", &told(counter.take("limit:counter", 1)));
    }
    log.add("limits", &told(funnel.take("limit:funnel", 4)));
    let many = funnel.check_many(["limit:a", "limit:b", "limit:a"], 2);
    let many = many.map(|all| all.iter().map(|told| told.limited).collect::<Vec<_>>());
    log.add("limits", &many);
}

fn dedups<B: Backend + Clone>(backend: &B, log: &mut Log) {
    let all = Dedup::new(backend.clone(), "dedup", 1000, 0.001).unwrap();
    let last = Dedup::last(backend.clone(), "dedup:last", 50, 0.001).unwrap();
    for seen in [&all, &last] {
        log.add("dedup", &seen.insert("a"));
        log.add("dedup", &seen.insert_many(0..120));
        log.add("dedup", &seen.insert_many([3, 119, 500, 3]));
        log.add("dedup", &seen.contains("a"));
        log.add("dedup", &seen.info().map(|info| info.items));
    }
}
