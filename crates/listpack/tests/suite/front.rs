//! Long lists that grow and shrink at the front: the blob is the one of a list to which the entries were appended in
//! order.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::collections::VecDeque;

use listpack::{Entry, ListPack, Validation};
use testkit::rng::Rng;

/// Texts and integers of all lengths at which an encoding ends.
fn element(rng: &mut Rng) -> Vec<u8> {
    match rng.below(6) {
        0 => rng.below(100).to_string().into_bytes(),
        1 => rng.below(u64::MAX).to_string().into_bytes(),
        2 => vec![b'x'; usize::try_from(rng.below(5)).unwrap()],
        3 => vec![b'y'; usize::try_from(60 + rng.below(8)).unwrap()],
        4 => vec![b'z'; usize::try_from(120 + rng.below(16)).unwrap()],
        _ => format!("element:{}", rng.below(1_000_000)).into_bytes(),
    }
}

fn appended<'e>(elements: impl IntoIterator<Item = &'e Vec<u8>>) -> ListPack {
    let mut list = ListPack::new();
    for element in elements {
        list.push_back(&element[..]).unwrap();
    }
    list
}

fn check(list: &ListPack, elements: &VecDeque<Vec<u8>>) {
    let expected = appended(elements);
    assert_eq!(list.as_bytes(), expected.as_bytes());
    assert_eq!((list.len(), list), (elements.len(), &expected));
    list.validate(Validation::Deep).unwrap();
    // No more slack than a list without room at its front, of which half may be idle after a pop, and a mark.
    let used = list.as_bytes().len();
    assert!(list.heap_bytes() <= 2 * used + 48, "{} for {used}", list.heap_bytes());
    assert_eq!(list.clone().into_bytes(), expected.as_bytes());
}

#[test]
fn a_list_that_changes_at_both_ends_is_the_one_that_was_appended_to() {
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let (mut list, mut elements) = (ListPack::new(), VecDeque::new());
        // Up to some kilobytes, and down to an empty list.
        for (grows, steps) in [(4, 400), (2, 100), (1, 600)] {
            for _ in 0..steps {
                let front = rng.below(4) > 0;
                if rng.below(5) < grows {
                    let new = element(&mut rng);
                    if front {
                        list.push_front(&new[..]).unwrap();
                        elements.push_front(new);
                    } else {
                        list.push_back(&new[..]).unwrap();
                        elements.push_back(new);
                    }
                } else if front {
                    let there = elements.pop_front().is_some();
                    assert_eq!(list.first().is_some_and(|at| list.delete(at)), there);
                } else {
                    let there = elements.pop_back().is_some();
                    assert_eq!(list.last().is_some_and(|at| list.delete(at)), there);
                }
                check(&list, &elements);
            }
        }
        assert_eq!(list.into_bytes(), appended(&elements).into_bytes());
    }
}

/// A list whose entries were all pushed at the front, and its elements.
fn grown_at_the_front(count: usize) -> (ListPack, VecDeque<Vec<u8>>) {
    let (mut list, mut elements) = (ListPack::new(), VecDeque::new());
    for n in 0..count {
        let element = format!("element:{n:08}").into_bytes();
        list.push_front(&element[..]).unwrap();
        elements.push_front(element);
    }
    check(&list, &elements);
    (list, elements)
}

