//! Fields of bits in a byte slice: bit `i` is bit `i % 8` of byte `i / 8`.

/// Bytes that follow the last field, so that any can be read by one load, a field of no bits too.
pub(super) const PAD: usize = SPAN;

/// Bytes that a field of up to 64 bits may touch.
const SPAN: usize = 9;

/// The `len` lowest bits; `len` is at most 63.
#[inline(always)]
pub(super) const fn mask(len: u32) -> u64 {
    (1 << len) - 1
}

/// The word at this byte.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(*bytes[at..].first_chunk().expect("the word is inside the blob"))
}

/// Writes the word at this byte.
#[inline(always)]
fn set_word(bytes: &mut [u8], at: usize, word: u64) {
    *bytes[at..].first_chunk_mut().expect("the word is inside the blob") = word.to_le_bytes();
}

/// The 64 bits from `bit` on.
#[inline(always)]
pub(super) fn read(bytes: &[u8], bit: usize) -> u64 {
    let span: &[u8; SPAN] = bytes[bit / 8..].first_chunk().expect("padding follows the last field");
    aligned(word(span, 0), word(span, 1), bit % 8)
}

/// The word that begins at bit `shift`, 7 at most, of the first of two words; the second begins a byte behind the
/// first.
///
/// Where both have a bit they agree, so that the second need not be cut.
#[inline(always)]
const fn aligned(first: u64, second: u64, shift: usize) -> u64 {
    first >> shift | second << (8 - shift)
}

/// Writes the `len` low bits of `value`, which has no others, from `bit` on; `len` is at most 63.
#[inline(always)]
pub(super) fn write(bytes: &mut [u8], bit: usize, len: u32, value: u64) {
    let shift = bit % 8;
    let at = bit / 8;
    let low = word(bytes, at) & !(mask(len) << shift) | value << shift;
    set_word(bytes, at, low);
    // What does not fit the word, at most 7 bits.
    let over = (mask(len) >> 1) >> (63 - shift);
    if over != 0 {
        let last = u64::from(bytes[at + 8]) & !over | (value >> 1) >> (63 - shift);
        bytes[at + 8] = last.to_le_bytes()[0];
    }
}

/// Writes fields of one length one after the other, over zeros.
pub(super) struct Writer<'a> {
    bytes: &'a mut [u8],
    len: u32,
    /// Where the next word begins, in bytes.
    at: usize,
    /// The bits of it so far, and how many: less than a word.
    word: u64,
    filled: u32,
}

impl<'a> Writer<'a> {
    /// A writer of fields of `len` bits, 63 at most, from the start of `bytes`.
    pub(super) fn new(bytes: &'a mut [u8], len: u32) -> Self {
        Self { bytes, len, at: 0, word: 0, filled: 0 }
    }

    /// Writes a field, which has no other bits.
    #[inline(always)]
    pub(super) fn push(&mut self, field: u64) {
        self.word |= field << self.filled;
        self.filled += self.len;
        if self.filled >= 64 {
            set_word(self.bytes, self.at, self.word);
            self.at += 8;
            self.filled -= 64;
            // What did not fit: the `filled` highest bits of the field.
            self.word = field >> (self.len - self.filled);
        }
    }

    /// Writes what is left, and zeros to the end of its word.
    pub(super) fn finish(self) {
        set_word(self.bytes, self.at, self.word);
    }
}

/// Words that are read together before any of them is written, so that the compiler can shift them side by side.
const TOGETHER: usize = 4;
const TOGETHER_BYTES: usize = 8 * TOGETHER;

/// The [`TOGETHER`] words from `bit` on.
#[inline(always)]
fn read_some(bytes: &[u8], bit: usize) -> [[u8; 8]; TOGETHER] {
    let span: &[u8; TOGETHER_BYTES + 1] =
        bytes[bit / 8..].first_chunk().expect("padding follows the last field");
    let shift = bit % 8;
    let (firsts, _) = span.as_chunks::<8>();
    let (seconds, _) = span[1..].as_chunks::<8>();
    core::array::from_fn(|k| {
        let (first, second) = (u64::from_le_bytes(firsts[k]), u64::from_le_bytes(seconds[k]));
        aligned(first, second, shift).to_le_bytes()
    })
}

