//! Hashes through the store: one large, many small.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use std::collections::HashMap;
use std::hint::black_box;

use tallis::{ShardedHash, Store};

use super::live::{Live, command, rival};
use super::yo::{self, Yo};
use super::{aim, built, held, pieces};
use crate::inputs::{Fields, Turns, shuffled};
use crate::report::{Bench, Result, Row, Sample, Section, Touched, Unit};

/// The hasher of the rival, which is that of the store.
type Hash = ahash::RandomState;

/// Fields and values on the heap.
type Map = HashMap<Box<[u8]>, Box<[u8]>, Hash>;

/// Fields of a small hash.
const SMALL: usize = 10;

/// The number of fields that a shard is planned for.
const SHARD: u64 = 100;

pub(super) fn measure(bench: &Bench) -> Section {
    let quick = bench.effort().is_quick();
    let count = if quick { 5_000 } else { 1_000_000 };
    let text = format!(
        "Fields `field:N` with values of 16 bytes: {count} in one hash, or {SMALL} in each of {small} hashes `user:N`. \
         HSET: one call per field, in that order, into a store that is empty at first. HGET: fields that exist, in \
         random order. HGETALL: the time per field, of a random hash of {SMALL} each time, and of one of 1,000. \
         HGETALL reads the hash without a copy, as *yo-kv* does; *copied* returns a copy. A *ShardedHash* has the \
         fields of the one hash in shards of some {SHARD}. Bytes: keys and all tables included. *hashbrown* is a map \
         of the same fields without keys, locks or expiry; *yo-kv* is that crate's `Keyspace`, which has these except \
         for locks; *redis-server* is the installed one over a unix socket, in pipelines of {depth} commands; its time \
         is the server's own for the command only (`INFO commandstats`), its bytes are `used_memory`.",
        small = count / SMALL,
        depth = 1000,
    );
    let large = Fields::new(count, count);
    let small = Fields::new(count, SMALL);
    let mut live = Live::start();
    Section::new("Hashes through the store", &text)
        .row(hset(bench, "HSET, a new field of one hash", &large, [0.35, 0.9], live.as_mut()))
        .row(hget(bench, "HGET of one hash", &large, [0.40, 0.9], live.as_mut()))
        .row(bytes(bench, "bytes a field, one hash", &large, [0.5, 1.0], live.as_mut()))
        .row(hset(bench, "HSET, a new field of a small hash", &small, [0.45, 0.9], live.as_mut()))
        .row(hget(bench, "HGET of a small hash", &small, [0.45, 0.9], live.as_mut()))
        .row(hgetall(bench, &small, live.as_mut()))
        .row(bytes(bench, "bytes a field, small hashes", &small, [0.7, 1.0], live.as_mut()))
        .row(hgetall(bench, &Fields::new(1000, 1000), live.as_mut()))
        .row(sharded_hset(bench, &large, live.as_mut()))
        .row(sharded_hget(bench, &large, live.as_mut()))
        .row(sharded_bytes(bench, &large, live.as_mut()))
}

/// The fields as contenders and the server store them.
trait Filled {
    fn sets(&self) -> impl Iterator<Item = redis::Cmd>;
    fn store(&self) -> Store;
    fn yo(&self) -> Yo;
    /// Returns one map for each key.
    fn maps(&self) -> Vec<Map>;
}

impl Filled for Fields {
    fn sets(&self) -> impl Iterator<Item = redis::Cmd> {
        self.iter().map(|[key, field, value]| command([b"HSET", key, field, value]))
    }

    fn store(&self) -> Store {
        let store = Store::new();
        for [key, field, value] in self.iter() {
            store.hset(key, field, value).unwrap();
        }
        store
    }

    fn yo(&self) -> Yo {
        let mut yo = Yo::default();
        for [key, field, value] in self.iter() {
            yo.hset(key, field, value);
        }
        yo
    }

    fn maps(&self) -> Vec<Map> {
        let mut maps: Vec<Map> = Vec::new();
        for (at, [_, field, value]) in self.iter().enumerate() {
            if at % self.each == 0 {
                maps.push(Map::default());
            }
            maps[at / self.each].insert(Box::from(field), Box::from(value));
        }
        maps
    }
}

