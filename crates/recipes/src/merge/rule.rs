//! By which rule a key is merged, and how many were by each.

/// What becomes of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MergeRule {
    /// Their sum.
    Sum,
    /// The larger one.
    Max,
    /// The later store's.
    Last,
}

impl MergeRule {
    /// `None` if the sum is out of range.
    pub(super) fn of_ints(self, earlier: i64, later: i64) -> Option<i64> {
        match self {
            Self::Sum => earlier.checked_add(later),
            Self::Max => Some(earlier.max(later)),
            Self::Last => Some(later),
        }
    }

    /// `None` if the sum is no number.
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
        /// How many keys were merged by which rule (see [`Merge`](super::Merge)).
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct Merged {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Merged {
            /// The figures, each with its name.
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
    /// Taken as they were: the earlier store had no such key.
    taken,
    /// Equal in both, so left as they were.
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
    /// Replaced by the later store's value, since the two could not be merged.
    replaced,
}
