//! Ranges of a set so large that its blocks are prefetched, compared with a sorted list.

use listpack::Entry;
use skiplist_zset::{Limits, ZSet};

/// More than the assumed size of the caches, and most scores occur twice.
const MEMBERS: u32 = 40_000;

type Plain = Vec<(Vec<u8>, f64)>;

fn plain(entry: (Entry<'_>, f64)) -> (Vec<u8>, f64) {
    (entry.0.to_vec(), entry.1)
}

fn both() -> (ZSet, Plain) {
    let (mut set, mut list) = (ZSet::new(), Plain::new());
    for number in 0..MEMBERS {
        // A step that is coprime to the number of members visits all of them.
        let score = f64::from(number * 7919 % MEMBERS / 2);
        let member = format!("{number:0width$}", width = 1 + number as usize % 40);
        assert!(set.add(member.as_str(), score, &Limits::default()).is_ok());
        list.push((member.into_bytes(), score));
    }
    list.sort_by(|(a, x), (b, y)| x.total_cmp(y).then_with(|| a.cmp(b)));
    set.verify();
    (set, list)
}

/// First ranks at all positions in blocks, and the last ones.
fn firsts(len: usize) -> impl Iterator<Item = usize> {
    (0..len).step_by(97).chain(len - 200..len)
}

#[test]
fn ranges_of_any_length_are_those_of_a_list_from_either_end() {
    let (set, list) = both();
    for first in firsts(list.len()) {
        for count in [1, 2, 5, 6, 10, 63, 64, 130] {
            let ranks = first..(first + count).min(list.len());
            let right = &list[ranks.clone()];
            assert_eq!(set.range(ranks.clone()).map(plain).collect::<Plain>(), right);
            let mut back: Plain = set.range(ranks.clone()).rev().map(plain).collect();
            back.reverse();
            assert_eq!(back, right);
            // Alternates between both ends until they meet.
            let mut entries = set.range(ranks);
            let (mut front, mut back) = (Plain::new(), Plain::new());
            while let Some(entry) = entries.next() {
                front.push(plain(entry));
                back.extend(entries.next_back().map(plain));
            }
            front.extend(back.into_iter().rev());
            assert_eq!(front, right);
        }
    }
    assert!(set.iter().map(plain).eq(list.iter().cloned()));
    assert!(set.iter().rev().map(plain).eq(list.iter().rev().cloned()));
}

#[test]
fn skipping_within_a_range_ends_where_it_does_in_a_list() {
    let (set, list) = both();
    for first in firsts(list.len()) {
        let ranks = first..(first + 200).min(list.len());
        for step in [1, 7, 50, 199] {
            let right: Plain = list[ranks.clone()].iter().step_by(step).cloned().collect();
            assert_eq!(set.range(ranks.clone()).step_by(step).map(plain).collect::<Plain>(), right);
            let right: Plain = list[ranks.clone()].iter().rev().step_by(step).cloned().collect();
            let back = set.range(ranks.clone()).rev().step_by(step);
            assert_eq!(back.map(plain).collect::<Plain>(), right);
        }
    }
}

#[test]
fn what_is_picked_is_what_a_filter_over_the_list_keeps() {
    let (set, list) = both();
    for low in (0..MEMBERS / 2).step_by(61) {
        for width in [0, 1, 10, 45, 200] {
            let (low, high) = (f64::from(low), f64::from(low + width));
            let keep = |score: f64| score % 3.0 < 2.0;
            let mut picked = Plain::new();
            set.pick(low..=high, keep, |member, score| picked.push(plain((member, score))));
            let from = list.partition_point(|&(_, score)| score < low);
            let to = list.partition_point(|&(_, score)| score <= high);
            let right: Plain =
                list[from..to].iter().filter(|&&(_, score)| keep(score)).cloned().collect();
            assert_eq!(picked, right);
        }
    }
}