fn hset(
    bench: &Bench,
    work: &str,
    fields: &Fields,
    aims: [f64; 2],
    live: Option<&mut Live>,
) -> Row {
    assert_eq!(fields.store().dbsize().unwrap(), fields.keys.len());
    assert_eq!(fields.yo().keys(), fields.keys.len());
    let all = pieces(fields.len());
    let mut results = bench
        .race()
        .contender_from("tallis", all, || (), |()| fields.store())
        .rivals()
        .contender_from(yo::NAME, all, || (), |()| fields.yo())
        .contender_from("hashbrown", all, || (), |()| fields.maps())
        .run();
    results.extend(rival(live.map(|live| {
        live.run([redis::cmd("FLUSHALL")]);
        live.nanos("HSET", fields.sets())
    })));
    aim(Row::new(work, Unit::Nanos, built(bench, || fields.store()), results), aims)
}

/// The server has the fields of [`hset`].
fn hget(
    bench: &Bench,
    work: &str,
    fields: &Fields,
    aims: [f64; 2],
    live: Option<&mut Live>,
) -> Row {
    let order = shuffled(1, fields.len());
    let (store, mut yo, maps) = (fields.store(), fields.yo(), fields.maps());
    let ours = |&&at: &&usize| {
        let [key, field, _] = fields.get(at);
        store.hget_with(key, field, |value| black_box(value).len()).unwrap().is_some()
    };
    let mut yos = |&&at: &&usize| {
        let [key, field, _] = fields.get(at);
        yo.hget(key, field)
    };
    let theirs = |&&at: &&usize| maps[at / fields.each].contains_key(fields.names.get(at));
    assert_eq!(order.iter().filter(ours).count(), fields.len());
    assert_eq!(order.iter().filter(&mut yos).count(), fields.len());
    assert_eq!(order.iter().filter(theirs).count(), fields.len());
    let size = fields.len().min(50_000);
    let [mut a, mut b, mut c] = [(); 3].map(|()| Turns::new(size, fields.len()));
    let mut results = bench
        .race()
        .contender("tallis", pieces(size), || order[a.turn()].iter().filter(ours).count())
        .rivals()
        .contender(yo::NAME, pieces(size), || order[b.turn()].iter().filter(&mut yos).count())
        .contender("hashbrown", pieces(size), || order[c.turn()].iter().filter(theirs).count())
        .run();
    let ask = || {
        order.iter().map(|&at| {
            let [key, field, _] = fields.get(at);
            command([b"HGET", key, field])
        })
    };
    results.extend(rival(live.map(|live| live.nanos("HGET", ask()))));
    aim(Row::new(work, Unit::Nanos, held(&store), results), aims)
}

fn hgetall(bench: &Bench, fields: &Fields, live: Option<&mut Live>) -> Row {
    let order = shuffled(2, fields.keys.len());
    let (store, mut yo) = (fields.store(), fields.yo());
    let copied = |at: usize| store.hgetall(fields.keys.get(at)).unwrap().len();
    let in_place = |at: usize| {
        let visit = |field: &[u8], value: &[u8]| {
            black_box((field.len(), value.len()));
        };
        store.hgetall_with(fields.keys.get(at), visit).unwrap()
    };
    let size = order.len().min(5000);
    let repeated = 5000_usize.div_ceil(size * fields.each).max(1);
    let mut yos = |at: usize| yo.hgetall(fields.keys.get(at));
    for at in [0, order.len() - 1] {
        assert_eq!([copied(at), in_place(at), yos(at)], [fields.each; 3]);
    }
    let all = pieces(size * fields.each * repeated);
    let [mut a, mut b, mut c] = [(); 3].map(|()| Turns::new(size, order.len()));
    let times = |turns: &mut Turns, read: &mut dyn FnMut(usize) -> usize| -> usize {
        (0..repeated).map(|_| order[turns.turn()].iter().map(|&at| read(at)).sum::<usize>()).sum()
    };
    let mut results = bench
        .race()
        .contender("tallis", all, || times(&mut a, &mut |at| in_place(at)))
        .contender("tallis, copied", all, || times(&mut b, &mut |at| copied(at)))
        .rivals()
        .contender(yo::NAME, all, || times(&mut c, &mut yos))
        .run();
    results.extend(rival(live.map(|live| {
        let large = fields.keys.len() == 1;
        if large {
            live.run([command([b"DEL", fields.keys.get(0)])]);
            live.run(fields.sets());
        }
        let again = if large { 2000 } else { 1 };
        let ask = (0..again).flat_map(|_| &order);
        let ask = ask.map(|&at| command([b"HGETALL", fields.keys.get(at)]));
        #[expect(clippy::cast_precision_loss, reason = "a thousand")]
        let each = fields.each as f64;
        live.nanos("HGETALL", ask) / each
    })));
    let work = format!("HGETALL of {}, a field", fields.each);
    aim(Row::new(&work, Unit::Nanos, held(&store), results), [0.3, 0.9])
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53 bytes")]
fn bytes(
    bench: &Bench,
    work: &str,
    fields: &Fields,
    aims: [f64; 2],
    live: Option<&mut Live>,
) -> Row {
    let each = |bytes: f64| bytes / fields.len() as f64;
    let (store, ours) = bench.held(|| fields.store());
    drop(store);
    let (_, yo) = bench.held(|| fields.yo());
    let (_, bare) = bench.held(|| fields.maps());
    let mut results = vec![
        Result::new("tallis", Sample::exact(each(ours as f64))),
        Result::rival(yo::NAME, Sample::exact(each(yo as f64))),
        Result::rival("hashbrown of boxes", Sample::exact(each(bare as f64))),
    ];
    results.extend(rival(live.map(|live| each(live.held(fields.sets())))));
    aim(Row::new(work, Unit::Bytes, Touched::NOTHING, results), aims)
}

/// Returns the fields of one hash in shards.
fn sharded(fields: &Fields) -> ShardedHash {
    let hash = ShardedHash::new(Store::new(), "users", fields.len() as u64, SHARD);
    for [_, field, value] in fields.iter() {
        hash.hset(field, value).unwrap();
    }
    hash
}

/// Returns the same for a server, as commands.
fn sharded_sets<'f>(
    hash: &'f ShardedHash,
    fields: &'f Fields,
) -> impl Iterator<Item = redis::Cmd> + 'f {
    fields
        .iter()
        .map(|[_, field, value]| command([b"HSET", hash.shard_key(field).as_bytes(), field, value]))
}

