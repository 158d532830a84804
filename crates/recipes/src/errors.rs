//! The errors that several recipes return.

use std::borrow::Cow;

use store::{Error, ErrorKind};

/// The error of what cannot be asked for.
#[cold]
pub(crate) fn invalid(text: impl Into<Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::InvalidArgument, text)
}

/// The error of a value that is not what a recipe keeps there.
#[cold]
pub(crate) fn not_a(key: &[u8], what: &str) -> Error {
    let key = key.escape_ascii();
    Error::new(ErrorKind::NotInteger, format!("ERR the value at '{key}' is not a {what}"))
}
