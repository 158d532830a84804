//! The calls that are made on every backend.

use std::fmt::Debug;
use std::time::Duration;

use bytes::Bytes;
use jiff::civil::{Date, date};
use jiff::{Timestamp, ToSpan};
use macros::blocking_and_async;
use tallis::{
    AsyncBackend, Backend, BackendKind, Bucket, Cohort, Cohorts, Dedup, Error, Funnel, Locations,
    Period, Quota, SessionIds, ShardedHash, ShardedSet, SlidingCounter, SlidingWindow, UvFilling,
    UvWindows, Visitors, VisitorsForm,
};
use testkit::rng::Rng;

/// The results of the recipes of a backend, in order.
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

/// The recipes and the current time. They are the same for all compared backends.
#[derive(Clone, Copy)]
pub(crate) struct Setting {
    pub(crate) now: Timestamp,
    pub(crate) recipes: Recipes,
}

/// The recipes to call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recipes {
    All,
    /// The ones that need no Bloom filters.
    WithoutDedup,
    Dedup,
}

/// Runs recipes. Their results are the same on every backend.
#[blocking_and_async]
pub(crate) async fn run<B: Backend + Clone>(backend: &B, setting: Setting) -> Vec<String> {
    let mut log = Log { lines: Vec::new() };
    if setting.recipes != Recipes::Dedup {
        without_dedup(backend, setting, &mut log).await;
    }
    if setting.recipes != Recipes::WithoutDedup {
        dedups(backend, &mut log).await;
    }
    log.lines
}

#[blocking_and_async]
async fn without_dedup<B: Backend + Clone>(backend: &B, setting: Setting, log: &mut Log) {
    for form in [VisitorsForm::Forecast, VisitorsForm::Tagged, VisitorsForm::Bitmap] {
        visitors(backend, form, setting, log).await;
    }
    sets(backend, log).await;
    hashes(backend, log).await;
    locations(backend, log).await;
    windows(backend, setting, log).await;
    cohorts(backend, log).await;
    limits(backend, log).await;
}

const DAYS: [Date; 3] = [date(2026, 11, 19), date(2026, 11, 20), date(2026, 11, 21)];

#[blocking_and_async]
async fn visitors<B: Backend + Clone>(
    backend: &B,
    form: VisitorsForm,
    setting: Setting,
    log: &mut Log,
) {
    let mut rng = Rng::new(form as u64 + 1);
    let name = format!("visitors, {form:?}");
    // A day in another month for each, so that the forms do not conflict.
    let month = |day: Date| day.saturating_add((form as i64 + 1).months());
    let on = |visitors: Visitors<B>| visitors.form(form).default_yesterday(1000);
    let visitors = on(Visitors::on(backend.clone()).session_ids(SessionIds::Hashed));
    for (number, at) in DAYS.map(month).into_iter().enumerate() {
        let mut ids: Vec<i64> = (0..600).map(|_| rng.range(0..=400)).collect();
        log.add(&name, &visitors.expected(at).await);
        for id in ids.drain(..200) {
            log.add(&name, &visitors.count_id(id, at).await);
        }
        log.add(&name, &visitors.count_ids(ids, at).await);
        let bucket = visitors.bucket(at).await.unwrap();
        log.add(&name, &bucket.count_ids(&[1, 1000, 1]).await);
        log.add(&name, &visitors.count(at).await);
        if number == 1 {
            // Another handle, with an empty cache.
            let other = on(Visitors::on(backend.clone()));
            log.add(&name, &other.count_ids(0..2000, at).await);
            log.add(&name, &other.count(at).await);
            log.add(&name, &other.expected(at).await);
        }
    }
    let kept = on(Visitors::on(backend.clone())).keep(Duration::from_secs(86_400 * 30));
    let today = setting.now.to_zoned(jiff::tz::TimeZone::UTC).date();
    let day = today.saturating_add((form as i64).days());
    for ids in [0..3, 1..200, 0..300] {
        log.add(&name, &kept.count_ids(ids, day).await);
    }
    log.add(&name, &kept.count(day).await);
    let sorted = |ids: Result<Vec<i64>, Error>| {
        ids.map(|mut ids| {
            ids.sort_unstable();
            ids
        })
    };
    for bucket in [Bucket::from(day), month(DAYS[1]).into(), Bucket::All] {
        log.add(&name, &sorted(kept.ids(bucket).await));
    }
    log.add(&name, &visitors.count_union(DAYS.map(month)).await);
    let gone = month(DAYS[0]).saturating_sub(10.days());
    log.add(&name, &visitors.count_ids(0..600, gone).await);
    log.add(&name, &visitors.remove(gone).await);
    log.add(&name, &visitors.remove(gone).await);
    log.add(&name, &visitors.count(gone).await);
    log.add(&name, &visitors.count_id(7, gone).await);
    log.add(&name, &kept.count_id(1, date(2015, 5, 17)).await);
    log.add(&name, &visitors.count(Bucket::All).await);
}