/// Moves the bits `at..end` up by `by`, 63 at most, to make room for a field.
pub(super) fn open(bytes: &mut [u8], at: usize, end: usize, by: u32) {
    let by = by as usize;
    if (at | by).is_multiple_of(8) {
        bytes.copy_within(at / 8..end.div_ceil(8), (at + by) / 8);
        return;
    }
    // From the back, whole words, while all their bits lie in the range. What is behind the range may come along to
    // fill the last byte.
    let mut to = (end + by).div_ceil(8);
    while to >= TOGETHER_BYTES && 8 * (to - TOGETHER_BYTES) >= at + by {
        to -= TOGETHER_BYTES;
        let words = read_some(bytes, 8 * to - by);
        bytes[to..to + TOGETHER_BYTES].copy_from_slice(words.as_flattened());
    }
    while to >= 8 && 8 * (to - 8) >= at + by {
        to -= 8;
        let moved = read(bytes, 8 * to - by);
        set_word(bytes, to, moved);
    }
    move_few(bytes, at, at + by, 8 * to - by - at);
}

/// Moves the bits `at + by..end` down by `by`, 63 at most, over a field.
pub(super) fn close(bytes: &mut [u8], at: usize, end: usize, by: u32) {
    let by = by as usize;
    if (at | by).is_multiple_of(8) {
        bytes.copy_within((at + by) / 8..end.div_ceil(8), at / 8);
        return;
    }
    let end = end - by;
    // To the next byte, then whole words.
    move_few(bytes, at + by, at, (at.next_multiple_of(8) - at).min(end - at));
    let mut to = at.div_ceil(8);
    while 8 * (to + TOGETHER_BYTES) <= end {
        let words = read_some(bytes, 8 * to + by);
        bytes[to..to + TOGETHER_BYTES].copy_from_slice(words.as_flattened());
        to += TOGETHER_BYTES;
    }
    while 8 * to < end {
        let moved = read(bytes, 8 * to + by);
        set_word(bytes, to, moved);
        to += 8;
    }
}

/// Moves `len` bits, 63 at most.
#[inline(always)]
fn move_few(bytes: &mut [u8], from: usize, to: usize, len: usize) {
    let len = u32::try_from(len).expect("the length is below that of a word");
    let moved = read(bytes, from) & mask(len);
    write(bytes, to, len, moved);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits_of(bytes: &[u8]) -> Vec<bool> {
        (0..8 * bytes.len()).map(|bit| bytes[bit / 8] >> (bit % 8) & 1 == 1).collect()
    }

    /// Bytes without a pattern, and padding.
    fn sample(len: usize) -> Vec<u8> {
        let mut state = 7_u64;
        let next = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (state >> 40).to_le_bytes()[0]
        };
        std::iter::repeat_with(next).take(len + PAD).collect()
    }

    #[test]
    fn fields_are_read_and_written_at_every_bit() {
        for bit in 0..80 {
            for len in 0..64_u32 {
                let mut bytes = sample(20);
                let mut expected = bits_of(&bytes);
                let value = 0xa5a5_5a5a_1234_9876 & mask(len);
                write(&mut bytes, bit, len, value);
                for k in 0..len as usize {
                    expected[bit + k] = value >> k & 1 == 1;
                }
                assert_eq!(bits_of(&bytes), expected, "{len} bits at {bit}");
                assert_eq!(read(&bytes, bit) & mask(len), value);
                let all = (0..64).fold(0, |all, k| all | u64::from(expected[bit + k]) << k);
                assert_eq!(read(&bytes, bit), all);
            }
        }
    }

    #[test]
    fn a_gap_opens_and_closes_at_every_place() {
        // Room for the end and a gap, then padding.
        for (by, end) in (1..64_u32).flat_map(|by| [5, 64, 163, 700].map(|end| (by, end))) {
            let size = (end + by as usize).div_ceil(8);
            for at in (0..=end).step_by(if end > 200 { 7 } else { 1 }) {
                let before = sample(size);
                let bits = bits_of(&before);
                let mut bytes = before.clone();
                open(&mut bytes, at, end, by);
                let moved = bits_of(&bytes);
                assert_eq!(moved[..at], bits[..at], "{by} bits at {at} of {end}");
                assert_eq!(moved[at + by as usize..end + by as usize], bits[at..end]);
                write(&mut bytes, at, by, 0);
                close(&mut bytes, at, end + by as usize, by);
                assert_eq!(bits_of(&bytes)[..end], bits[..end], "{by} bits at {at} of {end}");
            }
        }
    }
}
