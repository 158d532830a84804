//! Inputs that the report and the criterion suites have in common, and the merge that sorted vectors take.

use std::cmp::Ordering;
use std::ops::Range;

use tallis::{LocationTable, Locations, Store};
use testkit::rng::Rng;

/// Words one after the other in memory, so that reading them in order costs no cache miss: a server finds its arguments
/// in a buffer that it has just filled, and so shall the contenders that run in this process.
#[derive(Clone, Debug, Default)]
pub struct Words {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Words {
    /// How many words there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The word at this place.
    ///
    /// # Panics
    ///
    /// If there are fewer.
    #[must_use]
    pub fn get(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.bytes[start..self.ends[at]]
    }

    /// All words in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.range(0..self.len())
    }

    /// The words of a range of places, in order.
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

/// Fields `field:N` with values of 16 bytes, so many in each of the hashes `user:N`.
#[derive(Clone, Debug)]
pub struct Fields {
    /// The keys of the hashes.
    pub keys: Words,
    /// The names of all fields, hash after hash.
    pub names: Words,
    /// Their values.
    pub values: Words,
    /// How many fields a hash has.
    pub each: usize,
}

impl Fields {
    /// So many in all.
    #[must_use]
    pub fn new(count: usize, each: usize) -> Self {
        Self {
            keys: (0..count.div_ceil(each)).map(|n| format!("user:{n}")).collect(),
            names: (0..count).map(|n| format!("field:{n}")).collect(),
            values: (0..count).map(|n| format!("value:{n:010}")).collect(),
            each,
        }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The key, the field and the value of one.
    #[must_use]
    pub fn get(&self, at: usize) -> [&[u8]; 3] {
        [self.keys.get(at / self.each), self.names.get(at), self.values.get(at)]
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = [&[u8]; 3]> {
        (0..self.len()).map(|at| self.get(at))
    }
}

/// The numbers `0..count` in random order.
#[must_use]
pub fn shuffled(seed: u64, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    Rng::new(seed).shuffle(&mut order);
    order
}

/// Goes round a number of pieces, a turn at a time: no two turns that follow each other ask for the same, so that each
/// finds the caches as a store of that size leaves them.
#[derive(Clone, Debug)]
pub struct Turns {
    next: usize,
    size: usize,
    count: usize,
}

impl Turns {
    /// Turns of `size` of `count` pieces; a rest that does not fill a turn is left out.
    ///
    /// # Panics
    ///
    /// If not even one turn can be filled.
    #[must_use]
    pub fn new(size: usize, count: usize) -> Self {
        assert!(0 < size && size <= count, "{size} of {count}");
        Self { next: 0, size, count }
    }

    /// The places of the next turn.
    pub fn turn(&mut self) -> Range<usize> {
        if self.next + self.size > self.count {
            self.next = 0;
        }
        self.next += self.size;
        self.next - self.size..self.next
    }
}

/// Two sets of so many 63-bit ids in no order, half of which both have.
#[must_use]
pub fn two_sets(members: usize) -> [Vec<i64>; 2] {
    let mut rng = Rng::new(7);
    let mut fresh =
        |count: usize| -> Vec<i64> { (0..count).map(|_| (rng.u64() >> 1).cast_signed()).collect() };
    let common = fresh(members / 2);
    [(); 2].map(|()| [&common[..], &fresh(members - members / 2)].concat())
}

/// The merge that two sorted vectors take: what is only in `a`, in both, only in `b`, each if asked for.
///
/// The output is reused, so that no fresh memory is paid for.
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
    fn words_come_back_in_order() {
        let words: Words = ["one", "", "three"].into_iter().collect();
        assert_eq!(words.len(), 3);
        assert_eq!(words.iter().collect::<Vec<_>>(), [&b"one"[..], b"", b"three"]);
        assert_eq!(words.get(2), b"three");
    }

    #[test]
    fn turns_go_round() {
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
    fn the_merge_counts_what_the_sets_share() {
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

/// How many users share a string of the locations.
pub const USERS_PER_SHARD: usize = 1 << 20;

/// Users and where they are.
#[derive(Debug)]
pub struct Located {
    /// Where the strings are.
    pub store: Store,
    /// The same strings.
    pub locations: Locations,
    /// The codes, by user.
    pub plain: Vec<[u8; 2]>,
    /// Random users.
    pub list: Vec<usize>,
}

impl Located {
    /// So many users from 0 on, two fifths of them in a random region of the United States, the others in a random
    /// country; and a list of so many random ones.
    ///
    /// # Panics
    ///
    /// If there are no users.
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

    /// Countries with and without a region, in no order.
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
