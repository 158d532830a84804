//! The calls that windows make on the backend of their keys.

use std::sync::{Arc, Mutex};

use tallis::{Backend, Error, Keyspace, PreparedKey, Procedure, Store, UvFilling, UvWindows};

use super::{FILLINGS, at, windows};

/// A store that records which keys are prepared.
#[derive(Clone, Debug)]
struct Watched {
    store: Store,
    prepared: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Keyspace for Watched {
    fn prepare(&self, key: &[u8]) -> PreparedKey {
        self.prepared.lock().unwrap().push(key.to_vec());
        self.store.prepare(key)
    }
}

impl Backend for Watched {
    fn call<P: Procedure>(&self, procedure: &P) -> Result<P::Output, Error> {
        self.store.call(procedure)
    }
}

fn watched(now: &str, filling: UvFilling) -> (UvWindows<Watched>, Watched) {
    let (_, store, _) = windows(now, filling);
    let watched = Watched { store, prepared: Arc::default() };
    (UvWindows::new(watched.clone(), "uv:").filling(filling), watched)
}

#[test]
fn a_key_is_prepared_when_its_bucket_begins() {
    for filling in FILLINGS {
        let (windows, watched) = watched("2019-09-28T23:59:30Z", filling);
        let record = |time: &str| {
            for user in 0..20 {
                windows.record(user, at(time)).unwrap();
            }
            let prepared = std::mem::take(&mut *watched.prepared.lock().unwrap());
            prepared.iter().map(|key| key.escape_ascii().to_string()).collect::<Vec<_>>()
        };
        let day = record("2019-09-28T23:58Z");
        assert_eq!(day, ["uv:201909282358", "uv:2019092823", "uv:20190928", "uv:201909"]);
        assert_eq!(record("2019-09-28T23:59Z"), ["uv:201909282359"]);
        assert!(record("2019-09-28T23:59:59.9Z").is_empty());
        let next = ["uv:201909290000", "uv:2019092900", "uv:20190929"];
        assert_eq!(record("2019-09-29T00:00Z"), next);
    }
}

/// On a server as on a store: the first visit of a minute merges the minutes that have ended.
#[cfg(feature = "redis")]
#[test]
fn a_batch_that_begins_a_minute_rolls_up_those_before_it() {
    for on_server in [false, true] {
        let (embedded, store, clock) = windows("2019-09-28T12:30:10Z", UvFilling::RollUp);
        store.add_scripts(tallis::scripts());
        let server = UvWindows::new(tallis::Server::redis(store.redis_connection()), "uv:");
        let server = server.filling(UvFilling::RollUp);
        let record = |time: &str| {
            let visits = [("alice", at(time)), ("bob", at(time))];
            if on_server { server.record_many(visits) } else { embedded.record_many(visits) }
        };
        let hour = || store.pfcount(["uv:2019092812"]).unwrap();
        assert_eq!(record("2019-09-28T12:30Z"), Ok(2));
        assert_eq!(hour(), 0, "the minute has not ended");
        clock.set(at("2019-09-28T12:31:05Z").as_millisecond());
        assert_eq!(record("2019-09-28T12:31Z"), Ok(2));
        assert_eq!(hour(), 2, "on a server: {on_server}");
    }
}
