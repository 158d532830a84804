//! Bytes as text.

use std::borrow::Cow;

use base64::prelude::{BASE64_STANDARD, Engine as _};

/// Bytes as text, with a mark for each byte that is none.
pub(crate) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Bytes in Base64.
pub(crate) fn encode(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}
