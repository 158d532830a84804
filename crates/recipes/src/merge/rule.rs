//! The rules for merging numbers, and the figures of a merge.

/// The result of merging two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MergeRule {
    /// Their sum.
    Sum,
    /// The larger one.
    Max,
    /// The number of the later store.
    Last,
}

impl MergeRule {
    /// Returns the result; `None` if the sum overflows.
    pub(super) fn of_ints(self, earlier: i64, later: i64) -> Option<i64> {
        match self {
            Self::Sum => earlier.checked_add(later),
            Self::Max => Some(earlier.max(later)),
            Self::Last => Some(later),
        }
    }

    /// Returns the result; `None` if the sum is NaN.
    pub(super) fn of_scores(self, earlier: f64, later: f64) -> Option<f64> {
        let score = match self {
            Self::Sum => earlier + later,
            Self::Max => earlier.max(later),
            Self::Last => later,
        };
        (!score.is_nan()).then_some(score)
    }
}

macro_rules! figures {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// The number of keys that were merged by each rule (see [`Merge`](super::Merge)).
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct Merged {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Merged {
            /// Iterates over the figures, each with its name.
            pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
                [$((stringify!($name), self.$name)),*].into_iter()
            }
        }

        impl core::ops::AddAssign for Merged {
            fn add_assign(&mut self, other: Self) {
                $(self.$name += other.$name;)*
            }
        }
    };
}

figures! {
    /// Keys that the earlier store did not have, which were copied.
    taken,
    /// Keys that are equal in both, which were left unchanged.
    equal,
    /// Buckets of visitors, each with all its keys.
    buckets,
    /// Sets, and sets that split, each with all its keys.
    sets,
    /// `HyperLogLog`s.
    sketches,
    /// Sorted sets.
    sorted_sets,
    /// Bloom filters.
    filters,
    /// Strings of locations.
    locations,
    /// Bitmaps of cohorts.
    bitmaps,
    /// Integers.
    counters,
    /// Hashes.
    hashes,
    /// Keys replaced by the later store's value, because the two could not be merged.
    replaced,
}
