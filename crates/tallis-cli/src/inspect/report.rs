//! The contents of a file, as JSON and as tables.

use std::collections::BTreeMap;
use std::fmt;

use indicatif::HumanBytes;
use serde::Serialize;
use tallis::rdb::Version;

use super::expiry::Expiry;
use super::prefixes::Prefix;
use super::row::Row;
use super::tally::{Group, Sums, Tally};
use crate::check::magic;
use crate::table::{self, Align};

/// The contents of a file. Its JSON form is a stable interface of the program.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Report {
    pub(super) magic: &'static str,
    pub(super) version: u16,
    pub(super) keys: u64,
    pub(super) expires: u64,
    pub(super) empty_keys: u64,
    pub(super) functions: u64,
    pub(super) databases: BTreeMap<u32, u64>,
    pub(super) types: BTreeMap<String, u64>,
    pub(super) encodings: BTreeMap<&'static str, u64>,
    /// The size of the whole file, up to its end or the damage.
    pub(super) bytes_file: u64,
    /// The bytes of the keys that are counted.
    pub(super) bytes_keys: u64,
    pub(super) bytes_memory: u64,
    pub(super) expiry: Expiry,
    pub(super) groups: Vec<Group>,
    pub(super) prefixes: Vec<Prefix>,
    pub(super) biggest: Vec<Row>,
}

impl Report {
    pub(super) fn new(version: Version, bytes_file: u64, top: usize, tally: Tally) -> Self {
        let groups = tally.groups();
        let (mut types, mut encodings) = (BTreeMap::new(), BTreeMap::new());
        for group in &groups {
            *types.entry(group.kind.clone()).or_default() += group.sums.keys;
            *encodings.entry(group.encoding).or_default() += group.sums.keys;
        }
        Self {
            magic: magic(version),
            version: version.number(),
            keys: tally.total.keys,
            expires: tally.expires,
            empty_keys: tally.empty_keys,
            functions: tally.functions,
            databases: tally.databases,
            types,
            encodings,
            bytes_file,
            bytes_keys: tally.total.bytes_file,
            bytes_memory: tally.total.bytes_memory,
            expiry: tally.expiry,
            groups,
            prefixes: tally.prefixes.into_top(top),
            biggest: tally.biggest.into_rows(),
        }
    }

    fn write_head(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.magic == "VALKEY" { "RDB of Valkey" } else { "RDB" };
        let (file, memory) = (HumanBytes(self.bytes_file), HumanBytes(self.bytes_memory));
        writeln!(f, "{name} {}, {file}: {} keys, {memory} in memory", self.version, self.keys)?;
        if self.databases.len() > 1 || self.databases.keys().any(|&db| db != 0) {
            let counts = self.databases.iter().map(|(db, keys)| format!("{db}: {keys}"));
            writeln!(f, "keys by database: {}", counts.collect::<Vec<_>>().join(", "))?;
        }
        for (count, what) in
            [(self.empty_keys, "empty keys, left out by a load"), (self.functions, "functions")]
        {
            if count > 0 {
                writeln!(f, "{count} {what}")?;
            }
        }
        Ok(())
    }
}

/// Formats the numbers of a row.
fn cells(sums: Sums) -> [String; 4] {
    [
        sums.keys.to_string(),
        sums.len.to_string(),
        HumanBytes(sums.bytes_file).to_string(),
        HumanBytes(sums.bytes_memory).to_string(),
    ]
}

/// Writes a table after an empty line, if it has rows.
fn write_table(
    f: &mut fmt::Formatter<'_>,
    head: &[(&str, Align)],
    rows: impl Iterator<Item = Vec<String>>,
) -> fmt::Result {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return Ok(());
    }
    writeln!(f)?;
    table::draw(f, head, rows)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Align::{Left, Right};
        const NUMBERS: [(&str, Align); 4] =
            [("keys", Right), ("len", Right), ("in file", Right), ("in memory", Right)];
        self.write_head(f)?;
        if self.keys == 0 {
            return Ok(());
        }
        let rows = self.groups.iter().map(|group| {
            let words = [group.kind.clone(), group.encoding.to_owned()];
            words.into_iter().chain(cells(group.sums)).collect()
        });
        let head: Vec<_> =
            [("type", Left), ("encoding", Left)].into_iter().chain(NUMBERS).collect();
        write_table(f, &head, rows)?;

        let rows = self.prefixes.iter().map(|row| {
            let name = match row.prefix.as_deref() {
                None => "(others)".to_owned(),
                Some("") => "(none)".to_owned(),
                Some(prefix) => prefix.escape_debug().to_string(),
            };
            std::iter::once(name).chain(cells(row.sums)).collect()
        });
        let head: Vec<_> = std::iter::once(("prefix", Left)).chain(NUMBERS).collect();
        write_table(f, &head, rows)?;

        if self.expires > 0 {
            let rows = self.expiry.rows().into_iter().filter(|&(_, keys)| keys > 0);
            let rows = rows.map(|(when, keys)| vec![when.to_owned(), keys.to_string()]);
            write_table(f, &[("expiry", Left), ("keys", Right)], rows)?;
        }

        let rows = self.biggest.iter().map(|row| {
            let name = row.key.escape_debug().to_string();
            let words = [name, row.db.to_string(), row.kind.clone(), row.encoding.to_owned()];
            let sums = Sums {
                keys: 1,
                len: row.len,
                bytes_file: row.bytes_file,
                bytes_memory: row.bytes_memory,
            };
            words.into_iter().chain(cells(sums).into_iter().skip(1)).collect()
        });
        let words = [("biggest keys", Left), ("db", Right), ("type", Left), ("encoding", Left)];
        let head: Vec<_> = words.into_iter().chain(NUMBERS.into_iter().skip(1)).collect();
        write_table(f, &head, rows)
    }
}
