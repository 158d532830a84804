//! The loops over many registers or opcodes, one implementation for each instruction set.
//!
//! [`portable`] is plain Rust and runs everywhere. The others do the same with vector instructions and must agree with
//! it on every input, which the tests check for each that the machine can run. One [`Kernels`] is chosen at the first
//! use; calls go through function pointers, which is worth it for whole arrays and scans, not for single registers.

#[cfg(feature = "std")]
use std::sync::OnceLock;

use crate::dense::Dense;
use crate::estimate::{PowerSum, from_histogram};
use crate::layout::{Packed, Unpacked};
use crate::sparse::Spot;

/// Whether the processor has some features: asked while running, or, without `std`, as the build says.
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
#[cfg(target_arch = "x86_64")]
mod opcodes;
pub(crate) mod portable;
#[cfg(test)]
mod tests;

/// Dense sketches that registers are raised to at once, so that the registers are read and written once for all of
/// them.
#[cfg(target_arch = "x86_64")]
const TOGETHER: usize = 8;

/// One implementation of each loop.
pub(crate) struct Kernels {
    /// For benchmarks and the messages of tests.
    pub(crate) name: &'static str,
    /// The power sum of packed registers.
    pub(crate) sum_packed: fn(&Packed) -> PowerSum,
    /// The power sum of registers in bytes, each below 64.
    pub(crate) sum_unpacked: fn(&Unpacked) -> PowerSum,
    /// Raises each register to the highest of the dense sketches' ones.
    pub(crate) raise: fn(&mut Unpacked, &[&Dense]),
    /// Packs registers, each below 64.
    pub(crate) pack: fn(&Unpacked, &mut Packed),
    /// An opcode boundary at or before the register's opcode in the bytes of a sparse sketch, header included: the
    /// nearer the better.
    pub(crate) approach: fn(&[u8], u16) -> Spot,
}

static PORTABLE: Kernels = Kernels {
    name: "portable",
    sum_packed: portable::sum_packed,
    sum_unpacked: portable::sum_unpacked,
    raise: portable::raise,
    pack: portable::pack,
    approach: portable::approach,
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

/// The count of packed registers.
pub(crate) fn count_packed(packed: &Packed) -> u64 {
    let sum = (best().sum_packed)(packed);
    sum.estimate().unwrap_or_else(|| from_histogram(&portable::histogram_packed(packed)))
}

/// The count of registers in bytes, each below 64.
pub(crate) fn count_unpacked(registers: &Unpacked) -> u64 {
    let sum = (best().sum_unpacked)(registers);
    sum.estimate().unwrap_or_else(|| from_histogram(&portable::histogram_unpacked(registers)))
}
