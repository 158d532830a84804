//! Threads that move amounts between keys, members, fields and bits, so that no sum ever changes, while snapshots are
//! taken: each snapshot has these sums.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use tallis::{Error, LoadOptions, Persistence, SaveOptions, Store};
use testkit::rng::Rng;

const ACCOUNTS: u64 = 2000;
const TOTAL: i64 = 1_000_000;

/// The sizes of the large values: with `TALLIS_SUMS=full` a bitmap of 200 MB, and a sorted set and a hash of a million
/// members.
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

/// Changes many values, but no sum.
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

/// The sums of the accounts in both databases, the bits of the bitmap, the scores, the fields.
type Sums = (i64, u64, i64, i64);

fn sums(store: &Store) -> Sums {
    let mut accounts = 0;
    // Each value may be in either of the databases.
    let (mut bits, mut scores, mut fields) = (0, 0, 0);
    for db in [0, 1] {
        let db = store.db(db);
        for key in db.keys("account:*").unwrap() {
            accounts += db.get_as::<i64>(&key[..]).unwrap();
        }
        bits += db.bitcount("bitmap").unwrap();
        for (_, score) in db.zrange_withscores("zset", 0, -1).unwrap() {
            // All of them are integers.
            scores += score.to_string().parse::<i64>().unwrap();
        }
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

/// Lets two threads change the store continuously while `check` runs.
fn while_changed(store: &Store, sizes: (usize, u64), check: impl FnOnce()) {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for seed in 0..2 {
            let done = &done;
            scope.spawn(move || {
                let (mut rng, mut new) = (Rng::new(seed), seed << 40);
                while !done.load(Ordering::Relaxed) {
                    change(store, &mut rng, sizes, &mut new).unwrap();
                }
            });
        }
        // The writers end even if an assertion fails.
        let _stop = Stop(&done);
        check();
    });
}

fn filled(store: &Store) -> Sums {
    let (bytes, members) = sizes();
    fill(store, bytes, members);
    let expected = sums(store);
    let ones = i64::try_from(members).unwrap();
    assert_eq!(expected, (2 * TOTAL, bytes as u64 * 4, ones, ones));
    expected
}

#[test]
fn unchanging_sums_are_in_every_snapshot() {
    let store = Store::new();
    let expected = filled(&store);
    while_changed(&store, sizes(), || {
        for round in 0..3 {
            let file = store.snapshot_to(Vec::new(), SaveOptions::default()).unwrap();
            let loaded = Store::new();
            loaded.load_from(&file[..], LoadOptions::default()).unwrap();
            assert_eq!(sums(&loaded), expected, "round {round}");
        }
    });
    assert_eq!(sums(&store), expected);
}

#[test]
fn unchanging_sums_are_in_every_rewritten_log() {
    let dir = tempfile::tempdir().unwrap();
    // The log is rewritten only on request, so the files copied below belong together.
    let persistence = Persistence::new().rewrite_percentage(0);
    let store = Store::builder().persistence(persistence).open(dir.path()).unwrap();
    let expected = filled(&store);
    while_changed(&store, sizes(), || {
        for round in 0..3 {
            store.rewrite_log().unwrap();
            let copy = tempfile::tempdir().unwrap();
            let mut names = fs::read_dir(dir.path().join("appendonlydir")).unwrap();
            while let Some(Ok(file)) = names.next() {
                fs::copy(file.path(), copy.path().join(file.file_name())).unwrap();
                if file.file_name().to_string_lossy().ends_with(".base.rdb") {
                    let base = Store::new();
                    base.load(file.path()).unwrap();
                    assert_eq!(sums(&base), expected, "the base of round {round}");
                }
            }
            // With the commands appended since, which may end in the middle of a transaction.
            let loaded = Store::new();
            let salvage = LoadOptions { salvage: true, ..LoadOptions::default() };
            loaded.load_with(copy.path(), salvage).unwrap();
            assert_eq!(sums(&loaded), expected, "round {round}");
        }
    });
    assert_eq!(sums(&store), expected);
    drop(store);
    assert_eq!(sums(&Store::open(dir.path()).unwrap()), expected);
}
