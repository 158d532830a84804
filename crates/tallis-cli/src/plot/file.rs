//! A plot becomes a file.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::chart::Chart;
use crate::failure::Failure;

/// Draws a chart to a file, which takes its name only once it is whole: if anything fails, an older file of that name is left.
pub(crate) fn write(path: &Path, chart: &Chart) -> Result<(), Failure> {
    let svg = chart.svg()?;
    replace(path, &svg).map_err(|error| Failure::at(path, &error))
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    // What a link leads to is replaced, and not the link.
    let path: PathBuf = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if path.exists() && !path.is_file() {
        return Err(io::Error::other("it is there, but not as a file"));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".tallis-").suffix(".svg.tmp");
    #[cfg(unix)]
    {
        // As any new file: whoever the umask lets may read it.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(Permissions::from_mode(0o666));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(&path)?;
    Ok(())
}
