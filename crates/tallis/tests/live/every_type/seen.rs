//! What a server or a store holds, as it says itself.

use std::collections::BTreeMap;

use tallis::{Profile, Session};
use testkit::differential::{Payload, Reply};
use testkit::live::Wire;

use super::values::{FIELDS_DB, STREAMS_DB, Words};
use crate::answer::answer_in;

/// A server or a store, to be asked the same.
pub(crate) trait Side {
    /// Runs a command.
    fn ask<A: AsRef<[u8]>>(&mut self, words: &[A]) -> Reply;

    /// Runs a command that must not fail.
    fn done<A: AsRef<[u8]>>(&mut self, words: &[A]) -> Reply {
        let reply = self.ask(words);
        let name = || String::from_utf8_lossy(words[0].as_ref()).into_owned();
        assert!(!reply.is_error(), "{}: {reply}", name());
        reply
    }

    /// Runs commands that must not fail.
    fn do_all(&mut self, commands: impl IntoIterator<Item = Words>) {
        for words in commands {
            self.done(&words);
        }
    }
}

impl Side for Wire {
    fn ask<A: AsRef<[u8]>>(&mut self, words: &[A]) -> Reply {
        let words: Words = words.iter().map(|word| word.as_ref().to_vec()).collect();
        self.run(&words).unwrap()
    }
}

impl Side for Session {
    fn ask<A: AsRef<[u8]>>(&mut self, words: &[A]) -> Reply {
        answer_in(self.execute(words), Profile::default())
    }
}

/// A key with its database.
pub(crate) type Place = (u32, Vec<u8>);

/// A value, as DUMP, DEBUG DIGEST-VALUE and PTTL tell of it.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) dump: Vec<u8>,
    pub(crate) digest: Reply,
    pub(crate) ttl: i64,
}

impl Held {
    /// What the key of a database holds.
    pub(crate) fn of(side: &mut impl Side, key: &[u8]) -> Self {
        let dump = side.done(&[b"DUMP", key]);
        let digest = side.done(&[b"DEBUG", &b"DIGEST-VALUE"[..], key]);
        let Reply::Int(ttl) = side.done(&[b"PTTL", key]) else { panic!("PTTL is a number") };
        Self { dump: dump.bytes().unwrap().to_vec(), digest, ttl }
    }
}

/// Everything that a side holds.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) values: BTreeMap<Place, Held>,
    /// DEBUG DIGEST of all, without the streams, and without the fields that expire.
    digests: [Reply; 3],
}

impl Seen {
    /// Looks at everything, and empties the databases of streams and of fields that expire.
    pub(crate) fn by(side: &mut impl Side) -> Self {
        let mut values = BTreeMap::new();
        for db in 0..16 {
            side.done(&["SELECT", &db.to_string()]);
            let keys = side.done(&["KEYS", "*"]);
            for key in keys.elements().unwrap() {
                let key = key.bytes().unwrap();
                values.insert((db, key.to_vec()), Held::of(side, key));
            }
        }
        let all = side.done(&["DEBUG", "DIGEST"]);
        let [streams, fields] = [STREAMS_DB, FIELDS_DB].map(|db| {
            side.done(&["SELECT", &db.to_string()]);
            side.done(&["FLUSHDB"]);
            side.done(&["DEBUG", "DIGEST"])
        });
        Self { values, digests: [all, streams, fields] }
    }

    /// Fails unless the same is here, as far as it is to be compared.
    pub(crate) fn assert_is(&self, expected: &Self, how: Comparison, at: &str) {
        let compared = |seen: &Self| {
            let places = seen.values.keys().filter(|(db, _)| how.compares(*db));
            places.cloned().collect::<Vec<_>>()
        };
        assert_eq!(compared(self), compared(expected), "{at}");
        for (place @ (db, key), theirs) in &expected.values {
            let Some(ours) = self.values.get(place).filter(|_| how.compares(*db)) else { continue };
            let at = format!("{at}, {db} {}", String::from_utf8_lossy(key));
            if *db == STREAMS_DB || how.bytes {
                let [ours, theirs] = [ours, theirs].map(|held| Payload::read(&held.dump).unwrap());
                assert_eq!(ours, theirs, "{at}");
            }
            if *db != STREAMS_DB {
                assert_eq!(ours.digest, theirs.digest, "{at}");
            }
            assert!((ours.ttl - theirs.ttl).abs() < 60_000, "{at}: {} {}", ours.ttl, theirs.ttl);
        }
        let with_streams = how.same_program && how.compares(STREAMS_DB);
        let first = if how.compares(FIELDS_DB) { usize::from(!with_streams) } else { 2 };
        assert_eq!(self.digests[first..], expected.digests[first..], "{at}");
    }
}

/// How far two sides are to be compared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comparison {
    /// The databases that have not come along, of those of streams and of fields that expire.
    pub(crate) without: &'static [u32],
    /// Whether the encodings are the same, so that DUMP is.
    pub(crate) bytes: bool,
    /// Whether the sides take digests of streams in the same way.
    pub(crate) same_program: bool,
}

impl Comparison {
    fn compares(self, db: u32) -> bool {
        !self.without.contains(&db)
    }
}
