//! Files and payloads with a value of every type, from each release series to a store and back.

mod seen;
mod values;

use std::collections::BTreeSet;
use std::path::Path;

use tallis::{Profile, SaveOptions, Store, Target};
use testkit::differential::{Limits, Payload, Reply, Settings};
use testkit::live::{Protocol, Server, Wire, locate_redisbloom, named_with, try_named_with};

use crate::differential::profile_of;
use crate::lines::{LINES, Line, has_expiring_fields};
use crate::store_limits::limits;
pub(crate) use seen::Side;
use seen::{Comparison, Held, Seen};
use values::{FIELDS_DB, Kinds, STREAMS_DB, commands};
pub(crate) use values::{LATER, STREAMS, lines};

/// The result of one direction between a server and a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Every value is the same on the other side.
    Equal,
    /// The other side refuses it, with this error.
    Refused(String),
    /// Neither side can write it.
    NotWritten,
}
use Outcome::{Equal, NotWritten, Refused};

/// The results for a version of files and payloads.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) version: Target,
    /// The server's file in a store.
    pub(crate) file_here: Outcome,
    /// The store's file on the server.
    pub(crate) file_there: Outcome,
    /// The server's payloads in a store.
    pub(crate) payload_here: Outcome,
    /// The store's payloads on the server.
    pub(crate) payload_there: Outcome,
}

/// The results for all versions with a server; `None` if it is not installed. Fails if a value is accepted and differs.
pub(crate) fn rows(line: &Line) -> Option<Vec<Row>> {
    let mut both = Both::new(line)?;
    both.load_theirs();
    both.restore_theirs();
    let row = |version| {
        let own = version == line.version;
        Row {
            version,
            file_here: if own { Equal } else { NotWritten },
            file_there: both.start_on_ours(version),
            payload_here: if own { Equal } else { NotWritten },
            payload_there: both.restore_ours(version),
        }
    };
    Some(Target::ALL.into_iter().map(row).collect())
}

/// A server with every value, and a store with the results of the same commands.
struct Both<'l> {
    line: &'l Line,
    settings: Settings,
    kinds: Kinds,
    profile: Profile,
    server: Server,
    wire: Wire,
    /// The data of the server when it had saved.
    theirs: Seen,
}

impl<'l> Both<'l> {
    fn new(line: &'l Line) -> Option<Self> {
        let module = if line.takes_module() { locate_redisbloom() } else { None };
        let kinds = Kinds {
            fields: line.has_expiring_fields(),
            plain_nodes: line.version != Target::V9,
            bloom: module.is_some(),
        };
        let settings = Settings { limits: shared_limits(), module, ..Settings::default() };
        let server = named_with(line.server, &settings.options())?;
        let mut wire = Wire::open(&server, Protocol::Resp2).unwrap();
        wire.do_all(commands(kinds));
        wire.done(&["SELECT", &STREAMS_DB.to_string()]);
        wire.do_all(lines(STREAMS));
        wire.done(&["SAVE"]);
        let theirs = Seen::by(&mut wire);
        let profile = profile_of(&server);
        let both = Self { line, settings, kinds, profile, server, wire, theirs };
        let how = both.beside_store();
        let ours = Seen::by(&mut both.filled(kinds).session());
        ours.assert_is(&both.theirs, how, line.server);
        Some(both)
    }

    /// An empty store.
    fn empty(&self, profile: Profile) -> Store {
        Store::builder().limits(limits(&self.settings)).profile(profile).build()
    }

    /// A store with the results of the commands, and with the server's streams.
    fn filled(&self, kinds: Kinds) -> Store {
        let store = self.empty(self.profile);
        let mut session = store.session();
        session.do_all(commands(kinds));
        session.done(&["SELECT", &STREAMS_DB.to_string()]);
        for ((db, key), held) in &self.theirs.values {
            if *db == STREAMS_DB {
                restore(&mut session, key, held).unwrap();
            }
        }
        store
    }

    /// The comparison of the server with a store of the same values.
    fn beside_store(&self) -> Comparison {
        // Before 7.0, small values are ziplists.
        let bytes = self.line.has_profile;
        Comparison { without: &[], bytes, same_program: false }
    }

