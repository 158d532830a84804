//! The files to read.

use std::fs;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::interrupt::Interruptible;
use crate::progress::note;
use crate::source::Source;

/// The lines of a file, or of standard input.
pub(crate) type Input = Source<Box<dyn Read + Send>>;

/// Opens the lines of a file, or of standard input for `-`.
pub(crate) fn open(path: &Path) -> io::Result<Input> {
    if is_standard_input(path) {
        return Source::new(Box::new(standard_input()?));
    }
    Source::new(Box::new(Interruptible::new(fs::File::open(path)?)))
}

pub(crate) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Opens standard input, without a buffer. On a terminal it prints a note that the program reads it, and how to end it.
pub(crate) fn standard_input() -> io::Result<impl Read + Send> {
    if io::stdin().is_terminal() {
        let end = if cfg!(windows) { "Ctrl-Z" } else { "Ctrl-D" };
        note(format_args!("reading standard input; end with {end}"));
    }
    unbuffered().map(Interruptible::new)
}

/// Returns whether standard input is a file, whose writer does not wait for replies.
#[cfg(unix)]
pub(crate) fn is_file_on_standard_input() -> bool {
    unbuffered().and_then(|file| file.metadata()).is_ok_and(|found| found.is_file())
}

/// Unknown on other systems.
#[cfg(not(unix))]
pub(crate) const fn is_file_on_standard_input() -> bool {
    false
}

/// An interrupt would not see what the buffer of the library holds.
#[cfg(unix)]
fn unbuffered() -> io::Result<fs::File> {
    use std::os::fd::AsFd;
    io::stdin().as_fd().try_clone_to_owned().map(Into::into)
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
fn unbuffered() -> io::Result<io::Stdin> {
    Ok(io::stdin())
}

/// Returns the total size of all files in bytes, if all are regular files. So a wrong name is detected before the work
/// begins.
pub(crate) fn size_of_files(files: &[PathBuf]) -> Result<Option<u64>, Failure> {
    if files.iter().filter(|file| is_standard_input(file)).count() > 1 {
        return Err(Failure::Trouble("standard input can be read only once".to_owned()));
    }
    let mut total = Some(0);
    for file in files {
        if is_standard_input(file) {
            total = None;
            continue;
        }
        let found = fs::metadata(file).map_err(|error| Failure::at(file, &error))?;
        if found.is_dir() {
            return Err(Failure::at(file, &io::ErrorKind::IsADirectory.into()));
        }
        total =
            total.filter(|_| found.is_file()).map(|total: u64| total.saturating_add(found.len()));
    }
    Ok(total)
}
