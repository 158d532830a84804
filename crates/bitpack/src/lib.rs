//! Bitmaps, bit fields and fixed-width packed records over a byte string, in Redis's bit order.
mod arch;
pub mod bitfield;
mod bitmap;
pub mod bits;
pub mod packed;
mod word;

pub use bitmap::Bitmap;
pub use bits::Bits;