    fn load_theirs(&self) {
        let file = self.server.rdb_file();
        assert_eq!(version_of(&file), self.line.version.version(), "{}", self.line.server);
        let at = format!("the file of {}", self.line.server);
        let store = self.empty(self.profile);
        store.load(&file).unwrap();
        Seen::by(&mut store.session()).assert_is(&self.theirs, self.beside_store(), &at);
    }

    fn restore_theirs(&self) {
        for profile in [self.profile, Profile::default()] {
            let mut session = self.empty(profile).session();
            for ((db, key), theirs) in &self.theirs.values {
                let at = format!("{} {profile:?} {}", self.line.server, text(key));
                let ours = restore(&mut session, key, theirs).unwrap();
                if profile == self.profile {
                    assert_same(&ours, theirs, *db, self.line.has_profile, &at);
                }
            }
        }
    }

    /// Saves a store in that version and starts a server on the file.
    fn start_on_ours(&self, version: Target) -> Outcome {
        let at = format!("version {version} to {}", self.line.server);
        let fields = self.kinds.fields && has_expiring_fields(version);
        let store = self.filled(Kinds { fields, ..self.kinds });
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ours.rdb");
        let options = SaveOptions { version: Some(version), ..SaveOptions::default() };
        let mut streams = true;
        if let Err(error) = store.save_with(&file, options) {
            // Streams of later releases have no form in an earlier version.
            assert!(error.to_string().contains("has no type"), "{at}: {error}");
            streams = false;
            store.db(STREAMS_DB).flushdb().unwrap();
            store.save_with(&file, options).unwrap();
        }
        let options = self.settings.options().rdb(&file);
        let server = match try_named_with(self.line.server, &options).unwrap() {
            Ok(server) => server,
            Err(error) => return Refused(why_it_ended(&error.to_string())),
        };
        server.check_rdb(&file).unwrap();
        let without: &[u32] = match (fields == self.kinds.fields, streams) {
            (true, true) => &[],
            (true, false) => &[STREAMS_DB],
            (false, true) => &[FIELDS_DB],
            (false, false) => &[FIELDS_DB, STREAMS_DB],
        };
        // Lists before version 10 have no nodes.
        let bytes = version != Target::V9 || self.line.version == Target::V9;
        let how = Comparison { without, bytes, same_program: true };
        let mut wire = Wire::open(&server, Protocol::Resp2).unwrap();
        Seen::by(&mut wire).assert_is(&self.theirs, how, &at);
        Equal
    }

    /// The server restores the payloads of a store under the profile of that version.
    fn restore_ours(&mut self, version: Target) -> Outcome {
        let dumps = |profile: &Profile| footer(*profile) == version.number();
        let Some(profile) = Profile::ALL.into_iter().find(dumps) else { return NotWritten };
        let fields = self.kinds.fields && has_expiring_fields(version);
        let mut session = self.empty(profile).session();
        session.do_all(commands(Kinds { fields, ..self.kinds }));
        let own = profile == self.profile && self.line.has_profile;
        let (mut taken, mut refusals) = (Vec::new(), Vec::new());
        for ((db, key), ours) in Seen::by(&mut session).values {
            let theirs = &self.theirs.values[&(db, key.clone())];
            match restore(&mut self.wire, &key, &ours) {
                Ok(restored) => {
                    let at = format!("{profile:?} to {}: {}", self.line.server, text(&key));
                    assert_same(&restored, theirs, db, own, &at);
                    taken.push(text(&key));
                }
                Err(why) => refusals.push(why),
            }
        }
        let Some(why) = refusals.pop() else { return Equal };
        refusals.retain(|other| *other != why);
        assert!(
            taken.is_empty() && refusals.is_empty(),
            "{profile:?} to {}: {taken:?} taken, {why}, {refusals:?}",
            self.line.server
        );
        Refused(why)
    }
}

/// The limits of both sides: the defaults of every server, with compressed lists.
fn shared_limits() -> Limits {
    Limits { set_max_listpack: Some([128, 64]), lists: (-2, 1), ..Limits::default() }
}

