//! The commands that a server has and a store has not.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use redis::Value;
use tallis::Store;
use testkit::live::{as_bytes, server};

use super::run;

/// The names on the page, a subcommand as COMMAND LIST has it.
fn on_the_page() -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/left-out.md");
    let page = fs::read_to_string(path).unwrap();
    let rows = page.lines().filter(|line| line.starts_with('|')).skip(2);
    let names = rows.flat_map(|row| row.split('|').nth(2).unwrap().split_whitespace());
    names.map(str::to_lowercase).collect()
}

#[test]
fn commands_are_left_out_by_families_that_are_named() {
    let Some(server) = server() else { return };
    let Value::Array(theirs) = run(&mut server.connect(), &["COMMAND", "LIST"]) else {
        panic!("no list")
    };
    let theirs: BTreeSet<String> = theirs
        .iter()
        .map(|name| String::from_utf8(as_bytes(name).unwrap().to_vec()).unwrap())
        .collect();
    let ours: Vec<String> = Store::new().execute(&["COMMAND", "LIST"]).convert().unwrap();
    let ours: BTreeSet<String> = ours.into_iter().collect();
    let left_out = on_the_page();
    for name in theirs.difference(&ours) {
        let (command, sub) = name.split_once('|').unwrap_or((name, ""));
        let named = left_out.contains(command) || left_out.contains(&format!("{command}-{sub}"));
        assert!(named, "{name} is missing, here or on the page");
    }
    // Of a later server there may be more on the page than this one has.
    for name in &left_out {
        assert!(!ours.contains(&name.replacen('-', "|", 1)) && !ours.contains(name), "{name}");
    }
}
