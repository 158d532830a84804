//! The directory and its buckets.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::bucket::{Bucket, Fill, Rehash};
use crate::segments::Segments;

/// The caches hold a table of fewer entries than this: [`Extendible::prefetch`] would only take time there.
pub const CACHED: usize = 1 << 15;

/// The most hash bits that choose a bucket, those that chose the table included.
const BITS_MAX: u32 = 32;

/// The table: a directory over small buckets. The [crate's documentation](crate) explains it.
///
/// The table finds the bucket of a hash, splits buckets and counts the entries; what is inside a bucket is between the
/// bucket and the caller. So a caller that removes an entry from a bucket also calls [`removed`](Self::removed).
#[derive(Clone)]
// In this order, so that what a look-up in a table of one segment reads is one cache line.
#[repr(C)]
pub struct Extendible<B> {
    /// Leading hash bits that say nothing here because they chose this table.
    skip: u8,
    /// The directory has `1 << depth` words.
    depth: u8,
    /// The most positions that any of the buckets has had.
    widest: u32,
    /// Bucket numbers by hash prefix. Empty while there is one bucket only.
    directory: Vec<u32>,
    buckets: Segments<B>,
    len: usize,
}

/// Which bucket a hash leads to; good until the next insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BucketId(u32);

impl BucketId {
    /// The number of the bucket in the order of [`Extendible::buckets`].
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl<B: Bucket> Extendible<B> {
    /// An empty table; the first `skip` bits of every hash that it will see are the same.
    #[must_use]
    pub const fn new(skip: u8) -> Self {
        Self { skip, depth: 0, widest: 0, directory: Vec::new(), buckets: Segments::new(), len: 0 }
    }

    /// An empty table with buckets for so many entries, all of the same depth; the first `skip` bits of every hash that
    /// it will see are the same.
    ///
    /// Entries that come in the order of their hashes, as another table hands them out, need one: added to an empty
    /// table, they would crowd into one bucket after the other.
    #[must_use]
    pub fn with_room(skip: u8, len: usize) -> Self {
        // The deviation of a bucket is the root of the average, so that hardly any will have too many.
        let average = B::FULL * 3 / 4;
        let mut depth = 0;
        while len >> depth > average && u32::from(depth) + u32::from(skip) < BITS_MAX {
            depth += 1;
        }
        let buckets = Segments::with_len(1 << depth);
        let widest = buckets.get(0).map_or(0, positions);
        Self {
            skip,
            depth,
            widest,
            directory: if depth == 0 { Vec::new() } else { (0..1 << depth).collect() },
            buckets,
            len: 0,
        }
    }

    /// An empty table for so many entries that are to come, perhaps fewer, one by one and perhaps in the order of their
    /// hashes; the first `skip` bits of every hash that it will see are the same.
    ///
    /// It has room for one part in sixteen of them, which is enough for buckets to split as in any other order, and for
    /// 65,536 at the most, so that a number that is a lie takes little memory.
    #[must_use]
    pub fn to_load(skip: u8, announced: usize) -> Self {
        const MOST: usize = 1 << 16;
        match (announced / 16).min(MOST) {
            few if few <= B::FULL / 2 => Self::new(skip),
            room => Self::with_room(skip, room),
        }
    }

    /// How many entries there are in all.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no entry.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many buckets there are.
    #[must_use]
    pub fn bucket_count(&self) -> usize {
        self.buckets.len()
    }

    /// How many hash bits the directory goes by: it has 2 to the power of `depth` words.
    #[must_use]
    pub const fn depth(&self) -> u8 {
        self.depth
    }

    /// Where a key with this hash is or would be.
    #[inline]
    #[must_use]
    pub fn locate(&self, hash: u64) -> BucketId {
        if self.depth == 0 {
            return BucketId(0);
        }
        // A prefix has `depth` bits and the directory 2^depth words.
        BucketId(self.directory[self.prefix(hash)])
    }

    /// The bucket with this number, if there is any bucket yet.
    #[inline]
    #[must_use]
    pub fn get(&self, id: BucketId) -> Option<&B> {
        self.buckets.get(id.0)
    }

    /// As [`get`](Self::get), to change entries in place or to remove one (see [`removed`](Self::removed)).
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, id: BucketId) -> Option<&mut B> {
        self.buckets.get_mut(id.0)
    }

