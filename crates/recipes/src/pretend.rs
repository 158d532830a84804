//! A simulated server: a store that takes requests, to test recipes without a server.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use bytes::Bytes;
use store::{Error, ErrorKind, PreparedKey, Script, Store};

use crate::backend::{Backend, BackendKind, Keyspace};
use crate::procedure::Procedure;
use crate::slot::key_slot;

/// Called with the index of a request before it is sent; `false` closes the connection permanently.
type Hook = Box<dyn FnMut(u64) -> bool>;

/// A store that takes requests, including scripts, which it runs without Lua. As a cluster it refuses requests with
/// keys in several slots.
pub(crate) struct Pretend {
    pub(crate) store: Store,
    kind: BackendKind,
    sent: Cell<u64>,
    hook: RefCell<Option<Hook>>,
}

impl Pretend {
    pub(crate) fn new(
        store: &Store,
        kind: BackendKind,
        scripts: impl IntoIterator<Item = &'static Script>,
    ) -> Self {
        store.add_scripts(scripts);
        Self { store: store.clone(), kind, sent: Cell::new(0), hook: RefCell::new(None) }
    }

    /// Sets a function to call before each request.
    pub(crate) fn before(self, hook: impl FnMut(u64) -> bool + 'static) -> Self {
        Self { hook: RefCell::new(Some(Box::new(hook))), ..self }
    }
}

/// Parses the words of a request in RESP.
fn words(packed: &[u8]) -> Vec<Vec<u8>> {
    fn line<'p>(rest: &mut &'p [u8]) -> &'p str {
        let end = rest.windows(2).position(|two| two == b"\r\n").unwrap();
        let (line, after) = rest.split_at(end);
        *rest = &after[2..];
        std::str::from_utf8(&line[1..]).unwrap()
    }
    let mut rest = packed;
    let count: usize = line(&mut rest).parse().unwrap();
    let word = |_| {
        let len: usize = line(&mut rest).parse().unwrap();
        let (word, after) = rest.split_at(len);
        rest = &after[2..];
        word.to_vec()
    };
    (0..count).map(word).collect()
}

/// Returns the keys of a request.
fn keys(words: &[Vec<u8>]) -> &[Vec<u8>] {
    match &*words[0] {
        b"EVALSHA" => {
            let count: usize = std::str::from_utf8(&words[2]).unwrap().parse().unwrap();
            &words[3..3 + count]
        }
        b"TIME" => &[],
        b"MGET" | b"DEL" => &words[1..],
        _ => &words[1..2],
    }
}

impl Keyspace for Pretend {
    fn kind(&self) -> BackendKind {
        self.kind
    }

    fn prepare(&self, key: &[u8]) -> PreparedKey {
        PreparedKey::unhashed(key)
    }
}

impl Backend for Pretend {
    fn call<P: Procedure>(&self, procedure: &P) -> Result<P::Output, Error> {
        let lost = || Error::new(ErrorKind::Io, "ERR the connection failed");
        let number = self.sent.replace(self.sent.get() + 1);
        if let Some(mut hook) = self.hook.take() {
            let goes_on = hook(number);
            self.hook.replace(Some(hook));
            if !goes_on {
                return Err(lost());
            }
        }
        let mut packed = Vec::new();
        procedure.request()?.write(&mut packed);
        let words = words(&packed);
        let keys = keys(&words);
        if self.kind == BackendKind::Cluster
            && keys.iter().any(|key| key_slot(key) != key_slot(&keys[0]))
        {
            let text = "CROSSSLOT Keys in request don't hash to the same slot";
            return Err(Error::new(ErrorKind::Server, text));
        }
        procedure.output(self.store.execute(&words).into_result()?)
    }
}

/// Returns the keys of a store, with their dumps and expiries.
pub(crate) fn dump(store: &Store) -> BTreeMap<Bytes, (Bytes, i64)> {
    let of_key = |key: Bytes| {
        let expiry = store.execute(&[b"PEXPIRETIME", &*key]).as_int().unwrap();
        let dump = store.dump(&key).unwrap().unwrap();
        (key, (dump, expiry))
    };
    store.keys("*").unwrap().into_iter().map(of_key).collect()
}

/// Returns the same for a live server.
#[cfg(feature = "redis")]
pub(crate) fn dump_server(connection: &mut redis::Connection) -> BTreeMap<Bytes, (Bytes, i64)> {
    let keys: Vec<Vec<u8>> = redis::cmd("KEYS").arg("*").query(connection).unwrap();
    let of_key = |key: Vec<u8>| {
        let expiry = redis::cmd("PEXPIRETIME").arg(&key).query(connection).unwrap();
        let dump: Vec<u8> = redis::cmd("DUMP").arg(&key).query(connection).unwrap();
        (key.into(), (dump.into(), expiry))
    };
    keys.into_iter().map(of_key).collect()
}