#[test]
fn every_change_continues_after_the_room_at_the_front() {
    const COUNT: usize = 100;
    // With more and with less remaining room.
    for count in COUNT..COUNT + 20 {
        let new = || grown_at_the_front(count);
        let text = |n: usize| format!("new:{n}").into_bytes();

        let (mut list, mut elements) = new();
        for at in [0, 1, 50, 90] {
            let place = list.seek(at).unwrap();
            list.insert(place, &text(at)[..]).unwrap();
            elements.insert(at, text(at));
            let place = list.seek(at + 1).unwrap();
            list.replace(place, &b"a longer element than it was before"[..]).unwrap();
            elements[at + 1] = b"a longer element than it was before".to_vec();
            let place = list.seek(at).unwrap();
            list.replace(place, 7).unwrap();
            elements[at] = b"7".to_vec();
            check(&list, &elements);
        }

        let (mut list, mut elements) = new();
        for (at, run) in [(0, 3), (30, 5), (0, 40), (10, 1)] {
            assert_eq!(list.delete_range(at, run), run);
            elements.drain(at..at + run);
            check(&list, &elements);
        }

        let (mut list, mut elements) = new();
        let mut keeps = [true, false, false, true, true].into_iter().cycle();
        list.retain(|_| keeps.next().unwrap());
        let mut keeps = [true, false, false, true, true].into_iter().cycle();
        elements.retain(|_| keeps.next().unwrap());
        check(&list, &elements);
        list.retain(|_| false);
        check(&list, &VecDeque::new());

        for front in [true, false] {
            let (mut list, mut elements) = new();
            let needle = elements[20].clone();
            for at in [3, 21, 40] {
                list.replace(list.seek(at).unwrap(), &needle).unwrap();
                elements[at].clone_from(&needle);
            }
            let removed = if front { [3, 20, 21] } else { [20, 21, 40] };
            let of_list =
                if front { list.remove(&needle, 3) } else { list.remove_back(&needle, 3) };
            assert_eq!(of_list, 3);
            for at in removed.into_iter().rev() {
                elements.remove(at);
            }
            check(&list, &elements);
        }

        let (mut list, mut elements) = new();
        let (from, to) = (list.seek(60).unwrap(), list.first().unwrap());
        assert!(list.move_run(from, 4, to));
        for _ in 0..4 {
            let moved = elements.remove(63).unwrap();
            elements.push_front(moved);
        }
        check(&list, &elements);

        let (mut list, mut elements) = new();
        let behind = list.split_off(70);
        check(&behind, &elements.split_off(70));
        check(&list, &elements);
        list.append(&behind).unwrap();
        check(&list, &new().1);
        assert_eq!(list.settle_count(), count);

        let (mut list, elements) = new();
        list.shrink_to_fit();
        assert_eq!(list.heap_bytes(), list.as_bytes().len());
        check(&list, &elements);
        list.reserve(10_000);
        assert!(list.heap_bytes() >= 10_000 && list == appended(&elements));
        list.push_front("first").unwrap();
        assert_eq!((list.get(0), list.len()), (Some(Entry::from("first")), count + 1));
        list.clear();
        assert_eq!(list, ListPack::new());
    }
}

#[test]
fn a_push_at_the_front_leaves_the_entries_where_they_are() {
    let (mut list, _) = grown_at_the_front(400);
    let (mut moved, mut last) = (0, list.as_bytes().as_ptr_range().end);
    for n in 0..400 {
        list.push_front(&format!("element:{n:08}")[..]).unwrap();
        let end = list.as_bytes().as_ptr_range().end;
        moved += usize::from(end != last);
        last = end;
    }
    assert!(moved <= 30, "all entries moved {moved} times for 400 pushes");
    moved = 0;
    for _ in 0..300 {
        assert!(list.first().is_some_and(|at| list.delete(at)));
        let end = list.as_bytes().as_ptr_range().end;
        moved += usize::from(end != last);
        last = end;
    }
    assert!(moved <= 20, "all entries moved {moved} times for 300 pops");
}

#[test]
fn lengths_that_end_in_zeros_are_not_a_mark() {
    // Totals of 256, 65,536 and 131,072 bytes, whose first bytes are zero.
    for total in [1 << 8, 1 << 16, 1 << 17] {
        let mut list = ListPack::new();
        // The header, the end marker and the smaller of two entries; then the remaining bytes, minus the entry's own
        // six or eight.
        list.push_front(&vec![b'a'; 100][..]).unwrap();
        let left = total - list.as_bytes().len();
        let beside = (1..=12).find(|beside| {
            let mut tried = list.clone();
            tried.push_front(&vec![b'b'; left - beside][..]).unwrap();
            tried.as_bytes().len() == total
        });
        let new = vec![b'b'; left - beside.unwrap()];
        list.push_front(&new[..]).unwrap();
        assert_eq!(list.as_bytes().len(), total);
        list.push_front("more").unwrap();
        assert!(list.first().is_some_and(|at| list.delete(at)));
        assert_eq!((list.as_bytes().len(), list.len()), (total, 2));
        list.validate(Validation::Deep).unwrap();
    }
}
