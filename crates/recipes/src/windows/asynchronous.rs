//! Compares the asynchronous forms with the blocking ones.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use macros::blocking_and_async;
use store::{Clock, Error, ManualClock, PreparedKey, Store};

use super::{SCRIPTS, UvFilling, UvLevel, UvWindows};
use crate::backend::{AsyncBackend, Backend, BackendKind, Keyspace};
use crate::pretend::{Pretend, dump};
use crate::procedure::Procedure;
use crate::server::AsyncServer;

/// A server that is used as a cluster would be.
struct Cluster(AsyncServer);

impl Keyspace for Cluster {
    fn kind(&self) -> BackendKind {
        BackendKind::Cluster
    }

    fn prepare(&self, key: &[u8]) -> PreparedKey {
        self.0.prepare(key)
    }
}

impl AsyncBackend for Cluster {
    async fn call_async<P: Procedure>(&self, procedure: &P) -> Result<P::Output, Error> {
        self.0.call_async(procedure).await
    }

    async fn call_many_async<P: Procedure>(
        &self,
        procedures: &[P],
        answer: impl FnMut(usize, Result<P::Output, Error>),
    ) -> Result<(), Error> {
        self.0.call_many_async(procedures, answer).await
    }
}

fn is_send<T: Send>(future: T) -> T {
    future
}

/// Returns a store, and its clock.
fn clocked() -> (Store, Arc<ManualClock>) {
    let begin: Timestamp = "2019-09-28T19:11:30Z".parse().unwrap();
    let clock = Arc::new(ManualClock::new(begin.as_millisecond()));
    let store = Store::builder().clock(clock.clone()).build();
    store.add_scripts(crate::scripts());
    (store, clock)
}

fn windows<B: Keyspace>(backend: B, filling: UvFilling) -> UvWindows<B> {
    let windows = UvWindows::new(backend, "uv:").filling(filling);
    windows.keep(UvLevel::Month, Duration::from_secs(100 * 86_400))
}

fn say(said: &mut Vec<String>, what: Result<impl Debug, Error>) {
    said.push(format!("{:?}", what.map_err(|error| (error.kind(), error.to_string()))));
}

/// Returns every figure.
#[blocking_and_async]
async fn figures<B: Backend>(said: &mut Vec<String>, windows: &UvWindows<B>, now: i64) {
    let at = |minute: i64| Timestamp::from_second(now + minute * 60).unwrap();
    say(said, windows.count(at(-180), at(1)).await);
    say(said, windows.count(at(-100_000), at(1)).await);
    say(said, windows.last_minutes(100).await);
    say(said, windows.last_hours(2).await);
    say(said, windows.last_days(2).await);
    say(said, windows.last_minutes_now(100).await);
    say(said, windows.last_hours_now(2).await);
    say(said, windows.last_days_now(2).await);
    say(said, windows.hourly().await);
    say(said, windows.daily().await);
    say(said, windows.weekly().await);
}

/// Returns the results of visits now and in the past, and the figures in between.
#[blocking_and_async]
async fn scenario<B: Backend>(windows: &UvWindows<B>, clock: &ManualClock) -> Vec<String> {
    let mut said = Vec::new();
    let begin = clock.now_ms().div_euclid(1000);
    let at = |minute: i64| Timestamp::from_second(begin + minute * 60).unwrap();
    // Present and late visits, in buckets of each level and in none.
    for minute in [0, 0, -1, -70, -2_000, -20_000, -60_000, -100_000, -1_000_000] {
        say(&mut said, windows.record("a", at(minute)).await);
        say(&mut said, windows.record(minute, at(minute)).await);
    }
    figures(&mut said, windows, begin).await;
    // Many in one minute make it dense; then a few per minute.
    let visits = (0..3_000_i64).map(|user| (user, at(user / 2_900)));
    say(&mut said, windows.record_many(visits).await);
    for user in [7, 8, 10_000, 10_001, 10_000] {
        say(&mut said, windows.record(user, at(0)).await);
    }
    let visits = (0..60_i64).map(|user| (format!("late {user}"), at(-user * 40 / 3)));
    say(&mut said, windows.record_many(visits).await);
    let visits = [("x", at(0)), ("x", at(-1_000_000)), ("y", at(-60_000)), ("z", at(-20_000))];
    say(&mut said, windows.record_many(visits).await);
    say(&mut said, windows.record_many([("w", at(-60_000)), ("w", at(-20_000))]).await);
    figures(&mut said, windows, begin).await;
    for minutes in [1, 3, 59, 1440] {
        clock.advance(minutes * 60_000);
        let now = clock.now_ms().div_euclid(1000);
        say(&mut said, windows.record("b", Timestamp::from_second(now).unwrap()).await);
        say(&mut said, windows.roll_up().await);
        figures(&mut said, windows, now).await;
    }
    said
}

/// Compares the asynchronous forms on a backend that is made of a store with the blocking forms on another.
macro_rules! compare {
    ($filling:expr, $asynchronous:expr, $blocking:expr) => {
        let filling = $filling;
        let ((plain, plain_clock), (store, clock)) = (clocked(), clocked());
        let said = scenario(&windows($blocking(&plain), filling), &plain_clock);
        let of_futures = windows($asynchronous(&store), filling);
        assert_eq!(is_send(scenario_async(&of_futures, &clock)).await, said, "{filling:?}");
        assert!(dump(&store) == dump(&plain), "{filling:?}");
    };
}

#[tokio::test]
async fn futures_answer_as_calls_that_block_do() {
    let server = |store: &Store| AsyncServer::redis(store.redis_connection());
    let cluster = |store: &Store| Cluster(server(store));
    let pretend = |kind| move |store: &Store| Pretend::new(store, kind, SCRIPTS);
    for filling in [UvFilling::WriteThrough, UvFilling::RollUp] {
        compare!(filling, Store::clone, Store::clone);
        compare!(filling, server, pretend(BackendKind::Server));
        compare!(filling, cluster, pretend(BackendKind::Cluster));
    }
}
