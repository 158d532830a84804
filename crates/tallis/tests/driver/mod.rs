//! Sequences of arbitrary commands, and what must hold of them whatever they are:
//!
//! * a command that answers an error leaves everything as it was;
//! * every value comes back from its payload, and that payload from it again;
//! * the effects of all commands make the same values on an empty store;
//! * MULTI and EXEC answer and leave what the same commands do one by one, and so does a pipeline;
//! * many bits or fields in a call are as many calls of one;
//! * a connection of the `redis` crate gives the values that the crate reads from a server's bytes.

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

/// Databases that the commands may select.
const DATABASES: u32 = 3;
/// Commands of a sequence.
const MOST: usize = 80;

/// A key, whatever its encoding.
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

/// Every key that has not expired, with what `look` sees.
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

/// All there is to see of a key, and how it is kept.
fn digest(store: &Store, key: &Bytes) -> (Option<Bytes>, i64, Option<&'static str>) {
    let encoding = store.object_encoding(key).unwrap();
    (store.dump(key).ok().flatten(), store.expire_time(key).unwrap().millis(), encoding)
}

fn contents(store: &Store, key: &Bytes) -> (Content, i64) {
    (content(store, key), store.expire_time(key).unwrap().millis())
}

/// Runs what the bytes say.
pub(crate) fn run(bytes: &[u8]) {
    let mut u = Unstructured::new(bytes);
    // The bytes end when they end.
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
    // In one stripe a pipeline runs in its order, in which random numbers are drawn.
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

/// A session; errors change nothing, and effects and payloads show all.
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

/// What effects make of an empty store, at that time. Until then its time stands at the beginning, so that nothing
/// expires that a command has kept since.
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

/// PFADD keeps the elements that came before the damage of a HyperLogLog, as in Redis.
fn keeps_some<W: AsRef<[u8]>>(words: &[W], reply: &Reply) -> bool {
    let damaged = matches!(reply, Reply::Error(text) if text.to_string().starts_with("INVALIDOBJ"));
    damaged && words.len() > 3 && words[0].as_ref().eq_ignore_ascii_case(b"pfadd")
}

/// Whether a command gives a value another form before it refuses to go on, as in Redis: LSET makes room for the element,
/// SORT makes a skip list.
fn reforms<W: AsRef<[u8]>>(words: &[W]) -> bool {
    ["lset", "sort", "sort_ro"]
        .iter()
        .any(|name| words[0].as_ref().eq_ignore_ascii_case(name.as_bytes()))
}

/// Every value comes back from its payload.
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
        // A hash table has no order, and what is restored may be kept in another way; once it is, it stays.
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

/// Commands that a transaction may do otherwise: those of the session, and what counts commands or shows addresses.
const OF_THE_SESSION: [&str; 13] = [
    "multi", "exec", "discard", "watch", "unwatch", "reset", "quit", "hello", "select", "client",
    "info", "debug", "memory",
];

/// Stores alike: on one the commands run one by one, on the others in one EXEC and in a pipeline.
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
        // What is not even queued would take the others with it.
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
