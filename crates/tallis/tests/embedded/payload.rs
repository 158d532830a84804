//! Values as they are stored in payloads and files.
#![expect(clippy::unwrap_used, reason = "tests and their helpers fail by a panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tallis::listpack::ListPack;
use tallis::rdb::{self, ValueType, ValueWriter, WriteError, WriteOptions};

/// The payload of DUMP for a value.
pub(crate) fn payload(
    write: impl FnOnce(ValueWriter<'_, Vec<u8>>) -> Result<(), WriteError>,
) -> Vec<u8> {
    rdb::dump::encode(WriteOptions::default(), write).unwrap()
}

/// The blob of a listpack.
pub(crate) fn listpack(entries: &[&str]) -> Vec<u8> {
    let mut list = ListPack::new();
    for entry in entries {
        list.push_back(*entry).unwrap();
    }
    list.into_bytes()
}

/// The types of the values in a file, by key.
pub(crate) fn kinds(path: &Path) -> BTreeMap<Vec<u8>, ValueType> {
    let file = fs::read(path).unwrap();
    let mut reader = rdb::Reader::new(file.as_slice()).unwrap();
    let mut kinds = BTreeMap::new();
    while let Some(record) = reader.next_record().unwrap() {
        if let rdb::Record::Key { key, kind, .. } = record {
            kinds.insert(key, kind);
        }
    }
    kinds
}
