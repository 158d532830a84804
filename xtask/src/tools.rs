//! Programs from the registry: those of the machine, or ones of our own, installed where they are missing.

use std::process::{Command, Stdio};

use crate::run::{Outcome, cargo, succeed};
use crate::tree;

/// A program, and how it is installed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tool {
    /// The name of the program and of its package.
    pub(crate) name: &'static str,
    /// The version that is installed. One that is there already may be another.
    pub(crate) version: &'static str,
    /// What `cargo install` gets beside that.
    pub(crate) arguments: &'static [&'static str],
}

impl Tool {
    /// Returns how to call the program, after installing it into `target/tools` if it is not there.
    pub(crate) fn program(self) -> Outcome<String> {
        let root = tree::root().join("target/tools");
        let own = root.join("bin").join(self.name).display().to_string();
        let runs = |program: &str| {
            let mut command = Command::new(program);
            command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        if let Some(there) = [self.name, &own].into_iter().find(|program| runs(program)) {
            return Ok(there.to_owned());
        }
        let Self { name, version, arguments } = self;
        let mut install = cargo(["install", name, "--locked", "--debug", "--version", version]);
        succeed(install.args(arguments).arg("--root").arg(root))?;
        Ok(own)
    }
}
