//! Runs operations on a set and on its oracle. The fuzz target includes this file too.
#![expect(clippy::float_cmp, reason = "scores are compared as Redis compares them")]

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher, DefaultHasher, Hasher};
use std::ops::Bound;

use skiplist_zset::{Change, Encoding, Entry, Limits, Refused, ScoreText, ZSet};

/// A sound hash without a random seed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sound;

impl BuildHasher for Sound {
    type Hasher = DefaultHasher;

    fn build_hasher(&self) -> DefaultHasher {
        DefaultHasher::new()
    }
}

/// A hash of three values, so that most members collide.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Broken;

#[derive(Debug)]
pub(crate) struct BrokenHasher(u64);

impl BuildHasher for Broken {
    type Hasher = BrokenHasher;

    fn build_hasher(&self) -> BrokenHasher {
        BrokenHasher(0)
    }
}

impl Hasher for BrokenHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0 += bytes.iter().map(|&byte| u64::from(byte)).sum::<u64>();
    }

    fn finish(&self) -> u64 {
        self.0 % 3 * 0x5555_5555_5555_5555
    }
}

/// An integer that sorts like the score.
fn key(score: f64) -> i64 {
    let bits = if score == 0.0 { 0 } else { score.to_bits().cast_signed() };
    bits ^ (((bits >> 63).cast_unsigned() >> 1).cast_signed())
}

#[derive(Clone, Default)]
struct Oracle {
    scores: HashMap<Vec<u8>, f64>,
    order: BTreeSet<(i64, Vec<u8>)>,
}

impl Oracle {
    fn put(&mut self, member: &[u8], score: f64) -> Change {
        let old = self.scores.get(member).copied();
        if let Some(old) = old {
            if old == score {
                return Change::Unchanged;
            }
            self.order.remove(&(key(old), member.to_vec()));
        }
        self.scores.insert(member.to_vec(), score);
        self.order.insert((key(score), member.to_vec()));
        if old.is_some() { Change::Updated } else { Change::Added }
    }

    fn remove(&mut self, member: &[u8]) -> Option<f64> {
        let score = self.scores.remove(member)?;
        self.order.remove(&(key(score), member.to_vec()));
        Some(score)
    }

    fn sorted(&self) -> impl DoubleEndedIterator<Item = (&Vec<u8>, f64)> {
        self.order.iter().map(|(_, member)| (member, self.scores[member]))
    }
}

/// Reads numbers from bytes, and zeros after their end.
struct Source<'b>(&'b [u8]);

impl Source<'_> {
    fn byte(&mut self) -> u8 {
        let (&first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        first
    }

    fn short(&mut self) -> u16 {
        u16::from_le_bytes([self.byte(), self.byte()])
    }

    fn long(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    fn member(&mut self, kinds: u16) -> Vec<u8> {
        let number = self.short() % kinds;
        match number % 32 {
            0 if number == 0 => Vec::new(),
            1..=9 => number.to_string().into_bytes(),
            10 => [vec![b'x'; 70], number.to_string().into_bytes()].concat(),
            11 => [number.to_string().into_bytes(), vec![b'y'; 300]].concat(),
            12 if number % 64 == 12 => vec![b'z'; 1000 + usize::from(number) * 3],
            13..=20 => number.swap_bytes().to_le_bytes().to_vec(),
            _ => format!("member:{number}").into_bytes(),
        }
    }

    fn score(&mut self, turn: u32) -> f64 {
        let turn = f64::from(turn);
        match self.byte() % 16 {
            0 => f64::from(self.byte() % 4),
            1 => -f64::from(self.byte() % 4),
            2 => turn,
            3 => -turn,
            4 => f64::from_bits(u64::from(self.byte())),
            5 => -f64::from_bits(u64::from(self.byte())),
            6 => 1.0 + f64::EPSILON * f64::from(self.byte()),
            7 => 1e300 * f64::from(self.byte().cast_signed()),
            8 if self.byte().is_multiple_of(4) => f64::INFINITY,
            8 => f64::NEG_INFINITY,
            9 => f64::from_bits(self.long()),
            10 => f64::from(self.short()) / 10.0,
            11 => 1e15 + f64::from(self.byte()),
            12 => turn / 7.0,
            _ => f64::from(self.short()),
        }
    }

    fn bound<T>(&mut self, value: T) -> Bound<T> {
        match self.byte() % 5 {
            0 => Bound::Unbounded,
            1 | 2 => Bound::Included(value),
            _ => Bound::Excluded(value),
        }
    }
}

/// The number of operations that ended in each encoding.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) lists: usize,
    pub(crate) skip_lists: usize,
}

