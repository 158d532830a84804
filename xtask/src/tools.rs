//! Programs from the registry: those of the machine, or ones installed into `target/tools` if they are missing.

use std::process::{Command, Stdio};

use crate::run::{Outcome, cargo, succeed};
use crate::tree;

/// A program, and how to install it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tool {
    /// The name of the program and of its package.
    pub(crate) name: &'static str,
    /// The version to install. An existing program may have another version.
    pub(crate) version: &'static str,
    /// Further arguments of `cargo install`.
    pub(crate) arguments: &'static [&'static str],
}

impl Tool {
    /// Returns the path of the program, after installing it into `target/tools` if it is missing.
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
        // Debug information would only take time to write.
        install.env("CARGO_PROFILE_DEV_DEBUG", "false");
        succeed(install.args(arguments).arg("--root").arg(root))?;
        Ok(own)
    }
}
