//! Operations on bit fields, and a model that works bit by bit with 128-bit integers.
#![expect(clippy::unwrap_used, reason = "the tests look for failures here")]

use arbitrary::Arbitrary;
use bitpack::Bitmap;
use bitpack::bitfield::{FieldType, Overflow, add, get, set};
use testkit::sequence::Sequence;

/// The number of bits that the operations of a run may access.
const REACH: u64 = 700;
/// The length in bytes of a string that contains every such field.
const LONGEST: usize = 96;

/// An operation on a field.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub(crate) enum Act {
    /// Read the field.
    Get,
    /// Write the field.
    Set(Number, Mode),
    /// Add to the field.
    Add(Number, Mode),
}

/// A number: near zero, at the limit of a width, or any.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub(crate) enum Number {
    /// A small number.
    Small(i8),
    /// Near a power of two, negative or not.
    Edge(u8, i8, bool),
    /// Any number.
    Any(i64),
}

/// The handling of an overflow.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub(crate) enum Mode {
    /// Keep the low bits.
    Wrap,
    /// Use the nearest value.
    Sat,
    /// Change nothing.
    Fail,
}

/// One step: a width, whether the field is signed, an offset, and the operation.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub(crate) struct FieldOp {
    bits: u8,
    signed: bool,
    offset: u16,
    act: Act,
}

impl Number {
    fn value(self) -> i64 {
        match self {
            Self::Small(value) => value.into(),
            Self::Edge(power, near, negative) => {
                let edge = (1i64 << (power % 63)).wrapping_add(near.into());
                if negative { edge.wrapping_neg() } else { edge }
            }
            Self::Any(value) => value,
        }
    }
}

/// A string that grows, one of full length, and the model of both.
struct Trio {
    bitmap: Bitmap,
    slice: [u8; LONGEST],
    model: Model,
}

impl Trio {
    fn new() -> Self {
        let model = Model { bits: vec![false; LONGEST * 8], len: 0 };
        Self { bitmap: Bitmap::new(), slice: [0; LONGEST], model }
    }
}

/// Runs the operations read from `bytes`, and compares all bytes after each.
pub(crate) fn run(bytes: &[u8]) {
    Sequence::from_bytes(bytes).run(Trio::new, step).unwrap();
}

fn step(Trio { bitmap, slice, model }: &mut Trio, op: &FieldOp) {
    let field =
        Field { bits: u32::from(op.bits % (63 + u8::from(op.signed))) + 1, signed: op.signed };
    let kind = if op.signed { FieldType::signed } else { FieldType::unsigned };
    let kind = kind(field.bits).unwrap();
    let offset = u64::from(op.offset) % REACH;
    match op.act {
        Act::Get => {
            let wanted = i64::try_from(model.get(field, offset)).unwrap();
            assert_eq!(bitmap.field(kind, offset), wanted, "{op:?}");
            assert_eq!(get(slice, kind, offset), wanted, "{op:?}");
            assert_eq!(get(bitmap.as_bytes(), kind, u64::MAX - offset), 0);
        }
        Act::Set(number, mode) => {
            let (value, overflow) = (number.value(), mode.into());
            let old = model.get(field, offset);
            let new = field.written(value, mode);
            let wanted = new.map(|_| i64::try_from(old).unwrap());
            assert_eq!(bitmap.set_field(kind, offset, value, overflow), wanted, "{op:?}");
            assert_eq!(set(slice, kind, offset, value, overflow), wanted, "{op:?}");
            assert_eq!(kind.fit(value, overflow).map(i128::from), new, "{op:?}");
            model.put(field, offset, new.unwrap_or(old));
        }
        Act::Add(number, mode) => {
            let (by, overflow) = (number.value(), mode.into());
            let old = model.get(field, offset);
            let new = field.settle(old + i128::from(by), mode);
            let wanted = new.map(|new| i64::try_from(new).unwrap());
            assert_eq!(bitmap.add_field(kind, offset, by, overflow), wanted, "{op:?}");
            assert_eq!(add(slice, kind, offset, by, overflow), wanted, "{op:?}");
            model.put(field, offset, new.unwrap_or(old));
        }
    }
    assert_eq!(bitmap.as_bytes(), &model.bytes()[..model.len], "{op:?}");
    assert_eq!(slice[..], model.bytes(), "{op:?}");
}

impl From<Mode> for Overflow {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Wrap => Self::Wrap,
            Mode::Sat => Self::Sat,
            Mode::Fail => Self::Fail,
        }
    }
}

/// The model's type of a field.
#[derive(Clone, Copy)]
struct Field {
    bits: u32,
    signed: bool,
}

impl Field {
    fn range(self) -> (i128, i128) {
        let half = 1 << (self.bits - 1);
        if self.signed { (-half, half - 1) } else { (0, 2 * half - 1) }
    }

    /// A number of any size, reduced to the field's range.
    fn settle(self, value: i128, mode: Mode) -> Option<i128> {
        let (min, max) = self.range();
        if (min..=max).contains(&value) {
            return Some(value);
        }
        match mode {
            Mode::Wrap => Some(min + (value - min).rem_euclid(1 << self.bits)),
            Mode::Sat => Some(value.clamp(min, max)),
            Mode::Fail => None,
        }
    }

    /// The value that a write leaves: Redis treats a negative value of an unsigned field as a large one, and likewise
    /// the smallest values of a signed field with saturation.
    fn written(self, value: i64, mode: Mode) -> Option<i128> {
        let (_, max) = self.range();
        let value = i128::from(value);
        let large = if self.signed {
            max - value > i128::from(i64::MAX) && self.bits < 64
        } else {
            value < 0
        };
        self.settle(if large { value + (1 << 64) } else { value }, mode)
    }
}

struct Model {
    bits: Vec<bool>,
    /// The length in bytes of a string that grows only when it is written.
    len: usize,
}

impl Model {
    fn get(&self, field: Field, offset: u64) -> i128 {
        let mut value = 0i128;
        for bit in 0..field.bits {
            let on = self.bits[usize::try_from(offset).unwrap() + bit as usize];
            value = value << 1 | i128::from(on);
        }
        let (_, max) = field.range();
        if value > max { value - (1 << field.bits) } else { value }
    }

    fn put(&mut self, field: Field, offset: u64, value: i128) {
        let start = usize::try_from(offset).unwrap();
        for bit in 0..field.bits {
            self.bits[start + bit as usize] = value >> (field.bits - 1 - bit) & 1 == 1;
        }
        self.len = self.len.max((start + field.bits as usize).div_ceil(8));
    }

    fn bytes(&self) -> Vec<u8> {
        let byte = |bits: &[bool]| bits.iter().fold(0, |byte, &on| byte << 1 | u8::from(on));
        self.bits.chunks(8).map(byte).collect()
    }
}
