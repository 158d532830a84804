//! Windows on a simulated server, with interruptions.

use std::cell::Cell;
use std::fmt::Debug;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use store::{ManualClock, Profile, Store};

use super::{SCRIPTS, UvFilling, UvLevel, UvWindows};
use crate::backend::{Backend, BackendKind};
use crate::pretend::{Pretend, dump};

const FILLINGS: [UvFilling; 2] = [UvFilling::WriteThrough, UvFilling::RollUp];

/// Returns the results of calls of all kinds, on visits of the day before yesterday.
fn scenario<B: Backend>(backend: B, prefix: &str, filling: UvFilling, now: i64) -> Vec<String> {
    let mut said = Vec::new();
    let mut say = |what: &dyn Debug| said.push(format!("{what:?}"));
    let windows = UvWindows::new(backend, prefix)
        .filling(filling)
        .keep(UvLevel::Month, Duration::from_secs(100 * 86_400));
    let base = now / 3600 * 3600 - 50 * 3600;
    let at = |minute: i64| Timestamp::from_second(base + minute * 60 + 7).unwrap();
    let counts = |say: &mut dyn FnMut(&dyn Debug)| {
        for (from, to) in [(0, 1), (0, 60), (0, 180), (30, 95), (-600, 900)] {
            say(&windows.count(at(from), at(to)).map_err(|error| error.to_string()));
        }
    };
    for (user, minute) in [("a", 0), ("a", 0), ("a", 1), ("b", 1), ("c", 61), ("a", 61), ("d", 170)]
    {
        say(&windows.record(user, at(minute)).unwrap());
    }
    counts(&mut say);
    let visits = (0..700_i64).map(|visit| (visit * visit % 353, at(visit / 9)));
    say(&windows.record_many(visits).unwrap());
    counts(&mut say);
    // On a cluster a visit opens its bucket even if it changes nothing, so more buckets are merged.
    say(&(windows.roll_up().unwrap() > 0));
    counts(&mut say);
    for user in 0..30_i64 {
        say(&windows.record(user * 20, at(user * 5)).unwrap());
    }
    say(&windows.record_many((0..40_i64).map(|user| (user + 900, at(150 - user)))).unwrap());
    counts(&mut say);
    say(&(windows.roll_up().unwrap() > 0));
    say(&windows.roll_up().unwrap());
    counts(&mut say);
    // Long ago: in the month only, and in no bucket.
    let days = |days: i64| Timestamp::from_second(base - days * 86_400).unwrap();
    say(&windows.record("old", days(80)).unwrap());
    for error in [
        windows.record("older", days(500)).map(u64::from),
        windows.record_many([("x", at(3)), ("older", days(500)), ("x", at(3))]),
        windows.record_many((0..5).map(|user| (user, days(500)))),
        windows.count(days(500), days(499)),
    ] {
        let error = error.unwrap_err();
        say(&(error.kind(), error.to_string()));
    }
    counts(&mut say);
    said
}

fn now() -> i64 {
    Timestamp::now().as_second()
}

fn store() -> Store {
    Store::builder().profile(Profile::Redis70).build()
}

#[test]
fn a_server_answers_as_a_store_does() {
    for filling in FILLINGS {
        let (plain, now) = (store(), now());
        let said = scenario(plain.clone(), "uv:", filling, now);
        for kind in [BackendKind::Server, BackendKind::Cluster] {
            let server = Pretend::new(&store(), kind, SCRIPTS);
            assert_eq!(said, scenario(&server, "uv:", filling, now), "{filling:?}, {kind:?}");
            assert!(dump(&plain) == dump(&server.store), "{filling:?}, {kind:?}");
        }
        let tagged = Pretend::new(&store(), BackendKind::Cluster, SCRIPTS);
        assert_eq!(said, scenario(&tagged, "{uv}:", filling, now), "{filling:?}");
    }
}

#[cfg(feature = "redis")]
#[test]
fn a_live_server_answers_as_a_store_does() {
    use crate::pretend::dump_server;
    use crate::server::Server;
    use testkit::live;

    let Some(live) = live::server() else { return };
    let mut connection = live.connect();
    for filling in FILLINGS {
        let (plain, now) = (store(), now());
        let said = scenario(plain.clone(), "uv:", filling, now);
        let server = Server::redis(live.connect());
        assert_eq!(said, scenario(server, "uv:", filling, now), "{filling:?}");
        assert!(dump(&plain) == dump_server(&mut connection), "{filling:?}");
        redis::cmd("FLUSHALL").exec(&mut connection).unwrap();
    }
    let Some(cluster) = live::cluster() else { return };
    let client = redis::cluster::ClusterClient::new(cluster.nodes()).unwrap();
    for filling in FILLINGS {
        let now = now();
        let said = scenario(store(), "uv:", filling, now);
        for prefix in [format!("{filling:?}:"), format!("{{{filling:?}}}:")] {
            let server = Server::redis_cluster(client.clone());
            assert_eq!(said, scenario(server, &prefix, filling, now), "{filling:?}");
        }
    }
}

