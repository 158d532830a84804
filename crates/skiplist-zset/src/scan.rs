//! Scanning the members in the order of their hashes, which does not change with their scores.

use core::fmt;
use core::hash::BuildHasher;

use crate::ZSet;
use crate::large::Large;
use crate::set::Form;

/// The members of a large set whose hashes begin with the same bits: one step of an incremental scan.
pub struct Bucket<'s, S> {
    set: &'s Large<S>,
    hash: u64,
    shared_bits: u32,
}

impl<S: BuildHasher> ZSet<S> {
    /// Returns the bucket of a hash; `None` for a listpack, which is small enough to be scanned in one step. O(1).
    ///
    /// The order of the hashes does not change with scores or with splits of buckets. So a scan from the first bucket
    /// to the last visits every member that is in the set the whole time.
    ///
    /// ```
    /// use skiplist_zset::{Limits, ZSet};
    ///
    /// let limits = Limits { entries: 0, ..Limits::default() };
    /// let scores = (0..1000).map(|number: i32| (number.to_string(), f64::from(number)));
    /// let set: ZSet = ZSet::from_entries(scores, &limits).expect("they differ");
    ///
    /// let (mut visited, mut hash) = (0, Some(0_u64));
    /// while let Some(bucket) = hash.and_then(|hash| set.bucket(hash)) {
    ///     bucket.for_each(|_hash, _member, _score| visited += 1);
    ///     hash = bucket.next();
    /// }
    /// assert_eq!(visited, 1000);
    /// ```
    #[must_use]
    pub fn bucket(&self, hash: u64) -> Option<Bucket<'_, S>> {
        let Form::Large(set) = self.form() else { return None };
        Some(Bucket { set, hash, shared_bits: set.index().shared_bits(hash) })
    }
}

impl<S: BuildHasher> Bucket<'_, S> {
    /// The number of leading bits that the hashes share.
    #[must_use]
    pub fn shared_bits(&self) -> u32 {
        self.shared_bits
    }

    /// The number of members. O(1).
    #[must_use]
    pub fn entries(&self) -> usize {
        self.set.index().entries(self.hash)
    }

    /// Calls `visit` with each hash, member and score, in unspecified order.
    pub fn for_each(&self, mut visit: impl FnMut(u64, &[u8], f64)) {
        for record in self.set.index().bucket(self.hash) {
            let (member, score) = self.set.get(record);
            let hash = self.set.hash(member);
            if (hash ^ self.hash).leading_zeros() >= self.shared_bits {
                visit(hash, member, score);
            }
        }
    }

    /// The first hash of the next bucket; `None` if this is the last one.
    #[must_use]
    pub fn next(&self) -> Option<u64> {
        let run = 1_u64.checked_shl(64 - self.shared_bits)?;
        (self.hash & !(run - 1)).checked_add(run)
    }
}

impl<S> fmt::Debug for Bucket<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bucket")
            .field("hash", &self.hash)
            .field("shared_bits", &self.shared_bits)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::{Limits, ZSet};

    const LARGE: Limits = Limits { entries: 0, value: 64, text: crate::ScoreText::Shortest };

    /// A hasher that takes only the first byte of a member.
    #[derive(Clone, Default)]
    struct Broken;

    impl core::hash::BuildHasher for Broken {
        type Hasher = FirstByte;

        fn build_hasher(&self) -> FirstByte {
            FirstByte(0)
        }
    }

    struct FirstByte(u64);

    impl core::hash::Hasher for FirstByte {
        fn write(&mut self, bytes: &[u8]) {
            if let [first, ..] = bytes
                && self.0 == 0
            {
                self.0 = u64::from(*first) << 56 | 1;
            }
        }

        fn finish(&self) -> u64 {
            self.0
        }
    }

    fn visited<S: core::hash::BuildHasher>(set: &ZSet<S>) -> BTreeMap<Vec<u8>, (u32, f64)> {
        let mut visited = BTreeMap::new();
        let mut next = Some(0);
        while let Some(bucket) = next.and_then(|hash| set.bucket(hash)) {
            bucket.for_each(|_, member, score| {
                visited.entry(member.to_vec()).or_insert((0, score)).0 += 1;
            });
            next = bucket.next();
        }
        visited
    }

    #[test]
    fn every_member_is_visited_once() {
        for count in [1, 53, 54, 55, 5000] {
            let scores = (0..count).map(|number| (number.to_string(), f64::from(number)));
            let set: ZSet = ZSet::from_entries(scores, &LARGE).unwrap();
            let visited = visited(&set);
            assert_eq!(visited.len(), set.len());
            for (member, score) in &set {
                assert_eq!(visited[&member.to_vec()], (1, score));
            }
        }
    }

    #[test]
    fn members_without_a_place_are_visited_once_too() {
        let scores = (0..2000_u16).map(|number| (number.to_le_bytes(), f64::from(number)));
        let set = ZSet::skip_list(scores, Broken).unwrap();
        let visited = visited(&set);
        assert_eq!(visited.len(), 2000);
        assert!(visited.values().all(|&(times, _)| times == 1));
    }

    #[test]
    fn a_listpack_has_no_buckets() {
        let set: ZSet = ZSet::from_entries([("a", 1.0)], &Limits::default()).unwrap();
        assert!(set.bucket(0).is_none());
    }
}
