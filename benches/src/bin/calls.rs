//! Repeats one kind of call, each time with the given number of items, for a tool that counts instructions.
//!
//! `cargo xtask instructions` runs this program. Without arguments it prints the names of the calls.

#![expect(clippy::unwrap_used, reason = "a failure stops the count")]

use std::hint::black_box;
use std::ops::Range;
use std::process::ExitCode;
use std::time::Duration;

use jiff::Timestamp;
use tallis::{Bucket, FieldType, Funnel, Quota, ShardedSet, Store, UvWindows, Visitors, each};

/// The number of keys or members that exist, of 8 bytes each.
const NAMES: usize = 2_000;

/// The length of the bit string, in bits.
const BITS: u64 = 100_000;

/// A call with some of the names.
type Call = fn(&Store, &[String]);

const CALLS: &[(&str, Call)] = &[
    ("MGET", |store, names| drop(black_box(store.mget(names).unwrap()))),
    ("MSET", |store, names| {
        store.mset(&names.iter().map(|name| (name, name)).collect::<Vec<_>>()).unwrap();
    }),
    ("EXISTS", |store, names| assert_eq!(store.exists_many(names).unwrap(), names.len())),
    ("DEL, others", |store, names| {
        assert_eq!(store.del(each(0..names.len())).unwrap(), 0);
    }),
    ("SADD, members that are there", |store, names| {
        assert_eq!(store.sadd("set", names).unwrap(), 0);
    }),
    ("SREM, others", |store, names| {
        assert_eq!(store.srem("set", each(0..names.len())).unwrap(), 0);
    }),
    ("SMISMEMBER", |store, names| drop(black_box(store.smismember("set", names).unwrap()))),
    ("ZADD, the same scores", |store, names| {
        let pairs: Vec<_> = names.iter().map(|name| (1, name)).collect();
        assert_eq!(store.zadd_multiple("zset", &pairs).unwrap(), 0);
    }),
    ("ZMSCORE", |store, names| drop(black_box(store.zscore_multiple("zset", names).unwrap()))),
    ("HMGET", |store, names| drop(black_box(store.hmget("hash", names).unwrap()))),
    ("HSET, fields that are there", |store, names| {
        let pairs: Vec<_> = names.iter().map(|name| (name, name)).collect();
        assert_eq!(store.hset_multiple("hash", &pairs).unwrap(), 0);
    }),
    ("HDEL, others", |store, names| {
        assert_eq!(store.hdel("hash", each(0..names.len())).unwrap(), 0);
    }),
    ("GEOADD, the same places", |store, names| {
        assert_eq!(store.geo_add("geo", places(names)).unwrap(), 0);
    }),
    ("GEOPOS", |store, names| assert!(store.geo_pos("geo", names).unwrap()[0].is_some())),
    ("GETBIT", |store, names| {
        let offsets: Vec<u64> = offsets(names.len()).collect();
        drop(black_box(store.getbit_multiple("bits", &offsets).unwrap()));
    }),
    ("SETBIT", |store, names| {
        let bits: Vec<_> = offsets(names.len()).map(|offset| (offset, true)).collect();
        drop(black_box(store.setbit_multiple("bits", &bits).unwrap()));
    }),
    ("BITFIELD_RO, 12 bits", |store, names| {
        let field = FieldType::unsigned(12).unwrap();
        let fields = offsets(names.len()).map(|offset| (field, offset));
        drop(black_box(store.bitfield_ro("bits", fields).unwrap()));
    }),
    ("PFADD, dense", |store, names| assert!(!store.pfadd("hll", names).unwrap())),
    ("PFADD, a new key", |store, names| {
        assert!(store.pfadd("new", names).unwrap());
        assert_eq!(store.del("new").unwrap(), 1);
    }),
    ("SET of a key that is there, one by one", |store, names| {
        for name in names {
            store.set(name, "value").unwrap();
        }
    }),
    ("INCR, one by one", |store, names| {
        for _ in names {
            store.incr("number", 1).unwrap();
        }
    }),
    ("LPUSH, one by one", |store, names| {
        for name in names {
            store.lpush("list", [name]).unwrap();
        }
    }),
    ("LPUSH and LPOP, one by one", |store, names| {
        for name in names {
            store.lpush("list", [name]).unwrap();
            drop(black_box(store.lpop("list").unwrap()));
        }
    }),
    ("RPUSH and RPOP, one by one", |store, names| {
        for name in names {
            store.rpush("list", [name]).unwrap();
            drop(black_box(store.rpop("list").unwrap()));
        }
    }),
    ("GET as words, one by one", |store, names| {
        for name in names {
            drop(black_box(store.execute(&["GET", name])));
        }
    }),
    ("pipeline of GET", |store, names| {
        let mut pipeline = store.pipeline();
        for name in names {
            pipeline.get(name);
        }
        drop(black_box(pipeline.replies().unwrap()));
    }),
    ("transactions of STRLEN, one by one", |store, names| {
        for name in names {
            assert_eq!(store.transaction([name], |tx| tx.strlen(name)), Ok(8));
        }
    }),
    ("transaction_many of STRLEN", |store, names| {
        store.transaction_many(names, |at, tx| assert_eq!(tx.strlen(&names[at]), Ok(8))).unwrap();
    }),
    ("count_visits, visitors who come again", |store, names| {
        assert_eq!(Visitors::new(store.clone()).count_visits(names, Bucket::All).unwrap(), 0);
    }),
    ("contains_many", |store, names| {
        let set = ShardedSet::splitting(store.clone(), "sharded");
        assert!(set.contains_many(names).unwrap().iter().all(|it| *it));
    }),
    ("record_many, users who come again", |store, names| {
        let visits = names.iter().map(|name| (name, Timestamp::UNIX_EPOCH));
        windows(store).record_many(visits).unwrap();
    }),
    ("check_many, funnels that are full", |store, names| {
        let throttles = funnel(store).check_many(funnels(names), 1).unwrap();
        assert!(throttles.iter().all(|throttle| throttle.limited));
    }),
    ("a recipe: Funnel::take, full", |store, names| {
        let funnel = &black_box(funnel(store));
        for name in funnels(names) {
            assert!(funnel.take(name, 1).unwrap().limited);
        }
    }),
    ("the same steps, by Store::transaction", |store, names| {
        // `black_box`, so that the compiler knows as little of this quota as of that of a funnel.
        let quota = &black_box(quota());
        for name in funnels(names).map(str::as_bytes) {
            let taken = store.transaction([name], |tx| {
                tx.with_string(name, |string| {
                    let (throttle, next) = quota.take(string.get_int()?, string.now_us(), 1);
                    if let Some(next) = next {
                        string.set_until(next, next.div_euclid(1000) + 1)?;
                    }
                    Ok(throttle)
                })
            });
            assert!(taken.unwrap().limited);
        }
    }),
];

