//! The header: which bits all members share, and how the others are split.

use super::bits::{PAD, mask};
use super::prefix::Prefix;
use super::upper::GROUP;

/// The bytes of the header.
pub(super) const HEADER: usize = 14;

/// The most members: the directory counts them in 16 bits.
pub(super) const MOST: usize = u16::MAX as usize;

const BASE_AT: usize = 0;
pub(super) const COUNT_AT: usize = BASE_AT + size_of::<u64>();
const WIDTH_AT: usize = COUNT_AT + size_of::<u16>();
const HOLE_AT_AT: usize = WIDTH_AT + 1;
const HOLE_LEN_AT: usize = HOLE_AT_AT + 1;
const LOW_AT: usize = HOLE_LEN_AT + 1;

const _: () = assert!(LOW_AT + 1 == HEADER);

/// The minimum number of members whose common bits are omitted: among this many, random bits do not agree by chance.
const HOLE_MEMBERS: usize = 24;

/// The logarithm of the minimum number of buckets, below which rebuilding a set is not worth it: one entry of the
/// directory.
const LEAST_BUCKETS: u32 = GROUP.ilog2();

/// The least value in the order of unsigned numbers, and so on.
#[inline(always)]
pub(super) const fn ordered(value: i64) -> u64 {
    (value ^ i64::MIN).cast_unsigned()
}

/// The value that is so ordered.
#[inline(always)]
pub(super) const fn unordered(value: u64) -> i64 {
    value.cast_signed() ^ i64::MIN
}

/// What the header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    /// The bits that all members have, of their [`ordered`] form; zeros where they differ.
    pub(super) base: u64,
    pub(super) count: u16,
    /// Bits below the prefix.
    pub(super) width: u8,
    /// Where among them the bits begin that are left out.
    pub(super) hole_at: u8,
    pub(super) hole_len: u8,
    /// Low bits of a key, kept as they are.
    pub(super) low: u8,
}

impl Form {
    /// The best form for these members, which increase and have the prefix.
    pub(super) fn suiting(prefix: Prefix, members: &[u64]) -> Self {
        let below = 1_u64.checked_shl(prefix.width()).unwrap_or(0).wrapping_sub(1);
        let start = ordered(prefix.first());
        let first = members.first().copied().unwrap_or(start);
        let varying = members.iter().fold(0, |all, member| all | (member ^ first));
        let (hole_at, hole_len) = match members.len() {
            HOLE_MEMBERS.. => longest_run(below & !varying),
            _ => (0, 0),
        };
        let hole = mask(hole_len) << hole_at;
        let keys = prefix.width() - hole_len;
        // As few as are not crowded. So a low part has at most 60 bits.
        let buckets = (2 * members.len()).div_ceil(3).next_power_of_two().ilog2();
        let buckets = buckets.max(LEAST_BUCKETS).min(keys);
        // Whole bytes move faster than bits do: in a set of some size they are worth twice the buckets, but no more.
        let whole = buckets > LEAST_BUCKETS && (keys - buckets) % 8 == 1;
        let buckets = buckets + u32::from(whole);
        Self {
            base: start | first & hole,
            count: u16::try_from(members.len()).expect("a set has at most Compact::MOST members"),
            width: byte(prefix.width()),
            hole_at: byte(hole_at),
            hole_len: byte(hole_len),
            low: byte(keys - buckets),
        }
    }

    #[inline(always)]
    pub(super) fn decode(header: [u8; HEADER]) -> Self {
        let [b0, b1, b2, b3, b4, b5, b6, b7, c0, c1, width, hole_at, hole_len, low] = header;
        Self {
            base: u64::from_le_bytes([b0, b1, b2, b3, b4, b5, b6, b7]),
            count: u16::from_le_bytes([c0, c1]),
            width,
            hole_at,
            hole_len,
            low,
        }
    }

    #[inline(always)]
    pub(super) fn encode(self) -> [u8; HEADER] {
        let [b0, b1, b2, b3, b4, b5, b6, b7] = self.base.to_le_bytes();
        let [c0, c1] = self.count.to_le_bytes();
        let Self { width, hole_at, hole_len, low, .. } = self;
        [b0, b1, b2, b3, b4, b5, b6, b7, c0, c1, width, hole_at, hole_len, low]
    }

    pub(super) fn prefix(self) -> Prefix {
        Prefix::new(unordered(self.base), u32::from(self.width))
    }

