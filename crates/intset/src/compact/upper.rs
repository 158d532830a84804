//! The upper bits of the keys, in unary, and a directory of where they are.
//!
//! # Idea
//!
//! For each bucket there is a one for each of its members, and a zero. So the member of index `i` in bucket `q` is the
//! one at bit `i + q`, and bucket `q` begins behind the zero of index `q - 1`. To find it without counting from the
//! start, the directory has for each group of [`GROUP`] buckets how many members there are before it: group `g` begins
//! at bit `GROUP * g + directory[g]`. A group and its members are some thirty bits, so that one load brings them; the
//! bit at which a bucket begins differs between lookups, so no step branches on the counts.

use super::bits;

/// Buckets that share an entry of the directory.
pub(super) const GROUP: usize = 16;

/// A one in each byte.
const ONES: u64 = 0x0101_0101_0101_0101;
/// The highest bit of each byte.
const HIGHS: u64 = ONES << 7;

/// The directory and the bits, bit `i` of which is bit `i % 8` of byte `i / 8`.
#[derive(Clone, Copy)]
pub(super) struct Upper<'a> {
    directory: &'a [[u8; 2]],
    /// Whole words, and what is behind them: a load may reach beyond the last.
    bytes: &'a [u8],
}

/// The bits of a bucket: where they begin, and how many members it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bucket {
    pub(super) start: usize,
    pub(super) run: usize,
}

impl<'a> Upper<'a> {
    #[inline(always)]
    pub(super) fn new(directory: &'a [u8], bytes: &'a [u8]) -> Self {
        Self { directory: directory.as_chunks().0, bytes }
    }

    /// The word at this index.
    #[inline(always)]
    pub(super) fn word(self, index: usize) -> u64 {
        bits::read(self.bytes, 64 * index)
    }

    /// How many members there are before this group.
    #[inline(always)]
    pub(super) fn before(self, group: usize) -> usize {
        u16::from_le_bytes(self.directory[group]).into()
    }

    /// Finds a bucket whose group begins behind `before` members.
    #[inline(always)]
    pub(super) fn bucket(self, bucket: usize, before: usize) -> Bucket {
        let start = bucket / GROUP * GROUP + before;
        let bits = bits::read(self.bytes, start);
        // With a zero in front, a bucket begins where the zero of its index is.
        let zeros = !(bits << 1);
        let index = bucket % GROUP;
        let sums = sums_of_bytes(zeros);
        let at = select_in_word(zeros, sums, index);
        let run = (bits >> at).trailing_ones() as usize;
        if sums >> 56 > index as u64 && at + run < 64 {
            Bucket { start: start + at, run }
        } else {
            self.bucket_far(start, index)
        }
    }

    /// The same where the load ends before the bucket does: behind `index` zeros from `start`.
    #[cold]
    #[inline(never)]
    fn bucket_far(self, mut start: usize, mut index: usize) -> Bucket {
        while index > 0 {
            start += self.ones_from(start) + 1;
            index -= 1;
        }
        Bucket { start, run: self.ones_from(start) }
    }

    /// How many ones follow from `bit` on.
    fn ones_from(self, bit: usize) -> usize {
        let mut run = 0;
        loop {
            let ones = bits::read(self.bytes, bit + run).trailing_ones() as usize;
            run += ones;
            if ones < 64 {
                return run;
            }
        }
    }

    /// Where the one of this index is, which must exist.
    pub(super) fn select(self, index: usize) -> usize {
        // The last group that has no more members than that before it.
        let group = self
            .directory
            .partition_point(|before| usize::from(u16::from_le_bytes(*before)) <= index)
            - 1;
        let before = self.before(group);
        let (mut at, mut left) = (GROUP * group + before, index - before);
        loop {
            let bits = bits::read(self.bytes, at);
            let ones = bits.count_ones() as usize;
            if left < ones {
                return at + select_in_word(bits, sums_of_bytes(bits), left);
            }
            left -= ones;
            at += 64;
        }
    }
}

