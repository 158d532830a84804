//! Comma-separated values.

use std::io::{self, Write};

use super::report::Report;
use super::row::Row;
use super::tally::Sums;

/// The names of the columns of a summary.
const SUMMARY: [&str; 6] = ["section", "name", "keys", "len", "bytes_file", "bytes_memory"];
/// The names of the columns of keys.
const KEYS: [&str; 9] = [
    "db",
    "key",
    "key_b64",
    "type",
    "encoding",
    "len",
    "bytes_file",
    "bytes_memory",
    "expire_at_ms",
];

/// Writes the rows of a report, each with its section.
pub(super) fn write_report(report: &Report, out: &mut impl Write) -> io::Result<()> {
    write_row(out, &SUMMARY)?;
    let mut row = |section: &str, name: &str, sums: Sums| {
        let numbers = [sums.keys, sums.len, sums.bytes_file, sums.bytes_memory];
        let [keys, len, file, memory] = numbers.map(|number| number.to_string());
        write_row(out, &[section, name, &keys, &len, &file, &memory])
    };
    for group in &report.groups {
        row("type", &format!("{} {}", group.kind, group.encoding), group.sums)?;
    }
    for prefix in &report.prefixes {
        row("prefix", prefix.prefix.as_deref().unwrap_or("(others)"), prefix.sums)?;
    }
    for key in &report.biggest {
        let (len, bytes_file, bytes_memory) = (key.len, key.bytes_file, key.bytes_memory);
        row("key", &key.key, Sums { keys: 1, len, bytes_file, bytes_memory })?;
    }
    let mut count = |section: &str, name: &str, keys: u64| {
        write_row(out, &[section, name, &keys.to_string(), "", "", ""])
    };
    for (db, keys) in &report.databases {
        count("database", &db.to_string(), *keys)?;
    }
    report.expiry.rows().into_iter().try_for_each(|(when, keys)| count("expiry", when, keys))
}

/// Writes the names of the columns of keys.
pub(super) fn write_head(out: &mut impl Write) -> io::Result<()> {
    write_row(out, &KEYS)
}

/// Writes a key.
pub(super) fn write_key(row: &Row, out: &mut impl Write) -> io::Result<()> {
    let b64 = row.key_b64.as_deref().unwrap_or_default();
    let numbers = [row.len, row.bytes_file, row.bytes_memory].map(|number| number.to_string());
    let [len, file, memory] = &numbers;
    let (db, expiry) = (row.db.to_string(), row.expire_at_ms.to_string());
    write_row(out, &[&db, &row.key, b64, &row.kind, row.encoding, len, file, memory, &expiry])
}

fn write_row(out: &mut impl Write, cells: &[&str]) -> io::Result<()> {
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            out.write_all(b",")?;
        }
        if cell.contains([',', '"', '\n', '\r']) {
            write!(out, "\"{}\"", cell.replace('"', "\"\""))?;
        } else {
            out.write_all(cell.as_bytes())?;
        }
    }
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_break_a_row_is_quoted() {
        let mut out = Vec::new();
        write_row(&mut out, &["a", "b,c", "d\"e", "f\ng", ""]).unwrap();
        assert_eq!(out, b"a,\"b,c\",\"d\"\"e\",\"f\ng\",\n");
    }
}
