//! Runs operations on three tables and on a plain map. The fuzz target includes this file too.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use extendible::{Bucket, Extendible, FieldBucket, MemberBucket, Rehash, SplitMix64, scan};

/// A small bucket of unsorted pairs, so that a few operations cause splits.
#[derive(Debug, Default)]
struct Pairs(Vec<(u16, u32)>);

impl Bucket for Pairs {
    type Key = u16;

    const FULL: usize = 4;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn split(&mut self, bit: u64, rehash: &impl Rehash<u16>) -> Self {
        let (right, left) = self.0.iter().partition(|(key, _)| rehash.hash(key) & bit != 0);
        self.0 = left;
        Self(right)
    }

    fn heap_bytes(&self) -> usize {
        self.0.capacity() * size_of::<(u16, u32)>()
    }
}

/// How keys are hashed.
#[derive(Clone, Copy, Debug)]
enum Hash {
    /// A sound hash.
    Sound,
    /// The hashes differ only in the last bits, so that no split separates keys.
    Low,
    /// Most hashes are equal, and the others sound.
    Crowded,
    /// The number itself, so that consecutive keys are adjacent.
    InOrder,
}

impl Hash {
    fn of(self, key: u16, skip: u8) -> u64 {
        let sound = SplitMix64::mix(key.into());
        let hash = match self {
            Self::Low => sound & 0xffff,
            Self::Crowded if !key.is_multiple_of(4) => 7 << 40,
            Self::Sound | Self::Crowded => sound,
            Self::InOrder => u64::from(key) << 48 | sound >> 16,
        };
        hash << skip >> skip
    }
}

/// A scan that is not finished.
#[derive(Debug, Default)]
struct Scan {
    cursor: u64,
    /// The keys that have existed since the scan began.
    staying: HashSet<u16>,
    seen: HashSet<u16>,
}

struct Run {
    hash: Hash,
    skip: u8,
    pairs: Extendible<Pairs>,
    members: Extendible<MemberBucket>,
    fields: Extendible<FieldBucket>,
    oracle: HashMap<u16, u32>,
    scan: Option<Scan>,
    random: SplitMix64,
}

/// The member of a key: mostly short, sometimes so long that a bucket needs wide offsets.
fn member(key: u16) -> Vec<u8> {
    let mut member = key.to_le_bytes().to_vec();
    let len = if key.is_multiple_of(97) { 3000 } else { 2 + usize::from(key) % 150 };
    member.resize(len, b'm');
    member
}

/// The value of a number: short, long, empty, or about as long as the limit above which values are stored separately.
fn value(number: u32) -> Vec<u8> {
    let len = match number % 16 {
        0 => 0,
        1 => 255 + number as usize / 16 % 4,
        2 => 1000,
        other => 3 + other as usize,
    };
    let mut value = number.to_le_bytes().to_vec();
    value.resize(len, b'v');
    value
}

fn key_of(member: &[u8]) -> u16 {
    u16::from_le_bytes([member[0], member[1]])
}

impl Run {
    fn hash(&self, key: u16) -> u64 {
        self.hash.of(key, self.skip)
    }

    fn insert(&mut self, key: u16, value: u32) {
        let (kind, skip) = (self.hash, self.skip);
        let (hash, member) = (self.hash(key), member(key));
        let there = self.oracle.insert(key, value).is_some();
        assert_eq!(self.members.bucket(hash).is_some_and(|it| it.contains(hash, &member)), there);
        let found = self.pairs.bucket_mut(hash).and_then(|bucket| {
            bucket.0.iter_mut().find(|(other, _)| *other == key).map(|pair| pair.1 = value)
        });
        assert_eq!(found.is_some(), there, "{key}");
        let bytes = self::value(value);
        // Another value of the same length, which is then changed in place.
        let other = vec![b'o'; bytes.len()];
        let replaced = self.fields.bucket_mut(hash).is_some_and(|it| {
            let replaced = it.replace(hash, &member, &other);
            let at = it.position(hash, &member);
            assert_eq!(at.is_some(), replaced);
            assert_eq!(at.and_then(|at| it.nth(at)), at.map(|_| (&*member, &*other)));
            if let Some(value) = at.and_then(|at| it.nth_mut(at)) {
                value.copy_from_slice(&bytes);
            }
            assert!(it.nth_mut(it.len()).is_none());
            replaced
        });
        assert_eq!(replaced, there, "{key}");
        if there {
            return;
        }
        let rehash = move |key: &u16| kind.of(*key, skip);
        let (id, ()) = self.pairs.insert(hash, &rehash, |bucket| bucket.0.push((key, value)));
        assert_eq!(id, self.pairs.locate(hash));
        let rehash = move |member: &[u8]| kind.of(key_of(member), skip);
        self.members.insert(hash, &rehash, |bucket| bucket.insert(hash, &member));
        self.fields.insert(hash, &rehash, |bucket| bucket.insert(hash, &member, &bytes));
    }

