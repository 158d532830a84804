//! Inputs that the report and the criterion suites share, and the merge of two sorted vectors.

use std::cmp::Ordering;
use std::ops::Range;

use tallis::{LocationTable, Locations, Store};
use testkit::rng::Rng;

/// Words that are adjacent in memory, so that reading them in order causes no cache miss. A server finds its arguments
/// in a buffer that it has just filled; contenders in this process have the same advantage.
#[derive(Clone, Debug, Default)]
pub struct Words {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Words {
    /// Returns the number of words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns `true` if there are no words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the word at an index.
    ///
    /// # Panics
    ///
    /// If the index is out of range.
    #[must_use]
    pub fn get(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.bytes[start..self.ends[at]]
    }

    /// Returns all words in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.range(0..self.len())
    }

    /// Returns the words of a range of indices, in order.
    pub fn range(&self, places: Range<usize>) -> impl Iterator<Item = &[u8]> {
        places.map(|at| self.get(at))
    }
}

impl<W: AsRef<[u8]>> FromIterator<W> for Words {
    fn from_iter<I: IntoIterator<Item = W>>(words: I) -> Self {
        let mut all = Self::default();
        for word in words {
            all.bytes.extend_from_slice(word.as_ref());
            all.ends.push(all.bytes.len());
        }
        all
    }
}

/// Fields `field:N` with values of 16 bytes, the same number in each of the hashes `user:N`.
#[derive(Clone, Debug)]
pub struct Fields {
    /// The keys of the hashes.
    pub keys: Words,
    /// The names of all fields, hash after hash.
    pub names: Words,
    /// Their values.
    pub values: Words,
    /// The number of fields in a hash.
    pub each: usize,
}

impl Fields {
    /// Creates `count` fields, `each` of them in a hash.
    #[must_use]
    pub fn new(count: usize, each: usize) -> Self {
        Self {
            keys: (0..count.div_ceil(each)).map(|n| format!("user:{n}")).collect(),
            names: (0..count).map(|n| format!("field:{n}")).collect(),
            values: (0..count).map(|n| format!("value:{n:010}")).collect(),
            each,
        }
    }

    /// Returns the number of fields.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns `true` if there are no fields.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns the key, the field and the value at an index.
    #[must_use]
    pub fn get(&self, at: usize) -> [&[u8]; 3] {
        [self.keys.get(at / self.each), self.names.get(at), self.values.get(at)]
    }

    /// Returns all fields.
    pub fn iter(&self) -> impl Iterator<Item = [&[u8]; 3]> {
        (0..self.len()).map(|at| self.get(at))
    }
}

/// Returns the numbers `0..count` in random order.
#[must_use]
pub fn shuffled(seed: u64, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    Rng::new(seed).shuffle(&mut order);
    order
}

/// Cycles through a number of pieces, one turn at a time. Two successive turns use different pieces, so that each finds
/// the caches in the state that a store of that size leaves.
#[derive(Clone, Debug)]
pub struct Turns {
    next: usize,
    size: usize,
    count: usize,
}

impl Turns {
    /// Creates turns of `size` out of `count` pieces. A remainder that does not fill a turn is left out.
    ///
    /// # Panics
    ///
    /// If `size` is 0 or greater than `count`.
    #[must_use]
    pub fn new(size: usize, count: usize) -> Self {
        assert!(0 < size && size <= count, "{size} of {count}");
        Self { next: 0, size, count }
    }

    /// Returns the indices of the next turn.
    pub fn turn(&mut self) -> Range<usize> {
        if self.next + self.size > self.count {
            self.next = 0;
        }
        self.next += self.size;
        self.next - self.size..self.next
    }
}

/// Returns two sets of `members` 63-bit ids in random order, with half of the ids in common.
#[must_use]
pub fn two_sets(members: usize) -> [Vec<i64>; 2] {
    let mut rng = Rng::new(7);
    let mut fresh =
        |count: usize| -> Vec<i64> { (0..count).map(|_| (rng.u64() >> 1).cast_signed()).collect() };
    let common = fresh(members / 2);
    [(); 2].map(|()| [&common[..], &fresh(members - members / 2)].concat())
}

