//! The commands that a server has and a store does not have.

use std::collections::BTreeSet;
use std::fs;

use tallis::Store;

use super::pages;

/// Commands that are left out for one reason.
#[derive(Debug)]
pub(crate) struct Family {
    pub(crate) name: String,
    /// The names as in COMMAND; `command|subcommand` if other subcommands are supported.
    commands: BTreeSet<String>,
}

impl Family {
    /// Whether the family has the command, or the command of the subcommand.
    pub(crate) fn has(&self, name: &str) -> bool {
        let command = name.split('|').next().unwrap_or_default();
        self.commands.contains(name) || self.commands.contains(command)
    }
}

/// The families on the page.
pub(crate) fn families() -> Vec<Family> {
    let page = fs::read_to_string(pages::path("left-out.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with('|')).skip(2);
    let family = |row: &str| {
        let mut cells = row.split('|').skip(1).map(str::trim);
        let name = cells.next().unwrap().to_owned();
        let names = cells.next().unwrap().split_whitespace();
        let subcommands = ["client-", "config-", "memory-", "script-"];
        let as_listed = |name: &str| {
            let name = name.to_lowercase();
            let is_subcommand = subcommands.iter().any(|command| name.starts_with(command));
            if is_subcommand { name.replacen('-', "|", 1) } else { name }
        };
        Family { name, commands: names.map(as_listed).collect() }
    };
    rows.map(family).collect()
}

/// The commands of servers are compared where the page of servers is generated.
#[test]
fn a_store_has_no_command_that_is_left_out() {
    let ours: Vec<String> = Store::new().execute(&["COMMAND", "LIST"]).convert().unwrap();
    for family in families() {
        for name in &ours {
            assert!(!family.has(name), "{name} is known, and on the page");
        }
    }
}
