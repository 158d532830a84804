//! The directory and its buckets.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::bucket::{Bucket, Fill, Rehash};
use crate::segments::Segments;

/// The number of entries below which a table fits the caches, so that [`Extendible::prefetch`] has no effect.
pub const CACHED: usize = 1 << 15;

/// The maximum number of hash bits that select a bucket, including those that select the table.
const BITS_MAX: u32 = 32;

/// An extendible hash table: a directory over small buckets. The [crate documentation](crate) describes it.
///
/// The table finds the bucket of a hash, splits buckets and counts the entries; it does not know the content of a
/// bucket. So a caller that removes an entry from a bucket must also call [`removed`](Self::removed).
#[derive(Clone)]
// In this order, so that a lookup in a table of one segment reads one cache line.
#[repr(C)]
pub struct Extendible<B> {
    /// The number of leading hash bits that are the same for all keys of this table.
    skip: u8,
    /// The directory has `1 << depth` words.
    depth: u8,
    /// The largest number of positions that any bucket has had.
    widest: u32,
    /// Bucket numbers by hash prefix. Empty while there is a single bucket.
    directory: Vec<u32>,
    buckets: Segments<B>,
    len: usize,
}

/// The bucket that a hash leads to; valid until the next insertion.
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
    /// Creates an empty table, for hashes whose first `skip` bits are the same.
    #[must_use]
    pub const fn new(skip: u8) -> Self {
        Self { skip, depth: 0, widest: 0, directory: Vec::new(), buckets: Segments::new(), len: 0 }
    }

    /// Creates an empty table with buckets for `len` entries, all of the same depth, for hashes whose first `skip` bits
    /// are the same.
    ///
    /// Use it to insert entries in the order of their hashes, such as from another table: in a table from
    /// [`new`](Self::new) they would fill one bucket after the other.
    #[must_use]
    pub fn with_room(skip: u8, len: usize) -> Self {
        // The standard deviation of a bucket's size is the square root of the average, so very few buckets exceed the
        // limit.
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

    /// Creates an empty table for loading up to `announced` entries one by one, in any order, including that of their
    /// hashes; the first `skip` bits of the hashes are the same.
    ///
    /// It has room for a sixteenth of them, which is enough for buckets to split as in random order, and for at most
    /// 65,536, so that a false number takes little memory.
    #[must_use]
    pub fn to_load(skip: u8, announced: usize) -> Self {
        const MOST: usize = 1 << 16;
        match (announced / 16).min(MOST) {
            few if few <= B::FULL / 2 => Self::new(skip),
            room => Self::with_room(skip, room),
        }
    }

    /// The number of entries.
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

    /// The number of buckets.
    #[must_use]
    pub fn bucket_count(&self) -> usize {
        self.buckets.len()
    }

    /// The number of hash bits that the directory uses: it has 2^`depth` words.
    #[must_use]
    pub const fn depth(&self) -> u8 {
        self.depth
    }

    /// Returns the bucket where a key with this hash is or would be.
    #[inline]
    #[must_use]
    pub fn locate(&self, hash: u64) -> BucketId {
        if self.depth == 0 {
            return BucketId(0);
        }
        // A prefix has `depth` bits and the directory 2^depth words.
        BucketId(self.directory[self.prefix(hash)])
    }

    /// Returns a bucket; `None` if the table has no bucket yet.
    #[inline]
    #[must_use]
    pub fn get(&self, id: BucketId) -> Option<&B> {
        self.buckets.get(id.0)
    }

    /// Returns a bucket, to change entries in place or to remove one (see [`removed`](Self::removed)); `None` if the
    /// table has no bucket yet.
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, id: BucketId) -> Option<&mut B> {
        self.buckets.get_mut(id.0)
    }

    /// Returns the bucket of a hash; `None` if the table has no bucket yet. O(1).
    #[inline]
    #[must_use]
    pub fn bucket(&self, hash: u64) -> Option<&B> {
        self.get(self.locate(hash))
    }

    /// Returns the bucket of a hash, to change entries; `None` if the table has no bucket yet. O(1).
    #[inline]
    #[must_use]
    pub fn bucket_mut(&mut self, hash: u64) -> Option<&mut B> {
        self.get_mut(self.locate(hash))
    }

    /// Prefetches what lookups of these hashes will read.
    ///
    /// A lookup waits for its bucket, then for its entry, and the next lookup waits again. Here all buckets are read
    /// before any entry is, so the cache misses overlap, and the lookups that follow have none. Some dozens of hashes
    /// at a time are best: as many as the first-level cache has room for. It has no effect on a table of fewer than
    /// [`CACHED`] entries.
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

    /// Inserts a new entry with this hash: splits its bucket if that is full, calls `insert` with the bucket, and
    /// returns the bucket's id and the result of `insert`. O(1) amortized.
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

    /// Splits the bucket of a hash until it has room or cannot be split further; creates the first bucket.
    #[cold]
    fn make_room(&mut self, hash: u64, rehash: &impl Rehash<B::Key>) {
        if self.buckets.len() == 0 {
            self.buckets.push(B::default());
        }
        while self.bucket(hash).is_some_and(|bucket| bucket.fill() != Fill::Room)
            && self.split(hash, rehash)
        {}
    }

    /// Inserts a new entry into a table that was created [with room](Self::with_room), without splitting: a bucket may
    /// have slightly more than [`Bucket::FULL`] entries then. See [`insert`](Self::insert).
    ///
    /// # Panics
    ///
    /// If an invariant does not hold, which is a bug of this crate.
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

    /// Must be called after removing one entry from a bucket. Removing the last entry releases all memory.
    #[inline]
    pub fn removed(&mut self) {
        self.len -= 1;
        if self.len == 0 {
            *self = Self::new(self.skip);
        }
    }

    /// Splits the bucket of a hash; returns false if it cannot be split.
    fn split(&mut self, hash: u64, rehash: &impl Rehash<B::Key>) -> bool {
        let id = self.locate(hash);
        let depth = self.depth_of(hash);
        let count = self.buckets.len();
        let Some(bucket) = self.buckets.get_mut(id.0) else { return false };
        // With a good hash the directory has a few words per bucket. If many keys share one prefix, the bucket grows
        // beyond FULL, so that the directory stays bounded.
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

    /// The index of the directory word of a hash; the directory must not be empty.
    #[inline]
    fn prefix(&self, hash: u64) -> usize {
        // It has at most BITS_MAX bits.
        usize::try_from((hash << self.skip) >> (64 - u32::from(self.depth))).unwrap_or(0)
    }

    /// The number of hash bits, without the skipped ones, that all keys of a bucket share.
    fn depth_of(&self, hash: u64) -> u8 {
        let mut depth = self.depth;
        if depth == 0 {
            return 0;
        }
        let word = self.prefix(hash);
        // While the neighbouring run, of all prefixes with the last bit inverted, leads to the same bucket.
        while depth > 0 && self.directory[word ^ 1 << (self.depth - depth)] == self.directory[word]
        {
            depth -= 1;
        }
        depth
    }

    /// The number of leading bits that all hashes of the same bucket share.
    #[must_use]
    pub fn shared_bits(&self, hash: u64) -> u32 {
        u32::from(self.skip) + u32::from(self.depth_of(hash))
    }

    /// Returns a random entry, each with the same probability; `None` only if the table is empty. `draw` returns the
    /// entry at a position of a bucket, which may be empty; `bits` returns random bits. O(1) on average.
    ///
    /// It draws a directory word, then a position, among as many as the widest bucket has. A bucket of fewer hash bits
    /// than the directory has several words, and only the first of them counts. So every position of every bucket has
    /// the same probability; if it is empty, it draws again.
    pub fn random<'t, T>(
        &'t self,
        bits: &mut impl FnMut() -> u64,
        draw: impl Fn(&'t B, usize) -> Option<T>,
    ) -> Option<T> {
        /// Far more tries than needed in a table that is filled as after splits.
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
        // The table is almost empty: take the first entry from a random bucket on.
        let count = self.buckets.len();
        let first = usize::try_from(bits() % count.max(1) as u64).unwrap_or(0);
        let all = self.buckets.iter().skip(first).chain(self.buckets.iter().take(first));
        let mut positions =
            all.flat_map(|bucket| (0..bucket.positions()).map(move |at| (bucket, at)));
        positions.find_map(|(bucket, position)| draw(bucket, position))
    }

    /// Iterates over the buckets, in the order of their creation.
    pub fn buckets(&self) -> impl Iterator<Item = &B> {
        self.buckets.iter()
    }

    /// Iterates over the buckets, to change entries in place.
    pub fn buckets_mut(&mut self) -> impl Iterator<Item = &mut B> {
        self.buckets.iter_mut()
    }

    /// Iterates over the buckets, in the order of their hash prefixes.
    pub fn buckets_by_hash(&self) -> impl Iterator<Item = &B> {
        // A bucket of fewer bits than the directory has a run of equal words there.
        let words: &[u32] = if self.directory.is_empty() { &[0] } else { &self.directory };
        words.chunk_by(|a, b| a == b).filter_map(|run| self.buckets.get(*run.first()?))
    }

    /// The bytes on the heap: directory, buckets and their content, without memory that the entries own.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.directory.capacity() * size_of::<u32>()
            + self.buckets.heap_bytes()
            + self.buckets().map(B::heap_bytes).sum::<usize>()
    }

    /// Panics unless each bucket has one run of words, of the length of its depth, and the number of entries is right.
    /// For tests.
    ///
    /// # Panics
    ///
    /// If an invariant does not hold, which is a bug of this crate, or if a caller did not call
    /// [`removed`](Self::removed).
    pub fn verify(&self) {
        assert_eq!(self.buckets().map(B::len).sum::<usize>(), self.len, "entries");
        if self.depth == 0 {
            assert!(self.directory.is_empty() && self.buckets.len() <= 1, "at most one bucket");
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
