//! The replies of the HELP subcommands.

use crate::reply::Reply;

/// What HELP of a command answers: a line of status for each of `lines`, between those that all commands share.
pub(super) fn help(command: &str, lines: &[&'static str]) -> Reply {
    let first = format!("{command} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:");
    let last = ["HELP", "    Prints this help."];
    let rest = lines.iter().chain(&last).map(|&line| Reply::Status(line.into()));
    Reply::Array(std::iter::once(Reply::Status(first.into())).chain(rest).collect())
}

/// OBJECT HELP.
pub(in crate::execute::families) fn object_help() -> Reply {
    help(
        "OBJECT",
        &[
            "ENCODING <key>",
            "    Show in which encoding the value is kept.",
            "FREQ <key>",
            "    Show how often the key is used, where that is counted.",
            "IDLETIME <key>",
            "    Show for how many seconds the key has not been used.",
            "REFCOUNT <key>",
            "    Show how many references the value has.",
        ],
    )
}