/// A cluster whose connections are handles on one store, and a clock.
struct Handles {
    store: Store,
    clock: Arc<ManualClock>,
    begin: Timestamp,
}

impl Handles {
    fn new() -> Self {
        let begin: Timestamp = "2019-09-28T19:11:30Z".parse().unwrap();
        let clock = Arc::new(ManualClock::new(begin.as_millisecond()));
        Self { store: Store::builder().clock(clock.clone()).build(), clock, begin }
    }

    fn windows(&self) -> UvWindows<Pretend> {
        self.windows_with(|_| true)
    }

    fn windows_with(&self, hook: impl FnMut(u64) -> bool + 'static) -> UvWindows<Pretend> {
        let backend = Pretend::new(&self.store, BackendKind::Cluster, SCRIPTS).before(hook);
        UvWindows::new(backend, "uv:").filling(UvFilling::RollUp)
    }

    fn at(&self, minute: i64) -> Timestamp {
        Timestamp::from_second(self.begin.as_second() + minute * 60).unwrap()
    }

    /// Checks that all counts are this number of users, now and after all buckets were merged.
    fn check(&self, users: u64, what: &str) {
        let windows = self.windows();
        let count = || windows.count(self.at(-3000), self.at(3000)).unwrap();
        assert_eq!(count(), users, "{what}");
        windows.roll_up().unwrap();
        assert_eq!(count(), users, "{what}: after rolling up");
        self.clock.advance(40 * 86_400_000);
        windows.roll_up().unwrap();
        assert_eq!(self.store.pfcount(["uv:201909"]).unwrap(), users, "{what}: the month");
        assert!(!self.store.exists("uv:open").unwrap(), "{what}: something is open");
    }
}

#[test]
fn no_visit_is_lost_whenever_a_handle_on_a_cluster_ends() {
    let visits: [(&str, i64, i64); 6] =
        [("a", 0, 0), ("b", 1, 1), ("c", 1, 0), ("d", 75, 75), ("e", 76, 1), ("f", 77, 60)];
    for last in 0..120 {
        let handles = Handles::new();
        let ending = handles.windows_with(move |number| number < last);
        let mut ended = false;
        for (user, minute, of) in visits {
            let ms = handles.at(minute).as_millisecond();
            handles.clock.set(ms);
            // After an error the visit is recorded again, on another connection.
            if ending.record(user, handles.at(of)).is_err() {
                ended = true;
                handles.windows().record(user, handles.at(of)).unwrap();
            }
            let count = handles.windows().count(handles.at(-100), handles.at(100)).unwrap();
            let counted = visits.iter().position(|&(one, ..)| one == user).unwrap() + 1;
            assert_eq!(count, counted as u64, "{last} {user}");
        }
        ended |= ending.roll_up().is_err();
        handles.check(visits.len() as u64, &format!("ended after {last} requests"));
        if !ended {
            assert!(last > 20, "so few requests there are not");
            return;
        }
    }
    panic!("more requests than were tried");
}

#[test]
fn no_visit_is_lost_where_two_handles_on_a_cluster_meet() {
    let mut meetings = 0;
    for (meets, rolls) in (0..24).flat_map(|number| [(number, false), (number, true)]) {
        let handles = Handles::new();
        let first = handles.windows();
        for (user, minute) in [("a", 0), ("b", 1), ("c", 2)] {
            first.record(user, handles.at(minute)).unwrap();
        }
        handles.clock.advance(2 * 3_600_000);
        let other = handles.windows();
        let late = handles.at(1);
        let met = Rc::new(Cell::new(false));
        let has_met = met.clone();
        let meeting = handles.windows_with(move |number| {
            if number == meets {
                has_met.set(true);
                other.record("d", late).unwrap();
                if rolls {
                    other.roll_up().unwrap();
                }
            }
            true
        });
        meeting.roll_up().unwrap();
        let count = meeting.count(handles.at(-100), handles.at(100)).unwrap();
        // With fewer requests, the two handles have not interfered.
        let users = if met.get() { 4 } else { 3 };
        assert_eq!(count, users, "met before request {meets}");
        handles.check(users, &format!("met before request {meets}"));
        meetings += u64::from(met.get());
    }
    assert!(meetings > 20, "{meetings}");
}