/// The ones up to and with each byte, a byte each.
#[inline(always)]
const fn sums_of_bytes(word: u64) -> u64 {
    let pairs = word - ((word >> 1) & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + ((pairs >> 2) & 0x3333_3333_3333_3333);
    ((fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f).wrapping_mul(ONES)
}

/// How many bytes of `sums`, each at most 64, are not above `limit`, at most 63.
#[inline(always)]
const fn count_not_above(sums: u64, limit: u64) -> u64 {
    (((limit.wrapping_mul(ONES) | HIGHS) - sums) & HIGHS).wrapping_mul(ONES >> 7) >> 56
}

/// Where the one of this index is in `word`, whose sums are given; any number if there is none.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "below 128")]
const fn select_in_word(word: u64, sums: u64, index: usize) -> usize {
    let index = index as u64;
    // Eight times the number of bytes that lie wholly before it.
    let shift = (8 * count_not_above(sums, index)) & 63;
    let before = ((sums << 8) >> shift) & 0xff;
    let byte = (word >> shift) & 0xff;
    // A byte for each bit, 1 where it is set: bit `i` is kept in byte `i` alone, and a carry brings it to the top.
    let spread = byte.wrapping_mul(ONES) & 0x8040_2010_0804_0201;
    let bits = (((spread & !HIGHS) + 0x7f * ONES) | spread) >> 7 & ONES;
    let within = count_not_above(bits.wrapping_mul(ONES), index.wrapping_sub(before) & 63);
    (shift + (within & 7)) as usize
}

/// Adds 1, or takes it away, where the directory counts the members before the groups behind this bucket.
#[inline(always)]
pub(super) fn shift_directory(directory: &mut [u8], bucket: usize, by: i16) {
    // All entries, those before it by 0: how many there are behind it no branch predictor knows.
    for (group, before) in (0_u16..).zip(directory.as_chunks_mut::<2>().0) {
        let by = if usize::from(group) > bucket / GROUP { by } else { 0 };
        *before = u16::from_le_bytes(*before).wrapping_add_signed(by).to_le_bytes();
    }
}

/// Inserts a one at `bit`; the last word has room.
#[inline(always)]
pub(super) fn insert_one(bytes: &mut [u8], bit: usize) {
    let (words, _) = bytes.as_chunks_mut::<8>();
    let mut rest = words[bit / 64..].iter_mut();
    let Some(first) = rest.next() else { return };
    let word = u64::from_le_bytes(*first);
    let below = (1_u64 << (bit % 64)) - 1;
    let mut carry = word >> 63;
    *first = (word & below | (word & !below) << 1 | (below + 1)).to_le_bytes();
    for slot in rest {
        let word = u64::from_le_bytes(*slot);
        *slot = (word << 1 | carry).to_le_bytes();
        carry = word >> 63;
    }
    debug_assert_eq!(carry, 0, "the last word has room");
}

/// Takes out the bit at `bit`; a zero comes in at the end.
#[inline(always)]
pub(super) fn remove_bit(bytes: &mut [u8], bit: usize) {
    let (words, _) = bytes.as_chunks_mut::<8>();
    let (head, rest) = words.split_at_mut(bit / 64 + 1);
    let Some(first) = head.last_mut() else { return };
    let word = u64::from_le_bytes(*first);
    let below = (1_u64 << (bit % 64)) - 1;
    let mut kept = word & below | (word >> 1) & !below;
    let mut last = first;
    for slot in rest {
        let word = u64::from_le_bytes(*slot);
        *last = (kept | word << 63).to_le_bytes();
        kept = word >> 1;
        last = slot;
    }
    *last = kept.to_le_bytes();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bit_of_each_index_is_found_in_a_word() {
        let mut word: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut words = vec![1, 1 << 63, u64::MAX, 0x8000_0000_0000_0001, 0x00ff_0000_0000_ff00];
        for _ in 0..500 {
            word = word.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
            words.extend([word, word & (word >> 7), word & (word << 9) & (word >> 21) | 2]);
        }
        for word in words {
            let places = (0..64).filter(|bit| word >> bit & 1 == 1);
            for (index, place) in places.enumerate() {
                assert_eq!(select_in_word(word, sums_of_bytes(word), index), place, "{word:#x}");
            }
        }
    }

    #[test]
    fn bits_come_in_and_go_out_at_every_place() {
        let bits: Vec<bool> = (0..300_u32).map(|i| i * i % 7 < 3).collect();
        let bytes = |bits: &[bool]| {
            let mut bytes = vec![0_u8; 40];
            bits.iter().enumerate().for_each(|(i, bit)| bytes[i / 8] |= u8::from(*bit) << (i % 8));
            bytes
        };
        for at in 0..bits.len() {
            let mut expected = bits.clone();
            expected.insert(at, true);
            let mut got = bytes(&bits);
            insert_one(&mut got, at);
            assert_eq!(got, bytes(&expected), "{at}");
            remove_bit(&mut got, at);
            assert_eq!(got, bytes(&bits), "{at}");
        }
    }

    /// With all members in one bucket, in the buckets of one group, in every bucket, and so on.
    #[test]
    fn buckets_and_members_are_found_wherever_they_are() {
        let buckets = 64;
        let counts: [fn(usize) -> usize; 6] = [
            |bucket| usize::from(bucket == 21) * 300,
            |bucket| usize::from((16..32).contains(&bucket)) * 9,
            |_| 1,
            |bucket| bucket * bucket % 7,
            |bucket| usize::from(bucket % 16 == 15) * 64,
            |_| 0,
        ];
        for count in counts {
            let (mut directory, mut bits, mut all) = (Vec::new(), Vec::new(), Vec::new());
            for bucket in 0..buckets {
                if bucket % GROUP == 0 {
                    let before = bits.len() - bucket;
                    directory.extend(u16::try_from(before).unwrap().to_le_bytes());
                }
                all.push(Bucket { start: bits.len(), run: count(bucket) });
                bits.extend(std::iter::repeat_n(true, count(bucket)));
                bits.push(false);
            }
            let mut bytes = vec![0; bits.len().div_ceil(64) * 8 + 9];
            bits.iter().enumerate().for_each(|(i, bit)| bytes[i / 8] |= u8::from(*bit) << (i % 8));
            let upper = Upper::new(&directory, &bytes);
            for (bucket, expected) in all.iter().enumerate() {
                let before = upper.before(bucket / GROUP);
                assert_eq!(upper.bucket(bucket, before), *expected, "{bucket}");
            }
            let ones = (0..bits.len()).filter(|bit| bits[*bit]);
            for (index, place) in ones.enumerate() {
                assert_eq!(upper.select(index), place);
            }
        }
    }
}
