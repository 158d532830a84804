//! The number of users with each code.
#![expect(unnameable_types, reason = "the sealed trait of precisions uses it")]

use std::fmt;

use bitpack::packed::{Codec, Histogram};

/// The meaning of a code of zeros, which are also the bytes that were never written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zeros {
    /// There may be no such user.
    NoUser,
    /// The user has no location.
    Unknown,
}

/// The number of users with each code, and of users without a code.
pub struct Tally<C: Codec> {
    histogram: Histogram<C>,
    zeros: Zeros,
    beyond: u64,
}

impl<C: Codec> Tally<C> {
    /// Creates it from a histogram and the number of users beyond the ends of the strings.
    pub(super) const fn new(histogram: Histogram<C>, zeros: Zeros, beyond: u64) -> Self {
        Self { histogram, zeros, beyond }
    }

    /// Iterates over the codes that count, ascending by their bytes, and the number of users with each.
    pub(super) fn records(&self) -> impl Iterator<Item = (C::Record, u64)> {
        let no_user = self.zeros == Zeros::NoUser;
        let zeros = C::Record::default();
        self.histogram.records().filter(move |&(record, _)| !(no_user && record == zeros))
    }

    /// Returns the number of users beyond the end of a string, for whom nothing is known.
    pub(super) const fn beyond(&self) -> u64 {
        self.beyond
    }
}

impl<C: Codec> fmt::Debug for Tally<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tally").field("zeros", &self.zeros).finish_non_exhaustive()
    }
}
