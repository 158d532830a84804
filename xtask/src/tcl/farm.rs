//! The folder in which the suite runs: links to its files, and another server.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, io};

use super::left_out;
use crate::run::Outcome;
use crate::setup;

#[derive(Debug)]
pub(crate) struct Farm {
    folder: PathBuf,
}

impl Farm {
    /// Creates the folder again.
    pub(super) fn make(folder: &Path, suite: &Path, server: &Path, series: &str) -> Outcome<Self> {
        let farm = Self { folder: folder.to_owned() };
        farm.fill(suite, server, series)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(farm)
    }

    fn fill(&self, suite: &Path, server: &Path, series: &str) -> io::Result<()> {
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let [tests, src] = ["tests", "src"].map(|name| self.folder.join(name));
        fs::create_dir_all(tests.join("tmp"))?;
        fs::create_dir(&src)?;
        for entry in fs::read_dir(suite.join("tests"))? {
            let entry = entry?;
            if entry.file_name() != "tmp" {
                symlink(entry.path(), tests.join(entry.file_name()))?;
            }
        }
        let program = src.join("redis-server");
        let server = server.display();
        fs::write(&program, format!("#!/bin/sh\nexec '{server}' --series {series} \"$@\"\n"))?;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
        // Some tests run these programs, which work with any server.
        for name in ["redis-cli", "redis-benchmark"] {
            if let Some(program) = setup::on_path(name) {
                symlink(program, src.join(name))?;
            }
        }
        fs::write(self.left_out(), left_out::patterns())
    }

    /// Returns the file with the names of the skipped tests.
    pub(super) fn left_out(&self) -> PathBuf {
        self.folder.join("left-out")
    }

    /// Returns the command that runs the suite.
    pub(super) fn command(&self, tclsh: &Path) -> Command {
        let mut command = Command::new(tclsh);
        command.arg("tests/test_helper.tcl").current_dir(&self.folder).stdin(Stdio::null());
        // Colours would appear between the brackets of the lines.
        command.env("TERM", "dumb");
        command
    }
}
