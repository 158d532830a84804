//! Descriptions of elements: `200k random 60-bit ids`.

use std::fmt;

use indicatif::HumanCount;

use super::super::items::{Items, Kind};
use super::data::Sort;
use crate::number::count_to;

/// A number of elements of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Description {
    pub(super) count: usize,
    pub(super) what: What,
}

/// The kind of the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Random integers of this many bits.
    Random(u32),
    /// The integers from 0 on.
    Small,
    /// Random integers below this one.
    Below(u64),
    /// Names of this many bytes.
    Names(usize),
    /// UUIDs as text.
    Uuids,
}

/// The most elements.
const MOST: u64 = 100_000_000;

/// The default number of bits of random ids: the first 15 hexadecimal digits of a UUID.
const BITS: u32 = 60;

/// The default length of a name in bytes: `user:` and nine digits.
const NAME: usize = PREFIX.len() + 9;

/// The prefix of names.
const PREFIX: &str = "user:";

/// The possible descriptions.
const HELP: &str = "expected a number and a kind of elements: '200k random 60-bit ids', '1M small ids', '50000 ids below 2M', \
                    '1M names', '10k 36-byte names' or '3M uuids'";

/// Parses a description.
pub(super) fn parse(text: &str) -> Result<Description, String> {
    let (count, rest) = text.trim().split_once(char::is_whitespace).ok_or(HELP)?;
    let words: Vec<String> = rest.split_whitespace().map(lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let count = count_to(count, MOST).map_err(|why| format!("'{count}': {why}; {HELP}"))?;
    let what = what(&words).ok_or(HELP)?;
    let count = usize::try_from(count).map_err(|_| HELP)?;
    let description = Description { count, what };
    let most = description.most();
    if count as u64 > most {
        return Err(format!("at most {most} such elements can be added, half of all that exist"));
    }
    Ok(description)
}

/// Converts a word to lower case, except a number, in which capital letters have a meaning.
fn lowercase(word: &str) -> String {
    if word.starts_with(|first: char| first.is_ascii_digit()) {
        word.to_owned()
    } else {
        word.to_lowercase()
    }
}

fn what(words: &[&str]) -> Option<What> {
    match *words {
        ["random", ref ids @ ..] if is_ids(ids) => Some(What::Random(BITS)),
        ["random", bits, ref ids @ ..] | [bits, "random", ref ids @ ..] | [bits, ref ids @ ..]
            if is_ids(ids) && bits_of(bits).is_some() =>
        {
            bits_of(bits).map(What::Random)
        }
        ["random", ref ids @ .., "of", bits, "bits"] if is_ids(ids) => {
            of_bits(bits).map(What::Random)
        }
        ["small" | "dense" | "sequential" | "consecutive", ref ids @ ..] if is_ids(ids) => {
            Some(What::Small)
        }
        [ref ids @ .., "from", "0"] if is_ids(ids) => Some(What::Small),
        ["random", ref ids @ .., "below", bound] | [ref ids @ .., "below", bound]
            if is_ids(ids) =>
        {
            count_to(bound, 1 << 62).ok().map(What::Below)
        }
        ref names if is_names(names) => Some(What::Names(NAME)),
        [bytes, ref names @ ..] if is_names(names) => {
            let bytes = bytes.strip_suffix("-byte")?.parse().ok()?;
            (NAME..=512).contains(&bytes).then_some(What::Names(bytes))
        }
        ["uuids"] | ["random", "uuids"] => Some(What::Uuids),
        _ => None,
    }
}

fn is_ids(words: &[&str]) -> bool {
    matches!(words, ["ids" | "integers" | "numbers"])
}

fn is_names(words: &[&str]) -> bool {
    matches!(words, ["names" | "strings" | "texts" | "members"])
}

/// Parses `60-bit`.
fn bits_of(word: &str) -> Option<u32> {
    of_bits(word.strip_suffix("-bit")?)
}

fn of_bits(number: &str) -> Option<u32> {
    number.parse().ok().filter(|bits| (1..=63).contains(bits))
}

impl Description {
    /// Returns the most elements for which as many others are left.
    fn most(self) -> u64 {
        match self.what {
            What::Random(bits) => (1 << bits) / 2,
            What::Below(bound) => bound / 2,
            What::Small | What::Names(_) | What::Uuids => MOST,
        }
    }

    /// Returns the properties of the elements.
    pub(super) fn sort(self) -> Sort {
        let below = |bound: u64| Sort::Ids { low: 0, high: bound.saturating_sub(1).cast_signed() };
        match self.what {
            What::Random(bits) => below(1 << bits),
            What::Small => below(self.count as u64),
            What::Below(bound) => below(bound),
            What::Names(_) | What::Uuids => Sort::Names,
        }
    }

    /// Returns the elements, and at most this many others.
    pub(super) fn items(self, others: usize) -> Items {
        const SEED: u64 = 0x7a11_15ad_0152_0001;
        let others = others.min(self.count);
        match self.what {
            What::Random(bits) => Items::of(Kind::Random(bits), self.count, others, SEED),
            What::Small => Items::of(Kind::Dense, self.count, others, SEED),
            What::Below(bound) => Items::below(bound, self.count, others, SEED),
            What::Names(bytes) => {
                let digits = bytes - PREFIX.len();
                Items::made(self.count, others, SEED, |n| format!("{PREFIX}{n:0digits$}"))
            }
            What::Uuids => Items::made(self.count, others, SEED, uuid),
        }
    }
}

/// Returns a random UUID for a number, as text.
fn uuid(number: u64) -> String {
    testkit::rng::Rng::new(number).uuid()
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", HumanCount(self.count as u64))?;
        match self.what {
            What::Random(bits) => write!(f, "random ids of {bits} bits"),
            What::Small => f.write_str("ids from 0 on"),
            What::Below(bound) => write!(f, "random ids below {}", HumanCount(bound)),
            What::Names(bytes) => write!(f, "names of {bytes} bytes"),
            What::Uuids => f.write_str("UUIDs as text"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn what_is_said_is_understood() {
        for (text, count, what) in [
            ("200k random 60-bit ids", 200_000, What::Random(60)),
            ("200k 60-bit random ids", 200_000, What::Random(60)),
            ("5 31-bit integers", 5, What::Random(31)),
            ("1e3 random numbers of 20 bits", 1000, What::Random(20)),
            ("1M Random IDs", 1_000_000, What::Random(60)),
            ("1M small ids", 1_000_000, What::Small),
            ("1 sequential ids", 1, What::Small),
            ("9 ids from 0", 9, What::Small),
            ("50000 ids below 2M", 50_000, What::Below(2_000_000)),
            ("5 random ids below 11", 5, What::Below(11)),
            ("1M names", 1_000_000, What::Names(14)),
            ("10k 36-byte strings", 10_000, What::Names(36)),
            ("3M uuids", 3_000_000, What::Uuids),
        ] {
            assert_eq!(parse(text), Ok(Description { count, what }), "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_says_what_can_be_said() {
        for text in [
            "",
            "ids",
            "0 ids",
            "1M",
            "1M cats",
            "1M ids",
            "5 64-bit ids",
            "5 0-bit ids",
            "5 2-byte names",
            "1G names",
        ] {
            assert!(parse(text).unwrap_err().contains("'3M uuids'"), "{text}");
        }
        assert!(parse("9 3-bit ids").unwrap_err().contains("at most 4 such elements"));
        assert!(parse("6 ids below 11").unwrap_err().contains("at most 5 such"));
    }

    #[test]
    fn elements_are_as_described_and_all_different() {
        for text in [
            "100 random 60-bit ids",
            "100 small ids",
            "100 ids below 1000",
            "100 ids below 200",
            "100 names",
            "100 99-byte names",
            "100 uuids",
        ] {
            let description = parse(text).unwrap();
            let items = description.items(50);
            assert_eq!((items.present(), items.others()), (100, 50), "{text}");
            let get = |at: usize| if at < 100 { items.get(at) } else { items.other(at - 100) };
            let all: HashSet<String> = (0..150).map(|at| format!("{:?}", get(at))).collect();
            assert_eq!(all.len(), 150, "{text}");
            if let Sort::Ids { low, high } = description.sort() {
                let present = (0..100).filter_map(|at| items.id(at));
                assert!(present.clone().all(|id| (low..=high).contains(&id)), "{text}");
                assert_eq!(present.count(), 100);
            }
        }
        let lengths = |text: &str| parse(text).unwrap().items(0).get(7).with_bytes(<[u8]>::len);
        assert_eq!(["9 names", "9 99-byte names", "9 uuids"].map(lengths), [14, 99, 36]);
    }
}
