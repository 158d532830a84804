//! The upper bits of the keys, in unary: for each bucket a one for each of its members, and a zero.
//!
//! # Idea
//!
//! The member of index `i` in bucket `q` is the one at bit `i + q`, and bucket `q` begins behind the zero of index `q - 1`. So both questions
//! are a search for the n-th bit of a kind. A shard of some hundred members has ten words; which of them it is differs from
//! question to question, and a wrong guess would cost more than counting them all. So no step here branches on what it counts.

use core::hint::select_unpredictable;

/// Words that are counted without a branch between them.
const BLOCK: usize = 16;

/// A one in each byte.
const ONES: u64 = 0x0101_0101_0101_0101;
/// The highest bit of each byte.
const HIGHS: u64 = ONES << 7;

/// The words of the bit string, bit `i` of it being bit `i % 64` of word `i / 64`.
#[derive(Clone, Copy)]
pub(super) struct Upper<'a> {
    words: &'a [[u8; 8]],
}

impl<'a> Upper<'a> {
    #[inline(always)]
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { words: bytes.as_chunks().0 }
    }

    /// The word at this index; zeros behind the last.
    #[inline(always)]
    pub(super) fn word(self, index: usize) -> u64 {
        self.words.get(index).map_or(0, |word| u64::from_le_bytes(*word))
    }

    /// Where the bits of this bucket begin.
    #[inline(always)]
    pub(super) fn start_of(self, bucket: usize) -> usize {
        match bucket.checked_sub(1) {
            Some(before) => self.select::<false>(before) + 1,
            None => 0,
        }
    }

    /// How many ones follow from `bit` on.
    #[inline(always)]
    pub(super) fn ones_from(self, bit: usize) -> usize {
        let first = self.word(bit / 64) >> (bit % 64);
        let run = first.trailing_ones() as usize;
        if run + bit % 64 < 64 {
            return run;
        }
        self.ones_in_next(bit / 64 + 1, run)
    }

    #[inline(always)]
    fn ones_in_next(self, mut index: usize, mut run: usize) -> usize {
        loop {
            let ones = self.word(index).trailing_ones() as usize;
            run += ones;
            index += 1;
            if ones < 64 {
                return run;
            }
        }
    }

    /// Where the one or the zero of this index is, which must exist.
    #[inline(always)]
    pub(super) fn select<const ONE: bool>(self, index: usize) -> usize {
        let flip = if ONE { 0 } else { u64::MAX };
        let mut before = 0;
        let mut first = 0;
        for block in self.words.chunks(BLOCK) {
            let mut sum = before;
            let mut passed = 0;
            for word in block {
                let next = sum_of_bits(u64::from_le_bytes(*word) ^ flip) + sum;
                let whole = next <= index;
                passed += usize::from(whole);
                before = select_unpredictable(whole, next, before);
                sum = next;
            }
            if sum > index {
                let at = first + passed;
                return 64 * at + select_in_word(self.word(at) ^ flip, index - before);
            }
            first += block.len();
        }
        debug_assert!(false, "there is no bit of index {index}");
        64 * first
    }
}

#[inline(always)]
fn sum_of_bits(word: u64) -> usize {
    word.count_ones() as usize
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

/// Where the one of this index is in `word`, which has as many.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "below 64")]
const fn select_in_word(word: u64, index: usize) -> usize {
    let index = index as u64;
    let sums = sums_of_bytes(word);
    // Eight times the number of bytes that lie wholly before it.
    let shift = 8 * count_not_above(sums, index);
    let before = ((sums << 8) >> shift) & 0xff;
    let byte = (word >> shift) & 0xff;
    // A byte for each bit, 1 where it is set: bit `i` is kept in byte `i` alone, and a carry brings it to the top.
    let spread = byte.wrapping_mul(ONES) & 0x8040_2010_0804_0201;
    let bits = ((spread & !HIGHS) + 0x7f * ONES | spread) >> 7 & ONES;
    (shift + count_not_above(bits.wrapping_mul(ONES), index - before)) as usize
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
    *first = (word & below | (word & !below) << 1 | below + 1).to_le_bytes();
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
                assert_eq!(select_in_word(word, index), place, "{word:#x}");
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

    #[test]
    fn bits_are_found_beyond_the_first_block() {
        let words: Vec<u8> = (0..40 * 8_usize).map(|i| (i * i % 251).to_le_bytes()[0]).collect();
        let upper = Upper::new(&words);
        let is_one = |bit: &usize| words[bit / 8] >> (bit % 8) & 1 == 1;
        for (index, place) in (0..words.len() * 8).filter(is_one).enumerate() {
            assert_eq!(upper.select::<true>(index), place);
        }
        for (index, place) in (0..words.len() * 8).filter(|bit| !is_one(bit)).enumerate() {
            assert_eq!(upper.select::<false>(index), place);
            assert_eq!(upper.start_of(index + 1), place + 1);
        }
    }
}
