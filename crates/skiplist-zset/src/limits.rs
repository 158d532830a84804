//! The limits that determine the encoding of a set.

use crate::ScoreText;

/// The limits up to which a set stays a listpack, and the text of its scores.
///
/// ```
/// use skiplist_zset::{Limits, ScoreText};
///
/// let limits = Limits::default();
/// assert_eq!((limits.entries, limits.value), (128, 64));
/// let of_7_0 = Limits { text: ScoreText::Digits17, ..limits };
/// assert_ne!(limits, of_7_0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Limits {
    /// The maximum number of members of a listpack: `zset-max-listpack-entries`.
    pub entries: usize,
    /// The maximum length in bytes of a member in a listpack: `zset-max-listpack-value`.
    pub value: usize,
    /// The text of scores in a listpack.
    pub text: ScoreText,
}

impl Default for Limits {
    fn default() -> Self {
        Self { entries: 128, value: 64, text: ScoreText::default() }
    }
}
