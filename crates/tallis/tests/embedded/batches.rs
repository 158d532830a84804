//! Calls on many keys, members or bits: the replies and the bytes equal those of single calls.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::sync::Arc;
use std::thread;

use tallis::geo::Unit;
use tallis::{BitFieldOp, ExpireOption, FieldType, Limits, ManualClock, Overflow, Profile, Store};
use testkit::rng::{Rng, rounds};

/// The number of keys of a store, and of members of its sets, from which the calls choose.
const NAMES: u64 = 600;

/// The number of calls in a run.
const CALLS: usize = 300;

/// A store whose encodings do not depend on the number of members in a call, as they do since 7.2.
fn store(limits: Limits) -> Store {
    Store::builder().profile(Profile::Redis70).limits(limits).build()
}

/// Limits so low that sets and hashes are tables, or the default ones.
fn limits(rng: &mut Rng) -> Limits {
    match rng.below(2) {
        0 => Limits::default(),
        _ => Limits {
            set_max_intset_entries: 3,
            zset_max_listpack_entries: 3,
            hash_max_listpack_entries: 3,
            ..Limits::default()
        },
    }
}

/// Creates keys, a set, a sorted set and hashes that exceed the caches: batched calls then prefetch.
fn fill(store: &Store) {
    let names: Vec<String> = (1..40_000).map(|n| format!("name:{n}")).collect();
    store.mset(&names.iter().map(|name| (name, "a value")).collect::<Vec<_>>()).unwrap();
    store.sadd("set", &names).unwrap();
    let scores = (1_u32..).zip(&names);
    store.zadd_multiple("zset", &scores.collect::<Vec<_>>()).unwrap();
    let mut rng = Rng::new(1);
    let places: Vec<_> = names.iter().map(|name| place(&mut rng, name)).collect();
    store.geo_add("geo", &places).unwrap();
    for (hash, pairs) in [("hash", &names[..]), ("timed", &names[..34_000])] {
        let pairs: Vec<_> = pairs.iter().map(|name| (name, name)).collect();
        store.hset_multiple(hash, &pairs).unwrap();
    }
    // A hash with expiries uses another table.
    store.hpexpire("timed", 1_u64 << 40, ExpireOption::Always, &names[..100]).unwrap();
}

/// A position for a name, one of a few thousand.
fn place<'n>(rng: &mut Rng, name: &'n String) -> (f64, f64, &'n String) {
    let mut degrees = |all: f64| ((rng.unit() - 0.5) * all).round();
    (degrees(360.0), degrees(170.0), name)
}

/// As many names as a call may have, some of them twice: texts, numbers, long ones, an empty one.
fn names(rng: &mut Rng) -> Vec<String> {
    let most = [1, 4, 5, 63, 64, 65, 200][rng.index(7)];
    let kind = rng.below(3);
    (0..=rng.below(most))
        .map(|_| match (kind, rng.below(NAMES)) {
            (_, 0) => String::new(),
            (0, n) => n.to_string(),
            (1, n) => format!("name:{n}"),
            (_, n) => format!("{n}:{}", "long ".repeat(20)),
        })
        .collect()
}

/// Offsets of bits, some of them twice and some beyond the end of every string.
fn offsets(rng: &mut Rng, count: usize) -> Vec<u64> {
    let most = [20, 3000, 100_000][rng.index(3)];
    (0..count).map(|_| rng.below(most)).collect()
}

