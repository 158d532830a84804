//! Files of servers with changed bytes, or truncated: an error or a valid store, which is then used and saved.
//!
//! Every byte and every prefix of the small files, and some of the larger ones. With `TALLIS_DAMAGE=all`, every byte
//! and prefix of every file, which takes an hour; with `TALLIS_GOLDEN=FOLDER`, also those of the files there.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tallis::{LoadOptions, SaveOptions, Store};
use testkit::alloc::Counting;
use testkit::kept::ON_ANY_VALUE;

#[global_allocator]
static ALLOCATOR: Counting = Counting::new();

/// The bytes that a load may hold for each byte of its file: LZF gives 88, and a table of the result may take as many
/// again.
const FACTOR: usize = 200;

/// The bytes that it may hold for any file: buffers, stripes, and a table of the compressor.
const SLACK: usize = 2 << 20;

fn files() -> Vec<PathBuf> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")];
    folders.extend(std::env::var_os("TALLIS_GOLDEN").map(PathBuf::from));
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rdb") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The file with the checksum recomputed, if its version has one.
fn with_checksum(mut file: Vec<u8>) -> Vec<u8> {
    let sum = file.len().saturating_sub(8);
    if file.get(5..9).is_some_and(|version| version >= b"0005".as_slice()) && sum > 9 {
        let checksum = rdb::crc64(&file[..sum]);
        file[sum..].copy_from_slice(&checksum.to_le_bytes());
    }
    file
}

fn store() -> Store {
    Store::builder().hash_seed(1).random_seed(2).stripes(4).build()
}

fn digest(store: &Store) -> String {
    format!("{:?}", store.execute(&["DEBUG", "DIGEST"]))
}

/// Loads a file as far as possible, and uses the result. Returns whether the file was valid.
fn check(file: &[u8], what: &str) -> bool {
    let before = ALLOCATOR.live();
    ALLOCATOR.reset_peak();
    let started = now();
    let store = store();
    let report = store.load_from(file, LoadOptions { salvage: true, ..LoadOptions::default() });
    let held = ALLOCATOR.peak() - before;
    assert!(held <= FACTOR * file.len() + SLACK, "{what}: {held} bytes for {}", file.len());
    let Ok(report) = report else { return false };
    if let Some(damage) = &report.damage {
        let text = damage.to_string();
        assert!(text.contains("offset"), "{what}: {text}");
        // Without `salvage` a load returns the same error, and the store keeps its keys.
        let other = self::store();
        other.set("mine", "1").unwrap();
        let one = LoadOptions { threads: 1, ..LoadOptions::default() };
        let refused = other.load_from(file, one).unwrap_err();
        assert_eq!(refused.to_string(), text, "{what}");
        // Two threads may find another error in the same value first.
        let refused = other.load_from(file, LoadOptions { threads: 2, ..one }).unwrap_err();
        assert!(refused.to_string().contains("offset"), "{what}: {refused}");
        assert_eq!(other.dbsize().unwrap(), 1, "{what}");
    }
    if let Ok(saved) = store.save_to(Vec::new(), SaveOptions::default()) {
        let again = self::store();
        again.load_from(&saved[..], LoadOptions::default()).unwrap();
        assert_eq!(digest(&again), digest(&store), "{what}");
    }
    let keys = store.keys("*").unwrap();
    // A different key for each file, so that all are used.
    if let Some(key) =
        keys.get(file.iter().map(|&byte| usize::from(byte)).sum::<usize>() % keys.len().max(1))
    {
        store.execute(&[b"RENAME".as_slice(), key, b"k"]);
        for words in ON_ANY_VALUE {
            // An error is a valid result.
            drop(store.execute(words));
        }
        store.save_to(Vec::new(), SaveOptions::default()).ok();
    }
    // Much more than any file takes on an idle machine.
    assert!(started.elapsed() < Duration::from_secs(30), "{what}");
    report.damage.is_none()
}

#[expect(clippy::disallowed_methods, reason = "the test looks for a hang")]
fn now() -> Instant {
    Instant::now()
}

/// A single test, because the counts are those of the whole process.
#[test]
fn damaged_files_are_refused_or_valid() {
    let all = std::env::var_os("TALLIS_DAMAGE").is_some_and(|value| value == "all");
    let (mut whole, mut damaged) = (0, 0);
    for path in files() {
        let file = fs::read(&path).unwrap();
        let name = path.display();
        // Some 60 offsets in a large file, a different set for each change.
        let step = if all { 1 } else { (file.len() / 60).max(1) };
        for (number, change) in [0x01_u8, 0x80, 0xff, 0x40].into_iter().enumerate() {
            for at in (9 + number * step / 4..file.len()).step_by(step) {
                let mut changed = file.clone();
                changed[at] ^= change;
                if check(&with_checksum(changed), &format!("{name}: {change:#04x} at {at}")) {
                    whole += 1;
                } else {
                    damaged += 1;
                }
            }
        }
        for at in (0..file.len()).step_by(step) {
            check(&file[..at], &format!("{name} cut at {at}"));
            check(&with_checksum(file[..at].to_vec()), &format!("{name} cut and summed at {at}"));
        }
    }
    assert!(whole > 1000 && damaged > 1000, "{whole} whole, {damaged} damaged");
}
