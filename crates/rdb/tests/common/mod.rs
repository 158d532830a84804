//! Helpers that the tests share: the files written by servers, and reading them.
#![allow(dead_code, reason = "each test uses a part of it")]
#![expect(clippy::unwrap_used, reason = "tests and their helpers fail by a panic")]

use std::{fs, io::Read, path::PathBuf};

use rdb::{Error, ReadOptions, Reader};

pub(crate) use testkit::kept::{Item, Kept, read_file};

/// Reads all records; values undecoded if `raw`.
pub(crate) fn read_all<R: Read>(reader: Reader<R>, raw: bool) -> Result<Vec<Item>, Error> {
    read_file(reader, |reader| {
        if raw { Ok(Kept::Raw(reader.raw_value()?)) } else { Kept::read(reader.value()?) }
    })
}

pub(crate) fn read_bytes(bytes: &[u8], raw: bool) -> Result<Vec<Item>, Error> {
    let options = ReadOptions { length: Some(bytes.len() as u64), checksum: true };
    read_all(Reader::with_options(bytes, options)?, raw)
}

pub(crate) fn path(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "data", name].iter().collect()
}

pub(crate) fn bytes(name: &str) -> Vec<u8> {
    fs::read(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The files of a folder that have a list of their keys, as `folder/name` without the extension.
pub(crate) fn listed(folder: &str) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(path(folder))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| Some(format!("{folder}/{}", name.strip_suffix(".txt")?)))
        .collect();
    names.sort();
    names
}

/// Every file of all folders.
pub(crate) fn every_file() -> Vec<String> {
    let mut names = Vec::new();
    for folder in ["redis-7.0.15", "redis-unstable", "old"] {
        for entry in fs::read_dir(path(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.as_bytes().ends_with(b".rdb") || name.as_bytes().ends_with(b".aof") {
                names.push(format!("{folder}/{name}"));
            }
        }
    }
    names.sort();
    assert_eq!(names.len(), 41);
    names
}