/// Runs a batched call on one store and as many single calls on the other, and compares the replies.
fn call(rng: &mut Rng, [many, one]: [&Store; 2], key: &str) {
    let names = names(rng);
    // This name is also deleted sometimes, and set to a text or a number.
    let bits = "name:7";
    let count = |each: &dyn Fn(&String) -> usize| names.iter().map(each).sum::<usize>();
    match rng.below(22) {
        0..3 => {
            let ones = count(&|name| one.sadd(key, name).unwrap_or(0));
            assert_eq!(many.sadd(key, &names).unwrap_or(0), ones);
        }
        3 => {
            let ones = count(&|name| one.srem(key, name).unwrap_or(0));
            assert_eq!(many.srem(key, &names).unwrap_or(0), ones);
        }
        4 => {
            let ones: Result<Vec<bool>, _> =
                names.iter().map(|name| one.sismember(key, name)).collect();
            assert_eq!(many.smismember(key, &names), ones);
        }
        5 => {
            let most = [9, 50_000][rng.index(2)];
            let pairs: Vec<_> = names.iter().map(|name| (rng.below(most), name)).collect();
            let each = pairs.iter().map(|(score, name)| one.zadd(key, *name, *score).unwrap_or(0));
            assert_eq!(each.sum::<usize>(), many.zadd_multiple(key, &pairs).unwrap_or(0));
        }
        6 => {
            let ones = count(&|name| one.zrem(key, name).unwrap_or(0));
            assert_eq!(many.zrem(key, &names).unwrap_or(0), ones);
        }
        7 => {
            let ones: Result<Vec<_>, _> = names.iter().map(|name| one.zscore(key, name)).collect();
            assert_eq!(many.zscore_multiple(key, &names), ones);
        }
        8 => {
            let pairs: Vec<_> = names.iter().map(|name| (name, rng.below(1000))).collect();
            for (name, value) in &pairs {
                one.set(*name, *value).unwrap();
            }
            many.mset(&pairs).unwrap();
        }
        9 => {
            let ones = names.iter().map(|name| one.get(name).unwrap_or(None)).collect::<Vec<_>>();
            assert_eq!(many.mget(&names).unwrap(), ones);
        }
        10 => {
            let places: Vec<_> = names.iter().map(|name| place(rng, name)).collect();
            let each = places.iter().map(|place| one.geo_add(key, [place]).unwrap_or(0));
            assert_eq!(each.sum::<usize>(), many.geo_add(key, &places).unwrap_or(0));
        }
        11 => {
            let each = |name| one.geo_pos(key, [name]).map(|places| places[0]);
            let ones: Result<Vec<_>, _> = names.iter().map(each).collect();
            assert_eq!(many.geo_pos(key, &names), ones);
        }
        12 => {
            let [from, to] = [names.first(), names.last()].map(|name| name.unwrap());
            let place = |name| one.geo_pos(key, [name]).map(|places| places[0]);
            let apart = place(from)
                .and_then(|from| Ok(from.zip(place(to)?).map(|(from, to)| from.distance(to))));
            assert_eq!(many.geo_dist(key, from, to, Unit::Metres), apart);
        }
        13 => {
            let ones = count(&|name| usize::from(one.exists(name).unwrap()));
            assert_eq!(many.exists_many(&names).unwrap(), ones);
        }
        14 => {
            let offsets = offsets(rng, names.len());
            let ones: Result<Vec<bool>, _> =
                offsets.iter().map(|offset| one.getbit(bits, *offset)).collect();
            assert_eq!(many.getbit_multiple(bits, &offsets), ones);
            let field = FieldType::signed(width(rng, 64)).unwrap();
            let ones: Result<Vec<i64>, _> =
                offsets.iter().map(|offset| one.bitfield_get(bits, field, *offset)).collect();
            assert_eq!(many.bitfield_ro(bits, offsets.iter().map(|at| (field, *at))), ones);
        }
        15 => {
            let values: Vec<_> =
                offsets(rng, names.len()).iter().map(|at| (*at, rng.below(2) == 0)).collect();
            let ones: Result<Vec<bool>, _> =
                values.iter().map(|(at, value)| one.setbit(bits, *at, *value)).collect();
            assert_eq!(many.setbit_multiple(bits, &values), ones);
        }
        16..20 => fields(rng, [many, one], key, &names),
        20 => {
            let field = FieldType::unsigned(width(rng, 63)).unwrap();
            let by = offsets(rng, names.len());
            let ones: Result<Vec<_>, _> =
                by.iter().map(|at| one.bitfield_incr(bits, field, *at, 3, Overflow::Sat)).collect();
            let operations =
                by.iter().map(|at| BitFieldOp::incr_by(field, *at, 3).overflow(Overflow::Sat));
            assert_eq!(many.bitfield(bits, operations), ones);
        }
        _ => {
            let ones = count(&|name| one.del(name).unwrap());
            assert_eq!(many.del(&names).unwrap(), ones);
        }
    }
}

/// A value of a field.
fn value(rng: &mut Rng) -> String {
    let len = [0, 1, 5, 5, 5, 60, 300][rng.index(7)];
    rng.below(10).to_string().repeat(len)
}

/// The same for the fields of a hash.
fn fields(rng: &mut Rng, [many, one]: [&Store; 2], key: &str, names: &[String]) {
    match rng.below(4) {
        0..2 => {
            // Some are longer than the values that are stored next to their field.
            let pairs: Vec<_> = names.iter().map(|name| (name, value(rng))).collect();
            let each = pairs.iter().map(|(name, value)| one.hset(key, *name, value).unwrap_or(0));
            assert_eq!(each.sum::<usize>(), many.hset_multiple(key, &pairs).unwrap_or(0));
        }
        2 => {
            let ones: usize = names.iter().map(|name| one.hdel(key, name).unwrap_or(0)).sum();
            assert_eq!(many.hdel(key, names).unwrap_or(0), ones);
        }
        _ => {
            let ones: Result<Vec<_>, _> = names.iter().map(|name| one.hget(key, name)).collect();
            assert_eq!(many.hmget(key, names), ones);
        }
    }
}

/// The width of a field in bits, up to a maximum.
fn width(rng: &mut Rng, most: u64) -> u32 {
    u32::try_from(1 + rng.below(most)).unwrap()
}

