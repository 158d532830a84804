//! Failures of the program.

use std::fmt::Display;
use std::io;
use std::path::Path;

use crate::files::is_log;

/// A failure, with its message and exit status.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failure {
    /// An I/O error or the like: exit status 1.
    Trouble(String),
    /// A line of a file does not parse: exit status 2.
    BadLine(String),
    /// The arguments contradict each other or are invalid: exit status 2.
    Usage(String),
    /// The command line does not parse: exit status 2. Or a request for help or the version: exit status 0.
    CommandLine(Box<clap::Error>),
    /// An interrupt, or another signal to terminate: exit status 130.
    Interrupted(String),
    /// The reader of the output has closed it. Nothing is reported.
    OutputClosed,
}

impl Failure {
    /// Returns the failure of an operation on a file.
    #[must_use]
    pub fn at(path: &Path, error: &io::Error) -> Self {
        Self::Trouble(format!("{}: {}", path.display(), without_number(error)))
    }

    /// Returns the failure of a store to load or save a file.
    #[must_use]
    pub fn of_store(path: &Path, error: &tallis::Error) -> Self {
        // The text of the error itself begins with the operation on the file.
        let what = match std::error::Error::source(error) {
            Some(cause) => without_number(&cause),
            None => without_number(error),
        };
        Self::Trouble(format!("{}: {what}", path.display()))
    }

    /// Returns the failure of a store to load a file or the folder of a log.
    #[must_use]
    pub fn of_load(path: &Path, error: &tallis::Error) -> Self {
        // For a log the error names the file in the folder.
        if is_log(path) { Self::of_log(error) } else { Self::of_store(path, error) }
    }

    /// Returns the failure of a store with a log; the error names the file.
    #[must_use]
    pub fn of_log(error: &tallis::Error) -> Self {
        let text = without_number(error);
        let named = text.strip_prefix("cannot load ").or_else(|| text.strip_prefix("cannot open "));
        Self::Trouble(named.unwrap_or(&text).to_owned())
    }

    /// Returns the failure of reading a file after this number of lines.
    #[must_use]
    pub fn after(path: &Path, lines: u64, error: &io::Error) -> Self {
        Self::Trouble(format!("{}: {} (after line {lines})", path.display(), without_number(error)))
    }

    /// Returns the failure for an input error.
    #[must_use]
    pub fn input(error: &io::Error) -> Self {
        Self::Trouble(format!("cannot read the input: {}", without_number(error)))
    }

    /// Returns the failure for an output error.
    #[must_use]
    pub fn output(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::OutputClosed
        } else {
            Self::Trouble(format!("cannot write the output: {}", without_number(error)))
        }
    }

    /// Prints it to standard error.
    pub fn report(&self) {
        match self {
            Self::Trouble(what)
            | Self::BadLine(what)
            | Self::Usage(what)
            | Self::Interrupted(what) => eprintln!("tallis: {what}"),
            Self::CommandLine(error) => report_command_line(error),
            Self::OutputClosed => {}
        }
    }

    /// Returns the exit status of the program.
    #[must_use]
    pub fn status(&self) -> u8 {
        match self {
            Self::Trouble(_) => 1,
            Self::BadLine(_) | Self::Usage(_) => 2,
            Self::CommandLine(error) => u8::try_from(error.exit_code()).unwrap_or(2),
            // 128 and the number of SIGINT, as a shell reports it.
            Self::Interrupted(_) => 130,
            Self::OutputClosed => 0,
        }
    }
}

/// Prints help or the version, or the error in the command line and its usage.
fn report_command_line(error: &clap::Error) {
    if !error.use_stderr() {
        // If the reader has closed the output, the message cannot be printed.
        let _ = error.print();
        return;
    }
    let text = error.render().to_string();
    if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        eprint!("tallis: a command is missing\n\n{text}");
    } else {
        eprint!("tallis: {}", text.strip_prefix("error: ").unwrap_or(&text));
    }
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        Self::CommandLine(Box::new(error))
    }
}

impl From<tallis::Error> for Failure {
    fn from(error: tallis::Error) -> Self {
        Self::Trouble(without_number(&error))
    }
}

/// Returns the text of an error without the number of the system error.
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
