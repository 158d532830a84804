//! An extendible hash table: a directory of small tables that split in two when they are full.
//!
//! # Idea
//!
//! One big table rehashes all of its entries when it grows, and the command that happens to trigger it waits. Here the
//! table is cut into *pieces* of a few dozen entries. The first bits of a key's hash choose the piece through a
//! directory; a full piece splits by the next bit, and nothing else moves. Four things follow:
//!
//! * growth never rehashes more than one piece;
//! * a hash prefix is a scan cursor that survives growth, because a piece holds exactly the keys of one prefix;
//! * pieces of equal depth hold equally many keys on average, so a random entry can be drawn fairly;
//! * a snapshot can pass piece by piece.
//!
//! # Representation
//!
//! ```text
//! hash     [ skip | directory bits ....... | the rest: place inside the piece ]
//!
//! directory (depth 2)    00 -> piece 0  (depth 1: holds every hash that begins with 0)
//!                        01 -> piece 0
//!                        10 -> piece 1  (depth 2)
//!                        11 -> piece 2  (depth 2)
//! ```
//!
//! `skip` bits have been used already, to choose the stripe. The directory doubles when a piece as deep as the
//! directory splits. Source: Fagin, Nievergelt, Pippenger, Strong, "Extendible Hashing", 1979.
//!
//! # Complexity
//!
//! Look-ups O(1): one directory word, one line of tags (see `tags`), one entry. Inserts O(1) amortised, at worst the split of one piece.

pub(crate) mod keys;
mod marks;
pub(crate) mod members;
mod offsets;
pub(crate) mod scan;
mod tags;

/// The most entries of a piece, unless their hashes cannot be parted.
pub(crate) const PIECE_MAX: usize = tags::LINE;

/// One of the small tables.
pub(crate) trait Piece: Default {
    /// Whether it should, or must, split before it takes another entry.
    fn fill(&self) -> Fill;

    /// Moves every entry whose hash has one of `mask`'s bits set into a new piece.
    fn split(&mut self, mask: u64, hash: &impl Fn(&[u8]) -> u64) -> Self;

    /// Bytes that the piece holds on the heap, apart from its entries' own heap memory.
    fn table_bytes(&self) -> usize;

    /// How many entries there are.
    fn len(&self) -> usize;

    /// How many places there are from which [`Extendible::random`] may draw, filled or not.
    fn places(&self) -> usize;
}

/// How full a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fill {
    /// Another entry is welcome.
    Room,
    /// It should split, but may go on if that would not help.
    Full,
    /// Its places have almost run out.
    Overfull,
}

#[derive(Clone, Debug)]
struct Node<P> {
    /// How many hash bits, after `skip`, all keys of this piece share.
    depth: u8,
    piece: P,
}

/// The directory and its pieces.
#[derive(Clone, Debug)]
pub(crate) struct Extendible<P> {
    /// Leading hash bits that say nothing here because they chose this table.
    skip: u8,
    /// The directory has `1 << depth` words.
    depth: u8,
    /// Piece numbers by hash prefix. Empty while there is one piece only.
    directory: Vec<u32>,
    nodes: Vec<Node<P>>,
    len: usize,
    /// The most places that any of the pieces has had.
    widest: u32,
}

/// Which piece a hash leads to; good until the next insert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct At(usize);

impl<P: Piece> Extendible<P> {
    /// An empty table; the first `skip` bits of every hash that it will see are the same.
    pub(crate) const fn new(skip: u8) -> Self {
        Self { skip, depth: 0, directory: Vec::new(), nodes: Vec::new(), len: 0, widest: 0 }
    }

    /// A table of `len` entries that is made at once: `fill` gets the pieces, all for as many leading hash bits, which is
    /// the number that it gets too, and puts the entries into them.
    fn built(len: usize, fill: impl FnOnce(u8, &mut [P])) -> Self {
        /// Entries of a piece on average: its deviation is the root of that, so that hardly any will have too many.
        const AVERAGE: usize = PIECE_MAX * 3 / 4;
        let mut depth = 0;
        while len >> depth > AVERAGE {
            depth += 1;
        }
        let mut pieces: Vec<P> = (0..1_usize << depth).map(|_| P::default()).collect();
        fill(depth, &mut pieces);
        let widest = pieces.iter().map(Piece::places).max().unwrap_or(0);
        let count = u32::try_from(pieces.len()).unwrap_or(u32::MAX);
        Self {
            skip: 0,
            depth,
            directory: if depth == 0 { Vec::new() } else { (0..count).collect() },
            nodes: pieces.into_iter().map(|piece| Node { depth, piece }).collect(),
            len,
            widest: u32::try_from(widest).unwrap_or(u32::MAX),
        }
    }

