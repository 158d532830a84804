//! Any bytes as the files of a directory on which a store is opened.
//!
//! The first byte chooses how the rest is split: a manifest from the input, or a fixed one that names a base and two
//! increments. A directory that cannot be opened is unchanged. One that can be opened has the same data, and the later
//! writes, when it is opened again.
#![no_main]

#[expect(dead_code, reason = "tests use all of it")]
#[path = "../../crates/tallis/tests/durability/memory_disk.rs"]
mod memory_disk;

use std::sync::Arc;

use memory_disk::MemoryDisk;
use tallis::{Error, Persistence, Store};

/// Separates two files in the input.
const SEPARATOR: &[u8] = b"\n--\n";

const NAMES: [&str; 3] =
    ["appendonly.aof.1.base.rdb", "appendonly.aof.1.incr.aof", "appendonly.aof.2.incr.aof"];

const MANIFEST: &str = "file appendonly.aof.1.base.rdb seq 1 type b\n\
    file appendonly.aof.1.incr.aof seq 1 type i\n\
    file appendonly.aof.2.incr.aof seq 2 type i\n";

fn open(disk: &MemoryDisk) -> Result<Store, Error> {
    let persistence = Persistence::new().disk(Arc::new(disk.clone()));
    Store::builder().stripes(1).hash_seed(1).random_seed(2).persistence(persistence).open("/dir")
}

fn digest(store: &Store) -> String {
    format!("{:?}", store.execute(&["DEBUG", "DIGEST"]))
}

/// Returns the files of the input, in order.
fn files(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut files = Vec::new();
    while let Some(at) = bytes.windows(SEPARATOR.len()).position(|here| here == SEPARATOR) {
        files.push(&bytes[..at]);
        bytes = &bytes[at + SEPARATOR.len()..];
    }
    files.push(bytes);
    files
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&flags, bytes)) = bytes.split_first() else { return };
    let mut files = files(bytes).into_iter();
    let disk = MemoryDisk::default();
    let manifest = if flags & 1 == 0 { Some(MANIFEST.as_bytes()) } else { files.next() };
    let folder = "/dir/appendonlydir/";
    disk.put(format!("{folder}appendonly.aof.manifest"), manifest.unwrap_or_default().to_vec());
    for (name, file) in NAMES.iter().zip(files.chain(std::iter::repeat(&[][..]))) {
        disk.put(format!("{folder}{name}"), file.to_vec());
    }
    let before = disk.contents();
    let Ok(store) = open(&disk) else {
        assert_eq!(disk.contents(), before);
        return;
    };
    store.set("next", "1").expect("the disk has no faults");
    let now = digest(&store);
    drop(store);
    let store = open(&disk).expect("a directory of this store");
    assert_eq!(digest(&store), now);
    store.rewrite_log().expect("the disk has no faults");
    drop(store);
    assert_eq!(digest(&open(&disk).expect("a directory of this store")), now);
});
