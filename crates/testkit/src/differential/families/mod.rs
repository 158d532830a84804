//! The commands by family: how each one is generated, and how its replies are compared.
//!
//! A new family is a file in this directory and a row in [`FAMILIES`].

mod bits;
mod bloom;
mod conditions;
mod fields;
mod geo;
mod hashes;
mod hll;
mod keys;
mod lists;
mod multi;
mod server;
mod sets;
mod sort;
mod strings;
mod zsets;

pub(super) use bloom::opened_for_nothing;

use std::collections::HashMap;
use std::sync::LazyLock;

use super::compare::Rule;
use super::generate::{Gen, Line};

/// Commands that belong together.
#[derive(Debug)]
pub(super) struct Family {
    pub(super) name: &'static str,
    pub(super) rows: &'static [Row],
}

/// A command.
#[derive(Debug)]
pub(super) struct Row {
    /// In capitals: the name, or a container and its subcommand.
    pub(super) name: &'static str,
    /// Its weight in the random selection.
    pub(super) weight: u32,
    pub(super) rule: Rule,
    /// Appends the arguments to the name.
    pub(super) make: fn(&mut Gen, &mut Line),
}

const fn row(name: &'static str, weight: u32, rule: Rule, make: fn(&mut Gen, &mut Line)) -> Row {
    Row { name, weight, rule, make }
}

/// The number of random members to draw. A large negative count would fill the memory of any server.
fn draws(g: &mut Gen) -> &'static str {
    g.pick(&[
        "0",
        "1",
        "2",
        "3",
        "10",
        "1000",
        "-1",
        "-2",
        "-30",
        "x",
        "9223372036854775807",
        "-9223372036854775808",
    ])
}

/// The name of the family of RedisBloom.
pub(super) const BLOOM: &str = bloom::FAMILY.name;

/// The name of the family of transactions.
pub(super) const MULTI: &str = multi::FAMILY.name;

/// The families that not every server supports, each with a command that shows whether it does.
pub(super) const LATER: [(&str, &str); 2] =
    [(fields::FAMILY.name, "HSETEX"), (conditions::FAMILY.name, "MSETEX")];

/// Every family.
pub(super) static FAMILIES: &[Family] = &[
    keys::FAMILY,
    strings::FAMILY,
    conditions::FAMILY,
    bits::FAMILY,
    lists::FAMILY,
    sets::FAMILY,
    sort::FAMILY,
    hashes::FAMILY,
    fields::FAMILY,
    hll::FAMILY,
    zsets::FAMILY,
    geo::FAMILY,
    multi::FAMILY,
    server::FAMILY,
    bloom::FAMILY,
];

/// The rows by name. Of rows with the same name in several families, the first.
static BY_NAME: LazyLock<HashMap<&'static [u8], &'static Row>> = LazyLock::new(|| {
    let rows = FAMILIES.iter().flat_map(|family| family.rows);
    rows.rev().map(|row| (row.name.as_bytes(), row)).collect()
});

/// The row of a command, whatever the case of its name. A subcommand without a row has that of its container.
pub(super) fn find(words: &[Vec<u8>]) -> Option<&'static Row> {
    let (name, rest) = words.split_first()?;
    let mut name = name.to_ascii_uppercase();
    let length = name.len();
    if let Some(sub) = rest.first() {
        name.push(b' ');
        name.extend(sub.iter().map(u8::to_ascii_uppercase));
    }
    BY_NAME.get(name.as_slice()).or_else(|| BY_NAME.get(&name[..length])).copied()
}

/// The rule for a command; a command without a row is compared exactly.
pub(super) fn rule(words: &[Vec<u8>]) -> Rule {
    find(words).map_or(Rule::Exact, |row| row.rule)
}

#[cfg(test)]
mod tests {
    use super::{FAMILIES, Row, find};

    fn found(line: &str) -> Option<&'static Row> {
        find(&line.split(' ').map(|word| word.as_bytes().to_vec()).collect::<Vec<_>>())
    }

    #[test]
    fn a_row_is_found_by_its_name_in_any_case() {
        for (line, name) in [
            ("set k v", Some("SET")),
            ("ObJect encoding k", Some("OBJECT ENCODING")),
            ("object nothing k", Some("OBJECT")),
            ("NOSUCH GET", None),
            ("PFCOUNT usage", Some("PFCOUNT")),
            ("", None),
        ] {
            assert_eq!(found(line).map(|row| row.name), name, "{line}");
        }
        assert!(find(&[]).is_none());
    }

    /// Several families have commands such as SET.
    #[test]
    fn of_rows_with_the_same_name_the_first_is_found() {
        let rows = || FAMILIES.iter().flat_map(|family| family.rows);
        for row in rows() {
            let first = rows().find(|other| other.name == row.name);
            let found = found(row.name);
            assert!(found.zip(first).is_some_and(|(found, first)| std::ptr::eq(found, first)));
        }
    }
}
