//! Sequences of arbitrary commands, and their invariants:
//!
//! * a command that returns an error changes nothing;
//! * every value can be restored from its payload, and has the same payload again;
//! * the effects of all commands create the same values in an empty store;
//! * MULTI and EXEC have the same replies and results as the single commands, and so does a pipeline;
//! * batched calls on bits or fields are equivalent to single calls;
//! * a connection of the `redis` crate returns the values that the crate reads from a server's bytes.

#[cfg(feature = "redis")]
mod connections;
mod fields;
#[path = "../journal/mod.rs"]
pub(crate) mod journal;
mod line;
mod script;

use std::collections::BTreeMap;
use std::sync::Arc;

use arbitrary::{Result, Unstructured};
use bytes::Bytes;
use tallis::{
    Effect, Limits, ManualClock, Profile, Reply, RestoreOptions, Session, Store, StoreBuilder,
};

use journal::Journal;
use line::line;

/// The number of databases that the commands may select.
const DATABASES: u32 = 3;
/// The maximum number of commands in a sequence.
const MOST: usize = 80;

/// The value of a key, whatever its encoding.
#[derive(Clone, Debug, PartialEq)]
enum Content {
    String(Bytes),
    Set(Vec<Bytes>),
    ZSet(Vec<(Bytes, f64)>),
    Hash(Vec<(Bytes, Bytes)>),
    List(Vec<Bytes>),
    Other(Option<Bytes>),
}

fn content(store: &Store, key: &Bytes) -> Content {
    match store.key_type(key).unwrap().as_deref() {
        Some("string") => Content::String(store.get(key).unwrap().unwrap()),
        Some("set") => {
            let mut members = store.smembers(key).unwrap();
            members.sort_unstable();
            Content::Set(members)
        }
        Some("zset") => Content::ZSet(store.zrange_withscores(key, 0, -1).unwrap()),
        Some("list") => Content::List(store.lrange(key, 0, -1).unwrap()),
        Some("hash") => {
            let mut fields = store.hgetall(key).unwrap();
            fields.sort_unstable();
            Content::Hash(fields)
        }
        _ => Content::Other(store.dump(key).ok().flatten()),
    }
}

/// Every key that has not expired, with the result of `look`.
fn all<T>(store: &Store, look: impl Fn(&Store, &Bytes) -> T) -> BTreeMap<(u32, Bytes), T> {
    let databases = (0..DATABASES).map(|db| (db, store.db(db)));
    databases
        .flat_map(|(db, store)| {
            let keys = store.keys("*").unwrap();
            let seen = keys.into_iter().map(|key| {
                let what = look(&store, &key);
                ((db, key), what)
            });
            seen.collect::<Vec<_>>()
        })
        .collect()
}

/// The payload, the expiry and the encoding of a key.
fn digest(store: &Store, key: &Bytes) -> (Option<Bytes>, i64, Option<&'static str>) {
    let encoding = store.object_encoding(key).unwrap();
    (store.dump(key).ok().flatten(), store.expire_time(key).unwrap().millis(), encoding)
}

fn contents(store: &Store, key: &Bytes) -> (Content, i64) {
    (content(store, key), store.expire_time(key).unwrap().millis())
}

/// Runs the sequence that is read from the bytes.
pub(crate) fn run(bytes: &[u8]) {
    let mut u = Unstructured::new(bytes);
    // An error means that the bytes have ended.
    let _ = sequence(&mut u);
}

