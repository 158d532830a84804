//! The forms that can hold the given elements.

use super::super::form::{Family, Form, Limit, form};
use super::super::items::Kind;
use super::super::shape::{Bitmap, Bloom, HyperLogLog, Set, Sharded};
use super::data::{Data, Sort};

/// The most bytes of a bitmap, as of any string that SETBIT creates. The memory of a larger one is only calculated.
pub(super) const LARGEST_BITMAP: u64 = 1 << 29;

/// Compact sets depend on the number of bits of their members: one for each number.
static COMPACT: [Sharded; 65] = {
    let mut forms = [const { Sharded::Compact { bits: 1 } }; 65];
    let mut bits = 1;
    while bits < 65 {
        forms[bits as usize] = Sharded::Compact { bits };
        bits += 1;
    }
    forms
};

/// The number of members from which on sharding is useful.
const MANY: usize = 1000;

const ONE_SET: &[&str] = &["intset", "listpack", "hashtable"];
const STRING: &[&str] = &["raw", "embstr"];
pub(super) const BITMAP: &str = "bitmap";

/// Returns the forms, exact ones first.
pub(super) fn forms(data: &Data) -> Vec<Form> {
    let sort = data.sort();
    let kind = if sort == Sort::Names { Kind::Names } else { Kind::Dense };
    let of = |family, name, encodings, shape| {
        form(family, name, encodings, kind, [1, usize::MAX], shape)
    };
    let mut forms = vec![of(Family::Sets, "one set", ONE_SET, &Set)];
    if data.count() >= MANY {
        forms.push(of(Family::Sets, "shards, the book's", ONE_SET, &Sharded::Book));
        forms.push(of(Family::Sets, "shards, splitting", ONE_SET, &Sharded::Splitting));
        if let Some(bits) = bits(sort) {
            forms.push(of(Family::Sets, "shards, compact", ONE_SET, &COMPACT[bits]));
        }
    }
    if bitmap_bytes(sort).is_some_and(|bytes| bytes <= LARGEST_BITMAP) {
        forms.push(of(Family::Sets, BITMAP, STRING, &Bitmap));
    }
    forms.push(of(Family::Hll, "HyperLogLog", STRING, &HyperLogLog));
    forms.push(of(Family::Bloom, "Bloom filter, 1 %", &["raw"], &Bloom(0.01)));
    forms.push(of(Family::Bloom, "Bloom filter, 0.01 %", &["raw"], &Bloom(0.0001)));
    debug_assert!(forms.iter().all(|form| form.limits == Limit::Default));
    forms
}

/// Returns how many bits a compact set needs for ids of this range: all 64 if there are negative ones.
fn bits(sort: Sort) -> Option<usize> {
    match sort {
        Sort::Ids { low: ..0, .. } => Some(64),
        Sort::Ids { high, .. } => usize::try_from(64 - high.leading_zeros().min(63)).ok(),
        Sort::Names => None,
    }
}

/// Returns the bytes of a bitmap of ids of this range; `None` for names and for negative ids.
pub(super) fn bitmap_bytes(sort: Sort) -> Option<u64> {
    match sort {
        Sort::Ids { low: 0.., high } => Some(high.unsigned_abs() / 8 + 1),
        Sort::Ids { .. } | Sort::Names => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<&'static str> {
        forms(&Data::describe(text).unwrap()).iter().map(|form| form.name).collect()
    }

    #[test]
    fn forms_are_those_that_can_hold_the_elements() {
        let approximate = ["HyperLogLog", "Bloom filter, 1 %", "Bloom filter, 0.01 %"];
        let shards = ["one set", "shards, the book's", "shards, splitting"];
        assert_eq!(names("100 random ids"), [&shards[..1], &approximate].concat());
        assert_eq!(names("5k names"), [&shards[..], &approximate].concat());
        let compact = ["shards, compact"];
        assert_eq!(names("5k random ids"), [&shards[..], &compact, &approximate].concat());
        let all = [&shards[..], &compact, &[BITMAP], &approximate].concat();
        assert_eq!(names("5k small ids"), all);
        // SETBIT takes offsets below 2^32.
        assert!(names("5 random 32-bit ids").contains(&BITMAP));
        assert!(!names("5 random 33-bit ids").contains(&BITMAP));
    }

    #[test]
    fn a_bitmap_and_a_compact_set_go_by_the_largest_id() {
        let sort = |low, high| Sort::Ids { low, high };
        assert_eq!(
            [sort(0, 7), sort(3, 8), sort(-1, 8), Sort::Names].map(bitmap_bytes),
            [Some(1), Some(2), None, None]
        );
        let bits =
            [sort(0, 0), sort(0, 1), sort(0, 255), sort(5, 256), sort(-1, 5), sort(0, i64::MAX)]
                .map(bits);
        assert_eq!(bits, [1, 1, 8, 9, 64, 63].map(Some));
    }
}