#[blocking_and_async]
async fn sets<B: Backend + Clone>(backend: &B, log: &mut Log) {
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
            log.add("sets", &set.add_many(&members).await);
            log.add("sets", &set.add("a text").await);
            log.add("sets", &set.add(members[7]).await);
            log.add("sets", &set.remove(members[9]).await);
            log.add("sets", &set.contains(members[9]).await);
            log.add("sets", &set.contains_many([members[1], 999, members[2]]).await);
            log.add("sets", &set.card().await);
            log.add("sets", &sorted(members_of(set).await));
        }
        // Without tags, shards with the same number in several sets are in several slots.
        if tagged || backend.kind() != BackendKind::Cluster {
            log.add("sets", &sorted(first.inter([&second]).await));
            log.add("sets", &sorted(first.union([&second]).await));
            log.add("sets", &sorted(first.diff([&second]).await));
            log.add("sets", &first.inter_card([&second]).await);
            log.add("sets", &first.union_store([&second], &target).await);
            log.add("sets", &first.inter_store([&second], &target).await);
            log.add("sets", &first.diff_store([&second], &target).await);
        } else {
            let refused = first.inter_card([&second]).await.unwrap_err();
            assert!(refused.to_string().starts_with("CROSSSLOT"), "{refused}");
            // The keys and the log are the same as elsewhere.
            let one = sorted(members_of(&first).await).unwrap();
            let two = sorted(members_of(&second).await).unwrap();
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
            target.add_many(&diff).await.unwrap();
        }
    }
}

fn members_of<B: Backend>(set: &ShardedSet<B>) -> Result<Vec<Bytes>, Error> {
    set.members().collect()
}

async fn members_of_async<B: AsyncBackend>(set: &ShardedSet<B>) -> Result<Vec<Bytes>, Error> {
    set.members_async().await
}

/// A returned member: blocking calls may fail at each of them, asynchronous ones return all at once.
trait Found {
    fn member(self) -> Result<Bytes, Error>;
}

impl Found for Bytes {
    fn member(self) -> Result<Bytes, Error> {
        Ok(self)
    }
}

impl Found for Result<Bytes, Error> {
    fn member(self) -> Result<Bytes, Error> {
        self
    }
}

fn sorted(found: Result<impl IntoIterator<Item: Found>, Error>) -> Result<Vec<String>, Error> {
    let text = |member: Bytes| String::from_utf8_lossy(&member).into_owned();
    let mut members: Vec<String> =
        found?.into_iter().map(|found| found.member().map(text)).collect::<Result<_, _>>()?;
    members.sort();
    Ok(members)
}

#[blocking_and_async]
async fn hashes<B: Backend + Clone>(backend: &B, log: &mut Log) {
    let hash = ShardedHash::new(backend.clone(), "hash", 1000, 50);
    let fields: Vec<(i64, String)> = (0..300).map(|n| (n * 7, format!("value {n}"))).collect();
    log.add("hashes", &hash.hset_multiple(&fields).await);
    log.add("hashes", &hash.hset("name", "text").await);
    log.add("hashes", &hash.hset("name", "other").await);
    log.add("hashes", &hash.hget("name").await);
    log.add("hashes", &hash.hget("none").await);
    log.add("hashes", &hash.hget_as::<Option<String>>(14).await);
    log.add("hashes", &hash.hmget([0, 7, 8, 2093]).await);
    log.add("hashes", &hash.hexists(21).await);
    log.add("hashes", &hash.hincr("count", 41).await);
    log.add("hashes", &hash.hincr("count", 1).await);
    log.add("hashes", &hash.hincr("name", 1).await);
    log.add("hashes", &hash.hdel([7, 8, 14]).await);
}

