//! Pages of the documentation that tests generate.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// The path of a page.
pub(crate) fn path(page: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page)
}

/// Fails unless the page has this text, or writes it on request.
pub(crate) fn compare(page: &str, text: &str, test: &str) {
    let path = path(page);
    if env::var_os("TALLIS_WRITE_PAGES").is_some() {
        fs::write(&path, text).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap_or_default() == text,
        "docs/{page} is not up to date: \
         TALLIS_WRITE_PAGES=1 cargo test -p tallis --features redis --test live {test}"
    );
}
