//! The pages of the documentation that are made from the code: they are as the code would make them.

#![expect(clippy::unwrap_used, reason = "a test whose helper cannot go on fails")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use tallis::{Reply, Store};

fn text(reply: &Reply) -> String {
    let Reply::Bulk(bytes) = reply else { panic!("{reply:?} is no text") };
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn fields(reply: &Reply) -> BTreeMap<String, &Reply> {
    let Reply::Map(pairs) = reply else { panic!("{reply:?} is no map") };
    pairs.iter().map(|(name, value)| (text(name), value)).collect()
}

/// A line for a command, or for a subcommand.
fn line(page: &mut String, name: &str, docs: &BTreeMap<String, &Reply>) {
    let name = name.replace('|', " ").to_uppercase();
    let (summary, cost) = (text(docs["summary"]), text(docs["complexity"]));
    writeln!(page, "| {name} | {summary} | {cost} |").unwrap();
}

fn page() -> String {
    let store = Store::new();
    let all = store.execute(&["COMMAND", "DOCS"]);
    let mut groups: BTreeMap<String, BTreeMap<String, &Reply>> = BTreeMap::new();
    for (name, docs) in fields(&all) {
        groups.entry(text(fields(docs)["group"])).or_default().insert(name, docs);
    }
    let mut page = String::from(
        "# Commands\n\n\
         Made from the table of commands by `TALLIS_WRITE_PAGES=1 cargo test -p tallis --test pages`. Not to be edited.\n\n\
         Every command has the options, replies and errors of Redis. `COMMAND DOCS` tells the same.\n",
    );
    for (group, commands) in &groups {
        write!(page, "\n## {group}\n\n| command | what it does | cost |\n|---|---|---|\n").unwrap();
        for (name, docs) in commands {
            let docs = fields(docs);
            line(&mut page, name, &docs);
            for (name, docs) in docs.get("subcommands").map(|all| fields(all)).unwrap_or_default() {
                line(&mut page, &name, &fields(docs));
            }
        }
    }
    page
}

#[test]
fn the_page_of_commands_is_that_of_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/commands.md");
    if env::var_os("TALLIS_WRITE_PAGES").is_some() {
        fs::write(&path, page()).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page(),
        "docs/commands.md is not up to date: TALLIS_WRITE_PAGES=1 cargo test -p tallis --test pages"
    );
}
