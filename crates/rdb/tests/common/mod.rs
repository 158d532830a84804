//! What the tests share: the files that servers wrote, and a reader that keeps all it reads.
#![allow(dead_code, reason = "each test uses a part")]
#![expect(clippy::unwrap_used, reason = "a test fails by a panic, in its helpers too")]

use std::{fs, io::Read, path::PathBuf};

use rdb::{Attributes, Error, RawValue, ReadOptions, Reader, Record, StringValue, Value};

/// A value, kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    String(StringValue),
    IntSet(Vec<u8>),
    SetListpack(Vec<u8>),
    Set(Vec<Vec<u8>>),
    ZSetListpack(Vec<u8>),
    ZSetZiplist(Vec<u8>),
    /// Members, and the bits of their scores.
    ZSet(Vec<(Vec<u8>, u64)>),
    Raw(RawValue),
}

/// A record, kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    Key { key: Vec<u8>, attributes: Attributes, value: Kept },
    Other(Record),
}

pub(crate) fn keep<R: Read>(value: Value<'_, R>) -> Result<Kept, Error> {
    Ok(match value {
        Value::String(string) => Kept::String(string),
        Value::IntSet(blob) => Kept::IntSet(blob),
        Value::SetListpack(blob) => Kept::SetListpack(blob),
        Value::Raw(raw) => Kept::Raw(raw),
        Value::Set(mut members) => {
            let mut kept = Vec::with_capacity(members.size_hint());
            while let Some(member) = members.next()? {
                kept.push(member.to_vec());
            }
            Kept::Set(kept)
        }
        Value::ZSetListpack(blob) => Kept::ZSetListpack(blob),
        Value::ZSetZiplist(blob) => Kept::ZSetZiplist(blob),
        Value::ZSet(mut scores) => {
            let mut kept = Vec::with_capacity(scores.size_hint());
            while let Some((member, score)) = scores.next()? {
                kept.push((member.to_vec(), score.to_bits()));
            }
            Kept::ZSet(kept)
        }
    })
}

/// Reads all; values as they are if `raw`.
pub(crate) fn read_all<R: Read>(mut reader: Reader<R>, raw: bool) -> Result<Vec<Item>, Error> {
    let mut items = Vec::new();
    while let Some(record) = reader.next_record()? {
        items.push(match record {
            Record::Key { key, attributes, .. } => {
                let value =
                    if raw { Kept::Raw(reader.raw_value()?) } else { keep(reader.value()?)? };
                Item::Key { key, attributes, value }
            }
            other @ (Record::Aux { .. }
            | Record::SelectDb(_)
            | Record::ResizeDb { .. }
            | Record::SlotInfo { .. }
            | Record::Function { .. }
            | Record::ModuleAux { .. }) => Item::Other(other),
        });
    }
    Ok(items)
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

/// The files of a folder, as `folder/name` without the ending, that have a list of their keys.
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
