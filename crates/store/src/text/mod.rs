//! Texts as Redis reads and writes them: patterns, numbers, ranges, common subsequences.
//!
//! These are pure functions over bytes; the commands call them. Each follows `redis-server` 7.0.15 to the byte, quirks
//! included, and its tests ask a live one. Where 7.2 differs, the function says so.
//!
//! | module | what it knows |
//! |---|---|
//! | [`glob`] | the patterns of KEYS and SCAN MATCH |
//! | [`number`] | integers of a command line: counts and cursors |
//! | [`range`] | the indexes of GETRANGE |
//! | [`lcs`] | the longest common subsequence, as LCS finds it |
//! | [`memory`] | numbers of bytes with units |
//! | [`double`] | scores, weights and positions |
//! | [`extended`] | the 80-bit numbers of INCRBYFLOAT |

pub(crate) mod double;
pub(crate) mod extended;
mod float;
pub(crate) mod glob;
pub(crate) mod lcs;
pub(crate) mod memory;
pub(crate) mod number;
pub(crate) mod range;
