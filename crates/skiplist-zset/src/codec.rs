//! Sets from untrusted bytes and entries.

use core::hash::BuildHasher;

use listpack::{Entry, ListPack, Validation};

use crate::large::Large;
use crate::{BuildError, DecodeError, Limits, ZSet, score};

impl<S> ZSet<S> {
    /// Creates a set from the listpack of a small sorted set of Redis. The listpack is kept, whatever its size. O(n log
    /// n).
    ///
    /// Use [`fit`](Self::fit) afterwards to apply limits.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] unless the bytes are a whole listpack of alternating members and numbers, in the order of a set
    /// and without duplicate members.
    ///
    /// # Examples
    ///
    /// ```
    /// use skiplist_zset::{DecodeError, ZSet};
    ///
    /// let mut blob = *b"\x0f\0\0\0\x02\0\x81a\x02\x831.5\x04\xff";
    /// let set: ZSet = ZSet::from_bytes(blob)?;
    /// assert_eq!(set.score("a"), Some(1.5));
    ///
    /// blob[11] = b',';
    /// assert_eq!(ZSet::<()>::from_bytes(blob).err(), Some(DecodeError::NotAScore { offset: 9 }));
    /// # Ok::<(), DecodeError>(())
    /// ```
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Result<Self, DecodeError> {
        Self::from_listpack(ListPack::from_bytes(bytes.into(), Validation::Deep)?)
    }

    /// Creates a set from a listpack, as [`from_bytes`](Self::from_bytes) does.
    ///
    /// # Errors
    ///
    /// As [`from_bytes`](Self::from_bytes).
    pub fn from_listpack(list: ListPack) -> Result<Self, DecodeError> {
        validate_pairs(&list)?;
        Ok(Self::of_pairs(list))
    }
}

impl<S: BuildHasher + Default> ZSet<S> {
    /// Creates a set of these members and scores, in the encoding that the limits require. O(n) if they are in
    /// ascending or descending order, as in an RDB file, which has the highest score first; else O(n log n).
    ///
    /// # Errors
    ///
    /// [`BuildError`] for a score that is NaN and for a duplicate member.
    ///
    /// # Examples
    ///
    /// ```
    /// use skiplist_zset::{BuildError, Limits, ZSet};
    ///
    /// let set: ZSet = ZSet::from_entries([("b", 2.0), ("a", 1.0)], &Limits::default())?;
    /// assert_eq!(set.rank("a"), Some(0));
    /// let twice = ZSet::<std::hash::RandomState>::from_entries([("a", 2.0), ("a", 1.0)], &Limits::default());
    /// assert_eq!(twice.err(), Some(BuildError::Duplicate { index: 1 }));
    /// # Ok::<(), BuildError>(())
    /// ```
    pub fn from_entries<M: AsRef<[u8]>>(
        entries: impl IntoIterator<Item = (M, f64)>,
        limits: &Limits,
    ) -> Result<Self, BuildError> {
        let mut set = Self::skip_list(entries, S::default())?;
        // It can be a skip list: it is one.
        let fitted = set.fit(limits);
        debug_assert!(fitted.is_ok());
        Ok(set)
    }
}

impl<S: BuildHasher> ZSet<S> {
    /// Creates a set as a skip list, whatever its size. O(n) if the entries are in ascending or descending order, else
    /// O(n log n).
    ///
    /// # Errors
    ///
    /// [`BuildError`] for a score that is NaN and for a duplicate member.
    pub fn skip_list<M: AsRef<[u8]>>(
        entries: impl IntoIterator<Item = (M, f64)>,
        hasher: S,
    ) -> Result<Self, BuildError> {
        Large::of(entries, hasher).map(Self::of_large)
    }
}

/// Checks that a whole list is a set.
pub(crate) fn validate_pairs(list: &ListPack) -> Result<(), DecodeError> {
    let mut entries = list.iter();
    let mut members = Vec::new();
    let mut last: Option<(u64, Entry<'_>)> = None;
    loop {
        let offset = entries.position().offset();
        let Some(member) = entries.next() else { break };
        let behind = entries.position().offset();
        let score = entries.next().ok_or(DecodeError::Odd { entries: 2 * members.len() + 1 })?;
        let score = score::of_entry(score).ok_or(DecodeError::NotAScore { offset: behind })?;
        let pair = (score::key(score), member);
        if last.is_some_and(|last| last > pair) {
            return Err(DecodeError::NotSorted { offset });
        }
        last = Some(pair);
        members.push((member, offset));
    }
    members.sort_unstable();
    match members.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(DecodeError::Duplicate { offset: pair[1].1 }),
        None => Ok(()),
    }
}