    /// The bucket where a key with this hash is, if there is any bucket yet.
    #[inline]
    #[must_use]
    pub fn bucket(&self, hash: u64) -> Option<&B> {
        self.get(self.locate(hash))
    }

    /// As [`bucket`](Self::bucket), to change.
    #[inline]
    #[must_use]
    pub fn bucket_mut(&mut self, hash: u64) -> Option<&mut B> {
        self.get_mut(self.locate(hash))
    }

    /// Reads what look-ups of these hashes will read, and changes nothing.
    ///
    /// A look-up waits for its bucket, then for its entry, and the next one waits again. Here all buckets are read
    /// before any entry is, so that the cache misses overlap, and the look-ups that follow wait for none. Some dozens
    /// of hashes at a time are best: as many as the nearest cache has room for what they read. Nothing is read in a table
    /// of fewer than [`CACHED`] entries.
    ///
    /// ```
    /// use extendible::{Extendible, MemberBucket};
    ///
    /// # let hash = |member: &[u8]| member.iter().fold(0_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    /// # let mut table: Extendible<MemberBucket> = Extendible::new(0);
    /// # for member in [&b"a"[..], b"b"] {
    /// #     table.insert(hash(member), &hash, |bucket| bucket.insert(hash(member), member));
    /// # }
    /// let members: [&[u8]; 3] = [b"a", b"b", b"c"];
    /// let hashes = members.map(hash);
    /// table.prefetch(&hashes);
    /// let found = members.iter().zip(hashes).filter(|(member, hash)| {
    ///     table.bucket(*hash).is_some_and(|bucket| bucket.contains(*hash, member))
    /// });
    /// assert_eq!(found.count(), 2);
    /// ```
    pub fn prefetch(&self, hashes: &[u64]) {
        if self.len < CACHED {
            return;
        }
        let buckets = || hashes.iter().filter_map(|&hash| Some((self.bucket(hash)?, hash)));
        buckets().for_each(|(bucket, _)| bucket.prefetch());
        buckets().for_each(|(bucket, hash)| bucket.prefetch_entry(hash));
    }

    /// Lets `insert` put a new entry with this hash into its bucket, which is split before if it is full; returns where
    /// that is, and what `insert` returned.
    #[inline]
    pub fn insert<R>(
        &mut self,
        hash: u64,
        rehash: &impl Rehash<B::Key>,
        insert: impl FnOnce(&mut B) -> R,
    ) -> (BucketId, R) {
        let id = self.locate(hash);
        if let Some(bucket) = self.buckets.get_mut(id.0)
            && bucket.fill() == Fill::Room
        {
            let result = insert(bucket);
            self.widest = self.widest.max(positions(bucket));
            self.len += 1;
            return (id, result);
        }
        self.make_room(hash, rehash);
        (self.locate(hash), self.insert_unsplit(hash, insert))
    }

    /// Splits the bucket of a hash until it has room or may not be split any more; makes the first bucket.
    #[cold]
    fn make_room(&mut self, hash: u64, rehash: &impl Rehash<B::Key>) {
        if self.buckets.len() == 0 {
            self.buckets.push(B::default());
        }
        while self.bucket(hash).is_some_and(|bucket| bucket.fill() != Fill::Room)
            && self.split(hash, rehash)
        {}
    }

