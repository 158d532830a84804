//! Compares the limits on servers with those in a store.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::fmt::Debug;
use std::time::Duration;

use store::{Profile, Store};
use testkit::live;

use super::{Funnel, Quota, SlidingCounter, SlidingWindow, Throttle};
use crate::server::Server;
use crate::{Backend, scripts};

const HOUR: Duration = Duration::from_secs(3600);

#[test]
fn limits_are_the_same_on_servers() {
    let store = Store::new();
    let wanted = calls(&store);
    let mut wanted_keys = store.keys("*").unwrap();
    wanted_keys.sort();
    for name in ["redis-6.2", "redis-7.0.15", "redis-8.2.3", "valkey-9.1.2"] {
        let Some(live) = live::named(name) else { continue };
        assert_eq!(calls(&Server::redis(live.connect())), wanted, "{name}");
        let keys = redis::cmd("KEYS").arg("*").query(&mut live.connect());
        let mut keys: Vec<Vec<u8>> = keys.unwrap();
        keys.sort();
        assert_eq!(keys, wanted_keys, "{name}");
        for key in keys {
            let ttl: i64 = redis::cmd("PTTL").arg(key).query(&mut live.connect()).unwrap();
            assert!(ttl > 0, "{name}");
        }
    }
    let served = Store::builder().profile(Profile::Redis70).build();
    served.add_scripts(scripts());
    assert_eq!(calls(&Server::redis(served.redis_connection())), wanted);
}

/// Calls all limits, and returns the results as far as they do not depend on the time.
fn calls<B: Backend + Clone>(backend: &B) -> Vec<String> {
    let mut told = Told(Vec::new());
    let window = SlidingWindow::new(backend.clone());
    let strict = SlidingWindow::new(backend.clone()).count_refused(true);
    let funnel = Funnel::new(backend.clone(), Quota::new(3, 1, HOUR).unwrap());
    // The calendar period that began in 1970.
    let long = Duration::from_secs(1 << 39);
    let counter = SlidingCounter::new(backend.clone(), 1_000_000_000_000, long).unwrap();
    for _ in 0..5 {
        told.add(window.can_reply("Lei", "reply", HOUR, 3));
        told.add(window.take("Lei", "read", HOUR, 3).map(figures));
        told.add(strict.take("Ann", "read", HOUR, 2).map(figures));
        told.add(funnel.take("funnel", 1).map(figures));
        told.add(funnel.take("funnel", 4).map(figures));
        told.add(counter.take("counter", 300_000_000_000).map(figures));
    }
    told.add(window.take("Lei", "none", HOUR, 0).map(figures));
    let many = funnel.check_many(["a", "b", "a", "hist:Lei:reply"], 2);
    told.add(many.map(|many| many.into_iter().map(figures).collect::<Vec<_>>()));
    told.add(
        funnel.check_many(["a", "b", "c"], 1).unwrap().into_iter().map(figures).collect::<Vec<_>>(),
    );
    told.add(counter.take("hist:Lei:reply", 1).map(figures));
    told.add(counter.take("funnel", 1).map(figures));
    told.add(window.take("", "", HOUR, 1).map(figures));

    // Waits by the time of the server.
    let fast = Funnel::new(backend.clone(), Quota::new(1, 1, Duration::from_millis(40)).unwrap());
    told.add(fast.until_ready("fast", 1).map(|throttle| throttle.limited));
    told.add(fast.until_ready("fast", 1).map(|throttle| throttle.limited));
    told.add(fast.until_ready("fast", 2).map(|throttle| throttle.limited));
    told.0
}

/// The results.
struct Told(Vec<String>);

impl Told {
    fn add(&mut self, outcome: impl Debug) {
        self.0.push(format!("{outcome:?}"));
    }
}

fn figures(throttle: Throttle) -> (bool, u64, u64, bool, bool) {
    let Throttle { limited, limit, remaining, retry_after, reset_after } = throttle;
    (limited, limit, remaining, retry_after.is_some(), reset_after > Duration::ZERO)
}
