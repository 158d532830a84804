//! Many updates of the sparse encoding in one pass over the opcodes.
//!
//! An update changes only opcodes between the zeros before its register and the zeros after it: VALs are joined, zeros
//! never. So two updates with a register of value 0 between them, before and after, leave the same bytes in either
//! order. Updates without such a register between them form a group, and are applied in their original order. Groups
//! are applied in the order of the registers, at the end of a new body: no update searches from the start, and no byte
//! after it has to move.
//!
//! This holds for opcodes as updates leave them: none can be joined with the next one. Otherwise the five opcodes that
//! an update examines could reach into another group.

use alloc::vec;
use alloc::vec::Vec;

use crate::hash::register_and_rank;
use crate::layout::{COVERED, HEADER_LEN};
use crate::opcode::{self, Run, VAL_MAX, VAL_MAX_RUN};
use crate::sparse::{self, Spot, Update};

/// Bits of an element's number. This limits the elements of one pass.
const AT_BITS: u32 = 10;
const MOST: usize = 1 << AT_BITS;

/// Bits of a rank.
const RANK_BITS: u32 = 6;

/// The most bytes that an update adds.
const MOST_ADDED: usize = 3;

/// How many elements can be added in one pass: with that many it always stays sparse.
pub(crate) fn most(bytes: &[u8], max_bytes: usize) -> usize {
    (max_bytes.saturating_sub(bytes.len()) / MOST_ADDED).min(MOST)
}

/// Whether a pass over all opcodes takes less time than a search for each of this many elements.
pub(crate) const fn is_worth_it(bytes: &[u8], elements: usize) -> bool {
    /// The bytes of the pass that cost as much as one element.
    const BYTES: usize = 32;
    elements > 3 && elements * BYTES >= bytes.len()
}

/// The register of an element, its number among all, and its rank, from the highest bits down: so elements sort by
/// register, and those of one register in their original order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Element(u32);

impl Element {
    /// `None` if the rank is too high for the sparse encoding.
    #[expect(clippy::cast_possible_truncation, reason = "fewer than MOST")]
    fn new((at, &hash): (usize, &u64)) -> Option<Self> {
        let (register, rank) = register_and_rank(hash);
        let key = u32::from(register) << AT_BITS | at as u32;
        (rank <= VAL_MAX).then_some(Self(key << RANK_BITS | u32::from(rank)))
    }

    const fn register(self) -> u16 {
        (self.0 >> (AT_BITS + RANK_BITS)) as u16
    }

    const fn at(self) -> usize {
        (self.0 >> RANK_BITS) as usize & (MOST - 1)
    }

    const fn rank(self) -> u8 {
        (self.0 & ((1 << RANK_BITS) - 1)) as u8
    }
}

/// Adds the elements with these hashes to a sparse `HyperLogLog`, with the same bytes as adding them one by one, and
/// returns for each whether it raised a register. Returns `None`, and changes nothing, if one pass cannot do it: the
/// opcodes are damaged or not as updates leave them, or an element needs the dense encoding. The caller passes at most
/// [`most`] hashes.
pub(crate) fn add(bytes: &mut Vec<u8>, hashes: &[u64]) -> Option<Vec<bool>> {
    let mut elements = hashes.iter().enumerate().map(Element::new).collect::<Option<Vec<_>>>()?;
    elements.sort_unstable();
    let mut raised = vec![false; hashes.len()];
    let mut body = Body::new(bytes, bytes.len() + hashes.len() * MOST_ADDED);
    let mut rest = &mut *elements;
    while !rest.is_empty() {
        rest = body.add_group(rest, &mut raised)?;
    }
    let body = body.finish()?;
    sparse::grow(bytes, body.len().saturating_sub(bytes.len()));
    bytes.clear();
    bytes.extend_from_slice(&body);
    Some(raised)
}