/// Reads operations from bytes and applies them to an empty set; checks every result, and the whole set after each
/// step.
pub(crate) fn run<S: BuildHasher + Default + Clone>(bytes: &[u8]) -> Seen {
    let mut source = Source(bytes);
    let settings = source.byte();
    let limits = Limits {
        entries: [0, 4, 20, 128][usize::from(settings % 4)],
        value: [10, 64][usize::from(settings >> 2 & 1)],
        text: [ScoreText::Digits17, ScoreText::Shortest][usize::from(settings >> 3 & 1)],
    };
    let kinds = [40, 400, 4000, u16::MAX][usize::from(settings >> 4 & 3)];
    let mut set = ZSet::<S>::new();
    let mut oracle = Oracle::default();
    let mut seen = Seen::default();
    let mut turn = 0_usize;
    while !source.0.is_empty() {
        turn += 1;
        let skip = set.encoding();
        let number = u32::try_from(turn).unwrap_or(u32::MAX);
        step(&mut set, &mut oracle, &mut source, (limits, kinds, number));
        match set.encoding() {
            Encoding::ListPack => seen.lists += 1,
            Encoding::SkipList => seen.skip_lists += 1,
        }
        assert!(set.encoding() >= skip || set.len() <= limits.entries, "no way back by itself");
        // Large sets are compared less often, because that is slow.
        if turn.is_multiple_of(1 + set.len() / 64) {
            check(&set, &oracle);
        }
    }
    check(&set, &oracle);
    seen
}

fn step<S: BuildHasher + Default + Clone>(
    set: &mut ZSet<S>,
    oracle: &mut Oracle,
    source: &mut Source<'_>,
    (limits, kinds, turn): (Limits, u16, u32),
) {
    let op = source.byte();
    match op {
        0..=119 => {
            let (member, score) = (source.member(kinds), source.score(turn));
            set.prefetch_updates(&[(set.hash(&member), score)]);
            if score.is_nan() {
                assert_eq!(set.add(&member, score, &limits), Err(Refused::NotANumber));
            } else {
                assert_eq!(set.add(&member, score, &limits), Ok(oracle.put(&member, score)));
            }
        }
        120..=134 => {
            let (member, by) = (source.member(kinds), source.score(turn));
            let sum = oracle.scores.get(&member).copied().unwrap_or(0.0) + by;
            let result = set.incr(&member, by, &limits);
            if sum.is_nan() {
                assert_eq!(result, Err(Refused::NotANumber));
            } else {
                assert_eq!(result, Ok(sum));
                oracle.put(&member, sum);
            }
        }
        135..=184 => {
            let member = source.member(kinds);
            assert_eq!(set.remove(&member), oracle.remove(&member));
        }
        185..=188 => {
            // An existing member, by rank.
            if let Some((member, score)) = set.get(usize::from(source.short()) % set.len().max(1)) {
                let member = member.to_vec();
                assert_eq!(oracle.remove(&member), Some(score));
                assert_eq!(set.remove(&member), Some(score));
            }
        }
        189..=192 => {
            let first = oracle.sorted().next().map(|(member, score)| (member.clone(), score));
            assert_eq!(set.pop_first(), first);
            if let Some((member, _)) = first {
                oracle.remove(&member);
            }
        }
        193..=196 => {
            let last = oracle.sorted().next_back().map(|(member, score)| (member.clone(), score));
            assert_eq!(set.pop_last(), last);
            if let Some((member, _)) = last {
                oracle.remove(&member);
            }
        }
        197..=199 => {
            let from = usize::from(source.short()) % (set.len() + 2);
            let count = usize::from(source.byte()) * if op == 197 { 100 } else { 1 };
            let gone: Vec<Vec<u8>> =
                oracle.sorted().skip(from).take(count).map(|(member, _)| member.clone()).collect();
            assert_eq!(set.remove_range(from..from + count), gone.len());
            for member in gone {
                oracle.remove(&member);
            }
        }
        200..=214 => by_score(set, oracle, source, turn),
        215..=222 => by_member(set, oracle, source, kinds),
        223..=232 => by_rank(set, oracle, source),
        233 => set.fit(&limits).expect("room"),
        234 => *set = set.clone(),
        235 => {
            let entries: Vec<_> =
                set.iter().map(|(member, score)| (member.to_vec(), score)).collect();
            let built = match source.byte() % 3 {
                0 => ZSet::from_entries(entries, &limits),
                1 => ZSet::from_entries(entries.into_iter().rev(), &limits),
                _ => {
                    ZSet::from_entries(oracle.scores.iter().map(|(m, &score)| (m, score)), &limits)
                }
            };
            *set = built.expect("members that differ");
        }
        236 => {
            if let Some(list) = set.as_listpack() {
                *set = ZSet::from_bytes(list.as_bytes()).expect("its own bytes");
            }
        }
        237 if source.byte().is_multiple_of(8) => {
            set.clear();
            *oracle = Oracle::default();
        }
        238..=242 => {
            // A run of adjacent members with equal scores.
            let (score, first) = (source.score(turn), source.short() % kinds);
            for number in first..first.saturating_add(source.byte().into()) {
                let member = format!("run:{number}").into_bytes();
                if !score.is_nan() {
                    assert_eq!(set.add(&member, score, &limits), Ok(oracle.put(&member, score)));
                }
            }
        }
        _ => {
            // A new score close to the old one.
            if let Some((member, score)) = set.get(usize::from(source.short()) % set.len().max(1)) {
                let (member, near) = (member.to_vec(), score + f64::from(source.byte()) / 16.0);
                assert_eq!(set.add(&member, near, &limits), Ok(oracle.put(&member, near)));
            }
        }
    }
}