/// Returns a quota of one action at a time, which takes decades to leak.
fn quota() -> Quota {
    Quota::new(1, 1, Duration::from_secs(1 << 30)).unwrap()
}

fn windows(store: &Store) -> UvWindows {
    let for_ever = tallis::UvLevel::ALL.into_iter();
    for_ever.fold(UvWindows::new(store.clone(), "uv:"), UvWindows::keep_for_ever)
}

/// Returns all names at one position.
fn places(names: &[String]) -> impl Iterator<Item = (f64, f64, &String)> {
    names.iter().map(|name| (13.4, 52.5, name))
}

/// Returns offsets spread over the whole bit string.
fn offsets(count: usize) -> impl Iterator<Item = u64> {
    (0..count as u64).map(|at| at * 7919 % BITS)
}

/// Returns a funnel with a capacity of one, which takes decades to leak.
fn funnel(store: &Store) -> Funnel {
    Funnel::new(store.clone(), quota())
}

/// Returns keys for funnels that no other call uses, without an allocation.
fn funnels(names: &[String]) -> impl Iterator<Item = &str> {
    names.iter().map(|name| &name[1..])
}

/// Returns the same store each time, so that the work before the calls always takes the same number of instructions.
fn filled(names: &[String]) -> Store {
    let store = Store::builder().hash_seed(1).build();
    store.mset(&names.iter().map(|name| (name, name)).collect::<Vec<_>>()).unwrap();
    store.sadd("set", names).unwrap();
    store.zadd_multiple("zset", &names.iter().map(|name| (1, name)).collect::<Vec<_>>()).unwrap();
    store
        .hset_multiple("hash", &names.iter().map(|name| (name, name)).collect::<Vec<_>>())
        .unwrap();
    store.geo_add("geo", places(names)).unwrap();
    store.setbit("bits", BITS, true).unwrap();
    store.pfadd("hll", each(0..20_000)).unwrap();
    store.pfadd("hll", names).unwrap();
    store.rpush("list", names).unwrap();
    Visitors::new(store.clone()).count_visits(names, Bucket::All).unwrap();
    ShardedSet::splitting(store.clone(), "sharded").add_many(names).unwrap();
    let users = names.iter().map(|name| (name, Timestamp::UNIX_EPOCH));
    windows(&store).record_many(users).unwrap();
    funnel(&store).check_many(funnels(names), 1).unwrap();
    store
}

/// Returns the range of names for each call in turn.
fn turns(items: usize, rounds: usize) -> impl Iterator<Item = Range<usize>> {
    let turn = move |round| {
        let from = round * items % (NAMES - items + 1);
        from..from + items
    };
    (0..rounds).map(turn)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, items, rounds] = arguments.as_slice() else {
        for (name, _) in CALLS {
            println!("{name}");
        }
        return ExitCode::SUCCESS;
    };
    let call = CALLS.iter().find(|(call, _)| call == name);
    let (Some((_, call)), Ok(items), Ok(rounds)) = (call, items.parse(), rounds.parse()) else {
        eprintln!("usage: calls [NAME ITEMS ROUNDS]");
        return ExitCode::FAILURE;
    };
    let names: Vec<String> = (0..NAMES).map(|name| format!("{:08}", name * 7919)).collect();
    let store = filled(&names);
    for turn in turns(items, rounds) {
        call(&store, &names[turn]);
    }
    ExitCode::SUCCESS
}
