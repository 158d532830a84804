//! Runs the command.

use std::path::Path;

use tallis::{Conflict, Merge, MergeError, Merged, Store};

use super::file::read;
use super::report::{Report, Row};
use crate::args::MergeArgs;
use crate::failure::Failure;
use crate::output::deliver_as;
use crate::snapshot;
use crate::target::check_target;

/// How many of the conflicting keys are reported by name.
const NAMED: usize = 20;

/// Runs `tallis merge`.
///
/// # Errors
///
/// A file that cannot be read, merged or written.
pub fn run(args: &MergeArgs) -> Result<(), Failure> {
    check_target(&args.out)?;
    let merge = Merge::new()
        .counters(args.counters.into())
        .scores(args.scores.into())
        .prefer_later(args.prefer.is_some())
        .locations("location", args.location_bytes.into());
    let mut all: Option<Store> = None;
    let mut report = Report { files: Vec::new(), keys: 0, merged: Merged::default(), saved: None };
    for path in &args.files {
        let (store, format) = read(path)?;
        let keys = keys(&store)?;
        let merged = match &all {
            None => {
                let mut merged = Merged::default();
                merged.taken = keys;
                all = Some(store);
                merged
            }
            Some(all) => merge.add(all, &store).map_err(|error| failure(path, error))?,
        };
        report.merged += merged;
        report.files.push(Row { file: path.display().to_string(), format, keys, merged });
    }
    let store = all.unwrap_or_default();
    report.keys = keys(&store)?;
    deliver_as(&mut report, Some(&args.out), |file| snapshot::save(&store, file), args.json)
}

/// Returns the number of keys, of all databases.
fn keys(store: &Store) -> Result<u64, Failure> {
    Ok(store.databases()?.iter().map(|db| db.keys as u64).sum())
}

/// Lists the keys that cannot be merged, one per line.
fn failure(path: &Path, error: MergeError) -> Failure {
    let MergeError::Conflicts(conflicts) = error else {
        return Failure::Trouble(format!("{}: {error}", path.display()));
    };
    let line = |conflict: &Conflict| format!("{}: {conflict}", path.display());
    let mut lines: Vec<String> = conflicts.iter().take(NAMED).map(line).collect();
    if conflicts.len() > NAMED {
        lines.push(format!("{}: and {} more keys", path.display(), conflicts.len() - NAMED));
    }
    Failure::Trouble(lines.join("\ntallis: "))
}
