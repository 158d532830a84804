//! A piece of a large set: its members, packed one after the other.

use std::ops::ControlFlow;

use super::offsets::Offsets;
use super::tags::Tags;
use super::{Extendible, Fill, PIECE_MAX, Piece, prefix};

/// With this many bytes a piece splits, however few its members are. Members are at most 512 MiB long.
const OVERFULL_BYTES: usize = 3 << 30;

/// The run of bytes grows by one part in this many.
const GROWTH: usize = 4;

/// The most bytes that the length of a member takes: 32 bits, seven at a time.
const LENGTH_MAX: usize = 5;

/// A few dozen members: tags and offsets over one run of bytes.
///
/// ```text
/// bytes    | 5 | h e l l o | 3 | f o o | 5 | w o r l d |
///            ^               ^           ^
/// offsets    0               6           10
/// tags       0x4c            0x09        0xe1
/// ```
///
/// A length takes seven bits a byte, low bits first, the high bit set on all but the last. A member that is removed leaves
/// a hole; when the holes outweigh a quarter of the bytes, the run is written anew.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemberPiece {
    tags: Tags,
    offsets: Offsets,
    bytes: Vec<u8>,
    /// Bytes of removed members.
    holes: usize,
}

impl MemberPiece {
    #[inline]
    pub(crate) fn contains(&self, hash: u64, member: &[u8]) -> bool {
        self.find(hash, member).is_some()
    }

    #[inline]
    fn find(&self, hash: u64, member: &[u8]) -> Option<usize> {
        self.offsets.touch();
        self.tags.find(hash, |place| self.at(place) == member)
    }

    #[inline]
    fn at(&self, place: usize) -> &[u8] {
        member_at(&self.bytes, self.offsets.get(place))
    }

    /// Adds a member that is not there.
    pub(crate) fn insert(&mut self, hash: u64, member: &[u8]) {
        // A piece is overfull, and splits, at OVERFULL_BYTES; one more member of the greatest length still fits.
        let at = u32::try_from(self.bytes.len()).expect("a piece holds less than 4 GiB");
        self.append(member);
        self.offsets.push(self.tags.len(), at);
        self.tags.push(hash);
    }

    fn append(&mut self, member: &[u8]) {
        let need = member.len() + LENGTH_MAX;
        if self.bytes.capacity() - self.bytes.len() < need {
            self.bytes.reserve_exact(need.max(self.bytes.len() / GROWTH));
        }
        let mut len = member.len();
        while len >= 0x80 {
            self.bytes.push(low_seven(len) | 0x80);
            len >>= 7;
        }
        self.bytes.push(low_seven(len));
        self.bytes.extend_from_slice(member);
    }

    /// Removes a member; `false` if it was not there. The last one takes its place.
    pub(crate) fn remove(
        &mut self,
        hash: u64,
        member: &[u8],
        rehash: &impl Fn(&[u8]) -> u64,
    ) -> bool {
        let Some(place) = self.find(hash, member) else { return false };
        let last = member_at(&self.bytes, self.offsets.get(self.tags.len() - 1));
        self.tags.swap_remove(place, || rehash(last));
        self.offsets.swap_remove(self.tags.len() + 1, place);
        self.holes += member.len() + length_bytes(member.len());
        if self.holes * 4 > self.bytes.len() {
            self.compact();
        }
        true
    }

    #[cold]
    fn compact(&mut self) {
        let kept = self.bytes.len().saturating_sub(self.holes);
        let old = std::mem::replace(&mut self.bytes, Vec::with_capacity(kept + LENGTH_MAX));
        let offsets = std::mem::take(&mut self.offsets);
        for place in 0..self.tags.len() {
            let at = u32::try_from(self.bytes.len()).unwrap_or(u32::MAX);
            self.append(member_at(&old, offsets.get(place)));
            self.offsets.push(place, at);
        }
        self.holes = 0;
    }

    /// The member at a place.
    pub(crate) fn nth(&self, place: usize) -> Option<&[u8]> {
        (place < self.tags.len()).then(|| self.at(place))
    }

    /// Panics unless holes and members are all of the bytes, and the offsets are no wider than they have to be.
    #[cfg(test)]
    pub(super) fn verify(&self) {
        let members = (0..self.tags.len()).map(|place| self.at(place).len());
        let kept: usize = members.map(|len| len + length_bytes(len)).sum();
        assert_eq!(kept + self.holes, self.bytes.len());
        assert!(self.holes * 4 <= self.bytes.len());
        let narrow = self.offsets.heap_bytes() == 0;
        let small = self.tags.len() <= PIECE_MAX && u16::try_from(self.bytes.len()).is_ok();
        assert!(narrow || !small, "{} members in {}", self.tags.len(), self.bytes.len());
    }

    /// Hands every member to `visit` until it breaks.
    pub(crate) fn try_for_each<'t, B>(
        &'t self,
        visit: &mut impl FnMut(&'t [u8]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        (0..self.tags.len()).try_for_each(|place| visit(self.at(place)))
    }
}

impl Extendible<MemberPiece> {
    /// The table of members that differ, each with its hash. They may come in the order of their hashes, as another table
    /// hands them out: added one by one, they would crowd into one piece after the other.
    pub(crate) fn of_hashed(members: &[(u64, &[u8])]) -> Self {
        Self::built(members.len(), |depth, pieces| {
            let at = |hash: u64| prefix(hash, depth);
            // How much each piece gets, so that none grows.
            let mut sizes = vec![0; pieces.len()];
            for (hash, member) in members {
                sizes[at(*hash)] += member.len() + length_bytes(member.len());
            }
            for (piece, bytes) in pieces.iter_mut().zip(sizes) {
                // An insertion asks for the longest length there is.
                piece.bytes.reserve_exact(bytes + LENGTH_MAX);
            }
            for (hash, member) in members {
                pieces[at(*hash)].insert(*hash, member);
            }
        })
    }
}

impl Piece for MemberPiece {
    fn fill(&self) -> Fill {
        if self.bytes.len() >= OVERFULL_BYTES {
            Fill::Overfull
        } else if self.tags.len() >= PIECE_MAX {
            Fill::Full
        } else {
            Fill::Room
        }
    }

    fn split(&mut self, mask: u64, hash: &impl Fn(&[u8]) -> u64) -> Self {
        let old = std::mem::take(self);
        let mut new = Self::default();
        for piece in [&mut *self, &mut new] {
            piece.bytes.reserve_exact(old.bytes.len() / 2 + 32);
        }
        for place in 0..old.tags.len() {
            let member = old.at(place);
            let hashed = hash(member);
            let to = if hashed & mask == 0 { &mut *self } else { &mut new };
            to.insert(hashed, member);
        }
        new
    }

    fn len(&self) -> usize {
        self.tags.len()
    }

    fn places(&self) -> usize {
        self.tags.len()
    }

    fn table_bytes(&self) -> usize {
        self.offsets.heap_bytes() + self.bytes.capacity()
    }
}

/// How many bytes the length of a member takes.
const fn length_bytes(len: usize) -> usize {
    (len | 1).ilog2() as usize / 7 + 1
}

fn low_seven(len: usize) -> u8 {
    u8::try_from(len & 0x7f).unwrap_or(0)
}

/// The member at an offset that the index holds.
#[inline]
fn member_at(bytes: &[u8], at: u32) -> &[u8] {
    let mut at = at as usize;
    let mut len = 0;
    let mut shift = 0;
    loop {
        let byte = bytes[at];
        at += 1;
        len |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return &bytes[at..at + len];
        }
        shift += 7;
    }
}
