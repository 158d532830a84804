//! Threads that move amounts between keys, members, fields and bits, so that no sum ever changes, while snapshots are
//! taken: each has the sums.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use tallis::{Error, LoadOptions, SaveOptions, Store};
use testkit::rng::Rng;

const ACCOUNTS: u64 = 2000;
const TOTAL: i64 = 1_000_000;

/// How large the large values are: `TALLIS_SUMS=full` for a bitmap of 200 MB, a sorted set and a hash of a million.
fn sizes() -> (usize, u64) {
    match std::env::var("TALLIS_SUMS").as_deref() {
        Ok("full") => (200_000_000, 1_000_000),
        _ => (20_000_000, 100_000),
    }
}

fn fill(store: &Store, bytes: usize, members: u64) {
    for db in [0, 1] {
        store.db(db).set("account:0", TOTAL).unwrap();
    }
    // One bit of each pair.
    store.set("bitmap", vec![0x55; bytes]).unwrap();
    for first in (0..members).step_by(1000) {
        let names: Vec<String> = (first..first + 1000).map(|n| format!("m{n}")).collect();
        let scores: Vec<(f64, &str)> = names.iter().map(|name| (1.0, name.as_str())).collect();
        store.zadd_multiple("zset", &scores).unwrap();
        let fields: Vec<(&str, i64)> = names.iter().map(|name| (name.as_str(), 1)).collect();
        store.hset_multiple("hash", &fields).unwrap();
    }
}

/// Changes much, and no sum.
fn change(
    store: &Store,
    rng: &mut Rng,
    (bytes, members): (usize, u64),
    new: &mut u64,
) -> Result<(), Error> {
    let db = store.db(u32::try_from(rng.below(2)).unwrap());
    let account = |rng: &mut Rng| format!("account:{}", rng.below(ACCOUNTS));
    let amount = rng.range(-5..=5);
    let (a, b) = (account(rng), account(rng));
    match rng.below(12) {
        0..4 => db.transaction([&a, &b], |tx| {
            tx.incr(&a, amount)?;
            tx.incr(&b, -amount).map(drop)
        }),
        4 => db.rename_nx(&a, &b).map(drop).or(Ok(())),
        5 => {
            *new += 1;
            store.set(format!("new:{new}"), "0").map(drop)?;
            store.pset_ex(format!("gone:{new}"), "0", 1 + *new % 50).map(drop)
        }
        6 if rng.below(200) == 0 => store.execute(&["SWAPDB", "0", "1"]).convert(),
        6 | 7 => store.transaction(["bitmap"], |tx| {
            let pair = rng.below(bytes as u64 * 4) * 2;
            let (first, second) = (tx.getbit("bitmap", pair)?, tx.getbit("bitmap", pair + 1)?);
            tx.setbit("bitmap", pair, second)?;
            tx.setbit("bitmap", pair + 1, first).map(drop)
        }),
        8 | 9 => store.transaction(["zset"], |tx| {
            tx.zincr("zset", format!("m{}", rng.below(members * 2)), amount)?;
            tx.zincr("zset", format!("m{}", rng.below(members * 2)), -amount).map(drop)
        }),
        _ => store.transaction(["hash"], |tx| {
            tx.hincr("hash", format!("m{}", rng.below(members * 2)), amount)?;
            tx.hincr("hash", format!("m{}", rng.below(members * 2)), -amount).map(drop)
        }),
    }
}

/// The accounts of both databases, the bits of the bitmap, the scores, the fields.
fn sums(store: &Store) -> (i64, u64, f64, i64) {
    let mut accounts = 0;
    // The values that are in neither of them are in the other database.
    let (mut bits, mut scores, mut fields) = (0, 0.0, 0);
    for db in [0, 1] {
        let db = store.db(db);
        for key in db.keys("account:*").unwrap() {
            accounts += db.get_as::<i64>(&key[..]).unwrap();
        }
        bits += db.bitcount("bitmap").unwrap();
        scores +=
            db.zrange_withscores("zset", 0, -1).unwrap().iter().map(|pair| pair.1).sum::<f64>();
        let values = db.hvals("hash").unwrap();
        fields +=
            values.iter().map(|n| str::from_utf8(n).unwrap().parse::<i64>().unwrap()).sum::<i64>();
    }
    (accounts, bits, scores, fields)
}

struct Stop<'d>(&'d AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn sums_that_never_change_are_in_every_snapshot() {
    let (bytes, members) = sizes();
    let store = Store::new();
    fill(&store, bytes, members);
    let expected = sums(&store);
    assert_eq!(expected, (2 * TOTAL, bytes as u64 * 4, members as f64, members as i64));
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for seed in 0..2 {
            let (store, done) = (&store, &done);
            scope.spawn(move || {
                let (mut rng, mut new) = (Rng::new(seed), seed << 40);
                while !done.load(Ordering::Relaxed) {
                    change(store, &mut rng, (bytes, members), &mut new).unwrap();
                }
            });
        }
        // The writers end even if an assertion fails.
        let _stop = Stop(&done);
        for round in 0..3 {
            let file = store.snapshot_to(Vec::new(), SaveOptions::default()).unwrap();
            let loaded = Store::new();
            loaded.load_from(&file[..], LoadOptions::default()).unwrap();
            assert_eq!(sums(&loaded), expected, "round {round}");
        }
    });
    assert_eq!(sums(&store), expected);
}