fn by_score<S: BuildHasher>(set: &ZSet<S>, oracle: &Oracle, source: &mut Source<'_>, turn: u32) {
    let (min, max) = (source.score(turn), source.score(turn));
    let (min, max) = (source.bound(min), source.bound(max));
    let ranks = set.ranks_by_score((min, max));
    let is_in = |score: f64| {
        (match min {
            Bound::Unbounded => true,
            Bound::Included(min) => score >= min,
            Bound::Excluded(min) => score > min,
        }) && (match max {
            Bound::Unbounded => true,
            Bound::Included(max) => score <= max,
            Bound::Excluded(max) => score < max,
        })
    };
    let expected: Vec<_> = oracle.sorted().filter(|&(_, score)| is_in(score)).collect();
    assert_eq!(ranks.len(), expected.len(), "{min:?} to {max:?}");
    assert!(same(set.range(ranks), expected.iter().copied()));
    let range = set.by_score((min, max));
    assert!(same(range.clone(), expected.iter().copied()));
    assert!(same(range.clone().rev(), expected.iter().rev().copied()));
    let (least, most) = range.size_hint();
    assert!(least <= expected.len() && most.is_some_and(|most| expected.len() <= most));
    let even = |score: f64| score.abs().to_bits().count_ones().is_multiple_of(2);
    let (mut looked, mut found) = (Vec::new(), Vec::new());
    let keep = |score: f64| {
        looked.push(score);
        even(score)
    };
    set.pick((min, max), keep, |member, score| found.push((member, score)));
    let kept = expected.iter().copied().filter(|&(_, score)| even(score));
    assert!(same(found.into_iter(), kept));
    assert!(looked.iter().eq(expected.iter().map(|(_, score)| score)));
    both_ends(range, expected.into_iter(), source);
    set.pick(f64::NAN.., |_| true, |member, _| panic!("{member:?} is not beyond NaN"));
    assert_eq!(set.by_score(f64::NAN..).next().or(set.by_score(..=f64::NAN).next_back()), None);
}