    /// The number of leading hash bits that chose this table.
    pub(crate) const fn skip(&self) -> u8 {
        self.skip
    }

    /// How many entries there are in all.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Where a key with this hash is or would be.
    #[inline]
    pub(crate) fn locate(&self, hash: u64) -> At {
        if self.depth == 0 {
            return At(0);
        }
        // A prefix has `depth` bits and the directory 2^depth words.
        At(self.directory[prefix(hash << self.skip, self.depth)] as usize)
    }

    /// The piece at a place, if there is any piece yet.
    #[inline]
    pub(crate) fn at(&self, at: At) -> Option<&P> {
        self.nodes.get(at.0).map(|node| &node.piece)
    }

    /// As [`at`](Self::at), to change entries in place or to remove one (see [`removed`](Self::removed)).
    #[inline]
    pub(crate) fn at_mut(&mut self, at: At) -> Option<&mut P> {
        self.nodes.get_mut(at.0).map(|node| &mut node.piece)
    }

    /// The piece where a key with this hash is, if there is any piece yet.
    #[inline]
    pub(crate) fn piece(&self, hash: u64) -> Option<&P> {
        self.at(self.locate(hash))
    }

    /// As [`piece`](Self::piece), to change.
    #[inline]
    pub(crate) fn piece_mut(&mut self, hash: u64) -> Option<&mut P> {
        self.at_mut(self.locate(hash))
    }

    /// Lets `insert` put a new entry with this hash into its piece; returns where that is, and what `insert` returned.
    pub(crate) fn insert<R>(
        &mut self,
        hash: u64,
        rehash: &impl Fn(&[u8]) -> u64,
        insert: impl FnOnce(&mut P) -> R,
    ) -> (At, R) {
        if self.nodes.is_empty() {
            // Many tables never have more than one piece.
            self.nodes.reserve_exact(1);
            self.nodes.push(Node { depth: 0, piece: P::default() });
        }
        let mut at = self.locate(hash);
        while self.nodes[at.0].piece.fill() != Fill::Room && self.split(at.0, hash, rehash) {
            at = self.locate(hash);
        }
        self.len += 1;
        let piece = &mut self.nodes[at.0].piece;
        let result = insert(piece);
        self.widest = self.widest.max(u32::try_from(piece.places()).unwrap_or(u32::MAX));
        (at, result)
    }

    /// Notes that the caller removed one entry from a piece.
    pub(crate) fn removed(&mut self) {
        self.len -= 1;
        if self.len == 0 {
            *self = Self::new(self.skip);
        }
    }

    /// Splits piece `at`, which holds the keys with `hash`'s prefix. `false` if it may not be split.
    #[cold]
    fn split(&mut self, at: usize, hash: u64, rehash: &impl Fn(&[u8]) -> u64) -> bool {
        let depth = self.nodes[at].depth;
        // With a sound hash the directory stays within a few words a piece. Should keys ever crowd into one prefix, the
        // piece grows beyond PIECE_MAX rather than the directory beyond all bounds.
        let crowded = depth == self.depth
            && self.directory.len() > 16 * self.nodes.len()
            && self.nodes[at].piece.fill() != Fill::Overfull;
        if u32::from(depth) + u32::from(self.skip) >= 32 || crowded {
            return false;
        }
        if depth == self.depth {
            self.double();
        }
        let bit = 1u64 << (63 - u32::from(self.skip) - u32::from(depth));
        let piece = self.nodes[at].piece.split(bit, rehash);
        let new = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        self.nodes[at].depth = depth + 1;
        if self.nodes.len() == self.nodes.capacity() {
            // Few tables have many pieces, and the many small ones are to hold none that they do not use.
            self.nodes.reserve_exact(self.nodes.len() / 16 + 1);
        }
        self.nodes.push(Node { depth: depth + 1, piece });

        // The words whose prefix is this piece's, and whose next bit is 1, now lead to the new piece.
        let below = self.depth - depth - 1;
        let prefix = (hash << self.skip) >> (63 - u32::from(depth));
        let first = usize::try_from((prefix | 1) << below).unwrap_or(0);
        for word in &mut self.directory[first..first + (1 << below)] {
            *word = new;
        }
        true
    }

