//! Compares procedures on a store with those on a live server.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use redis::{FromRedisValue, Value};
use store::{Clock, Error, ManualClock, Profile, Reply, ScriptCall, Store};
use testkit::live;

use crate::procedure::Procedure;
use crate::request::Request;
use crate::server::Server;

/// How a script reads the time.
const TIME: &str = "redis.call('TIME')";

/// A store and a live server with the same keys, and one clock for both.
pub(crate) struct Beside {
    pub(crate) store: Store,
    /// A store that gets the requests to the server, and runs the functions of scripts.
    pub(crate) scripted: Store,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) server: Server,
    connection: redis::Connection,
    /// Stopped with this value.
    _live: live::Server,
}

impl Beside {
    /// Creates both, without keys. The time is ten years ahead, so that the server expires no key by itself.
    pub(crate) fn open() -> Option<Self> {
        let options = live::Options::new().config("enable-debug-command", "yes");
        Some(Self::on(live::server_with(&options)?))
    }

    /// Creates it with a server that has DEBUG.
    pub(crate) fn on(live: live::Server) -> Self {
        #[expect(clippy::disallowed_methods, reason = "keys must not expire on the server")]
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
        let ahead = 10 * 365 * 86_400_000;
        let clock = Arc::new(ManualClock::new(i64::try_from(now).unwrap() + ahead));
        let store = || Store::builder().clock(clock.clone()).profile(Profile::Redis70).build();
        Self {
            store: store(),
            scripted: store(),
            clock: clock.clone(),
            server: Server::redis(live.connect()),
            connection: live.connect(),
            _live: live,
        }
    }

    /// Returns the time, in milliseconds since the epoch.
    pub(crate) fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    /// Advances the clock.
    pub(crate) fn advance(&mut self, ms: i64) {
        self.clock.advance(ms);
        self.expire();
    }

    /// Advances the clock by microseconds.
    pub(crate) fn advance_us(&mut self, us: i64) {
        self.clock.advance_us(us);
        self.expire();
    }

    /// Removes the keys from the server that have expired by the clock.
    fn expire(&mut self) {
        for (key, at) in self.server_keys() {
            if at >= 0 && at <= self.clock.now_ms() {
                live::command(&mut self.connection, &[b"DEL", &*key]).unwrap();
            }
        }
    }

    /// Runs a command on both.
    pub(crate) fn command(&mut self, words: &[&[u8]]) {
        let reply = self.store.execute(words);
        self.scripted.execute(words);
        let of_server = live::command(&mut self.connection, words);
        assert_eq!(reply.is_error(), of_server.is_err(), "{words:?}: {reply:?}, {of_server:?}");
    }

    /// Removes all keys.
    pub(crate) fn flush(&mut self) {
        self.command(&[b"FLUSHALL"]);
    }

    /// Runs a procedure on both, and checks that they return the same and have the same keys afterwards. Returns the
    /// result.
    ///
    /// # Panics
    ///
    /// If they differ.
    pub(crate) fn call<P>(&mut self, procedure: &P) -> Result<P::Output, Error>
    where
        P: Procedure<Output: fmt::Debug + PartialEq>,
    {
        let output = crate::backend::Backend::call(&self.store, procedure);
        let of_server = self.call_on_server(procedure);
        self.expire();
        assert_eq!(output, of_server, "the store, and the server");
        self.check();
        output
    }

    /// Runs a procedure on the server, at the time of the clock, and checks that the function of its script replies the
    /// same.
    pub(crate) fn call_on_server<P: Procedure>(&self, procedure: &P) -> Result<P::Output, Error> {
        let request = procedure.request()?;
        let reply = self.send(&request)?;
        let scripted = self.send_to_scripted(&request).into_resp2(Profile::Redis70);
        assert_eq!(scripted, reply, "the function of the script, and its text");
        procedure.output(reply.into_result()?)
    }