    /// As [`insert`](Self::insert), into a table that was made [with room](Self::with_room): no bucket is split, though
    /// one may become a little fuller than [`Bucket::FULL`].
    ///
    /// # Panics
    ///
    /// If the table is damaged, which would be a fault of this crate.
    pub fn insert_unsplit<R>(&mut self, hash: u64, insert: impl FnOnce(&mut B) -> R) -> R {
        if self.buckets.len() == 0 {
            self.buckets.push(B::default());
        }
        let id = self.locate(hash);
        let bucket = self.buckets.get_mut(id.0).expect("the directory names buckets that exist");
        let result = insert(bucket);
        self.widest = self.widest.max(positions(bucket));
        self.len += 1;
        result
    }

    /// Notes that the caller removed one entry from a bucket. The last one takes all memory with it.
    #[inline]
    pub fn removed(&mut self) {
        self.len -= 1;
        if self.len == 0 {
            *self = Self::new(self.skip);
        }
    }

    /// Splits the bucket of a hash. `false` if it may not be split.
    fn split(&mut self, hash: u64, rehash: &impl Rehash<B::Key>) -> bool {
        let id = self.locate(hash);
        let depth = self.depth_of(hash);
        let count = self.buckets.len();
        let Some(bucket) = self.buckets.get_mut(id.0) else { return false };
        // With a sound hash the directory stays within a few words a bucket. Should keys ever crowd into one prefix,
        // the bucket grows beyond FULL rather than the directory beyond all bounds.
        let crowded = depth == self.depth
            && self.directory.len() > 16 * count
            && bucket.fill() != Fill::Overfull;
        if u32::from(depth) + u32::from(self.skip) >= BITS_MAX || crowded {
            return false;
        }
        let bit = 1 << (63 - u32::from(self.skip) - u32::from(depth));
        let new = bucket.split(bit, rehash);
        self.buckets.push(new);
        if depth == self.depth {
            self.double();
        }
        // The words whose prefix is this bucket's, and whose next bit is 1, now lead to the new bucket.
        let run = 1 << (self.depth - depth - 1);
        let first = self.prefix(hash | bit) & !(run - 1);
        // A bucket has at least one of the 2^32 prefixes.
        let number = u32::try_from(count).unwrap_or(u32::MAX);
        self.directory[first..first + run].fill(number);
        true
    }

    fn double(&mut self) {
        self.directory = match self.directory.as_slice() {
            [] => vec![0, 0],
            words => words.iter().flat_map(|&word| [word, word]).collect(),
        };
        self.depth += 1;
    }

    /// The directory's word for a hash; the directory has one at least.
    #[inline]
    fn prefix(&self, hash: u64) -> usize {
        // It has at most BITS_MAX bits.
        usize::try_from((hash << self.skip) >> (64 - u32::from(self.depth))).unwrap_or(0)
    }

    /// How many hash bits, after those that are skipped, all keys of a hash's bucket share.
    fn depth_of(&self, hash: u64) -> u8 {
        let mut depth = self.depth;
        if depth == 0 {
            return 0;
        }
        let word = self.prefix(hash);
        // As long as the neighbouring run, of all prefixes with the last bit turned, leads there too.
        while depth > 0 && self.directory[word ^ 1 << (self.depth - depth)] == self.directory[word]
        {
            depth -= 1;
        }
        depth
    }

    /// How many leading bits all hashes have in common that lead to the bucket of this one.
    #[must_use]
    pub fn shared_bits(&self, hash: u64) -> u32 {
        u32::from(self.skip) + u32::from(self.depth_of(hash))
    }