/// Restores a value under a free key, and returns the value there.
fn restore(side: &mut impl Side, key: &[u8], held: &Held) -> Result<Held, String> {
    let ttl = held.ttl.max(0).to_string();
    let reply = side.ask(&[b"RESTORE", key, ttl.as_bytes(), &held.dump, b"REPLACE"]);
    if let Reply::Error(why) = reply { Err(why) } else { Ok(Held::of(side, key)) }
}

fn assert_same(restored: &Held, expected: &Held, db: u32, bytes: bool, at: &str) {
    if bytes || db == STREAMS_DB {
        let [restored, expected] =
            [restored, expected].map(|held| Payload::read(&held.dump).unwrap());
        assert_eq!(restored, expected, "{at}");
    }
    if db != STREAMS_DB {
        assert_eq!(restored.digest, expected.digest, "{at}");
    }
}

/// The version of DUMP under a profile.
fn footer(profile: Profile) -> u16 {
    let store = Store::builder().profile(profile).build();
    store.set("k", "v").unwrap();
    let dump = store.dump("k").unwrap().unwrap();
    let &[low, high, ..] = dump.last_chunk::<10>().unwrap();
    u16::from_le_bytes([low, high])
}

fn version_of(file: &Path) -> rdb::Version {
    rdb::Reader::new(&std::fs::read(file).unwrap()[..]).unwrap().version()
}

/// Returns the first error in a server's log.
fn why_it_ended(log: &str) -> String {
    let wrong = ["Can't handle", "Wrong signature"];
    let line = log
        .lines()
        .find_map(|line| wrong.iter().find_map(|wrong| line.find(wrong)).map(|at| &line[at..]));
    line.unwrap_or_else(|| panic!("no reason in\n{log}")).to_owned()
}

fn text(key: &[u8]) -> String {
    String::from_utf8_lossy(key).into_owned()
}

/// The type of a payload; a list with an element in its own node is distinguished from others.
fn form(payload: &[u8]) -> String {
    let mut payload = rdb::dump::decode(payload).unwrap();
    let kind = payload.kind();
    let mut plain = false;
    if let rdb::Value::ListNodes(mut nodes) = payload.value().unwrap() {
        while let Some(node) = nodes.next().unwrap() {
            plain |= matches!(node, rdb::Node::Plain(_));
        }
    }
    format!("{kind:?}{}", if plain { "-plain" } else { "" })
}

/// The types of the values of each server, by [`form`].
const FORMS: [&str; LINES.len()] = [
    "Hash HashZiplist ListQuicklist Set SetIntset Stream1 String ZSet ZSetZiplist",
    "Hash HashListpack ListQuicklist2 ListQuicklist2-plain Set SetIntset Stream2 String ZSet ZSetListpack",
    "Hash HashListpack HashTtl HashTtlListpack ListQuicklist2 ListQuicklist2-plain Set SetIntset SetListpack Stream3 \
     String ZSet ZSetListpack",
    "Hash HashListpack ListQuicklist2 ListQuicklist2-plain Set SetIntset SetListpack Stream3 String ValkeyHashTtl ZSet \
     ZSetListpack",
];

#[test]
fn the_servers_have_a_value_of_every_type() {
    for (line, expected) in LINES.iter().zip(FORMS) {
        let Some(both) = Both::new(line) else { continue };
        let forms = both.theirs.values.values().map(|held| form(&held.dump));
        let mut forms: BTreeSet<String> = forms.collect();
        assert_eq!(forms.remove("Module"), both.kinds.bloom, "{}", line.title);
        assert!(forms.iter().eq(expected.split(' ')), "{}: {forms:?}", line.title);
    }
}

#[test]
fn a_snapshot_with_every_type_goes_both_ways_for_each_server() {
    for line in &LINES {
        let Some(rows) = rows(line) else { continue };
        let own = rows.iter().find(|row| row.version == line.version).unwrap();
        assert_eq!([&own.file_here, &own.file_there, &own.payload_here], [&Equal; 3], "{own:?}");
        // A server without its own profile gets the payloads of the closest one.
        let payloads = if line.has_profile { Equal } else { NotWritten };
        assert_eq!(own.payload_there, payloads, "{}", line.server);
    }
}
