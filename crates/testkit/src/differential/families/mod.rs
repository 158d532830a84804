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

/// The row of a command, whatever the case of its name.
pub(super) fn find(words: &[Vec<u8>]) -> Option<&'static Row> {
    let upper = |at: usize| words.get(at).map(|word| String::from_utf8_lossy(word).to_uppercase());
    let name = upper(0)?;
    let long = upper(1).map(|sub| format!("{name} {sub}"));
    let rows = || FAMILIES.iter().flat_map(|family| family.rows);
    rows()
        .find(|row| Some(row.name) == long.as_deref())
        .or_else(|| rows().find(|row| row.name == name))
}

/// The rule for a command; a command without a row is compared exactly.
pub(super) fn rule(words: &[Vec<u8>]) -> Rule {
    find(words).map_or(Rule::Exact, |row| row.rule)
}