    /// An entry drawn at random, each with the same probability: `draw` looks into a position of a bucket, which may be
    /// empty; `bits` gives random bits. O(1) on average; `None` only if the table is empty.
    ///
    /// A directory word is drawn, then a position among as many as the widest bucket has. A bucket of fewer hash bits
    /// than the directory has several words, and is taken for the first of them only; so every position of every bucket
    /// has the same probability, and an empty one means another try.
    pub fn random<'t, T>(
        &'t self,
        bits: &mut impl FnMut() -> u64,
        draw: impl Fn(&'t B, usize) -> Option<T>,
    ) -> Option<T> {
        /// Far more tries than a table needs that is filled as the splits leave it.
        const TRIES: usize = 2000;
        let widest = u64::from(self.widest.max(1));
        for _ in 0..TRIES.min(TRIES * self.len) {
            let word = (bits() >> 1) >> (63 - u32::from(self.depth));
            let word = usize::try_from(word).unwrap_or(0);
            let number = self.directory.get(word).copied().unwrap_or(0);
            if word > 0 && self.directory[word - 1] == number {
                continue;
            }
            let position = (u128::from(bits()) * u128::from(widest)) >> 64;
            let bucket = self.buckets.get(number)?;
            if let Some(drawn) = draw(bucket, usize::try_from(position).unwrap_or(0)) {
                return Some(drawn);
            }
        }
        // A table that was emptied almost wholly: any entry, from a random bucket on.
        let count = self.buckets.len();
        let first = usize::try_from(bits() % count.max(1) as u64).unwrap_or(0);
        let all = self.buckets.iter().skip(first).chain(self.buckets.iter().take(first));
        let mut positions =
            all.flat_map(|bucket| (0..bucket.positions()).map(move |at| (bucket, at)));
        positions.find_map(|(bucket, position)| draw(bucket, position))
    }

    /// Every bucket, in the order in which they were made.
    pub fn buckets(&self) -> impl Iterator<Item = &B> {
        self.buckets.iter()
    }

    /// As [`buckets`](Self::buckets), to change entries in place.
    pub fn buckets_mut(&mut self) -> impl Iterator<Item = &mut B> {
        self.buckets.iter_mut()
    }

    /// Every bucket, in the order of the hashes that they are for.
    pub fn buckets_by_hash(&self) -> impl Iterator<Item = &B> {
        // A bucket of fewer bits than the directory has a run of equal words there.
        let words: &[u32] = if self.directory.is_empty() { &[0] } else { &self.directory };
        words.chunk_by(|a, b| a == b).filter_map(|run| self.buckets.get(*run.first()?))
    }

    /// Bytes that the table holds on the heap: directory, buckets and what these hold, without the entries' own memory.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.directory.capacity() * size_of::<u32>()
            + self.buckets.heap_bytes()
            + self.buckets().map(B::heap_bytes).sum::<usize>()
    }

    /// Panics unless each bucket has one run of words, as long as a depth makes it, and the number of entries is right.
    /// For tests.
    ///
    /// # Panics
    ///
    /// If the table is damaged, which would be a fault of this crate, or if a caller forgot to call
    /// [`removed`](Self::removed).
    pub fn verify(&self) {
        assert_eq!(self.buckets().map(B::len).sum::<usize>(), self.len, "entries");
        if self.depth == 0 {
            assert!(self.directory.is_empty() && self.buckets.len() <= 1, "one bucket at most");
            return;
        }
        assert_eq!(self.directory.len(), 1 << self.depth, "words of the directory");
        let mut seen = vec![false; self.buckets.len()];
        let mut first = 0;
        for run in self.directory.chunk_by(|a, b| a == b) {
            let number = run[0] as usize;
            assert!(!seen[number], "bucket {number} has two runs");
            seen[number] = true;
            assert!(run.len().is_power_of_two(), "{} words lead to a bucket", run.len());
            assert_eq!(first % run.len(), 0, "the first word of bucket {number}");
            first += run.len();
        }
        assert!(seen.into_iter().all(|seen| seen), "a bucket that no word leads to");
    }
}

/// The positions of a bucket, of which there are far fewer than 2^32.
#[inline]
fn positions<B: Bucket>(bucket: &B) -> u32 {
    u32::try_from(bucket.positions()).unwrap_or(u32::MAX)
}

impl<B: Bucket> Default for Extendible<B> {
    fn default() -> Self {
        Self::new(0)
    }
}

impl<B: Bucket> fmt::Debug for Extendible<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Extendible")
            .field("len", &self.len)
            .field("buckets", &self.bucket_count())
            .field("depth", &self.depth)
            .field("skip", &self.skip)
            .finish_non_exhaustive()
    }
}
