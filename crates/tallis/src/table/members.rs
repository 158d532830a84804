//! A piece of a large set: its members, packed one after the other.

use std::ops::ControlFlow;

use hashbrown::HashTable;

use super::{Fill, PIECE_MAX, Piece, inner_hash};

/// With this many bytes a piece splits, however few its members are. Members are at most 512 MiB long.
const OVERFULL_BYTES: usize = 3 << 30;

/// A few hundred members: an index of offsets over one run of bytes.
///
/// ```text
/// bytes    | 5 | h e l l o | 3 | f o o | 5 | w o r l d |
///            ^               ^           ^
/// index      0               6           10
/// ```
///
/// A length takes seven bits a byte, low bits first, the high bit set on all but the last. A member that is removed leaves
/// a hole; when the holes outweigh a quarter of the bytes, the run is written anew.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemberPiece {
    index: HashTable<u32>,
    bytes: Vec<u8>,
    /// Bytes of removed members.
    holes: usize,
}

impl MemberPiece {
    #[inline]
    pub(crate) fn contains(&self, hash: u64, member: &[u8]) -> bool {
        self.index.find(inner_hash(hash), |&at| member_at(&self.bytes, at) == member).is_some()
    }

    /// Adds a member that is not there.
    pub(crate) fn insert(&mut self, hash: u64, member: &[u8], rehash: &impl Fn(&[u8]) -> u64) {
        // A piece is overfull, and splits, at OVERFULL_BYTES; one more member of the greatest length still fits.
        let at = u32::try_from(self.bytes.len()).expect("a piece holds less than 4 GiB");
        self.append(member);
        let bytes = &self.bytes;
        self.index
            .insert_unique(inner_hash(hash), at, |&at| inner_hash(rehash(member_at(bytes, at))));
    }

    fn append(&mut self, member: &[u8]) {
        let need = member.len() + 5;
        if self.bytes.capacity() - self.bytes.len() < need {
            self.bytes.reserve_exact(need.max(self.bytes.len() / 16));
        }
        let mut len = member.len();
        while len >= 0x80 {
            self.bytes.push(low_seven(len) | 0x80);
            len >>= 7;
        }
        self.bytes.push(low_seven(len));
        self.bytes.extend_from_slice(member);
    }

    /// Removes a member; `false` if it was not there.
    pub(crate) fn remove(
        &mut self,
        hash: u64,
        member: &[u8],
        rehash: &impl Fn(&[u8]) -> u64,
    ) -> bool {
        let bytes = &self.bytes;
        let found = self.index.find_entry(inner_hash(hash), |&at| member_at(bytes, at) == member);
        let Ok(found) = found else { return false };
        found.remove();
        self.holes += member.len() + 1;
        if self.holes * 4 > self.bytes.len() {
            self.compact(rehash);
        }
        true
    }

    #[cold]
    fn compact(&mut self, rehash: &impl Fn(&[u8]) -> u64) {
        let old = std::mem::take(self);
        let kept = old.bytes.len().saturating_sub(old.holes);
        self.index = HashTable::with_capacity(old.index.len());
        self.bytes.reserve_exact(kept);
        for &at in &old.index {
            let member = member_at(&old.bytes, at);
            self.insert(rehash(member), member, rehash);
        }
    }

    /// The member at a place of the index, which may be empty.
    pub(crate) fn nth(&self, place: usize) -> Option<&[u8]> {
        self.index.get_bucket(place).map(|&at| member_at(&self.bytes, at))
    }

    /// Hands every member to `visit` until it breaks.
    pub(crate) fn try_for_each<'t, B>(
        &'t self,
        visit: &mut impl FnMut(&'t [u8]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.index.iter().try_for_each(|&at| visit(member_at(&self.bytes, at)))
    }
}

impl Piece for MemberPiece {
    fn fill(&self) -> Fill {
        if self.bytes.len() >= OVERFULL_BYTES {
            Fill::Overfull
        } else if self.index.len() >= PIECE_MAX {
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
        for &at in &old.index {
            let member = member_at(&old.bytes, at);
            let hashed = hash(member);
            let to = if hashed & mask == 0 { &mut *self } else { &mut new };
            to.insert(hashed, member, hash);
        }
        new
    }

    fn len(&self) -> usize {
        self.index.len()
    }

    fn places(&self) -> usize {
        self.index.num_buckets()
    }

    fn table_bytes(&self) -> usize {
        self.index.allocation_size() + self.bytes.capacity()
    }
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
