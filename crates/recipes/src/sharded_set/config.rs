//! Constructors of sharded sets, and their form.

use super::{Base, Fixed, Shape, ShardForm, ShardedSet, Splitting, Spread};
use crate::backend::Keyspace;
use crate::shard::shard_count;

impl<B: Keyspace> ShardedSet<B> {
    /// Creates a handle on the set at `base`, spread over `2 * total_elements / shard_size` shards, at least one.
    ///
    /// All handles on a set must be given the same three values, because the keys depend on them. A `shard_size` of 0
    /// is taken as 1.
    #[must_use]
    pub fn new(backend: B, base: impl Into<String>, total_elements: u64, shard_size: u64) -> Self {
        let shards = shard_count(u128::from(total_elements), shard_size);
        let base = Base::new(base.into().as_bytes());
        Self { backend, shape: Shape::Forecast(Fixed { base, shards }) }
    }

    /// As [`new`](Self::new), but the key of shard 17 is `base:{17}`: on a Redis Cluster the shards with the same
    /// number of all such sets are in one slot (see [`key_slot`](crate::key_slot)), so the intersection of these shards
    /// is one command on one node.
    ///
    /// If the base has a hash tag of its own, such as `{x}`, all shards are in the slot of that tag.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{ShardedSet, Store, key_slot};
    ///
    /// let store = Store::new();
    /// let [monday, tuesday] =
    ///     ["monday", "tuesday"].map(|day| ShardedSet::tagged(store.clone(), day, 10_000, 512));
    /// monday.add_many([1, 2, 3])?;
    /// tuesday.add_many([2, 3, 4])?;
    /// assert!(store.sismember("monday:{19}", 3)?);
    /// assert_eq!(key_slot("monday:{19}"), key_slot("tuesday:{19}"));
    /// assert_eq!(monday.inter_card([&tuesday])?, 2);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[must_use]
    pub fn tagged(
        backend: B,
        base: impl Into<String>,
        total_elements: u64,
        shard_size: u64,
    ) -> Self {
        let shards = shard_count(u128::from(total_elements), shard_size);
        let base = Base::tagged(base.into().as_bytes());
        Self { backend, shape: Shape::Forecast(Fixed { base, shards }) }
    }

    /// Creates a handle on the set at `base` that splits shards as it grows, and merges them as it shrinks.
    #[must_use]
    pub fn splitting(backend: B, base: impl Into<String>) -> Self {
        Self::by(backend, base, Spread::Crc32)
    }

    /// Creates a handle on the set at `base` that splits shards as it grows, and merges them as it shrinks, by the high
    /// bits of its members: integers of `bits` bits, unsigned, or signed if `bits` is 64.
    ///
    /// All handles on a set must be given the same number of bits. A member with more bits, or one that is no integer,
    /// is stored as exactly as any other, but its shard then takes as much memory as a plain set.
    ///
    /// # Panics
    ///
    /// If `bits` is 0 or above 64.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{ShardedSet, Store};
    ///
    /// let store = Store::new();
    /// let ids = ShardedSet::compact(store.clone(), "ids", 60);
    /// assert!(ids.add(0x0123_abcd_4567_4eef_i64)?);
    /// assert!(ids.contains(0x0123_abcd_4567_4eef_i64)?);
    /// assert_eq!(store.object_encoding("ids:1")?, Some("intset"));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[must_use]
    pub fn compact(backend: B, base: impl Into<String>, bits: u32) -> Self {
        assert!((1..=u64::BITS).contains(&bits), "the number of bits must be 1 to 64, got {bits}");
        Self::by(backend, base, Spread::HighBits { of: bits })
    }

    fn by(backend: B, base: impl Into<String>, spread: Spread) -> Self {
        let set = Splitting::new(&backend, base.into().as_bytes(), spread);
        Self { backend, shape: Shape::Splitting(set) }
    }

    /// Returns the form of the set.
    #[must_use]
    pub const fn form(&self) -> ShardForm {
        match &self.shape {
            Shape::Forecast(set) if set.base.is_tagged() => ShardForm::Tagged,
            Shape::Forecast(_) => ShardForm::Forecast,
            Shape::Splitting(set) => match set.spread() {
                Spread::Crc32 => ShardForm::Splitting,
                Spread::HighBits { .. } => ShardForm::Compact,
            },
        }
    }
}
