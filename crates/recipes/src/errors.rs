//! Errors that several recipes return.

use std::borrow::Cow;

use store::{Error, ErrorKind};

/// Returns the error of an invalid argument.
#[cold]
pub(crate) fn invalid(text: impl Into<Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::InvalidArgument, text)
}

/// Returns the error of a key that holds an invalid value for the recipe.
#[cold]
pub(crate) fn not_a(key: &[u8], what: &str) -> Error {
    let key = key.escape_ascii();
    Error::new(ErrorKind::NotInteger, format!("ERR the value at '{key}' is not a {what}"))
}
