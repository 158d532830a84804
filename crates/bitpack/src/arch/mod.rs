//! The loops over long byte strings, one implementation for each instruction set.
//!
//! [`portable`] is plain Rust and runs everywhere. The others do the same with vector instructions and must agree with
//! it on every input, which the tests check for each that the machine can run. One [`Kernels`] is chosen at the first
//! use; calls go through function pointers, which is worth it for whole strings, not for single words.

#[cfg(feature = "std")]
use std::sync::OnceLock;

/// Whether the CPU has some features: detected at run time, or, without `std`, those that the build enables.
#[cfg(all(target_arch = "x86_64", feature = "std"))]
macro_rules! processor_has {
    ($($feature:tt),+) => {
        $(std::is_x86_feature_detected!($feature))&&+
    };
}

#[cfg(all(target_arch = "x86_64", not(feature = "std")))]
macro_rules! processor_has {
    ($($feature:tt),+) => {
        cfg!(all($(target_feature = $feature),+))
    };
}

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub(crate) mod portable;
#[cfg(test)]
mod tests;

/// Strings shorter than this are not worth the call through a pointer.
const SHORT: usize = 64;

/// What a combination may touch, its sources and its output, before it stores past the caches.
///
/// A store through the caches first reads the line that it is about to overwrite, and takes the place of others. From
/// about the size of a second cache on, the output of a combination has left it anyway before it is read.
#[cfg(target_arch = "x86_64")]
const LARGE: usize = 2 << 20;

/// How far ahead a combination that stores past the caches has its sources fetched: measured, and flat about here.
#[cfg(target_arch = "x86_64")]
const AHEAD: usize = 2048;

/// Whether a combination of a first source and others is to store past the caches.
#[cfg(target_arch = "x86_64")]
fn is_large(out: &[u8], others: &[&[u8]]) -> bool {
    out.len() > LARGE / (others.len() + 2)
}

/// How the bits of the first source and of the others become a bit of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fold {
    /// `x & y & ..`
    And,
    /// `x | y | ..`
    Or,
    /// `x ^ y ^ ..`
    Xor,
    /// `!x`, whatever the others.
    Not,
    /// `x & !(y | ..)`
    Diff,
    /// `!x & (y | ..)`
    Diff1,
    /// `x & (y | ..)`
    AndOr,
    /// Exactly one of `x`, `y`, ..
    One,
}

impl Fold {
    #[cfg(test)]
    pub(crate) const ALL: [Self; 8] = [
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Not,
        Self::Diff,
        Self::Diff1,
        Self::AndOr,
        Self::One,
    ];
}

/// The output, the operation, the first source and the others.
type Combine = fn(&mut [u8], Fold, &[u8], &[&[u8]]);

/// One implementation of each loop.
pub(crate) struct Kernels {
    /// For benchmarks and the messages of tests.
    pub(crate) name: &'static str,
    /// The number of set bits.
    pub(crate) count: fn(&[u8]) -> u64,
    /// How many bytes at the start are the one given.
    pub(crate) skip: fn(&[u8], u8) -> usize,
    /// Folds a first source and others, each at least as long as the output, into the output.
    pub(crate) combine: Combine,
}

static PORTABLE: Kernels = Kernels {
    name: "portable",
    count: portable::count,
    skip: portable::skip,
    combine: portable::combine,
};

/// The kernels that this machine can run, the best first.
pub(crate) fn available() -> impl Iterator<Item = &'static Kernels> {
    #[cfg(target_arch = "x86_64")]
    let vector = [avx512::kernels(), avx2::kernels()];
    #[cfg(not(target_arch = "x86_64"))]
    let vector = [None; 0];
    vector.into_iter().flatten().chain([&PORTABLE])
}

/// The best kernels that this machine can run.
#[inline]
pub(crate) fn best() -> &'static Kernels {
    let best = || available().next().unwrap_or(&PORTABLE);
    #[cfg(feature = "std")]
    {
        static BEST: OnceLock<&'static Kernels> = OnceLock::new();
        BEST.get_or_init(best)
    }
    // The compiler knows it.
    #[cfg(not(feature = "std"))]
    best()
}

/// The number of set bits.
#[inline]
pub(crate) fn count(bytes: &[u8]) -> u64 {
    if bytes.len() < SHORT { portable::count(bytes) } else { (best().count)(bytes) }
}

/// How many bytes at the start are the one given.
#[inline]
pub(crate) fn skip(bytes: &[u8], byte: u8) -> usize {
    if bytes.len() < SHORT { portable::skip(bytes, byte) } else { (best().skip)(bytes, byte) }
}

/// Folds a first source and others, each at least as long as the output, into the output.
#[inline]
pub(crate) fn combine(out: &mut [u8], fold: Fold, first: &[u8], others: &[&[u8]]) {
    if out.len() < SHORT {
        portable::combine(out, fold, first, others);
    } else {
        (best().combine)(out, fold, first, others);
    }
}
