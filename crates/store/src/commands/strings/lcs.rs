//! What two strings have in common.

use bytes::Bytes;

use super::options::LcsMatches;
use super::parts::{common, common_len, common_runs, common_text};
use crate::error::Result;
use crate::store::{Locks, Store};
use crate::to_key::ToKey;

/// LCS: the longest common subsequence of two strings.
impl<L: Locks> Store<L> {
    /// LCS: the longest common subsequence of the strings at two keys, the one that Redis finds. O(a * b / 64) in time
    /// and memory.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a key holds no string, and
    /// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) for lengths that Redis refuses, of which the product passes
    /// 2^27.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.mset(&[("a", "ohmytext"), ("b", "mynewtext")])?;
    /// assert_eq!(store.lcs("a", "b")?, "mytext");
    /// assert_eq!(store.lcs_len("a", "b")?, 6);
    /// let common = store.lcs_matches("a", "b", 4)?;
    /// assert_eq!((common.len, common.matches.len()), (6, 1));
    /// assert_eq!((&common.matches[0].a, &common.matches[0].b), (&(4..8), &(5..9)));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn lcs(&self, a: impl ToKey, b: impl ToKey) -> Result<Bytes> {
        common(self, a, b, common_text)
    }

    /// LCS LEN: the length of [`lcs`](Self::lcs). O(a * b / 64) in time, O(a + b) in memory.
    ///
    /// # Errors
    ///
    /// As [`lcs`](Self::lcs).
    pub fn lcs_len(&self, a: impl ToKey, b: impl ToKey) -> Result<usize> {
        common(self, a, b, common_len)
    }

    /// LCS IDX: where [`lcs`](Self::lcs) lies in both strings, runs of fewer than `min_match_len` bytes left out.
    ///
    /// # Errors
    ///
    /// As [`lcs`](Self::lcs).
    pub fn lcs_matches(
        &self,
        a: impl ToKey,
        b: impl ToKey,
        min_match_len: usize,
    ) -> Result<LcsMatches> {
        common(self, a, b, |a, b| common_runs(a, b, min_match_len))
    }
}