    /// Returns the reply of the store that has the functions of scripts.
    fn send_to_scripted(&self, request: &Request) -> Reply {
        let mut packed = Vec::new();
        request.write(&mut packed);
        let words: Vec<Vec<u8>> =
            redis::from_redis_value(redis::parse_redis_value(&packed).unwrap()).unwrap();
        let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
        let Some(script) = request.as_script() else { return self.scripted.execute(&words) };
        let keys: usize = std::str::from_utf8(words[2]).unwrap().parse().unwrap();
        let (keys, args) = words[3..].split_at(keys);
        let call = ScriptCall { keys, args };
        self.scripted.transaction(keys, |tx| script.run(tx, &call)).unwrap_or_else(Reply::from)
    }

    /// Returns the server's reply.
    fn send(&self, request: &Request) -> Result<Reply, Error> {
        let mut packed = Vec::new();
        match request.as_script() {
            None => request.write(&mut packed),
            Some(script) => {
                let now = self.clock.now_us();
                let time = format!("{{'{}', '{}'}}", now / 1_000_000, now % 1_000_000);
                let text = script.text().replace(TIME, &time);
                assert!(!text.contains("'TIME'"), "a script asks for the time as {TIME}");
                request.write_text(&text, &mut packed);
            }
        }
        self.server.send(&packed)
    }

    /// Compares the keys, their bytes and their expiries.
    ///
    /// # Panics
    ///
    /// If they differ.
    pub(crate) fn check(&mut self) {
        let of_server = self.server_keys();
        let of_store = keys_of(&self.store);
        assert_eq!(of_store, of_server, "keys and when they expire: the store, and the server");
        assert_eq!(keys_of(&self.scripted), of_server, "the functions of scripts, and the server");
        let dumps: Vec<Value> = self.of_each("DUMP", of_store.keys());
        for (key, of_server) in of_store.keys().zip(dumps) {
            let dump = self.store.dump(&**key).unwrap().unwrap();
            if live::as_bytes(&of_server) == Some(&*dump) {
                continue;
            }
            // The order of a hash table is random.
            let encoding = self.store.object_encoding(&**key).unwrap();
            let (key_text, dump) = (key.escape_ascii(), dump.escape_ascii());
            assert_eq!(encoding, Some("hashtable"), "{key_text}: {dump}, and {of_server:?}");
            let words: [&[u8]; 3] = [b"DEBUG", b"DIGEST-VALUE", key];
            let Reply::Array(digest) = self.store.execute(&words) else { panic!("no digest") };
            let of_server = live::command(&mut self.connection, &words).unwrap();
            let digest =
                Value::Array(vec![Value::SimpleString(digest[0].as_str().unwrap().into())]);
            assert_eq!(digest, of_server, "{}", key.escape_ascii());
        }
    }

    fn server_keys(&mut self) -> BTreeMap<Vec<u8>, i64> {
        let keys: Vec<Vec<u8>> = redis::cmd("KEYS").arg("*").query(&mut self.connection).unwrap();
        let expiries: Vec<i64> = self.of_each("PEXPIRETIME", &keys);
        keys.into_iter().zip(expiries).collect()
    }

    /// Returns the server's replies to a command on each of the keys.
    fn of_each<'k, T: FromRedisValue>(
        &mut self,
        command: &str,
        keys: impl IntoIterator<Item = &'k Vec<u8>>,
    ) -> Vec<T> {
        let mut pipeline = redis::pipe();
        for key in keys {
            pipeline.cmd(command).arg(key);
        }
        if pipeline.is_empty() { Vec::new() } else { pipeline.query(&mut self.connection).unwrap() }
    }
}

/// Returns the keys of a store, with their expiries.
fn keys_of(store: &Store) -> BTreeMap<Vec<u8>, i64> {
    let keys = store.keys("*").unwrap();
    let expiry = |key: &[u8]| store.execute(&[b"PEXPIRETIME", key]).as_int().unwrap();
    keys.iter().map(|key| (key.to_vec(), expiry(key))).collect()
}
