//! How often each code was met.
#![expect(unnameable_types, reason = "what the sealed trait of precisions passes on")]

use std::fmt;

use bitpack::packed::{Codec, Histogram};

/// What the zeros of a code mean, which are in a string where nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zeros {
    /// That there may be no such user.
    NoUser,
    /// That a user has no location.
    Unknown,
}

/// How often each code was met, and how many users have none.
pub struct Tally<C: Codec> {
    histogram: Histogram<C>,
    zeros: Zeros,
    beyond: u64,
}

impl<C: Codec> Tally<C> {
    /// What a histogram has counted, and so many users more who lie beyond the ends of the strings.
    pub(super) const fn new(histogram: Histogram<C>, zeros: Zeros, beyond: u64) -> Self {
        Self { histogram, zeros, beyond }
    }

    /// The codes that count, ascending by their bytes, and how many users have each.
    pub(super) fn records(&self) -> impl Iterator<Item = (C::Record, u64)> {
        let no_user = self.zeros == Zeros::NoUser;
        let zeros = C::Record::default();
        self.histogram.records().filter(move |&(record, _)| !(no_user && record == zeros))
    }

    /// Users who lie beyond the end of a string: nothing is known of them.
    pub(super) const fn beyond(&self) -> u64 {
        self.beyond
    }
}

impl<C: Codec> fmt::Debug for Tally<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tally").field("zeros", &self.zeros).finish_non_exhaustive()
    }
}
