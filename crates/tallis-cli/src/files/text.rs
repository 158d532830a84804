//! Bytes as text.

use std::borrow::Cow;

use base64::prelude::{BASE64_STANDARD, Engine as _};

/// Converts bytes to text, with a replacement character for each byte that is not UTF-8.
pub(crate) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Encodes bytes in Base64.
pub(crate) fn encode(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}
