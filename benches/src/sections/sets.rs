//! Sets through the store: large hash tables and full integer sets.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use hashbrown::HashSet;
use tallis::Store;
use testkit::rng::Rng;

use super::live::{Live, SERVER, command, rival};
use super::yo::{self, Yo};
use super::{built, held};
use crate::inputs::{Turns, Words, shuffled};
use crate::report::{Bench, Result, Row, Sample, Section, Touched, Unit};

/// The hasher of the rival, which is that of the store.
type Hash = ahash::RandomState;

/// Members of a full integer set.
const FULL: usize = 512;

pub(super) fn measure(bench: &Bench) -> Section {
    let quick = bench.effort().is_quick();
    let count = if quick { 5_000 } else { 1_000_000 };
    let shards = if quick { 50 } else { 2_000 };
    let text = format!(
        "SADD: one call per member, `member:0` to `member:{}` in that order, into a set that is empty at first, so \
         that the time includes every resize of its table. SISMEMBER: members of that set, or as many ids that are not \
         in it, in random order. In a 512-shard: {shards} integer sets of 512 random 60-bit ids; each call queries a \
         random one, for ids of which half are in it. Bytes: {count} members in one set, the key and all tables \
         included. *hashbrown* is a `HashSet` of the same members without keys, locks or expiry; *yo-kv* is that \
         crate's `Keyspace`, which has these except for locks; *redis-server* is the installed one over a unix socket, \
         in pipelines of {depth} commands; its time is the server's own for the command only (`INFO commandstats`), \
         its bytes are `used_memory`.",
        count - 1,
        depth = 1000,
    );
    let mut live = Live::start();
    let members: Words = (0..count).map(|n| format!("member:{n}")).collect();
    Section::new("Sets through the store", &text)
        .row(sadd(bench, &members, live.as_mut()))
        .row(sismember(bench, "SISMEMBER, a member", true, count, live.as_mut()))
        .row(sismember(bench, "SISMEMBER, not a member", false, count, live.as_mut()))
        .row(shard(bench, shards, live.as_mut()))
        .row(bytes(bench, "USERn", count, live.as_mut()))
        .row(bytes(bench, "36-byte UUIDs", count, live.as_mut()))
}

fn fill(members: &Words) -> Store {
    let store = Store::new();
    for member in members.iter() {
        store.sadd("set", [member]).unwrap();
    }
    store
}

fn keyspace(members: &Words) -> Yo {
    let mut yo = Yo::default();
    for member in members.iter() {
        yo.sadd(b"set", member);
    }
    yo
}

fn boxed(members: &Words) -> HashSet<Box<[u8]>, Hash> {
    let mut set = HashSet::default();
    for member in members.iter() {
        set.insert(Box::from(member));
    }
    set
}

fn sadd_all(members: &Words) -> impl Iterator<Item = redis::Cmd> {
    members.iter().map(|member| command([b"SADD", b"set", member]))
}

fn sadd(bench: &Bench, members: &Words, live: Option<&mut Live>) -> Row {
    assert_eq!(fill(members).scard("set").unwrap(), members.len());
    assert_eq!(keyspace(members).scard(b"set"), members.len());
    let pieces = u32::try_from(members.len()).unwrap();
    let mut results = bench
        .race()
        .contender_from("tallis", pieces, || (), |()| fill(members))
        .rivals()
        .contender_from(yo::NAME, pieces, || (), |()| keyspace(members))
        .contender_from("hashbrown", pieces, || (), |()| boxed(members))
        .run();
    results.extend(rival(live.map(|live| live.nanos("SADD", sadd_all(members)))));
    let work = format!("SADD, a new member, up to {}", members.len());
    Row::new(&work, Unit::Nanos, built(bench, || fill(members)), results)
        .beside(SERVER, [80.0, 537.0])
        .beside("hashbrown", [80.0, 28.0])
}

/// The server has the members of [`sadd`].
fn sismember(bench: &Bench, work: &str, there: bool, count: usize, live: Option<&mut Live>) -> Row {
    let members: Words = (0..count).map(|n| format!("member:{n}")).collect();
    let name = if there { "member" } else { "absent" };
    let asked: Words = shuffled(1, count).into_iter().map(|n| format!("{name}:{n}")).collect();
    let (store, mut yo, set) = (fill(&members), keyspace(&members), boxed(&members));
    let expected = if there { count } else { 0 };
    let found = |has: &dyn Fn(&[u8]) -> bool| asked.iter().filter(|member| has(member)).count();
    assert_eq!(found(&|member| store.sismember("set", member).unwrap()), expected);
    assert_eq!(found(&|member| set.contains(member)), expected);
    assert_eq!(asked.iter().filter(|member| yo.sismember(b"set", member)).count(), expected);
    let size = count.min(50_000);
    let pieces = u32::try_from(size).unwrap();
    let [mut ours, mut yos, mut theirs] = [(); 3].map(|()| Turns::new(size, count));
    let mut results = bench
        .race()
        .contender("tallis", pieces, || {
            let asked = asked.range(ours.turn());
            asked.filter(|member| store.sismember("set", *member).unwrap()).count()
        })
        .rivals()
        .contender(yo::NAME, pieces, || {
            let asked = asked.range(yos.turn());
            asked.filter(|member| yo.sismember(b"set", member)).count()
        })
        .contender("hashbrown", pieces, || {
            let asked = asked.range(theirs.turn());
            asked.filter(|member| set.contains(*member)).count()
        })
        .run();
    let ask = || asked.iter().map(|member| command([b"SISMEMBER", b"set", member]));
    results.extend(rival(live.map(|live| live.nanos("SISMEMBER", ask()))));
    let (target, redis, bare) = if there { (60.0, 323.0, 12.6) } else { (45.0, 337.0, 2.7) };
    Row::new(work, Unit::Nanos, held(&store), results)
        .beside(SERVER, [target, redis])
        .beside("hashbrown", [target, bare])
        .note("the target was set beside a table of u64 keys")
}

