//! Why the program ends before its work is done.

use std::fmt::Display;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// An end that is not a success, with what to say of it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failure {
    /// A file could not be read or written, or the like: exit status 1.
    Trouble(String),
    /// A line of a log does not parse: exit status 2.
    BadLine(String),
    /// The command line asks for what cannot be: exit status 2.
    Usage(String),
    /// The output has no reader any more. There is nothing left to do or to say.
    OutputClosed,
    /// An interrupt has come, or the system wants the process to end: exit status 130.
    Interrupted(String),
}

impl Failure {
    /// Trouble with a file.
    #[must_use]
    pub fn at(path: &Path, error: &io::Error) -> Self {
        Self::Trouble(format!("{}: {}", path.display(), without_number(error)))
    }

    /// Trouble with a file of which so many lines could be read.
    #[must_use]
    pub fn after(path: &Path, lines: u64, error: &io::Error) -> Self {
        Self::Trouble(format!("{}: {} (after line {lines})", path.display(), without_number(error)))
    }

    /// What an input error means.
    #[must_use]
    pub fn input(error: &io::Error) -> Self {
        Self::Trouble(format!("cannot read the input: {}", without_number(error)))
    }

    /// What an output error means.
    #[must_use]
    pub fn output(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::OutputClosed
        } else {
            Self::Trouble(format!("cannot write the output: {}", without_number(error)))
        }
    }

    /// Says it on standard error, and gives the exit status.
    #[must_use]
    pub fn report(&self) -> ExitCode {
        match self {
            Self::Trouble(what) => {
                eprintln!("tallis: {what}");
                ExitCode::from(1)
            }
            Self::BadLine(what) => {
                eprintln!("{what}");
                ExitCode::from(2)
            }
            Self::Usage(what) => {
                eprintln!("tallis: {what}");
                ExitCode::from(2)
            }
            Self::OutputClosed => ExitCode::SUCCESS,
            Self::Interrupted(what) => {
                eprintln!("tallis: {what}");
                // 128 and the number of SIGINT, as a shell has it.
                ExitCode::from(130)
            }
        }
    }
}

impl From<tallis::Error> for Failure {
    fn from(error: tallis::Error) -> Self {
        Self::Trouble(without_number(&error))
    }
}

/// The text of an error without the number that the system has for it.
fn without_number(error: &dyn Display) -> String {
    let text = error.to_string();
    let Some((before, rest)) = text.split_once(" (os error ") else { return text };
    let after = rest.trim_start_matches(|byte: char| byte.is_ascii_digit());
    match after.strip_prefix(')') {
        Some(after) => format!("{before}{after}"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_errors_lose_their_number() {
        let error = io::Error::from_raw_os_error(2);
        assert_eq!(without_number(&error), "No such file or directory");
        assert_eq!(without_number(&io::Error::from(io::ErrorKind::IsADirectory)), "is a directory");
        assert_eq!(without_number(&"a (os error 2) at b"), "a at b");
        assert_eq!(without_number(&"a (os error b"), "a (os error b");
    }
}