    /// The members that the header counts.
    #[inline(always)]
    pub(super) const fn len(self) -> usize {
        self.count as usize
    }

    #[inline(always)]
    pub(super) const fn with_count(self, count: u16) -> Self {
        Self { count, ..self }
    }

    /// How many buckets there are: a power of two.
    #[inline(always)]
    pub(super) const fn buckets(self) -> usize {
        1 << (self.width - self.hole_len - self.low)
    }

    /// Where the upper bits begin, in bytes; the directory is between the header and them.
    #[inline(always)]
    pub(super) const fn upper_at(self) -> usize {
        HEADER + self.buckets().div_ceil(GROUP) * size_of::<u16>()
    }

    /// Where the low parts begin, in bytes.
    #[inline(always)]
    pub(super) const fn lows_at(self) -> usize {
        self.upper_at() + (self.len() + self.buckets()).div_ceil(64) * 8
    }

    /// Where the low parts end, in bits from where they begin.
    #[inline(always)]
    pub(super) const fn lows_end(self) -> usize {
        self.len() * self.low as usize
    }

    /// Header, upper and low parts, and the padding behind them, in bytes.
    #[inline(always)]
    pub(super) const fn bytes(self) -> usize {
        self.lows_at() + self.lows_end().div_ceil(8) + PAD
    }

    /// Whether more buckets would save memory: there are one and a half members in each.
    #[inline(always)]
    pub(super) const fn is_crowded(self) -> bool {
        2 * self.len() > 3 * self.buckets() && self.low > 0
    }

    /// Whether fewer buckets would save memory: there is a sixth of the members that would be too many, which is well
    /// below the number that any form is chosen for.
    #[inline(always)]
    pub(super) const fn is_sparse(self) -> bool {
        4 * self.len() < self.buckets() && self.buckets() > GROUP
    }

    /// Bucket and low part of a value, `None` if it differs from all members in a bit that they share.
    #[inline(always)]
    pub(super) fn split(self, value: i64) -> Option<(usize, u64)> {
        let differing = ordered(value) ^ self.base;
        let key = self.squeeze(differing);
        let bucket = key >> self.low;
        let fits = (bucket < self.buckets() as u64) & (self.spread(key) == differing);
        #[expect(clippy::cast_possible_truncation, reason = "a number of buckets fits in a usize")]
        fits.then_some((bucket as usize, key & mask(self.low.into())))
    }

    /// The value of this bucket and low part.
    #[inline(always)]
    pub(super) const fn join(self, bucket: usize, low: u64) -> i64 {
        unordered(self.spread((bucket as u64) << self.low | low) | self.base)
    }

    /// Leaves out the bits of the hole.
    #[inline(always)]
    pub(super) const fn squeeze(self, bits: u64) -> u64 {
        if self.hole_len == 0 {
            return bits;
        }
        bits >> self.hole_at >> self.hole_len << self.hole_at | bits & mask(self.hole_at as u32)
    }

    /// Puts zeros where the hole is.
    #[inline(always)]
    pub(super) const fn spread(self, key: u64) -> u64 {
        if self.hole_len == 0 {
            return key;
        }
        key >> self.hole_at << self.hole_at << self.hole_len | key & mask(self.hole_at as u32)
    }
}

/// A number of bits, 64 at most.
fn byte(bits: u32) -> u8 {
    u8::try_from(bits).expect("a number of bits is at most 64")
}

/// Where the longest run of ones begins, and how long it is.
fn longest_run(word: u64) -> (u32, u32) {
    // Each step takes the highest one off every run.
    let (mut run, mut starts, mut len) = (word, 0, 0);
    while run != 0 {
        starts = run;
        run &= run >> 1;
        len += 1;
    }
    if len == 0 { (0, 0) } else { (starts.trailing_zeros(), len) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_run_of_ones_is_found() {
        let table = [
            (0, (0, 0)),
            (1, (0, 1)),
            (0b0110_0111, (0, 3)),
            (0b1111_0111, (4, 4)),
            (0x0f00, (8, 4)),
            (1 << 63, (63, 1)),
            (u64::MAX >> 1, (0, 63)),
        ];
        for (word, expected) in table {
            assert_eq!(longest_run(word), expected, "{word:#b}");
        }
    }

    #[test]
    fn order_survives_the_sign() {
        let values = [i64::MIN, -2, -1, 0, 1, i64::MAX];
        assert!(values.map(ordered).is_sorted());
        assert_eq!(values.map(ordered).map(unordered), values);
    }
}