fn sharded_hset(bench: &Bench, fields: &Fields, live: Option<&mut Live>) -> Row {
    let all = pieces(fields.len());
    let mut results = bench
        .race()
        .contender_from("tallis", all, || (), |()| sharded(fields))
        .contender_from("one hash", all, || (), |()| fields.store())
        .run();
    let empty = ShardedHash::new(Store::new(), "users", fields.len() as u64, SHARD);
    results.extend(rival(live.map(|live| {
        live.run([redis::cmd("FLUSHALL")]);
        live.nanos("HSET", sharded_sets(&empty, fields))
    })));
    Row::new(
        "HSET, a new field of a ShardedHash",
        Unit::Nanos,
        built(bench, || sharded(fields)),
        results,
    )
}

/// The server has the fields of [`sharded_hset`].
fn sharded_hget(bench: &Bench, fields: &Fields, live: Option<&mut Live>) -> Row {
    let order = shuffled(1, fields.len());
    let (hash, store) = (sharded(fields), fields.store());
    let ours = |&&at: &&usize| hash.hget(fields.names.get(at)).unwrap().is_some();
    let one = |&&at: &&usize| {
        let [key, field, _] = fields.get(at);
        store.hget(key, field).unwrap().is_some()
    };
    assert_eq!(order.iter().filter(ours).count(), fields.len());
    let size = fields.len().min(50_000);
    let [mut a, mut b] = [(); 2].map(|()| Turns::new(size, fields.len()));
    let mut results = bench
        .race()
        .contender("tallis", pieces(size), || order[a.turn()].iter().filter(ours).count())
        .contender("one hash", pieces(size), || order[b.turn()].iter().filter(one).count())
        .run();
    let ask = || {
        order.iter().map(|&at| {
            let field = fields.names.get(at);
            command([b"HGET", hash.shard_key(field).as_bytes(), field])
        })
    };
    results.extend(rival(live.map(|live| live.nanos("HGET", ask()))));
    Row::new("HGET of a ShardedHash", Unit::Nanos, built(bench, || sharded(fields)), results)
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53 bytes")]
fn sharded_bytes(bench: &Bench, fields: &Fields, live: Option<&mut Live>) -> Row {
    let each = |bytes: f64| bytes / fields.len() as f64;
    let (hash, ours) = bench.held(|| sharded(fields));
    let (_, one) = bench.held(|| fields.store());
    let mut results = vec![
        Result::new("tallis", Sample::exact(each(ours as f64))),
        Result::new("one hash", Sample::exact(each(one as f64))),
    ];
    results.extend(rival(live.map(|live| each(live.held(sharded_sets(&hash, fields))))));
    Row::new("bytes a field, ShardedHash", Unit::Bytes, Touched::NOTHING, results)
}
