//! The kernels in plain Rust: the fallback, and the reference that the others are tested against.

use crate::dense::{self, Dense};
use crate::estimate::{Histogram, PowerSum};
use crate::layout::{Packed, REGISTER_BITS, Unpacked};
use crate::sparse::Spot;

/// A number of bytes that is an integer number of registers, and this number.
const GROUP_BYTES: usize = 6;
const GROUP: usize = GROUP_BYTES * 8 / REGISTER_BITS;
const MASK: u64 = (1 << REGISTER_BITS) - 1;

/// The eight registers of six bytes.
#[inline]
fn unpack(group: [u8; GROUP_BYTES]) -> [u8; GROUP] {
    let [a, b, c, d, e, f] = group;
    let word = u64::from_le_bytes([a, b, c, d, e, f, 0, 0]);
    core::array::from_fn(|i| (word >> (i * REGISTER_BITS) & MASK) as u8)
}

/// Calls `f` with each group of registers and its place among the groups.
#[inline]
fn groups(packed: &Packed) -> impl Iterator<Item = [u8; GROUP]> {
    let (groups, _) = packed.as_chunks::<GROUP_BYTES>();
    groups.iter().map(|&group| unpack(group))
}

/// How many registers have each value. Four tables, so that equal neighbours do not wait for each other.
fn histogram(groups: impl Iterator<Item = [u8; GROUP]>) -> Histogram {
    let mut tables = [[0u32; 64]; 4];
    for group in groups {
        for (i, value) in group.into_iter().enumerate() {
            tables[i % 4][usize::from(value % 64)] += 1;
        }
    }
    core::array::from_fn(|value| tables.iter().map(|table| table[value]).sum())
}

fn sum(histogram: &Histogram) -> PowerSum {
    let mut sum = PowerSum::default();
    for (value, &count) in (0..).zip(histogram) {
        if count > 0 {
            sum.take(value, count);
        }
    }
    sum
}

/// The histogram of packed registers.
pub(crate) fn histogram_packed(packed: &Packed) -> Histogram {
    histogram(groups(packed))
}

/// The histogram of registers in bytes, each below 64.
pub(crate) fn histogram_unpacked(registers: &Unpacked) -> Histogram {
    histogram(registers.as_chunks().0.iter().copied())
}

/// The power sum of packed registers.
pub(crate) fn sum_packed(packed: &Packed) -> PowerSum {
    sum(&histogram_packed(packed))
}

/// The power sum of registers in bytes, each below 64.
pub(crate) fn sum_unpacked(registers: &Unpacked) -> PowerSum {
    sum(&histogram_unpacked(registers))
}

/// Raises each register to the highest of the dense sketches' ones.
pub(crate) fn raise(registers: &mut Unpacked, all: &[&Dense]) {
    for dense in all {
        let (targets, _) = registers.as_chunks_mut::<GROUP>();
        for (target, group) in targets.iter_mut().zip(groups(dense::packed(dense))) {
            for (register, value) in target.iter_mut().zip(group) {
                *register = (*register).max(value);
            }
        }
    }
}

/// Packs registers, each below 64.
pub(crate) fn pack(registers: &Unpacked, packed: &mut Packed) {
    let (targets, _) = packed.as_chunks_mut::<GROUP_BYTES>();
    for (target, group) in targets.iter_mut().zip(registers.as_chunks::<GROUP>().0) {
        let mut word = 0;
        for (i, &value) in group.iter().enumerate() {
            word |= (u64::from(value) & MASK) << (i * REGISTER_BITS);
        }
        let [a, b, c, d, e, f, ..] = word.to_le_bytes();
        *target = [a, b, c, d, e, f];
    }
}

/// The start: the plain scan is as fast from there as any in plain Rust.
pub(crate) fn approach(_: &[u8], _: u16) -> Spot {
    Spot::START
}
