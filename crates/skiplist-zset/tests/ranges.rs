//! Ranges of a set that is so large that its blocks are asked for ahead, beside a sorted list.

use listpack::Entry;
use skiplist_zset::{Limits, ZSet};

/// More than the caches are taken to hold, and most scores twice.
const MEMBERS: usize = 40_000;

type Plain = Vec<(Vec<u8>, f64)>;

fn plain(entry: (Entry<'_>, f64)) -> (Vec<u8>, f64) {
    (entry.0.to_vec(), entry.1)
}

fn both() -> (ZSet, Plain) {
    let (mut set, mut list) = (ZSet::new(), Plain::new());
    for number in 0..MEMBERS {
        // A step that has no factor in common with the number of members visits all of them.
        let score = (number * 7919 % MEMBERS / 2) as f64;
        let member = format!("{number:0width$}", width = 1 + number % 40);
        set.add(member.as_str(), score, &Limits::default()).unwrap();
        list.push((member.into_bytes(), score));
    }
    list.sort_by(|(a, x), (b, y)| x.total_cmp(y).then_with(|| a.cmp(b)));
    set.verify();
    (set, list)
}

/// First ranks in all parts of blocks, and the last ones.
fn firsts() -> impl Iterator<Item = usize> {
    (0..MEMBERS).step_by(97).chain(MEMBERS - 200..MEMBERS)
}

#[test]
fn ranges_of_any_length_are_those_of_a_list_from_either_end() {
    let (set, list) = both();
    for first in firsts() {
        for count in [1, 2, 5, 6, 10, 63, 64, 130] {
            let ranks = first..(first + count).min(MEMBERS);
            let right = &list[ranks.clone()];
            assert_eq!(set.range(ranks.clone()).map(plain).collect::<Plain>(), right);
            let mut back: Plain = set.range(ranks.clone()).rev().map(plain).collect();
            back.reverse();
            assert_eq!(back, right);
            // From both ends in turn, until they meet.
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
    for first in firsts() {
        let ranks = first..(first + 200).min(MEMBERS);
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
            let (low, high) = (low as f64, (low + width) as f64);
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