/// Merges two sorted vectors: the ids only in `a`, in both, and only in `b`, each if selected. Returns their number.
///
/// The output is reused, so that the time includes no allocation.
pub fn merge<const ONLY_A: bool, const BOTH: bool, const ONLY_B: bool>(
    a: &[i64],
    b: &[i64],
    out: &mut Vec<i64>,
) -> usize {
    out.clear();
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            Ordering::Less => {
                if ONLY_A {
                    out.push(a[i]);
                }
                i += 1;
            }
            Ordering::Equal => {
                if BOTH {
                    out.push(a[i]);
                }
                i += 1;
                j += 1;
            }
            Ordering::Greater => {
                if ONLY_B {
                    out.push(b[j]);
                }
                j += 1;
            }
        }
    }
    if ONLY_A {
        out.extend_from_slice(&a[i..]);
    }
    if ONLY_B {
        out.extend_from_slice(&b[j..]);
    }
    out.len()
}

#[cfg(test)]
mod tests {
    use super::{Turns, Words, merge, shuffled, two_sets};

    #[test]
    fn words_are_returned_in_order() {
        let words: Words = ["one", "", "three"].into_iter().collect();
        assert_eq!(words.len(), 3);
        assert_eq!(words.iter().collect::<Vec<_>>(), [&b"one"[..], b"", b"three"]);
        assert_eq!(words.get(2), b"three");
    }

    #[test]
    fn turns_start_again_at_the_end() {
        let mut turns = Turns::new(4, 10);
        assert_eq!([turns.turn(), turns.turn(), turns.turn()], [0..4, 4..8, 0..4]);
    }

    #[test]
    fn a_shuffle_has_each_number_once() {
        let mut order = shuffled(1, 1000);
        assert!(!order.is_sorted());
        order.sort_unstable();
        assert!(order.into_iter().eq(0..1000));
    }

    #[test]
    fn the_merge_counts_the_common_members() {
        let [a, b] = two_sets(1000).map(|mut ids| {
            ids.sort_unstable();
            ids
        });
        let mut out = Vec::new();
        assert_eq!(merge::<false, true, false>(&a, &b, &mut out), 500);
        assert_eq!(merge::<true, true, true>(&a, &b, &mut out), 1500);
        assert!(out.is_sorted());
        assert_eq!(merge::<true, false, false>(&a, &b, &mut out), 500);
    }
}

/// The number of users in one string of the locations.
pub const USERS_PER_SHARD: usize = 1 << 20;

/// Users and their locations.
#[derive(Debug)]
pub struct Located {
    /// The store that holds the strings.
    pub store: Store,
    /// The recipe on the same strings.
    pub locations: Locations,
    /// The codes, by user.
    pub plain: Vec<[u8; 2]>,
    /// Random users.
    pub list: Vec<usize>,
}

impl Located {
    /// Creates users numbered from 0, two fifths of them in a random region of the United States, the others in a
    /// random country; and a list of `list` random users.
    ///
    /// # Panics
    ///
    /// If `users` is 0.
    #[must_use]
    pub fn new(users: usize, list: usize) -> Self {
        let table = LocationTable::redis_in_action();
        let code = |country: &str, region: &str| table.code_lenient(country, region);
        let abroad: Vec<_> = table.countries().map(|country| code(country, "")).collect();
        let states: Vec<_> =
            table.regions("USA").into_iter().flatten().map(|region| code("USA", region)).collect();
        let mut rng = Rng::new(92);
        let plain: Vec<[u8; 2]> = (0..users)
            .map(|_| {
                let of = if rng.below(5) < 2 { &states } else { &abroad };
                of[rng.index(of.len())]
            })
            .collect();
        let store = Store::new();
        let locations = Locations::new(store.clone());
        for (shard, codes) in plain.chunks(USERS_PER_SHARD).enumerate() {
            let written = store.setrange(format!("location:{shard}"), 0, codes.as_flattened());
            assert!(written.is_ok());
        }
        let [country, region] = [table.names(plain[users - 1]).0, table.names(plain[users - 1]).1];
        let last = locations.set(users as u64 - 1, country.unwrap_or(""), region);
        assert!(last.is_ok());
        let list = (0..list).map(|_| rng.index(users)).collect();
        Self { store, locations, plain, list }
    }

    /// Returns countries with and without a region, in random order.
    #[must_use]
    pub fn places() -> Vec<(String, String)> {
        let table = LocationTable::redis_in_action();
        let mut rng = Rng::new(93);
        let countries: Vec<&str> = table.countries().collect();
        let states: Vec<&str> = table.regions("USA").into_iter().flatten().collect();
        let mut place = || {
            if rng.below(5) < 2 {
                ("USA".to_owned(), states[rng.index(states.len())].to_owned())
            } else {
                (countries[rng.index(countries.len())].to_owned(), String::new())
            }
        };
        (0..997).map(|_| place()).collect()
    }
}