fn shard(bench: &Bench, shards: usize, live: Option<&mut Live>) -> Row {
    let mut rng = Rng::new(2);
    let mut id = || (rng.u64() >> 4).cast_signed();
    let members: Vec<Vec<i64>> = (0..shards).map(|_| (0..FULL).map(|_| id()).collect()).collect();
    let keys: Vec<String> = (0..shards).map(|shard| format!("unique:{shard}")).collect();
    let mut rng = Rng::new(3);
    let asked: Vec<(usize, i64)> = (0..200_000)
        .map(|_| {
            let shard = rng.index(shards);
            let there = rng.below(2) == 0;
            let other = (rng.u64() >> 4).cast_signed();
            (shard, if there { members[shard][rng.index(FULL)] } else { other })
        })
        .collect();
    let store = Store::new();
    for (key, ids) in keys.iter().zip(&members) {
        store.sadd(key, ids).unwrap();
        assert_eq!(store.object_encoding(key).unwrap(), Some("intset"));
    }
    let sets: Vec<HashSet<i64, Hash>> =
        members.iter().map(|ids| ids.iter().copied().collect()).collect();
    let mut yo = Yo::default();
    for (key, ids) in keys.iter().zip(&members) {
        for id in ids {
            yo.sadd(key.as_bytes(), id.to_string().as_bytes());
        }
    }
    // As text, which yo-kv parses: it takes no integers.
    let texts: Words = asked.iter().map(|(_, id)| id.to_string()).collect();
    let has = |&&(shard, id): &&(usize, i64)| store.sismember(&keys[shard], id).unwrap();
    let has_bare = |&&(shard, id): &&(usize, i64)| sets[shard].contains(&id);
    let mut has_yo = |at: &usize| yo.sismember(keys[asked[*at].0].as_bytes(), texts.get(*at));
    let there = asked.iter().filter(has).count();
    assert_eq!(asked.iter().filter(has_bare).count(), there);
    assert_eq!((0..asked.len()).filter(&mut has_yo).count(), there);
    let size = 20_000;
    let [mut ours, mut yos, mut theirs] = [(); 3].map(|()| Turns::new(size, asked.len()));
    let pieces = u32::try_from(size).unwrap();
    let mut results = bench
        .race()
        .contender("tallis", pieces, || asked[ours.turn()].iter().filter(has).count())
        .rivals()
        .contender(yo::NAME, pieces, || yos.turn().filter(&mut has_yo).count())
        .contender("hashbrown of the ids, no keys", pieces, || {
            asked[theirs.turn()].iter().filter(has_bare).count()
        })
        .run();
    results.extend(rival(live.map(|live| {
        live.run(keys.iter().zip(&members).map(|(key, ids)| {
            let mut add = redis::cmd("SADD");
            add.arg(key).arg(ids);
            add
        }));
        let ask = asked.iter().map(|(shard, id)| {
            command([b"SISMEMBER", keys[*shard].as_bytes(), id.to_string().as_bytes()])
        });
        live.nanos("SISMEMBER", ask)
    })));
    Row::new("SISMEMBER in a 512-shard", Unit::Nanos, held(&store), results)
        .beside(SERVER, [60.0, 187.0])
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53 bytes")]
fn bytes(bench: &Bench, what: &str, count: usize, live: Option<&mut Live>) -> Row {
    let users = what == "USERn";
    let mut rng = Rng::new(4);
    let members: Words =
        (0..count).map(|n| if users { format!("USER{n}") } else { rng.uuid() }).collect();
    let each = |bytes: f64| bytes / count as f64;
    let (store, ours) = bench.held(|| fill(&members));
    assert_eq!(store.scard("set").unwrap(), count);
    drop(store);
    let (_, yo) = bench.held(|| keyspace(&members));
    let (_, bare) = bench.held(|| boxed(&members));
    let mut results = vec![
        Result::new("tallis", Sample::exact(each(ours as f64))),
        Result::rival(yo::NAME, Sample::exact(each(yo as f64))),
        Result::rival("hashbrown of boxes", Sample::exact(each(bare as f64))),
    ];
    results.extend(rival(live.map(|live| each(live.held(sadd_all(&members))))));
    let (target, redis) = if users { (28.0, 56.0) } else { (50.0, 88.0) };
    Row::new(
        &format!("bytes a member, {count} {what} in one set"),
        Unit::Bytes,
        Touched::NOTHING,
        results,
    )
    .target(target)
    .beside(SERVER, [target, redis])
    .note("the newest Redis: 38 to 54")
}
