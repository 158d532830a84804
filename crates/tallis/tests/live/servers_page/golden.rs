//! Files of servers that are not installed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tallis::rdb::Reader;

/// Release series, and the folder with their files, which each crate may have.
const SERIES: [(&str, Option<&str>); 4] = [
    ("Redis before 7.2", Some("old")),
    ("Redis 8.0 in development, 2024-10-18", Some("redis-unstable")),
    ("Redis 8.6", Some("redis-8.6")),
    ("Redis 7.2 and 7.4, Valkey 7.2 and 8", None),
];

/// The name of each, the versions of its files, and their number.
pub(super) fn series() -> Vec<(String, String, usize)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let row = |(title, folder): (&str, Option<&str>)| {
        let mut files = BTreeSet::new();
        for one in fs::read_dir(&crates).unwrap() {
            if let Some(folder) = folder {
                read(&one.unwrap().path().join("tests/data").join(folder), &mut files);
            }
        }
        let versions: BTreeSet<u16> =
            files.iter().map(|file| Reader::new(&file[..]).unwrap().version().number()).collect();
        let versions = match (versions.first(), versions.last()) {
            (Some(first), Some(last)) if first < last => format!("{first} to {last}"),
            (Some(one), _) => one.to_string(),
            (None, _) => "-".to_owned(),
        };
        (title.to_owned(), versions, files.len())
    };
    SERIES.into_iter().map(row).collect()
}

/// Reads the RDB files of a folder, if it exists. Two crates may have the same file.
fn read(folder: &Path, files: &mut BTreeSet<Vec<u8>>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read(&path, files);
        } else if path.extension().is_some_and(|kind| kind == "rdb") {
            files.insert(fs::read(&path).unwrap());
        }
    }
}