    fn double(&mut self) {
        if self.directory.is_empty() {
            self.directory = vec![0, 0];
        } else {
            self.directory = self.directory.iter().flat_map(|&word| [word, word]).collect();
        }
        self.depth += 1;
    }

    /// How many leading bits all hashes of the piece have in common to which this one leads.
    fn shared_bits(&self, hash: u64) -> u32 {
        let depth = self.nodes.get(self.locate(hash).0).map_or(0, |node| node.depth);
        u32::from(self.skip) + u32::from(depth)
    }

    /// An entry drawn at random, each with the same chance: `draw` looks into a place of a piece, which may be empty;
    /// `chance` gives random bits. O(1) on average; `None` only if the table is empty.
    ///
    /// A directory word is drawn, then a place among as many as the widest piece has. A piece of fewer hash bits than
    /// the directory has several words, and is taken for one of them only; so every place of every piece has the same
    /// chance, and an empty one means another try.
    pub(crate) fn random<'t, T>(
        &'t self,
        chance: &mut impl FnMut() -> u64,
        draw: impl Fn(&'t P, usize) -> Option<T>,
    ) -> Option<T> {
        /// Far more tries than a table needs that is filled as the splits leave it.
        const TRIES: usize = 2000;
        let widest = u64::from(self.widest.max(1));
        for _ in 0..TRIES.min(TRIES * self.len) {
            let bits = chance();
            let word = (bits >> 1) >> (63 - u32::from(self.depth));
            let at = match self.directory.get(usize::try_from(word).unwrap_or(0)) {
                Some(&at) if self.depth > 0 => at as usize,
                _ => 0,
            };
            let node = &self.nodes[at];
            let spare = (1_u64 << (self.depth - node.depth)) - 1;
            if word & spare != 0 {
                continue;
            }
            let place = (u128::from(chance()) * u128::from(widest)) >> 64;
            if let Some(drawn) = draw(&node.piece, usize::try_from(place).unwrap_or(0)) {
                return Some(drawn);
            }
        }
        // A table that was emptied almost wholly: any entry, from a random place on.
        let first = usize::try_from(chance() % self.nodes.len().max(1) as u64).unwrap_or(0);
        let (before, after) = self.nodes.split_at(first);
        after
            .iter()
            .chain(before)
            .find_map(|node| (0..node.piece.places()).find_map(|place| draw(&node.piece, place)))
    }

    /// Every piece, in no order that means anything.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &P> {
        self.nodes.iter().map(|node| &node.piece)
    }

    /// Every piece, in the order of the hashes that they are for.
    pub(crate) fn pieces_by_hash(&self) -> impl Iterator<Item = &P> {
        // A piece of fewer bits than the directory has a run of equal words there.
        let whole: &[u32] = if self.directory.is_empty() { &[0] } else { &self.directory };
        let runs = whole.chunk_by(|a, b| a == b);
        runs.filter_map(|run| self.nodes.get(*run.first()? as usize)).map(|node| &node.piece)
    }

    /// Bytes that the table holds on the heap: directory, pieces and their tables, without the entries' own memory.
    pub(crate) fn table_bytes(&self) -> usize {
        self.directory.capacity() * size_of::<u32>()
            + self.nodes.capacity() * size_of::<Node<P>>()
            + self.pieces().map(Piece::table_bytes).sum::<usize>()
    }
}

/// The first bits of a hash, as a number; 0 for none.
#[inline]
fn prefix(hash: u64, bits: u8) -> usize {
    usize::try_from(hash.checked_shr(64 - u32::from(bits)).unwrap_or(0)).unwrap_or(0)
}

#[cfg(test)]
mod tests;