#[blocking_and_async]
async fn locations<B: Backend + Clone>(backend: &B, log: &mut Log) {
    let locations = Locations::new(backend.clone());
    let places = [("CAN", Some("QC")), ("USA", Some("CA")), ("NOR", None)];
    for (user, (country, region)) in (0..60).zip(places.into_iter().cycle()) {
        log.add("locations", &locations.set(user * 97, country, region).await);
    }
    log.add("locations", &locations.set((1 << 20) + 5, "CAN", "ON").await);
    log.add("locations", &locations.set(3, "CAN", "ON").await);
    log.add("locations", &locations.get(97).await);
    log.add("locations", &locations.get(98).await);
    log.add("locations", &locations.largest_user().await);
    let counts = |counts: Result<tallis::LocationCounts, Error>| {
        counts.map(|counts| {
            let mut countries: Vec<(String, u64)> =
                counts.countries().map(|(name, count)| (name.to_owned(), count)).collect();
            countries.sort();
            (counts.users(), counts.region("CAN", "QC"), countries)
        })
    };
    log.add("locations", &counts(locations.aggregate().await));
    log.add("locations", &counts(locations.aggregate_list([0, 97, 194, 5, 1 << 20]).await));
}

#[blocking_and_async]
async fn windows<B: Backend + Clone>(backend: &B, setting: Setting, log: &mut Log) {
    for (filling, prefix) in [(UvFilling::WriteThrough, "uv:"), (UvFilling::RollUp, "rolled:")] {
        let windows = UvWindows::new(backend.clone(), prefix).filling(filling);
        let mut rng = Rng::new(6);
        let mut visit = |ago: i64| {
            let minutes = rng.range(ago - 200..=ago);
            (format!("user {}", rng.below(300)), setting.now - minutes.minutes())
        };
        for _ in 0..100 {
            let (user, at) = visit(600);
            log.add("windows", &windows.record(user, at).await);
        }
        let visits: Vec<_> = (0..500).map(|_| visit(300)).collect();
        log.add("windows", &windows.record_many(visits).await);
        log.add("windows", &windows.count(setting.now - 500.minutes(), setting.now).await);
        log.add("windows", &windows.roll_up().await);
        log.add("windows", &windows.count(setting.now - 300.minutes(), setting.now).await);
        let (user, at) = visit(600);
        log.add("windows", &windows.record(user, at).await);
        log.add("windows", &windows.count(setting.now - 5000.minutes(), setting.now).await);
    }
}

#[blocking_and_async]
async fn cohorts<B: Backend + Clone>(backend: &B, log: &mut Log) {
    let cohorts = Cohorts::new(backend.clone());
    let mut rng = Rng::new(7);
    for day in DAYS {
        for _ in 0..60 {
            let user = rng.below(500);
            log.add("cohorts", &cohorts.mark("active", user, day.at(9, 0, 0, 0)).await);
            log.add("cohorts", &cohorts.mark("signup", user / 3, day).await);
        }
        log.add("cohorts", &cohorts.unmark("active", 7, day).await);
    }
    log.add("cohorts", &cohorts.mark_unique("paying", 42).await);
    log.add("cohorts", &cohorts.has("paying", Period::UNIQUE, 42).await);
    let [first, second, third] = DAYS.map(|day| Cohort::of("active", Period::day(day)));
    log.add("cohorts", &cohorts.query(first.clone() & second.clone()).users().await);
    log.add("cohorts", &cohorts.query((first.clone() | second) - third).count().await);
    log.add("cohorts", &cohorts.count("active", Period::week(DAYS[0])).await);
    log.add("cohorts", &cohorts.query(first).store("{kept}").await);
    let table = cohorts.retention("signup", "active", Period::day(DAYS[2]).last(3)).await;
    log.add("cohorts", &table.map(|table| format!("{:?}", table.rows())));
    log.add("cohorts", &cohorts.delete("signup", Period::day(DAYS[1])).await);
    log.add("cohorts", &cohorts.events().await);
    log.add("cohorts", &cohorts.periods("active").await.map(|periods| format!("{periods:?}")));
    log.add("cohorts", &cohorts.delete_event("signup").await);
    log.add("cohorts", &cohorts.periods("signup").await.map(|periods| periods.len()));
    let others = Cohorts::new(backend.clone()).prefix("others");
    for event in ["a", "a_b", "c*"] {
        log.add("cohorts", &others.mark(event, 3, DAYS[0]).await);
    }
    log.add("cohorts", &others.events().await);
    log.add("cohorts", &others.delete_event("a").await);
    log.add("cohorts", &others.periods("c*").await.map(|periods| periods.len()));
    log.add("cohorts", &others.delete_all().await);
    log.add("cohorts", &others.events().await);
}