    fn remove(&mut self, key: u16) {
        let (kind, skip) = (self.hash, self.skip);
        let hash = self.hash(key);
        let there = self.oracle.remove(&key).is_some();
        let found = self.pairs.bucket_mut(hash).and_then(|bucket| {
            let at = bucket.0.iter().position(|(other, _)| *other == key)?;
            Some(bucket.0.swap_remove(at))
        });
        assert_eq!(found.is_some(), there, "{key}");
        let rehash = move |member: &[u8]| kind.of(key_of(member), skip);
        let member = member(key);
        let removed =
            self.members.bucket_mut(hash).is_some_and(|it| it.remove(hash, &member, &rehash));
        assert_eq!(removed, there, "{key}");
        let removed =
            self.fields.bucket_mut(hash).is_some_and(|it| it.remove(hash, &member, &rehash));
        assert_eq!(removed, there, "{key}");
        if there {
            self.pairs.removed();
            self.members.removed();
            self.fields.removed();
        }
        if let Some(scan) = &mut self.scan {
            scan.staying.remove(&key);
        }
    }

    /// Begins a scan, or continues the one that is not finished.
    fn scan(&mut self, want: usize) {
        let mut scan = self.scan.take().unwrap_or_else(|| Scan {
            staying: self.oracle.keys().copied().collect(),
            ..Scan::default()
        });
        let from = scan::from_cursor(scan.cursor).expect("a cursor that was returned");
        let step = self.members.step(from, want);
        let mut returned = 0;
        if let Some(bucket) = step.bucket {
            let _: ControlFlow<()> = bucket.try_for_each(&mut |member| {
                let key = key_of(member);
                if step.covers(self.hash(key)) {
                    returned += 1;
                    assert!(scan.seen.insert(key), "{key} for the second time");
                    assert!(self.oracle.contains_key(&key), "{key} is not there");
                }
                ControlFlow::Continue(())
            });
            assert!(returned <= bucket.len());
        }
        scan.cursor = scan::to_cursor(step.next());
        if scan.cursor == 0 {
            assert!(scan.staying.is_subset(&scan.seen), "a key that was missed");
        } else {
            self.scan = Some(scan);
        }
    }

    fn draw(&mut self) {
        let Self { members, pairs, fields, random, .. } = self;
        let mut bits = || random.bits();
        let pair = pairs.random(&mut bits, |bucket, at| bucket.0.get(at));
        let member = members.random(&mut bits, MemberBucket::nth);
        let field = fields.random(&mut bits, FieldBucket::nth);
        assert_eq!(pair.is_none(), self.oracle.is_empty());
        assert_eq!(member.is_none(), self.oracle.is_empty());
        assert_eq!(field.is_none(), self.oracle.is_empty());
        if let (Some((key, value)), Some(member), Some((field, of))) = (pair, member, field) {
            assert_eq!(self.oracle.get(key), Some(value));
            assert_eq!(of, self::value(self.oracle[&key_of(field)]));
            assert!(self.oracle.contains_key(&key_of(member)));
        }
    }

    fn check_values(&self, fields: &Extendible<FieldBucket>, prefix: &[u8]) {
        let mut seen = 0;
        for bucket in fields.buckets() {
            let _: ControlFlow<()> = bucket.try_for_each(&mut |field, of| {
                let key = key_of(field);
                let value = [prefix, &self::value(self.oracle[&key])].concat();
                assert_eq!(of, value);
                seen += 1;
                ControlFlow::Continue(())
            });
        }
        assert_eq!(seen, self.oracle.len());
    }

