//! The data of a server or a store, read by commands.

use std::collections::BTreeMap;

use tallis::{Profile, Session};
use testkit::differential::{Payload, Reply};
use testkit::live::Wire;

use super::values::{FIELDS_DB, STREAMS_DB, Words};
use crate::answer::answer_in;

/// A server or a store, which run the same commands.
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

/// A value, by DUMP, DEBUG DIGEST-VALUE and PTTL.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) dump: Vec<u8>,
    pub(crate) digest: Reply,
    pub(crate) ttl: i64,
}

impl Held {
    /// Reads the value of a key in the selected database.
    pub(crate) fn of(side: &mut impl Side, key: &[u8]) -> Self {
        let dump = side.done(&[b"DUMP", key]);
        let digest = side.done(&[b"DEBUG", &b"DIGEST-VALUE"[..], key]);
        let Reply::Int(ttl) = side.done(&[b"PTTL", key]) else { panic!("PTTL is a number") };
        Self { dump: dump.bytes().unwrap().to_vec(), digest, ttl }
    }
}

/// All data of a side.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) values: BTreeMap<Place, Held>,
    /// DEBUG DIGEST of everything, then without the streams, and then without the expiring fields as well.
    digests: [Reply; 3],
}

impl Seen {
    /// Reads everything, and flushes the databases of streams and of expiring fields.
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

    /// Fails unless the data are equal, as far as they are compared.
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

/// The extent of a comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comparison {
    /// The databases that were not transferred: of streams, of expiring fields, or none.
    pub(crate) without: &'static [u32],
    /// Whether the encodings are equal, so that DUMP is as well.
    pub(crate) bytes: bool,
    /// Whether both sides compute digests of streams in the same way.
    pub(crate) same_program: bool,
}

impl Comparison {
    fn compares(self, db: u32) -> bool {
        !self.without.contains(&db)
    }
}
