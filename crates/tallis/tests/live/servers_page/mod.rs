//! docs/servers.md: the differences between a store and each server in these tests.

mod commands;
mod files;
mod golden;
mod random;

use crate::pages;

const HEAD: &str = "# Servers

The differences between a store and servers. This page is generated from tests of live servers and of the store with \
`TALLIS_WRITE_PAGES=1 cargo test -p tallis --features redis --test live page_of_servers`. Do not edit it.

A store is compared under the profile of the server ([decision 0021](decisions/0021-profiles.md)). Redis 6.2 \
has no separate profile: it is compared with that of 7.0, the closest one.
";

#[test]
fn the_page_of_servers_is_up_to_date() {
    let Some(commands) = commands::section() else { return };
    let Some(files) = files::section() else { return };
    let page = format!("{HEAD}\n{commands}\n{files}\n{}", random::section());
    pages::compare("servers.md", &page, "page_of_servers");
}

/// A line of a table.
fn row<C: AsRef<str>>(cells: impl IntoIterator<Item = C>) -> String {
    let mut line = String::from("|");
    for cell in cells {
        line.push(' ');
        line.push_str(cell.as_ref());
        line.push_str(" |");
    }
    line.push('\n');
    line
}

/// The first two lines of a table.
fn head<C: AsRef<str>>(names: impl IntoIterator<Item = C>) -> String {
    let names = row(names);
    let columns = names.matches(" |").count();
    format!("{names}|{}\n", "---|".repeat(columns))
}
