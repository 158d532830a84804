//! Damaged logs and manifests: every prefix, and every byte changed.

use std::sync::Arc;

use tallis::{ErrorKind, Persistence, Store};

use super::digest;
use super::memory_disk::MemoryDisk;

const MANIFEST: &str = "/dir/appendonlydir/appendonly.aof.manifest";
const INCREMENTS: [&str; 2] = [
    "/dir/appendonlydir/appendonly.aof.1.incr.aof",
    "/dir/appendonlydir/appendonly.aof.2.incr.aof",
];

fn open(disk: &MemoryDisk) -> Result<Store, tallis::Error> {
    let persistence = Persistence::new().disk(Arc::new(disk.clone()));
    Store::builder().stripes(1).hash_seed(1).persistence(persistence).open("/dir")
}

type Change = fn(&Store) -> Result<(), tallis::Error>;

/// A directory with a base and two increments, and the content of the store after each command or transaction of the
/// last one.
fn directory() -> (MemoryDisk, Vec<(usize, String)>) {
    let disk = MemoryDisk::default();
    let store = open(&disk).unwrap();
    store.sadd("s", ["a", "1"]).unwrap();
    store.zadd("z", "m", 1.5).unwrap();
    drop(store);
    let first = disk.bytes(INCREMENTS[0]).unwrap();
    disk.put(INCREMENTS[1], Vec::new());
    let mut manifest = disk.bytes(MANIFEST).unwrap();
    manifest.extend_from_slice(b"file appendonly.aof.2.incr.aof seq 2 type i\n");
    disk.put(MANIFEST, manifest);
    let store = open(&disk).unwrap();
    let mut states = vec![(0, digest(&store))];
    let changes: [Change; 4] = [
        |store| store.set("k", "v"),
        |store| store.db(2).rpush("l", ["a", "b"]).map(drop),
        |store| {
            store.transaction(["a", "b"], |tx| {
                tx.set("a", "1")?;
                tx.set("b", "2")
            })
        },
        |store| store.pexpire_at("k", 4_102_444_800_000i64).map(drop),
    ];
    for change in changes {
        change(&store).unwrap();
        store.sync_log().unwrap();
        states.push((disk.bytes(INCREMENTS[1]).unwrap().len(), digest(&store)));
    }
    drop(store);
    assert_eq!(disk.bytes(INCREMENTS[0]).unwrap(), first);
    (disk, states)
}

#[test]
fn a_truncated_log_is_valid_up_to_there() {
    let (disk, states) = directory();
    let whole = disk.bytes(INCREMENTS[1]).unwrap();
    for len in 0..=whole.len() {
        let disk = disk.copy();
        disk.put(INCREMENTS[1], whole[..len].to_vec());
        let store = open(&disk).unwrap();
        let (_, expected) = states.iter().rfind(|(end, _)| *end <= len).unwrap();
        // A SELECT by itself changes nothing.
        assert_eq!(digest(&store), *expected, "{len}");
        let cut = store.open_report().unwrap().cut.as_ref().map(|cut| (cut.offset, cut.bytes));
        let left = disk.bytes(INCREMENTS[1]).unwrap().len();
        assert_eq!(cut, (left < len).then_some((left as u64, (len - left) as u64)), "{len}");
        // The following data is read again.
        store.set("next", "1").unwrap();
        let now = digest(&store);
        drop(store);
        let store = open(&disk).unwrap();
        assert_eq!((digest(&store), store.open_report().unwrap().cut.clone()), (now, None));
    }
}

#[test]
fn only_the_end_of_a_log_is_cut() {
    let (disk, _) = directory();
    let first = disk.bytes(INCREMENTS[0]).unwrap();
    disk.put(INCREMENTS[0], first[..first.len() - 1].to_vec());
    let before = disk.contents();
    let error = open(&disk).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert!(
        error.to_string().contains("appendonly.aof.1.incr.aof: unexpected end of the log"),
        "{error}"
    );
    assert_eq!(disk.contents(), before);
    // Unless all following files are empty: the process ended before it had written to them.
    disk.put(INCREMENTS[1], Vec::new());
    let store = open(&disk).unwrap();
    assert!(store.open_report().unwrap().cut.is_some());
    drop(store);
    let strict = Persistence::new().disk(Arc::new(disk.clone())).load_truncated(false);
    disk.put(INCREMENTS[1], b"*1".to_vec());
    let error = Store::builder().persistence(strict).open("/dir").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
}

#[test]
fn a_changed_byte_is_an_error_or_another_store() {
    let (disk, _) = directory();
    for file in [INCREMENTS[0], INCREMENTS[1], MANIFEST] {
        let whole = disk.bytes(file).unwrap();
        for at in 0..whole.len() {
            for change in [1, 0x20, 0xff] {
                let disk = disk.copy();
                let mut bytes = whole.clone();
                bytes[at] ^= change;
                disk.put(file, bytes);
                let before = disk.contents();
                match open(&disk) {
                    Ok(store) => {
                        store.set("next", "1").unwrap();
                        let now = digest(&store);
                        drop(store);
                        assert_eq!(digest(&open(&disk).unwrap()), now);
                    }
                    Err(_) => assert_eq!(disk.contents(), before, "{file} {at}"),
                }
            }
        }
    }
    // A truncated manifest must not name other files, because the store would silently be another one.
    let whole = disk.bytes(MANIFEST).unwrap();
    for len in (0..whole.len()).filter(|&len| whole[..len].last() != Some(&b'\n')) {
        let disk = disk.copy();
        disk.put(MANIFEST, whole[..len].to_vec());
        assert_eq!(open(&disk).unwrap_err().kind(), ErrorKind::Corrupt, "{len}");
    }
}
