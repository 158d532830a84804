//! `cargo xtask deny`: what comes from the registry, by its licence, its source and its name.

use std::process::{Command, Stdio};

use clap::Args;

use crate::run::{Outcome, cargo, succeed};
use crate::tree;

/// What `cargo xtask deny` takes.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Also looks for known faults, in the database that it fetches from github.com/rustsec/advisory-db.
    #[arg(long)]
    advisories: bool,
}

/// The version of cargo-deny that is installed where there is none.
const VERSION: &str = "0.20.2";

/// The workspaces.
const MANIFESTS: [&str; 2] = ["Cargo.toml", "fuzz/Cargo.toml"];

/// Checks both workspaces, known faults too if that is asked for.
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    check(arguments.advisories.then_some("advisories"))
}

/// Checks licences, bans and sources of both workspaces: what needs no database.
pub(crate) fn lint() -> Outcome {
    check(None)
}

/// Checks both workspaces against `deny.toml`.
fn check(also: Option<&str>) -> Outcome {
    let tool = tool()?;
    MANIFESTS.iter().try_for_each(|manifest| {
        let mut command = Command::new(&tool);
        command.current_dir(tree::root()).args(["--locked", "--manifest-path", manifest]);
        command.args(["--config", "deny.toml", "check", "licenses", "bans", "sources"]);
        succeed(command.args(also))
    })
}

/// The program: that of the machine, or one of its own, which is installed if it is not there.
fn tool() -> Outcome<String> {
    let root = tree::root().join("target/tools");
    let own = root.join("bin/cargo-deny").display().to_string();
    let runs = |program: &str| {
        let mut command = Command::new(program);
        command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    if let Some(there) = ["cargo-deny", &own].into_iter().find(|program| runs(program)) {
        return Ok(there.to_owned());
    }
    let mut install = cargo(["install", "cargo-deny", "--locked", "--debug", "--version", VERSION]);
    succeed(install.arg("--root").arg(root))?;
    Ok(own)
}
