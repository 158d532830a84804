//! The files of the workspace.

use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use crate::run::Outcome;

/// Returns the root of the workspace in which this program was built.
pub(crate) fn root() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own)
}

/// Returns every file of the workspace whose name ends in `.extension`, sorted.
///
/// A directory walk instead of `git ls-files`, so that the checks also work in a source archive, and on a machine
/// without git.
pub(crate) fn files(folder: &Path, extension: &str) -> Outcome<Vec<PathBuf>> {
    let mut found = Vec::new();
    walk(folder, extension, &mut found)?;
    found.sort();
    Ok(found)
}

fn walk(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) -> Outcome {
    for path in entries(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            let made = matches!(&*name, "target" | "corpus" | "artifacts" | "coverage");
            if !made && !name.starts_with('.') {
                walk(&path, extension, found)?;
            }
        } else if path.extension().is_some_and(|ending| ending == extension) {
            found.push(path);
        }
    }
    Ok(())
}

/// Returns the entries of `folder`, sorted.
pub(crate) fn entries(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let list = || -> io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
    };
    let mut paths = list().map_err(|error| format!("{}: {error}", folder.display()))?;
    paths.sort();
    Ok(paths)
}

/// Returns the text of a file.
pub(crate) fn read(file: &Path) -> Outcome<String> {
    fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}

/// Returns a path without `..`, for comparison with file names.
pub(crate) fn without_parents(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    plain
}

/// Writes a file, and creates its folder.
pub(crate) fn write(file: &Path, text: &str) -> Outcome {
    let write = || -> io::Result<()> {
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(file, text)
    };
    write().map_err(|error| format!("{}: {error}", file.display()))
}
