//! A key in the output.

use serde::Serialize;

use crate::files::{Key, encode, lossy};
use tallis::file::Measured;

/// A key, as a JSON object whose fields are a stable interface of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Row {
    pub(super) db: u32,
    /// The name, with a replacement character for each byte that is not UTF-8.
    pub(super) key: String,
    /// The bytes in Base64, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) key_b64: Option<String>,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) encoding: &'static str,
    pub(super) len: u64,
    pub(super) bytes_file: u64,
    pub(super) bytes_memory: u64,
    /// -1 for no expiry.
    pub(super) expire_at_ms: i64,
}

impl Row {
    pub(super) fn new(key: &Key, found: &Measured, bytes: Bytes) -> Self {
        Self {
            db: key.db,
            key: lossy(&key.name).into_owned(),
            key_b64: std::str::from_utf8(&key.name).is_err().then(|| encode(&key.name)),
            kind: found.type_name.clone().into_owned(),
            encoding: found.encoding,
            len: found.len,
            bytes_file: bytes.file,
            bytes_memory: bytes.memory,
            expire_at_ms: key.attributes.expire_at_ms.unwrap_or(-1),
        }
    }
}

/// The size of a key in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Bytes {
    /// In memory, including its name and its share of the table.
    pub(super) memory: u64,
    /// In the file, from the attributes before its type to the end of its value.
    pub(super) file: u64,
}
