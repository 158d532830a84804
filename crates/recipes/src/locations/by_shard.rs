//! Users, grouped by shard.

use std::mem;
use std::ops::RangeInclusive;

use super::USERS_PER_SHARD;

/// How many users are grouped at once: each shard is looked up once for all of them, and the working memory fits the
/// cache.
pub(super) const BATCH: usize = 1 << 18;

/// Groups batches of users by shard.
///
/// It uses a counting sort, which takes two passes and is much faster than a comparison sort. Only a few users that are
/// spread over many shards are sorted by comparison.
#[derive(Debug, Default)]
pub(super) struct ByShard {
    /// For each shard from the least one on, the index at which its users begin.
    starts: Vec<u32>,
    /// The users' slots in their shards.
    slots: Vec<u32>,
    /// The shards that have users, with the index at which the slots of each end.
    shards: Vec<(u64, usize)>,
}

impl ByShard {
    /// Returns the shards that have users, with the slots of the users of each, in no particular order. O(users), or
    /// O(users log users) for a few that are spread over many shards.
    ///
    /// It may reorder the batch.
    pub(super) fn order(&mut self, users: &mut [u64]) -> impl Iterator<Item = (u64, &[u32])> {
        self.slots.clear();
        self.shards.clear();
        let shards = users.iter().map(|&user| user / USERS_PER_SHARD);
        if let (Some(least), Some(most)) = (shards.clone().min(), shards.max()) {
            if usize::try_from(most - least).is_ok_and(|span| span < users.len()) {
                self.deal(users, least..=most);
            } else {
                self.sort(users);
            }
        }
        let (slots, mut from) = (&self.slots, 0);
        self.shards.iter().map(move |&(shard, to)| (shard, &slots[mem::replace(&mut from, to)..to]))
    }

    fn sort(&mut self, users: &mut [u64]) {
        users.sort_unstable();
        self.slots.extend(users.iter().map(|&user| slot(user)));
        let mut to = 0;
        for run in users.chunk_by(|a, b| a / USERS_PER_SHARD == b / USERS_PER_SHARD) {
            to += run.len();
            self.shards.push((run[0] / USERS_PER_SHARD, to));
        }
    }

    /// Distributes the users to shards, of which there are at most as many as users.
    fn deal(&mut self, users: &[u64], shards: RangeInclusive<u64>) {
        let (least, most) = (*shards.start(), *shards.end());
        let span = usize::try_from(most - least).unwrap_or(0);
        let index = |user: u64| usize::try_from(user / USERS_PER_SHARD - least).unwrap_or(0);
        // The counts are shifted by one shard, so that their sums are where each shard begins; distributing the users
        // moves these to where it ends.
        self.starts.clear();
        self.starts.resize(span + 2, 0);
        for &user in users {
            self.starts[index(user) + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.slots.resize(users.len(), 0);
        for &user in users {
            let start = &mut self.starts[index(user)];
            self.slots[*start as usize] = slot(user);
            *start += 1;
        }
        let mut from = 0;
        for (shard, &to) in shards.zip(&self.starts) {
            if to > from {
                self.shards.push((shard, to as usize));
            }
            from = to;
        }
    }
}

/// Returns a user's slot in the shard.
#[inline]
fn slot(user: u64) -> u32 {
    u32::try_from(user % USERS_PER_SHARD).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn check(users: &[u64]) {
        let mut want: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for &user in users {
            want.entry(user >> 20).or_default().push(user & 0xf_ffff);
        }
        for slots in want.values_mut() {
            slots.sort_unstable();
        }
        let mut got = BTreeMap::new();
        let mut by_shard = ByShard::default();
        for _ in 0..2 {
            got.clear();
            for (shard, slots) in by_shard.order(&mut users.to_vec()) {
                let mut slots: Vec<u64> = slots.iter().map(|&slot| slot.into()).collect();
                slots.sort_unstable();
                assert_eq!(got.insert(shard, slots), None, "{shard} twice");
            }
            assert_eq!(got, want);
        }
    }

    #[test]
    fn each_shard_gets_its_users_once() {
        check(&[]);
        check(&[7]);
        check(&[7, 7, 7]);
        check(&[u64::MAX, 0]);
        check(&[(1 << 20) - 1, 1 << 20, 5]);
        check(&[3 << 20, 1 << 20, 2 << 20, (3 << 20) + 1]);
        let mut rng = testkit::rng::Rng::new(1);
        for spread in [1, 20, 21, 24, 30, 40, 64] {
            for len in [2, 30, 1000] {
                check(&(0..len).map(|_| rng.u64() >> (64 - spread)).collect::<Vec<_>>());
            }
        }
    }
}