/// Every key with its payload.
fn payloads(store: &Store) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut keys: Vec<_> = store.keys("*").unwrap().iter().map(|key| key.to_vec()).collect();
    keys.sort_unstable();
    let dump = |key: &Vec<u8>| store.dump(key).unwrap().unwrap().to_vec();
    // The members of a hash table have no fixed order.
    let ordered = |key: &Vec<u8>| match store.object_encoding(key).unwrap() {
        Some("hashtable") => {
            let mut members: Vec<Vec<u8>> = match store.hgetall(key) {
                Ok(fields) => {
                    fields.iter().map(|(field, value)| [&field[..], value].concat()).collect()
                }
                Err(_) => store.smembers(key).unwrap().iter().map(|it| it.to_vec()).collect(),
            };
            members.sort_unstable();
            members.concat()
        }
        _ => dump(key),
    };
    keys.iter().map(|key| (key.clone(), ordered(key))).collect()
}

#[test]
fn batched_calls_equal_single_calls() {
    for seed in 0..rounds(15, 40) {
        let mut rng = Rng::new(seed);
        let limits = limits(&mut rng);
        let [many, one] = [(); 2].map(|()| store(limits));
        if seed < 4 {
            fill(&many);
            fill(&one);
        }
        for _ in 0..CALLS {
            let keys = ["set", "another", "zset", "geo", "hash", "timed", "fields"];
            let key = keys[rng.index(7)];
            call(&mut rng, [&many, &one], key);
        }
        assert_eq!(payloads(&many), payloads(&one), "{seed}");
    }
}

#[test]
fn expired_fields_are_not_returned_by_batched_calls() {
    let clock = Arc::new(ManualClock::new(0));
    let store = Store::builder().clock(clock.clone()).build();
    let names: Vec<String> = (0..34_000).map(|n| format!("name:{n}")).collect();
    let pairs: Vec<_> = names.iter().map(|name| (name, name)).collect();
    store.hset_multiple("hash", &pairs).unwrap();
    store.hpexpire("hash", 10, ExpireOption::Always, &names[..50]).unwrap();
    clock.advance(10);
    let values = store.hmget("hash", &names[..100]).unwrap();
    assert!(values[..50].iter().all(Option::is_none));
    assert!(
        values[50..]
            .iter()
            .zip(&names[50..])
            .all(|(value, name)| { value.as_deref() == Some(name.as_bytes()) })
    );
    assert_eq!(store.hdel("hash", &names[..60]).unwrap(), 10);
    assert_eq!(store.hset_multiple("hash", &pairs[..100]).unwrap(), 60);
    assert_eq!(store.hlen("hash").unwrap(), 34_000);
}

/// Each thread has its own sets, and all of them are in the same stripes.
#[test]
fn threads_do_not_change_the_results_of_batched_calls() {
    let [many, one] = [(); 2].map(|()| store(Limits::default()));
    thread::scope(|scope| {
        for thread in 0..4 {
            let (many, one) = (&many, &one);
            scope.spawn(move || {
                let mut rng = Rng::new(100 + thread);
                let key = format!("set of {thread}");
                for _ in 0..CALLS {
                    let names = names(&mut rng);
                    let ones: usize = names.iter().map(|name| one.sadd(&key, name).unwrap()).sum();
                    assert_eq!(many.sadd(&key, &names).unwrap(), ones);
                    let keys: Vec<_> =
                        names.iter().map(|name| format!("{thread}:{name}")).collect();
                    many.mset(&keys.iter().map(|key| (key, thread)).collect::<Vec<_>>()).unwrap();
                    for key in &keys {
                        one.set(key, thread).unwrap();
                    }
                    assert_eq!(many.exists_many(&keys).unwrap(), keys.len());
                }
            });
        }
    });
    assert_eq!(payloads(&many), payloads(&one));
}

/// MSET is one step: a read of all its keys sees the values of one call.
#[test]
fn a_batched_call_on_keys_is_atomic() {
    let store = Store::new();
    let keys: Vec<String> = (0..100).map(|n| format!("key:{n}")).collect();
    let write = |value: u64| store.mset(&keys.iter().map(|key| (key, value)).collect::<Vec<_>>());
    write(0).unwrap();
    thread::scope(|scope| {
        let writers: Vec<_> = (0..2_u64)
            .map(|writer| {
                let write = &write;
                scope.spawn(move || (1..400).for_each(|n| write(2 * n + writer).unwrap()))
            })
            .collect();
        let reader = scope.spawn(|| {
            for _ in 0..400 {
                let values = store.mget(&keys).unwrap();
                assert!(values.iter().all(|value| value.is_some() && *value == values[0]));
            }
        });
        for writer in writers {
            writer.join().unwrap();
        }
        reader.join().unwrap();
    });
}