/// Alternates between both ends.
fn both_ends<'a>(
    mut ours: impl DoubleEndedIterator<Item = (Entry<'a>, f64)>,
    mut others: impl DoubleEndedIterator<Item = (&'a Vec<u8>, f64)> + ExactSizeIterator,
    source: &mut Source<'_>,
) {
    while others.len() > 0 {
        if source.byte().is_multiple_of(2) {
            assert!(same(ours.next().into_iter(), others.next().into_iter()));
        } else {
            assert!(same(ours.next_back().into_iter(), others.next_back().into_iter()));
        }
    }
    for _ in 0..2 {
        assert_eq!(ours.next(), None);
        assert_eq!(ours.next_back(), None);
    }
}

fn by_member<S: BuildHasher + Clone>(
    set: &mut ZSet<S>,
    oracle: &Oracle,
    source: &mut Source<'_>,
    kinds: u16,
) {
    let (low, high) = (source.member(kinds), source.member(kinds));
    let (low, high) = (source.bound(&low[..]), source.bound(&high[..]));
    let range = (low, high);
    let is_in = |member: &[u8]| std::ops::RangeBounds::<[u8]>::contains(&range, member);
    let all_equal =
        oracle.order.first().map(|first| first.0) == oracle.order.last().map(|last| last.0);
    for ranks in [set.ranks_by_lex(low, high), set.ranks_by_lex_from_back(low, high)] {
        assert!(ranks.start <= ranks.end && ranks.end <= set.len());
        if all_equal {
            let expected: Vec<_> = oracle.sorted().filter(|(member, _)| is_in(member)).collect();
            assert_eq!(ranks.len(), expected.len(), "{low:?} to {high:?}");
            assert!(same(set.range(ranks), expected.into_iter()));
        }
    }
    if set.encoding() == Encoding::ListPack {
        // With different scores: from the first member within one bound to the last within the other, in the order of
        // iteration.
        let members: Vec<Vec<u8>> = set.iter().map(|(member, _)| member.to_vec()).collect();
        let above = |member: &[u8]| {
            std::ops::RangeBounds::<[u8]>::contains(&(low, Bound::Unbounded), member)
        };
        let below = |member: &[u8]| {
            std::ops::RangeBounds::<[u8]>::contains(&(Bound::Unbounded, high), member)
        };
        let meet = members.first().is_some_and(|first| below(first))
            && members.last().is_some_and(|last| above(last));
        let walk = |members: &mut dyn Iterator<Item = &Vec<u8>>,
                    enter: &dyn Fn(&[u8]) -> bool,
                    stay: &dyn Fn(&[u8]) -> bool| {
            let run = members.skip_while(|member| !enter(member)).take_while(|member| stay(member));
            if meet { run.count() } else { 0 }
        };
        let forward = walk(&mut members.iter(), &above, &below);
        let backward = walk(&mut members.iter().rev(), &below, &above);
        assert_eq!(set.ranks_by_lex(low, high).len(), forward);
        assert_eq!(set.ranks_by_lex_from_back(low, high).len(), backward);
    }
}

fn by_rank<S: BuildHasher>(set: &ZSet<S>, oracle: &Oracle, source: &mut Source<'_>) {
    let from = usize::from(source.short()) % (set.len() + 3);
    let to = from + usize::from(source.byte());
    let range = set.range(from..to);
    let expected: Vec<_> = oracle.sorted().skip(from).take(to - from).collect();
    assert_eq!(range.len(), expected.len());
    assert!(same(range.clone(), expected.iter().copied()));
    assert!(same(range.clone().rev(), expected.iter().rev().copied()));
    let step = usize::from(source.byte() % 9) + 1;
    assert!(same(range.clone().step_by(step), expected.iter().copied().step_by(step)));
    both_ends(range, expected.into_iter(), source);

    if let Some((member, score)) = oracle.sorted().nth(from) {
        assert_eq!(set.rank_and_score(member), Some((from, score)));
        assert_eq!(set.rev_rank(member), Some(set.len() - 1 - from));
        assert_eq!(set.score(member), Some(score));
        assert_eq!(set.score_hashed(member, set.hash(member)), Some(score));
        let mut other = member.clone();
        other.push(b'!');
        assert_eq!(set.rank(&other).is_some(), oracle.scores.contains_key(&other));
    }
}

/// Compares all observable state.
fn check<S: BuildHasher>(set: &ZSet<S>, oracle: &Oracle) {
    set.verify();
    assert_eq!(set.len(), oracle.scores.len());
    assert_eq!(set.is_empty(), oracle.scores.is_empty());
    assert!(same(set.iter(), oracle.sorted()));
    assert!(same(set.iter().rev(), oracle.sorted().rev()));
    assert!(same(set.first().into_iter(), oracle.sorted().next().into_iter()));
    assert!(same(set.last().into_iter(), oracle.sorted().next_back().into_iter()));
}

fn same<'a>(
    mut ours: impl Iterator<Item = (Entry<'a>, f64)>,
    mut others: impl Iterator<Item = (&'a Vec<u8>, f64)>,
) -> bool {
    others.all(|(member, score)| {
        ours.next().is_some_and(|(is, has)| is.with_bytes(|is| is == member) && has == score)
    }) && ours.next().is_none()
}
