//! The table of random commands.

use testkit::differential::{
    LATER_COMMANDS, LATER_FAMILIES, MODULE_FAMILY, family_names, older_differences,
};

use super::{head, row};
use crate::differential::RUNS;
use crate::lines::LINES;

const HEAD: &str = "## Random commands

The number of random commands that every run of the tests compares with the server: each reply, and after every hundred commands all keys, byte for byte. `of` means that the \
commands are selected from several families together. `-` means that the family is not compared with that server.

For a longer run, use `cargo xtask fuzz-live --server NAME --families FAMILY`. NAME is one of SERVERS ([testing.md](testing.md#the-differential-harness)).

";

const OLDER: &str = "
### Redis 6.2

Redis 6.2 has no profile: it is compared with that of 7.0. The random commands are those that both have, except COMMANDS. They avoid or allow these differences between Redis 6.2 \
and 7.0:

";

pub(super) fn section() -> String {
    let servers: Vec<String> = LINES.iter().map(|line| format!("`{}`", line.server)).collect();
    let mut section = HEAD.replace("SERVERS", &servers.join(", "));
    section.push_str(&head(["family"].into_iter().chain(LINES.iter().map(|line| line.title))));
    let later = LATER_FAMILIES.into_iter().map(|(family, _)| family);
    for family in family_names().into_iter().chain(later).chain([MODULE_FAMILY]) {
        let cells = LINES.iter().map(|line| compared(family, line.server));
        section.push_str(&row([family.to_owned()].into_iter().chain(cells)));
    }
    section.push_str(&OLDER.replace("COMMANDS", &LATER_COMMANDS.join(", ")));
    for difference in older_differences() {
        section.push_str("* ");
        section.push_str(difference);
        section.push('\n');
    }
    section
}

/// The number of commands of a family, or of that family and others, that are compared with a server.
fn compared(family: &str, server: &str) -> String {
    let runs =
        RUNS.iter().filter(|runs| runs.server == server && (runs.families)().contains(&family));
    let (mut alone, mut together) = (0, 0);
    for runs in runs {
        let commands = runs.seeds.clone().count() * runs.commands;
        *if runs.alone { &mut alone } else { &mut together } += commands;
    }
    match (alone, together) {
        (0, 0) => "-".to_owned(),
        (0, together) => format!("of {}", thousands(together)),
        (alone, 0) => thousands(alone),
        (alone, together) => format!("{}, and of {}", thousands(alone), thousands(together)),
    }
}

/// Formats a number with a comma before the last three digits.
fn thousands(number: usize) -> String {
    format!("{},{:03}", number / 1000, number % 1000)
}
