//! The suffixes of the keys of all shards of a set.

use std::collections::BTreeSet;

use bytes::Bytes;
use macros::blocking_and_async;
use store::{Error, Store};

use super::keys::Base;
use super::spread::Spread;
use super::suffix::HashSuffix;
use crate::backend::{AsyncBackend, Backend};

/// The suffixes of the keys of all shards of a set, which follow its name and a colon.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ends {
    /// The numbers from 0 up to this number of shards.
    Numbers(u64),
    /// The names of the hash suffixes of this number of shards.
    Suffixes(u64),
}

impl Ends {
    /// Returns the number of shards.
    pub(crate) const fn count(self) -> u64 {
        match self {
            Self::Numbers(shards) | Self::Suffixes(shards) => shards,
        }
    }

    /// Returns whether these are more shards than a store has keys. Then those that exist are found among its keys. If
    /// the set splits, this is only right in a transaction: meanwhile it could shrink and grow again.
    pub(crate) fn exceed(self, store: &Store) -> Result<bool, Error> {
        Ok(self.count() > store.dbsize()? as u64)
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = u64> {
        (0..self.count()).map(move |number| match self {
            Self::Numbers(_) => number,
            Self::Suffixes(shards) => {
                HashSuffix::of_shard(number, shards, Spread::default()).name()
            }
        })
    }

    /// Returns whether a shard's key has this suffix.
    pub(crate) fn has(self, end: u64) -> bool {
        match self {
            Self::Numbers(shards) => end < shards,
            Self::Suffixes(shards) => HashSuffix::of_name(end, Spread::default())
                .is_some_and(|suffix| suffix.is_shard_of(shards)),
        }
    }
}

#[blocking_and_async]
impl Ends {
    /// Returns the suffixes of the shards that exist, and possibly of others: O(shards) or O(keys of the backend),
    /// whichever is less.
    pub(crate) async fn existing(
        self,
        backend: &impl Backend,
        base: &Base,
    ) -> Result<impl Iterator<Item = u64>, Error> {
        let few = backend.keys_if_few(base.as_bytes(), self.count()).await?.map(|keys| {
            let end = |key: &Bytes| base.number_of(key).filter(|&end| self.has(end));
            keys.iter().filter_map(end).collect::<BTreeSet<u64>>()
        });
        let all = few.is_none().then(|| self.iter());
        Ok(few.into_iter().flatten().chain(all.into_iter().flatten()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iteration_and_membership_agree() {
        for shards in 1..70 {
            for ends in [Ends::Numbers(shards), Ends::Suffixes(shards)] {
                let mut all: Vec<u64> = ends.iter().collect();
                assert_eq!(all.len() as u64, ends.count());
                all.sort_unstable();
                let had: Vec<u64> = (0..200).filter(|&end| ends.has(end)).collect();
                assert_eq!(all, had, "{ends:?}");
                assert!(!ends.has(u64::MAX));
            }
        }
    }
}
