//! The kinds of a server's errors.

use store::{Error, ErrorKind};

/// Returns the error for the text of an error reply of a server.
///
/// The scripts of this crate reply with the texts of a store, so both have the same kinds.
#[cold]
pub(crate) fn of_text(text: String) -> Error {
    let kind = kind(&text);
    Error::new(kind, text)
}

fn kind(text: &str) -> ErrorKind {
    let (code, details) = text.split_once(' ').unwrap_or((text, ""));
    match code {
        "WRONGTYPE" if details.contains("HyperLogLog") => ErrorKind::InvalidHll,
        "WRONGTYPE" => ErrorKind::WrongType,
        "INVALIDOBJ" => ErrorKind::InvalidHll,
        "BUSYKEY" => ErrorKind::KeyExists,
        "NOSCRIPT" => ErrorKind::NoScript,
        "OOM" => ErrorKind::OutOfMemory,
        _ => OF_DETAILS
            .iter()
            .find(|(part, _)| details.contains(part))
            .map_or(ErrorKind::Server, |&(_, kind)| kind),
    }
}

/// Parts of texts after `ERR`, and the kinds of the errors.
const OF_DETAILS: &[(&str, ErrorKind)] = &[
    ("is not kept any more", ErrorKind::NotKept),
    ("not locations of", ErrorKind::WrongType),
    ("not an integer", ErrorKind::NotInteger),
    ("would overflow", ErrorKind::NotInteger),
    ("is not a sliding counter", ErrorKind::NotInteger),
    ("no such key", ErrorKind::NoSuchKey),
    ("not found", ErrorKind::NoSuchKey),
    ("item exists", ErrorKind::KeyExists),
    ("non scaling filter is full", ErrorKind::FilterFull),
    ("problem inserting into filter", ErrorKind::OutOfMemory),
    ("unknown command", ErrorKind::UnknownCommand),
    ("syntax error", ErrorKind::Syntax),
    ("wrong number of arguments", ErrorKind::Syntax),
];
