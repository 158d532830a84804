//! A cache of recent visits.
//!
//! # Idea
//!
//! Most lines of a log are repeated visits, and a visit that was counted changes nothing when it is counted again. So a
//! cache of recent visits, a direct-mapped hash table, passes only visits that it does not contain: all new ones, and
//! repeated ones that were overwritten by others. Its size is fixed.

use xxhash_rust::xxh3::xxh3_128;

/// The number of slots: 1 MiB, which fits the L2 cache of a core.
const PLACES: usize = 1 << 15;

/// A visit: the digest of the visitor's name, and its bucket and minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    digest: u128,
    minute: i64,
    bucket: u32,
}

/// The recent visits.
#[derive(Debug)]
pub(super) struct Seen(Box<[Place]>);

impl Seen {
    pub(super) fn new() -> Self {
        // No bucket has this number.
        let free = Place { digest: 0, minute: 0, bucket: u32::MAX };
        Self(vec![free; PLACES].into_boxed_slice())
    }

    /// Returns whether a visit is in the cache, and adds it.
    #[inline]
    pub(super) fn insert(&mut self, name: &[u8], bucket: u32, minute: i64) -> bool {
        let digest = xxh3_128(name);
        #[expect(clippy::cast_possible_truncation, reason = "any bits of a digest will do")]
        let hash = digest as usize
            ^ (bucket as usize).wrapping_mul(0x9e37)
            ^ minute.unsigned_abs() as usize;
        let visit = Place { digest, minute, bucket };
        match self.0.get_mut(hash % PLACES) {
            Some(place) if *place == visit => true,
            Some(place) => {
                *place = visit;
                false
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use testkit::rng::Rng;

    use super::*;

    #[test]
    fn what_is_new_is_never_held_back() {
        let (mut seen, mut all) = (Seen::new(), HashSet::new());
        let (mut rng, mut held) = (Rng::new(7), 0);
        for _ in 0..500_000 {
            let unit = rng.unit();
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a name")]
            let name = ((unit * unit * 200_000.0) as u32).to_le_bytes();
            let (bucket, minute) = (u32::from(rng.chance(1, 3)), i64::from(rng.chance(1, 9)));
            let old = seen.insert(&name, bucket, minute);
            held += u32::from(old);
            let new = all.insert((name, bucket, minute));
            assert!(!(new && old), "{name:?}");
        }
        assert!(held > 50_000, "{held}");
    }
}
