//! Parsing and formatting as in Redis: patterns, numbers, ranges, common subsequences.
//!
//! These are pure functions over bytes, which the commands call. Each has the exact behaviour of `redis-server` 7.0.15,
//! including its quirks, and its tests compare it with a live server. Differences in 7.2 are stated.
//!
//! | module | contents |
//! |---|---|
//! | [`glob`] | the patterns of KEYS and SCAN MATCH |
//! | [`number`] | integers in commands: counts and cursors |
//! | [`range`] | the indexes of GETRANGE |
//! | [`lcs`] | the longest common subsequence, as returned by LCS |
//! | [`memory`] | sizes in bytes with units |
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
