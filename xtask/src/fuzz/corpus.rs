//! The corpus of a target: minimising it, and selecting the inputs to commit.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::session::{folder, program};
use crate::run::Outcome;
use crate::tree;

/// The maximum number of inputs that become seeds.
const SEEDS: usize = 32;

/// The maximum size of these inputs together, in bytes.
const SEED_BYTES: u64 = 16 << 10;

/// The number of digits in the names that libFuzzer gives to inputs, which distinguish copied seeds from those written
/// by hand.
const NAME_DIGITS: usize = 40;

/// Returns the number of inputs in the corpus of a target.
pub(super) fn len(target: &str) -> usize {
    tree::entries(&folder("corpus", target)).map_or(0, |files| files.len())
}

/// Replaces the corpus by a minimal set of its inputs and of the seeds with the same coverage, preferring small ones.
pub(super) fn minimise(programs: &Path, target: &str) -> Outcome {
    let corpus = folder("corpus", target);
    let less = beside(&corpus, "less");
    anew(&less)?;
    merge(programs, target, &less, &[&corpus, &folder("seeds", target)])?;
    // An interrupted earlier run may have left this folder.
    let more = beside(&corpus, "more");
    remove(&more)?;
    let swap = || {
        fs::rename(&corpus, &more)?;
        fs::rename(&less, &corpus)
    };
    swap().map_err(|error| format!("{}: {error}", corpus.display()))?;
    remove(&more)
}

/// Copies the inputs of the corpus that reach more than the seeds written by hand, the smallest first. They replace
/// those copied before. Returns their number.
pub(super) fn keep_seeds(programs: &Path, target: &str) -> Outcome<usize> {
    let seeds = folder("seeds", target);
    let stage = beside(&folder("corpus", target), "seeds");
    anew(&stage)?;
    let there = if seeds.is_dir() { tree::entries(&seeds)? } else { Vec::new() };
    let (kept, by_hand): (Vec<_>, Vec<_>) = there.into_iter().partition(|file| is_kept(file));
    for file in &by_hand {
        copy(file, &stage)?;
    }
    merge(programs, target, &stage, &[&folder("corpus", target)])?;
    let mut added: Vec<(u64, PathBuf)> = tree::entries(&stage)?
        .into_iter()
        .filter(|file| is_kept(file))
        .map(|file| (file.metadata().map_or(u64::MAX, |it| it.len()), file))
        .collect();
    added.sort();
    for file in kept {
        fs::remove_file(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    fs::create_dir_all(&seeds).map_err(|error| format!("{}: {error}", seeds.display()))?;
    let chosen = within(&added, SEEDS, SEED_BYTES);
    for (_, file) in chosen {
        copy(file, &seeds)?;
    }
    remove(&stage)?;
    Ok(chosen.len())
}

/// Returns the first items, up to a number and a total size in bytes.
fn within<T>(sized: &[(u64, T)], most: usize, most_bytes: u64) -> &[(u64, T)] {
    let mut bytes = 0_u64;
    let fits = |(size, _): &&(u64, T)| {
        bytes = bytes.saturating_add(*size);
        bytes <= most_bytes
    };
    let count = sized.iter().take(most).take_while(fits).count();
    &sized[..count]
}

/// Returns whether libFuzzer has named an input.
fn is_kept(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.len() == NAME_DIGITS && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Adds to `into` those inputs of the other folders that increase its coverage.
fn merge(programs: &Path, target: &str, into: &Path, from: &[&Path]) -> Outcome {
    let mut command = program(programs, target)?;
    command.arg("-merge=1").arg(into).args(from.iter().filter(|folder| folder.is_dir()));
    // An input that fails is skipped; its artifact exists already.
    let output = command.stdout(Stdio::null()).output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let log = String::from_utf8_lossy(&output.stderr);
    let last = log.lines().last().unwrap_or_default();
    Err(format!("{target}: the corpus could not be merged ({}): {last}", output.status))
}

/// The path of a temporary folder, which is ignored when the corpora are listed.
fn beside(folder: &Path, what: &str) -> PathBuf {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    folder.with_file_name(format!(".{name}.{what}"))
}

fn anew(folder: &Path) -> Outcome {
    remove(folder)?;
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

fn remove(folder: &Path) -> Outcome {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(format!("{}: {error}", folder.display()))
        }
        _ => Ok(()),
    }
}

fn copy(file: &Path, into: &Path) -> Outcome {
    let name = file.file_name().unwrap_or_default();
    let copied = fs::copy(file, into.join(name));
    copied.map(drop).map_err(|error| format!("{}: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{is_kept, within};

    #[test]
    fn seeds_are_limited_in_number_and_in_bytes() {
        let sized: Vec<(u64, ())> = [1, 2, 3, 50, 60].map(|size| (size, ())).to_vec();
        for (most, bytes, want) in [(9, 116, 5), (9, 115, 4), (2, 116, 2), (9, 0, 0), (0, 9, 0)] {
            assert_eq!(within(&sized, most, bytes).len(), want, "{most} {bytes}");
        }
    }

    #[test]
    fn seeds_written_by_hand_have_other_names() {
        assert!(is_kept(Path::new("seeds/x/0123456789abcdef0123456789abcdef01234567")));
        for name in ["torn", "0123", "z123456789abcdef0123456789abcdef01234567"] {
            assert!(!is_kept(Path::new(name)), "{name}");
        }
    }
}
