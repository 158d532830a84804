//! LCS: the longest common subsequence of two strings.

use bytes::Bytes;

use super::options::{LcsMatch, LcsMatches};
use super::string_at;
use crate::commands::STRING_MAX;
use crate::error::{Error, Result};
use crate::member::Member;
use crate::store::{Locks, Store};
use crate::text::lcs;
use crate::to_key::ToKey;

/// The maximum length of a string, and of the table of LCS.
const STRING_MAX_U64: u64 = STRING_MAX as u64;

/// LCS: the longest common subsequence of two strings.
impl<L: Locks> Store<L> {
    /// LCS: returns the longest common subsequence of the strings at two keys. If there are several, it is the one that
    /// Redis returns. O(a * b / 64) in time and memory.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a key holds no string;
    /// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) if the product of the lengths exceeds 2^27, which Redis refuses
    /// too.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
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

    /// LCS LEN: returns the length of [`lcs`](Self::lcs), in bytes. O(a * b / 64) in time, O(a + b) in memory.
    ///
    /// # Errors
    ///
    /// As [`lcs`](Self::lcs).
    pub fn lcs_len(&self, a: impl ToKey, b: impl ToKey) -> Result<usize> {
        common(self, a, b, common_len)
    }

    /// LCS IDX: returns the position of [`lcs`](Self::lcs) in both strings, without runs of fewer than `min_match_len`
    /// bytes. O(a * b / 64) in time and memory.
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

/// LCS: passes both strings to `find`, an empty one for a missing key.
pub(crate) fn common<R>(
    store: &Store<impl Locks>,
    a: impl ToKey,
    b: impl ToKey,
    find: impl FnOnce(&[u8], &[u8]) -> Result<R>,
) -> Result<R> {
    store.read((a, b), |view, keys| {
        let string =
            |key| Ok(string_at(view, key).map_err(|_| Error::no_strings())?.unwrap_or(NOTHING));
        let (a, b) = (string(keys[0])?, string(keys[1])?);
        a.with_bytes(|a| b.with_bytes(|b| find(a, b)))
    })
}

const NOTHING: Member<'static> = Member::Bytes(b"");

pub(crate) fn common_text(a: &[u8], b: &[u8]) -> Result<Bytes> {
    Ok(Bytes::from(lcs::lcs(a, b, STRING_MAX_U64)?.text()))
}

pub(crate) fn common_len(a: &[u8], b: &[u8]) -> Result<usize> {
    lcs::length(a, b, STRING_MAX_U64)
}

pub(crate) fn common_runs(a: &[u8], b: &[u8], shortest: usize) -> Result<LcsMatches> {
    let common = lcs::lcs(a, b, STRING_MAX_U64)?;
    let runs = common.matches().filter(|run| run.len >= shortest);
    let matches = runs.map(|run| LcsMatch { a: run.a..run.a + run.len, b: run.b..run.b + run.len });
    Ok(LcsMatches { len: common.len(), matches: matches.collect() })
}