    fn check_prefixed(&self) {
        let prefix = b"a time";
        let mut fields = self.fields.clone();
        fields.buckets_mut().for_each(|bucket| bucket.prefix_values(prefix));
        fields.verify();
        fields.buckets().for_each(FieldBucket::verify);
        self.check_values(&fields, prefix);
        for (&key, &value) in &self.oracle {
            let hash = self.hash(key);
            let found = fields.bucket(hash).and_then(|it| it.get(hash, &member(key)));
            assert_eq!(found, Some(&*[prefix, &*self::value(value)].concat()));
        }
    }

    fn check(&self) {
        self.pairs.verify();
        self.members.verify();
        self.members.buckets().for_each(MemberBucket::verify);
        self.fields.verify();
        self.fields.buckets().for_each(FieldBucket::verify);
        self.check_values(&self.fields, b"");
        assert_eq!((self.pairs.len(), self.members.len()), (self.oracle.len(), self.oracle.len()));
        for (&key, value) in &self.oracle {
            let hash = self.hash(key);
            let pair = self.pairs.bucket(hash).and_then(|it| it.0.iter().find(|it| it.0 == key));
            assert_eq!(pair, Some(&(key, *value)));
            assert!(self.members.bucket(hash).expect("a bucket").contains(hash, &member(key)));
            let of = self.fields.bucket(hash).and_then(|it| it.get(hash, &member(key)));
            assert_eq!(of, Some(&*self::value(*value)));
        }
        // In the order of the hashes, each prefix once.
        let mut last = None;
        for bucket in self.pairs.buckets_by_hash() {
            let hashes = || bucket.0.iter().map(|(key, _)| self.hash(*key));
            assert!(hashes().all(|hash| last.is_none_or(|last| hash > last)));
            last = hashes().max().or(last);
            let shared = hashes().next().map_or(64, |first| self.pairs.shared_bits(first));
            assert!(hashes().all(|hash| hashes().all(|o| (hash ^ o).leading_zeros() >= shared)));
        }
        assert!(1 << self.pairs.depth() <= 32 * self.pairs.bucket_count().max(1));
        assert!(1 << self.members.depth() <= 32 * self.members.bucket_count().max(1));
    }
}

/// Reads `bytes` as operations, applies them to empty tables, and checks every result; returns the maximum number of
/// buckets.
pub(crate) fn run(bytes: &[u8]) -> usize {
    let Some((&first, mut rest)) = bytes.split_first() else { return 0 };
    let hash = [Hash::Sound, Hash::Low, Hash::Crowded, Hash::InOrder][usize::from(first % 4)];
    let skip = first >> 2 & 7;
    let mut run = Run {
        hash,
        skip,
        pairs: Extendible::new(skip),
        members: Extendible::new(skip),
        fields: Extendible::new(skip),
        oracle: HashMap::new(),
        scan: None,
        random: SplitMix64::new(first.into()),
    };
    let (mut step, mut most) = (0, 0);
    while let [op, low, high, others @ ..] = rest {
        rest = others;
        let key = u16::from_le_bytes([*low, *high]);
        let following = |count: u16| (0..count).map(move |n| key.wrapping_add(n));
        match op % 8 {
            0 | 1 => run.insert(key, step),
            2 => following(48).for_each(|key| run.insert(key, step)),
            3 => run.remove(key),
            4 => following(32).for_each(|key| run.remove(key)),
            5 => {
                // Any existing key.
                let keys = run.oracle.keys().copied();
                if let Some(key) = keys.min_by_key(|other| other.wrapping_sub(key)) {
                    run.remove(key);
                }
            }
            6 => run.scan(usize::from(*low)),
            _ => run.draw(),
        }
        assert_eq!(run.members.len(), run.oracle.len());
        // Less often where it takes long.
        if step % if run.oracle.len() < 2000 { 16 } else { 256 } == 0 {
            run.check();
        }
        step += 1;
        most = most.max(run.pairs.bucket_count());
    }
    run.check();
    run.check_prefixed();
    while run.scan.is_some() {
        run.scan(100);
    }
    let left: Vec<u16> = run.oracle.keys().copied().collect();
    for key in left {
        run.remove(key);
    }
    assert_eq!((run.pairs.heap_bytes(), run.members.heap_bytes()), (0, 0));
    assert_eq!(run.fields.heap_bytes(), 0);
    most
}