/// A body that is copied as far as it has been scanned, and changed at its end.
struct Body<'a> {
    old: &'a [u8],
    /// Offset of the opcode that comes next.
    at: usize,
    /// Offset in the old bytes up to which they have been copied.
    copied: usize,
    new: Vec<u8>,
    /// The last opcode that was scanned, and its position in the new bytes.
    run: Run,
    spot: Spot,
    /// The last zeros before it. No later update changes where they begin.
    zeros: Spot,
}

impl<'a> Body<'a> {
    fn new(old: &'a [u8], longest: usize) -> Self {
        let mut new = Vec::with_capacity(longest + sparse::MOST_OPCODES);
        new.extend_from_slice(&old[..HEADER_LEN]);
        let (at, copied) = (HEADER_LEN, HEADER_LEN);
        let (run, spot) = (Run { value: 0, span: 0, len: 0 }, Spot::START);
        Self { old, at, copied, new, run, spot, zeros: spot }
    }

    /// The first register after the last opcode.
    const fn end(&self) -> u32 {
        self.spot.first + self.run.span
    }

    /// Scans the next opcode.
    #[inline]
    fn advance(&mut self) -> Option<()> {
        let run = opcode::decode(self.old.get(self.at..)?)?;
        let (first, before) = (self.end(), self.run);
        let joins = run.value > 0 && run.value == before.value;
        if first + run.span > COVERED || joins && run.span + before.span <= VAL_MAX_RUN {
            return None;
        }
        if before.value == 0 {
            self.zeros = self.spot;
        }
        let at = self.new.len() + (self.at - self.copied);
        self.spot = Spot { at, first, prev: self.spot.at };
        self.run = run;
        self.at += run.len;
        Some(())
    }

    /// Copies what was scanned.
    fn copy(&mut self) {
        self.new.extend_from_slice(&self.old[self.copied..self.at]);
        self.copied = self.at;
    }

