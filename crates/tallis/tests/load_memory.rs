//! The peak memory of a load, compared with the memory of the store after it.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use tallis::{LoadOptions, SaveOptions, Store};
use testkit::alloc::Counting;
use testkit::rng::Rng;

#[global_allocator]
static ALLOCATOR: Counting = Counting::new();

/// A tenth of the mixed store of the report: a sorted set, sets in shards, `HyperLogLog`s, bitmaps, small strings,
/// small hashes and a list.
fn mixed() -> Store {
    let store = Store::new();
    let mut rng = Rng::new(3);
    for number in 0..100_000_i64 {
        store.zadd("board", format!("member:{number:07}"), rng.unit()).unwrap();
        store.sadd(format!("unique:{}", number % 800), [number * 1_000_003]).unwrap();
        store.set(format!("key:{number}"), format!("value:{number}")).unwrap();
        store.rpush("list", [format!("element:{number}")]).unwrap();
        store
            .hset(format!("user:{}", number / 10), format!("field:{}", number % 10), number)
            .unwrap();
    }
    for number in 0..20 {
        store.set(format!("bitmap:{number}"), rng.bytes(1 << 20)).unwrap();
        for item in 0..2000 {
            store.pfadd(format!("uv:{number}"), [format!("{item}")]).unwrap();
        }
    }
    store
}

/// A single test, because the counts are those of the whole process.
#[test]
fn a_load_holds_little_more_than_the_store_after_it() {
    let file = mixed();
    for compression in [false, true] {
        let options = SaveOptions { compression, ..SaveOptions::default() };
        let path = tempfile::NamedTempFile::new().unwrap();
        file.save_with(path.path(), options).unwrap();
        for threads in [1, 2] {
            let before = ALLOCATOR.live();
            ALLOCATOR.reset_peak();
            let store = Store::new();
            let options = LoadOptions { threads, ..LoadOptions::default() };
            store.load_with(path.path(), options).unwrap();
            let (peak, after) = (ALLOCATOR.peak() - before, ALLOCATOR.live() - before);
            assert!(after > 30 << 20, "{after}");
            // The data that waits to be decoded is 2 MiB; one of the batches in progress has the sorted set, of 2.4
            // MiB.
            let most = after + after / 20 + (8 << 20);
            assert!(peak <= most, "{threads} threads: {peak} at the peak, {after} after");
        }
    }
}
