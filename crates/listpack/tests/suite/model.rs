//! Random operations compared with the oracle; the whole list is checked after each.

#[path = "../driver/mod.rs"]
mod driver;

use proptest::collection::vec;
use proptest::prelude::*;
use testkit::oracle::list_pack::{Element, ListPackOp};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_sequence_agrees_with_the_oracle(bytes in vec(any::<u8>(), 0..1500)) {
        driver::run(&bytes);
    }
}

/// Members that differ in one byte, at any position, and their prefixes: a search must not stop after the first word.
#[test]
fn members_that_almost_equal_the_needle_are_distinguished() {
    let mut members = Vec::new();
    for len in 0..=70 {
        members.push(vec![b'm'; len]);
        for at in 0..len {
            let mut member = vec![b'm'; len];
            member[at] = b'n';
            members.push(member);
        }
    }
    for slack in [false, true] {
        let mut list = listpack::ListPack::new();
        for member in &members {
            list.push_back(member).unwrap();
        }
        if !slack {
            list.shrink_to_fit();
        }
        for (index, member) in members.iter().enumerate() {
            assert_eq!(list.find(member).and_then(|at| list.entry(at)), list.get(index));
            let mut other = member.clone();
            other.push(b'z');
            assert!(!list.contains(&other));
        }
    }
}

/// Entries of equal size are skipped in groups, but never an entry of another size, at any position.
#[test]
fn every_index_is_found_among_entries_of_one_size_and_others() {
    let texts = ["", "a", "17", "-5", "40000", "1234567890", "1234567890123"].map(String::from);
    let long = [62, 63, 64, 124, 125, 126, 300].map(|len| "x".repeat(len));
    let texts: Vec<String> = texts.into_iter().chain(long).collect();
    for most in &texts {
        for odd in &texts {
            for at in 0..20 {
                let mut list = listpack::ListPack::new();
                for index in 0..20 {
                    let text = if index == at { odd } else { most };
                    list.push_back(text.as_str()).unwrap();
                }
                let mut next = list.first();
                for index in 0..20 {
                    assert_eq!(list.seek(index), next, "{index} of {most}, {odd} at {at}");
                    assert_eq!(
                        list.seek_back(19 - index),
                        next,
                        "{index} of {most}, {odd} at {at}"
                    );
                    assert_eq!(list.iter().nth(index), next.and_then(|next| list.entry(next)));
                    next = next.and_then(|next| list.next(next));
                }
                assert_eq!(
                    (list.seek(20), list.seek_back(20), list.iter().nth(20)),
                    (None, None, None)
                );
            }
        }
    }
    // Where the header has no count, a search begins at the requested end.
    let mut list = listpack::ListPack::new();
    for number in 0..65_600 {
        list.push_back(number % 9_000).unwrap();
    }
    for index in (0..65_600).step_by(977) {
        let expected = i64::try_from(index % 9_000).unwrap();
        assert_eq!(list.get(index).and_then(listpack::Entry::as_int), Some(expected));
        assert_eq!(list.get_back(65_599 - index), list.get(index));
    }
}

/// Every element after others, and as the only one, with no bytes after it.
#[test]
fn the_last_entry_is_found_without_slack() {
    let texts = ["", "a", "1", "-1", "4095", "-4096", "40000", "8388607", "1234567890", "bcdefgh"];
    for text in texts {
        for before in [0, 1, 5] {
            let mut ops = vec![ListPackOp::PushRun(Element(b"other".to_vec()), before)];
            let element = Element(text.into());
            ops.push(ListPackOp::PushBack(element.clone()));
            ops.push(ListPackOp::ShrinkToFit);
            ops.push(ListPackOp::Find(element, 0));
            ops.extend(texts.map(|text| ListPackOp::Find(Element(text.into()), 0)));
            driver::run_all(&ops);
        }
    }
}