fn sequence(u: &mut Unstructured<'_>) -> Result<()> {
    let profile = if u.arbitrary()? { Profile::Redis70 } else { Profile::Redis72 };
    let limits = Limits {
        set_max_intset_entries: u.int_in_range(0..=6)?,
        set_max_listpack_entries: u.int_in_range(0..=6)?,
        set_max_listpack_value: u.int_in_range(0..=8)?,
        zset_max_listpack_entries: u.int_in_range(0..=6)?,
        zset_max_listpack_value: u.int_in_range(0..=8)?,
        hash_max_listpack_entries: u.int_in_range(0..=6)?,
        hash_max_listpack_value: u.int_in_range(0..=8)?,
        list_max_listpack_size: u.int_in_range(-5..=6)?,
        list_compress_depth: u.int_in_range(0..=2)?,
        hll_sparse_max_bytes: u.int_in_range(0..=60)?,
        bloom_memory_usage_limit: u.int_in_range(0..=2000)?,
    };
    // With one stripe, a pipeline runs in order, and random numbers are drawn in that order.
    let stripes = u.int_in_range(1..=2)?;
    let builder = || {
        let seeded = Store::builder().stripes(stripes).hash_seed(1).random_seed(2);
        seeded.databases(DATABASES).profile(profile).limits(limits).scripts([&script::GATHER])
    };
    match u.int_in_range(0..=5)? {
        0 | 1 => one_by_one(u, &builder),
        2 | 3 => at_once(u, &builder, stripes == 1),
        #[cfg(feature = "redis")]
        4 => connections::beside(u, &builder),
        _ => fields::together(u, &builder),
    }
}

/// One session: errors change nothing, and effects and payloads are complete.
fn one_by_one(u: &mut Unstructured<'_>, builder: &impl Fn() -> StoreBuilder) -> Result<()> {
    let (clock, journal) = (Arc::new(ManualClock::new(500)), Arc::new(Journal::default()));
    let store = builder().clock(clock.clone()).sink(journal.clone()).build();
    let mut now = 500;
    let mut session = store.session();
    let mut commands = 0;
    while commands < MOST && !u.is_empty() {
        commands += 1;
        if u.ratio(1, 12)? {
            now += u.int_in_range(0..=200_i64)?;
            clock.set(now);
        }
        let Ok(words) = line(u) else { break };
        let (before, held) = (all(&store, digest), all(&store, contents));
        let reply = session.execute(&words);
        if reply.is_error() && !keeps_some(&words, &reply) {
            if reforms(&words) {
                assert_eq!(all(&store, contents), held, "{}", shown(&words));
            } else {
                assert_eq!(all(&store, digest), before, "{}", shown(&words));
            }
        }
    }
    drop(session);
    payloads(&store, builder);

    let effects = journal.take();
    let again = replayed(&effects, builder, now);
    assert_eq!(all(&again, contents), all(&store, contents), "{effects:?}");
    Ok(())
}

/// Replays effects on an empty store, at that time. Before that, its time is that of the beginning, so that no key
/// expires that a later command has kept.
fn replayed(effects: &[Effect], builder: &impl Fn() -> StoreBuilder, now: i64) -> Store {
    let clock = Arc::new(ManualClock::new(0));
    let store = builder().clock(clock.clone()).build();
    for effect in effects {
        let reply = store.db(effect.db).execute(&effect.args);
        let done = !reply.is_error() || keeps_some(&effect.args, &reply);
        assert!(done, "{reply:?} to {}", shown(&effect.args));
    }
    clock.set(now);
    store
}

/// PFADD keeps the elements before the damage of a HyperLogLog, as in Redis.
fn keeps_some<W: AsRef<[u8]>>(words: &[W], reply: &Reply) -> bool {
    let damaged = matches!(reply, Reply::Error(text) if text.to_string().starts_with("INVALIDOBJ"));
    damaged && words.len() > 3 && words[0].as_ref().eq_ignore_ascii_case(b"pfadd")
}

/// Whether a command may convert a value before it fails, as in Redis: LSET makes room for the element, SORT creates a
/// skip list.
fn reforms<W: AsRef<[u8]>>(words: &[W]) -> bool {
    ["lset", "sort", "sort_ro"]
        .iter()
        .any(|name| words[0].as_ref().eq_ignore_ascii_case(name.as_bytes()))
}

