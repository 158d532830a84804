//! Tests of the asynchronous forms.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use macros::blocking_and_async;
use store::{ManualClock, Store};

use super::Dedup;
use crate::backend::{AsyncBackend, Backend};
use crate::pretend::dump;
use crate::server::AsyncServer;

fn say(said: &mut Vec<String>, what: impl Debug) {
    said.push(format!("{what:?}"));
}

/// Returns the results of calls of all kinds.
#[blocking_and_async]
async fn scenario<B: Backend + Clone>(backend: &B, clock: &ManualClock) -> Vec<String> {
    let mut said = Vec::new();
    let period = Duration::from_secs(60);
    let all = [
        Dedup::new(backend.clone(), "all", 100, 0.01),
        Dedup::last(backend.clone(), "last", 50, 0.01),
        Dedup::within(backend.clone(), "within", 100, 0.01, period),
    ];
    for seen in all {
        let seen = seen.unwrap();
        say(&mut said, seen.info().await);
        for round in 0..40 {
            say(&mut said, seen.insert(round % 30).await);
            say(&mut said, seen.insert(format!("text {round}")).await);
            say(&mut said, seen.insert_many(round..round + 70).await);
            say(&mut said, seen.insert_many(["a", "text 7", "", "b"]).await);
            say(&mut said, seen.contains(round).await);
            say(&mut said, seen.contains(round + 500).await);
            say(&mut said, seen.contains("text 7").await);
            say(&mut said, seen.info().await);
            clock.advance(5000);
        }
        say(&mut said, seen.insert_many([0_i64; 0]).await);
    }
    refused(backend, &mut said).await;
    said
}

/// Returns the results where the key holds another type.
#[blocking_and_async]
async fn refused<B: Backend + Clone>(backend: &B, said: &mut Vec<String>) {
    let seen = Dedup::last(backend.clone(), "set", 50, 0.01).unwrap();
    say(said, seen.insert(1).await.unwrap_err().kind());
    say(said, seen.insert_many([1, 2]).await.unwrap_err().kind());
    say(said, seen.info().await.unwrap_err().kind());
}

#[tokio::test]
async fn futures_return_what_calls_that_block_do() {
    fn is_send<T: Send>(future: T) -> T {
        future
    }

    let [plain, asked, served] = [(); 3].map(|()| {
        let clock = Arc::new(ManualClock::new(1_700_000_000_000));
        let store = Store::builder().clock(clock.clone()).build();
        store.sadd("set", ["x"]).unwrap();
        (store, clock)
    });
    served.0.add_scripts(crate::scripts());
    let server = AsyncServer::redis(served.0.redis_connection());
    let said = scenario(&plain.0, &plain.1);
    assert_eq!(said, scenario_async(&asked.0, &asked.1).await);
    assert_eq!(said, is_send(scenario_async(&server, &served.1)).await);
    assert!(dump(&plain.0) == dump(&asked.0));
    assert!(dump(&plain.0) == dump(&served.0));
}
