//! Bitmaps, bit fields and fixed-width packed records over a byte string, in Redis's bit order.
mod arch;
pub mod bitfield;
mod bitmap;
pub mod bits;
pub mod packed;
mod word;

pub use bitmap::Bitmap;
pub use bits::Bits;

/// Each implementation of counting that this machine can run, by name, for benchmarks.
#[doc(hidden)]
pub fn count_kernels() -> impl Iterator<Item = (&'static str, fn(&[u8]) -> u64)> {
    arch::available().map(|kernels| (kernels.name, kernels.count))
}

/// Each implementation of OR that this machine can run, by name, for benchmarks: of two sources, each at least as long as the
/// output.
#[doc(hidden)]
pub fn or_kernels() -> impl Iterator<Item = (&'static str, impl Fn(&mut [u8], &[u8], &[u8]))> {
    arch::available().map(|kernels| {
        let or =
            |out: &mut [u8], a: &[u8], b: &[u8]| (kernels.combine)(out, arch::Fold::Or, a, &[b]);
        (kernels.name, or)
    })
}