/// Checks that every value can be restored from its payload.
fn payloads(store: &Store, builder: &impl Fn() -> StoreBuilder) {
    for (db, key) in all(store, |_, _| ()).into_keys() {
        let from = store.db(db);
        let Ok(Some(payload)) = from.dump(&key) else { continue };
        let restored = |payload: &Bytes| {
            let store = builder().build();
            let done = store.restore(&key, payload, RestoreOptions::default());
            done.unwrap_or_else(|error| panic!("{error}: {}", payload.escape_ascii()));
            store
        };
        let second = restored(&payload);
        assert_eq!(content(&second, &key), content(&from, &key));
        let again = second.dump(&key).unwrap().unwrap();
        // A hash table has no order, and a restored value may have another encoding; after that it does not change.
        if from.object_encoding(&key).unwrap() == second.object_encoding(&key).unwrap()
            && from.object_encoding(&key).unwrap() != Some("hashtable")
        {
            assert_eq!(again, payload);
        }
        let third = restored(&again);
        assert_eq!(content(&third, &key), content(&from, &key));
        assert_eq!(third.object_encoding(&key).unwrap(), second.object_encoding(&key).unwrap());
    }
}

/// Commands that may differ in a transaction: those of the session, and those that count commands or show addresses.
const OF_THE_SESSION: [&str; 13] = [
    "multi", "exec", "discard", "watch", "unwatch", "reset", "quit", "hello", "select", "client",
    "info", "debug", "memory",
];

/// Equal stores: the commands run one by one on the first, in one EXEC on the second, and in a pipeline on the third.
fn at_once(
    u: &mut Unstructured<'_>,
    builder: &impl Fn() -> StoreBuilder,
    in_order: bool,
) -> Result<()> {
    let clock = Arc::new(ManualClock::new(500));
    let pair = || builder().clock(clock.clone()).build();
    let (alone, queued, piped) = (pair(), pair(), pair());
    let (mut one, mut other) = (alone.session(), queued.session());
    let mut rounds = 0;
    while rounds < 4 && !u.is_empty() {
        rounds += 1;
        let mut lines = Vec::new();
        for _ in 0..u.int_in_range(1..=12)? {
            let Ok(words) = line(u) else { break };
            let name = String::from_utf8_lossy(&words[0]).to_lowercase();
            if !OF_THE_SESSION.contains(&name.as_str()) {
                lines.push(words);
            }
        }
        // A command that cannot be queued would abort the others.
        lines.retain(|words| taken(&mut other, words));
        other.execute(&["MULTI"]);
        for words in &lines {
            assert_eq!(other.execute(words), Reply::Status("QUEUED".into()), "{}", shown(words));
        }
        let together = other.execute(&["EXEC"]);
        let each: Vec<Reply> = lines.iter().map(|words| one.execute(words)).collect();
        let lines_shown = || lines.iter().map(|words| shown(words)).collect::<Vec<_>>();
        assert_eq!(together, Reply::Array(each.clone()), "{:?}", lines_shown());
        assert_eq!(all(&alone, digest), all(&queued, digest));
        if in_order {
            let mut pipeline = piped.pipeline();
            for words in &lines {
                pipeline.cmd(&String::from_utf8_lossy(&words[0])).args(&words[1..]);
            }
            let replies = pipeline.replies().unwrap().into_iter();
            let replies: Vec<_> = replies.map(|it| it.into_resp2(alone.profile())).collect();
            assert_eq!(replies, each, "{:?}", lines_shown());
            assert_eq!(all(&alone, digest), all(&piped, digest));
        }
        clock.advance(u.int_in_range(0..=100)?);
    }
    payloads(&alone, builder);
    Ok(())
}

/// Whether a command can be queued.
fn taken(session: &mut Session, words: &[Vec<u8>]) -> bool {
    session.execute(&["MULTI"]);
    let reply = session.execute(words);
    session.execute(&["DISCARD"]);
    !reply.is_error()
}

fn shown<W: AsRef<[u8]>>(words: &[W]) -> String {
    let words: Vec<String> =
        words.iter().map(|word| format!("\"{}\"", word.as_ref().escape_ascii())).collect();
    words.join(" ")
}
