//! The files of an append-only log.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use tallis::aof::{Entry, LogError, LogReader, Record, starts_with_rdb};
use tallis::file::{LogFolder, Meter};
use tallis::{LoadOptions, Store};

use super::report::{LogFile, Report};
use super::run::{Found, read};
use crate::failure::Failure;
use crate::files::{Damage, Scan};

/// A file of a log that was checked.
struct Checked {
    path: PathBuf,
    report: Report,
    length: u64,
    end: Result<(), Trouble>,
}

/// What is wrong with a file.
enum Trouble {
    /// It ends within a command or transaction that begins at `offset`.
    Torn {
        offset: u64,
        valid_up_to: u64,
    },
    Damaged(Damage),
    /// It has a command that fails.
    Refused(String),
    Unreadable(Failure),
}

impl From<Damage> for Trouble {
    fn from(damage: Damage) -> Self {
        Self::Damaged(damage)
    }
}

/// Checks a log: in a folder, or a single file. If all files of a folder are complete, their commands are also run, in
/// a temporary store.
pub(super) fn check_log(path: &Path, meter: &Meter) -> Result<Vec<Found>, Failure> {
    if !path.is_dir() {
        return Ok(vec![check_file(path, LogFile::Single, meter).found(false)]);
    }
    let folder = LogFolder::find(path).map_err(|error| Failure::of_log(&error))?;
    let folder = folder.ok_or_else(|| {
        Failure::Trouble(format!("{}: the directory has no log manifest", path.display()))
    })?;
    let check =
        |entry: &Entry| check_file(&folder.path_of(entry), LogFile::of(entry.kind()), meter);
    let mut files: Vec<Checked> = folder.manifest().files().map(check).collect();
    if is_opened(&files) {
        run_commands(path, &mut files)?;
    }
    let opened = is_opened(&files);
    Ok(files.into_iter().map(|file| file.found(opened)).collect())
}

/// Returns whether a store would open these files: the last one may be incomplete, and is then truncated.
fn is_opened(files: &[Checked]) -> bool {
    // A file that was created and not written to may follow.
    let last = files.iter().rposition(|file| file.length > 0);
    files.iter().enumerate().all(|(at, file)| match file.end {
        Ok(()) => true,
        Err(Trouble::Torn { .. }) => Some(at) == last,
        Err(_) => false,
    })
}

/// Runs the commands of a log whose files are complete, and records the first that fails.
fn run_commands(folder: &Path, files: &mut [Checked]) -> Result<(), Failure> {
    // The checksums were just verified.
    let options = LoadOptions { salvage: true, checksum: false, ..LoadOptions::default() };
    let report = Store::new().load_with(folder, options);
    let report = report.map_err(|error| Failure::of_log(&error))?;
    let Some(damage) = report.damage else { return Ok(()) };
    let damaged = report.damaged_file;
    let Some(file) = files.iter_mut().find(|file| Some(&file.path) == damaged.as_ref()) else {
        return Err(Failure::of_log(&damage));
    };
    let text = damage.to_string();
    let text =
        text.strip_prefix(&format!("cannot load {}: ", file.path.display())).unwrap_or(&text);
    if let Err(Trouble::Torn { offset, valid_up_to }) = file.end
        && text == (LogError::Torn { offset, valid_up_to }).to_string()
    {
        return Ok(());
    }
    file.end = Err(Trouble::Refused(text.to_owned()));
    Ok(())
}

fn check_file(path: &Path, kind: LogFile, meter: &Meter) -> Checked {
    let mut report = Report::of_log(path.display().to_string(), kind);
    let failed = |error: io::Error| Trouble::Unreadable(Failure::at(path, &error));
    let mut length = 0;
    let end = File::open(path).map_err(failed).and_then(|file| {
        length = file.metadata().map_err(failed)?.len();
        read_file(path, file, &mut report, meter)
    });
    Checked { path: path.to_owned(), report, length, end }
}

/// Reads an RDB file, commands, or an RDB file followed by commands, as older servers write their log.
fn read_file(
    path: &Path,
    mut file: File,
    report: &mut Report,
    meter: &Meter,
) -> Result<(), Trouble> {
    let failed = |error: io::Error| Trouble::Unreadable(Failure::at(path, &error));
    let mut head = Vec::new();
    (&mut file).take(6).read_to_end(&mut head).map_err(failed)?;
    let mut start = 0;
    if starts_with_rdb(&head) {
        let mut scan = Scan::open(path, false).map_err(Trouble::Unreadable)??;
        report.is_rdb(scan.reader().version());
        let read = read(&mut scan, meter, &mut report.counts);
        start = scan.offset();
        report.counts.bytes = start;
        read?;
        if scan.length() == Some(start) {
            return Ok(());
        }
    }
    file.seek(SeekFrom::Start(start)).map_err(failed)?;
    let mut reader = LogReader::new_at(file, start);
    let read = read_commands(&mut reader, report);
    report.counts.bytes = reader.offset();
    match read {
        Ok(()) => Ok(()),
        Err(LogError::Io(error)) => Err(failed(error)),
        Err(LogError::Torn { offset, valid_up_to }) => Err(Trouble::Torn { offset, valid_up_to }),
        Err(LogError::Format { offset, damage, .. }) => {
            Err(Damage { reason: damage.to_string(), offset }.into())
        }
        Err(error) => Err(Damage { reason: error.to_string(), offset: reader.offset() }.into()),
    }
}

fn read_commands(reader: &mut LogReader<File>, report: &mut Report) -> Result<(), LogError> {
    let commands = report.commands.insert(0);
    while let Some(record) = reader.next_record()? {
        *commands += u64::from(matches!(record, Record::Command(_)));
    }
    Ok(())
}

impl Checked {
    /// Returns the result to print; `opened` is whether a store opens the log nevertheless.
    fn found(self, opened: bool) -> Found {
        let Self { path, report, end, .. } = self;
        let damage = match end {
            Ok(()) => return Found { report: Some(report), failure: None },
            Err(Trouble::Unreadable(failure)) => {
                return Found { report: None, failure: Some(failure) };
            }
            Err(Trouble::Refused(text)) => {
                let failure = Failure::Trouble(format!("{}: {text}", path.display()));
                return Found { report: Some(report.refused(text)), failure: Some(failure) };
            }
            Err(Trouble::Damaged(damage)) => damage,
            Err(Trouble::Torn { valid_up_to, .. }) => Damage {
                reason: format!(
                    "the last command or transaction is not whole; {}",
                    if opened {
                        "Store::open cuts the file"
                    } else {
                        "the file is valid up to its start"
                    }
                ),
                offset: valid_up_to,
            },
        };
        let failure = damage.of_file(&path);
        Found { report: Some(report.damaged(damage)), failure: Some(failure) }
    }
}
