//! `cargo xtask deny`: checks the dependencies from the registry by licence, source and name.

use std::process::Command;

use clap::Args;

use crate::run::{Outcome, succeed};
use crate::tools::Tool;
use crate::tree;

/// The arguments of `cargo xtask deny`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Also checks for known vulnerabilities, in the database that it fetches from github.com/rustsec/advisory-db.
    #[arg(long)]
    advisories: bool,
}

const TOOL: Tool = Tool { name: "cargo-deny", version: "0.20.2", arguments: &[] };

/// The workspaces.
const MANIFESTS: [&str; 2] = ["Cargo.toml", "fuzz/Cargo.toml"];

/// Checks both workspaces, including known vulnerabilities if requested.
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    check(arguments.advisories.then_some("advisories"))
}

/// Checks licences, bans and sources of both workspaces, which need no database.
pub(crate) fn lint() -> Outcome {
    check(None)
}

/// Checks both workspaces against `deny.toml`.
fn check(also: Option<&str>) -> Outcome {
    let tool = TOOL.program()?;
    MANIFESTS.iter().try_for_each(|manifest| {
        let mut command = Command::new(&tool);
        command.current_dir(tree::root()).args(["--locked", "--manifest-path", manifest]);
        command.args(["--config", "deny.toml", "check", "licenses", "bans", "sources"]);
        succeed(command.args(also))
    })
}