    /// Adds the first element and those of its group, and returns the others.
    fn add_group<'e>(
        &mut self,
        elements: &'e mut [Element],
        raised: &mut [bool],
    ) -> Option<&'e mut [Element]> {
        let (&mut element, _) = elements.split_first_mut()?;
        let register = u32::from(element.register());
        while self.end() <= register {
            self.advance()?;
        }
        let (spot, run) = (self.spot, self.run);
        if run.value >= element.rank() {
            return Some(&mut elements[1..]);
        }
        let start = if run.value == 0 && spot.first < register { spot } else { self.zeros };

        let (count, zero) = self.group(elements)?;
        let (group, others) = elements.split_at_mut(count);
        self.copy();
        if let [element] = group {
            raised[element.at()] = self.update(spot, run, *element);
        } else {
            group.sort_unstable_by_key(|element| element.at());
            for &mut element in group {
                let mut spot = start;
                let run = sparse::find(&self.new, &mut spot, element.register()).ok()?;
                raised[element.at()] = self.update(spot, run, element);
            }
        }
        self.leave(zero);
        Some(others)
    }

    /// The number of elements in the group of the first one, and the register of value 0 after them, or the number of
    /// registers if there is none. Scans all opcodes up to that register.
    fn group(&mut self, elements: &[Element]) -> Option<(usize, u32)> {
        let mut count = 0;
        loop {
            let last = u32::from(elements[count].register());
            count += 1;
            let zero = loop {
                let next = self.spot.first.max(last + 1);
                if self.run.value == 0 && next < self.end() || self.end() == COVERED {
                    break if self.run.value == 0 { next } else { COVERED };
                }
                self.advance()?;
            };
            // An element at that register joins its group.
            if elements.get(count).is_none_or(|next| u32::from(next.register()) > zero) {
                return Some((count, zero));
            }
        }
    }

    /// Raises a register that `run` at `spot` covers; returns whether it was lower.
    #[inline]
    fn update(&mut self, spot: Spot, run: Run, element: Element) -> bool {
        let (register, rank) = (element.register(), element.rank());
        sparse::update(&mut self.new, spot, run, register, rank, usize::MAX) == Update::Raised
    }

    /// Sets the last opcode to what an update has left of the last zeros, from that register on.
    fn leave(&mut self, zero: u32) {
        if zero > self.spot.first {
            let span = self.end() - zero;
            let (_, len) = opcode::zeros(span);
            self.run = Run { value: 0, span, len: len as usize };
        }
        let at = self.new.len() - self.run.len;
        // Nothing is joined with zeros, so what is before them does not matter.
        self.spot = Spot { at, first: zero, prev: at };
    }

    /// Scans the rest and returns the new bytes.
    fn finish(mut self) -> Option<Vec<u8>> {
        while self.end() < COVERED {
            self.advance()?;
        }
        self.copy();
        (self.at == self.old.len()).then_some(self.new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::HllMut;
    use crate::layout::{REGISTERS, SPARSE_MAX_BYTES};

    /// Numbers that look random, below a bound.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) % bound
        }

        /// A hash that gives one of so many registers from the first on, and mostly a low rank, up to the highest.
        fn hash(&mut self, first: u64, registers: u64) -> u64 {
            let register = (first + self.below(registers)) % REGISTERS as u64;
            let zeros =
                self.below(4) + if self.below(40) == 0 { u64::from(VAL_MAX) - 4 } else { 0 };
            register | 1 << (u64::from(crate::layout::P) + zeros)
        }
    }

    fn one_by_one(bytes: &mut Vec<u8>, hashes: &[u64]) -> Vec<bool> {
        let mut edit = HllMut::new(bytes).unwrap();
        hashes.iter().map(|&hash| edit.add_hash(hash, usize::MAX).unwrap()).collect()
    }

    #[test]
    fn a_pass_leaves_the_bytes_of_one_by_one() {
        let mut random = Random(1);
        for registers in [3, 12, 60, 300, 2000, REGISTERS as u64] {
            for round in 0..400 {
                let first = [0, REGISTERS as u64 - registers, random.below(REGISTERS as u64)];
                let first = first[round % 3];
                let mut before = crate::empty();
                for _ in 0..random.below(registers.min(500)) {
                    one_by_one(&mut before, &[random.hash(first, registers)]);
                }
                let count = random.below(registers.min(500)) + 1;
                let hashes: Vec<u64> = (0..count).map(|_| random.hash(first, registers)).collect();
                let (mut many, mut single) = (before.clone(), before);
                let raised = add(&mut many, &hashes).unwrap();
                assert_eq!(raised, one_by_one(&mut single, &hashes));
                // The caller marks the cached cardinality stale.
                assert_eq!(many[HEADER_LEN..], single[HEADER_LEN..]);
            }
        }
    }

    #[test]
    fn a_pass_changes_nothing_where_the_opcodes_are_none_of_an_update() {
        let hashes: Vec<u64> = (0..8).map(|n| 1 << 20 | (n * 500)).collect();
        let body = |opcodes: &[u8]| [&crate::empty()[..HEADER_LEN], opcodes].concat();
        let bodies: [&[u8]; 7] = [
            &[],
            // Too few registers, and a byte that is missing.
            &[0x7f, 0xfe],
            &[0x7f],
            // Too many.
            &[0x00, 0x7f, 0xff],
            &[0x7f, 0xff, 0x00],
            // 16,380 zeros and VALs that can be joined, behind all of the elements.
            &[0x7f, 0xfb, 0x81, 0x81],
            // So before them.
            &[0x80, 0x82, 0x7f, 0xfb],
        ];
        for opcodes in bodies {
            let bytes = body(opcodes);
            let mut changed = bytes.clone();
            assert_eq!(add(&mut changed, &hashes), None, "{opcodes:?}");
            assert_eq!(changed, bytes);
        }
        // Such as cannot be joined.
        for opcodes in [&[0x7f, 0xfa, 0x81, 0x82], &[0x7f, 0xfb, 0x85, 0x81]] {
            assert!(add(&mut body(opcodes), &hashes).is_some(), "{opcodes:?}");
        }
    }

    #[test]
    fn zeros_that_could_be_shorter_stay_as_they_are() {
        let hash = |register: u64| 1 << 20 | register;
        // 64 zeros, ten as an XZERO, the others.
        let bytes = [&crate::empty()[..HEADER_LEN], &[0x3f, 0x40, 0x09, 0x7f, 0xb5]].concat();
        for hashes in [[hash(63), hash(100)], [hash(63), hash(70)], [hash(64), hash(63)]] {
            let (mut many, mut single) = (bytes.clone(), bytes.clone());
            assert_eq!(add(&mut many, &hashes), Some(one_by_one(&mut single, &hashes)));
            assert_eq!(many[HEADER_LEN..], single[HEADER_LEN..], "{hashes:x?}");
        }
    }

    /// Opcodes in any order, of which some could be shorter, and in every other body joined.
    fn any_body(random: &mut Random) -> Vec<u8> {
        let mut bytes = crate::empty();
        bytes.truncate(HEADER_LEN);
        let (values, may_join) = (1 + random.below(30), random.below(2) == 0);
        let (mut left, mut last) = (u64::from(COVERED), 0);
        while left > 0 {
            let kind = random.below(8);
            let most = [left.min(300), left.min(3)][usize::from(kind > 0)];
            let span = 1 + random.below(most);
            let [low, high, ..] = (span - 1).to_le_bytes();
            match kind {
                0 => bytes.extend([0x40 | high, low]),
                1 | 2 => bytes.push(low),
                _ => {
                    let value = u8::try_from(random.below(values)).unwrap();
                    last = if may_join || value != last { value } else { value ^ 1 };
                    bytes.push(0x80 | last << 2 | low);
                }
            }
            left -= span;
        }
        bytes
    }

    #[test]
    fn a_pass_leaves_the_bytes_of_one_by_one_or_none_whatever_there_was() {
        let mut random = Random(2);
        let mut done = 0;
        for _ in 0..3000 {
            let before = any_body(&mut random);
            let first = random.below(COVERED.into());
            let hashes: Vec<u64> = (0..8).map(|_| random.hash(first, 60)).collect();
            let (mut many, mut single) = (before.clone(), before.clone());
            match add(&mut many, &hashes) {
                Some(raised) => {
                    assert_eq!(raised, one_by_one(&mut single, &hashes));
                    assert_eq!(many[HEADER_LEN..], single[HEADER_LEN..]);
                    done += 1;
                }
                None => assert_eq!(many, before),
            }
        }
        assert!((500..2500).contains(&done), "{done}");
    }

    #[test]
    fn few_elements_are_not_worth_a_pass_over_many_bytes() {
        for (bytes, elements) in [(18, 4), (128, 4), (129, 5), (3000, 94)] {
            assert!(is_worth_it(&vec![0; bytes], elements));
            assert!(!is_worth_it(&vec![0; bytes], elements - 1));
        }
    }

    #[test]
    fn a_pass_has_room_for_all_that_it_may_add() {
        let bytes = crate::empty();
        assert_eq!(most(&bytes, bytes.len()), 0);
        assert_eq!(most(&bytes, 0), 0);
        assert_eq!(most(&bytes, SPARSE_MAX_BYTES), (SPARSE_MAX_BYTES - bytes.len()) / MOST_ADDED);
        assert_eq!(most(&bytes, usize::MAX), MOST);
        // XZEROs around each VAL, the most that there can be.
        let hashes: Vec<u64> = (1..=100).map(|n| 1 << 20 | (n * 100)).collect();
        let mut added = bytes.clone();
        assert_eq!(add(&mut added, &hashes), Some(vec![true; 100]));
        assert_eq!(added.len(), bytes.len() + 100 * MOST_ADDED);
        // And none for a rank that the sparse encoding has not.
        let too_high = 1 << (crate::layout::P + u32::from(VAL_MAX));
        assert_eq!(add(&mut added, &[1 << 20, too_high]), None);
    }
}
