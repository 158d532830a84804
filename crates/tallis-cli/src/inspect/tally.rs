//! The counts of the keys of a file.

use std::collections::BTreeMap;

use serde::Serialize;
use tallis::file::Measured;

use super::biggest::Biggest;
use super::expiry::Expiry;
use super::prefixes::Prefixes;
use super::row::{Bytes, Row};
use crate::args::InspectArgs;
use crate::files::Key;

/// A number of keys, and their sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Sums {
    pub(super) keys: u64,
    /// The number of elements of collections, and of bytes of strings.
    pub(super) len: u64,
    pub(super) bytes_file: u64,
    pub(super) bytes_memory: u64,
}

impl Sums {
    pub(super) const fn add(&mut self, other: Self) {
        self.keys += other.keys;
        self.len += other.len;
        self.bytes_file += other.bytes_file;
        self.bytes_memory += other.bytes_memory;
    }
}

/// The counts of the keys of a file.
#[derive(Debug)]
pub(super) struct Tally {
    now_ms: i64,
    pub(super) total: Sums,
    pub(super) expires: u64,
    /// Collections without elements, which are skipped when the file is loaded.
    pub(super) empty_keys: u64,
    pub(super) functions: u64,
    pub(super) databases: BTreeMap<u32, u64>,
    /// By type and encoding.
    groups: Vec<Group>,
    pub(super) prefixes: Prefixes,
    pub(super) expiry: Expiry,
    pub(super) biggest: Biggest,
}

/// The keys of a type and an encoding, as a JSON object whose fields are a stable interface of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Group {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) encoding: &'static str,
    #[serde(flatten)]
    pub(super) sums: Sums,
}

impl Tally {
    pub(super) fn new(args: &InspectArgs, now_ms: i64) -> Self {
        Self {
            now_ms,
            total: Sums::default(),
            expires: 0,
            empty_keys: 0,
            functions: 0,
            databases: BTreeMap::new(),
            groups: Vec::new(),
            prefixes: Prefixes::new(&args.separator, args.depth),
            expiry: Expiry::default(),
            biggest: Biggest::new(args.top),
        }
    }

    pub(super) fn add(&mut self, key: &Key, found: &Measured, bytes: Bytes) {
        let sums =
            Sums { keys: 1, len: found.len, bytes_file: bytes.file, bytes_memory: bytes.memory };
        self.total.add(sums);
        self.expires += u64::from(key.attributes.expire_at_ms.is_some());
        *self.databases.entry(key.db).or_default() += 1;
        self.group(found).add(sums);
        self.prefixes.add(&key.name, sums);
        self.expiry.add(key.attributes.expire_at_ms, self.now_ms);
        self.biggest.add(bytes, || Row::new(key, found, bytes));
    }

    /// A linear search, because there are at most a few dozen.
    fn group(&mut self, found: &Measured) -> &mut Sums {
        let this =
            |group: &Group| group.encoding == found.encoding && group.kind == *found.type_name;
        let at = self.groups.iter().position(this).unwrap_or_else(|| {
            let kind = found.type_name.clone().into_owned();
            self.groups.push(Group { kind, encoding: found.encoding, sums: Sums::default() });
            self.groups.len() - 1
        });
        &mut self.groups[at].sums
    }

    /// Returns the groups by type and encoding, those that take the most memory first.
    pub(super) fn groups(&self) -> Vec<Group> {
        let mut groups = self.groups.clone();
        groups.sort_by_key(|group| std::cmp::Reverse(group.sums.bytes_memory));
        groups
    }
}