#[blocking_and_async]
async fn limits<B: Backend + Clone>(backend: &B, log: &mut Log) {
    let hour = Duration::from_secs(3600);
    let window = SlidingWindow::new(backend.clone());
    let funnel = Quota::new(3, 1, hour).map(|quota| Funnel::new(backend.clone(), quota)).unwrap();
    let counter = SlidingCounter::new(backend.clone(), 3, hour).unwrap();
    let told = |throttle: Result<tallis::Throttle, Error>| {
        throttle.map(|told| (told.limited, told.limit, told.remaining, told.retry_after.is_some()))
    };
    for _ in 0..5 {
        log.add("limits", &window.can_reply("Lei", "reply", hour, 3).await);
        log.add("limits", &told(window.take("Lei", "read", hour, 3).await));
        log.add("limits", &told(funnel.take("limit:funnel", 1).await));
        log.add("limits", &told(counter.take("limit:counter", 1).await));
    }
    log.add("limits", &told(funnel.take("limit:funnel", 4).await));
    let many = funnel.check_many(["limit:a", "limit:b", "limit:a"], 2).await;
    let many = many.map(|all| all.iter().map(|told| told.limited).collect::<Vec<_>>());
    log.add("limits", &many);
}

#[blocking_and_async]
async fn dedups<B: Backend + Clone>(backend: &B, log: &mut Log) {
    let hour = Duration::from_secs(3600);
    // Several of each, so that every master of a cluster has some.
    for number in 0..6 {
        let all = Dedup::new(backend.clone(), format!("dedup:{number}"), 100, 0.001);
        let last = Dedup::last(backend.clone(), format!("dedup:last:{number}"), 50, 0.001);
        let tagged = Dedup::last(backend.clone(), format!("{{dedup}}:{number}"), 20, 0.3);
        let within =
            Dedup::within(backend.clone(), format!("dedup:within:{number}"), 1000, 0.001, hour);
        for seen in [all, last, tagged, within] {
            dedup(&seen.unwrap(), number, log).await;
        }
    }
    // Keys with a value of another type.
    ShardedHash::new(backend.clone(), "dedup:hash", 1000, 50).hset(0, "value").await.unwrap();
    for key in ["dedup:hash:0", "dedup:within:0"] {
        for seen in [
            Dedup::new(backend.clone(), key, 100, 0.001),
            Dedup::last(backend.clone(), key, 50, 0.001),
            Dedup::within(backend.clone(), key, 100, 0.001, hour),
        ] {
            dedup(&seen.unwrap(), 0, log).await;
        }
    }
}

#[blocking_and_async]
async fn dedup<B: Backend>(seen: &Dedup<B>, number: i64, log: &mut Log) {
    log.add("dedup", &seen.info().await);
    log.add("dedup", &seen.contains("a").await);
    log.add("dedup", &seen.insert("a").await);
    log.add("dedup", &seen.insert("a").await);
    log.add("dedup", &seen.insert(number).await);
    log.add("dedup", &seen.insert_many(0..120).await);
    log.add("dedup", &seen.insert_many([3, 119, 500, 3]).await);
    log.add("dedup", &seen.insert_many(["", "a", "3", "\r\n"]).await);
    // More than a script passes on at once.
    log.add("dedup", &seen.insert_many(-1500..0).await);
    log.add("dedup", &seen.insert_many([0_i64; 0]).await);
    for item in [-1500, -1, 3, 500, 501] {
        log.add("dedup", &seen.contains(item).await);
    }
    log.add("dedup", &seen.info().await);
}
