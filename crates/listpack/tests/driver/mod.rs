//! Runs operations on a list and on its oracle. The fuzz target includes this file too.
#![expect(clippy::unwrap_used, reason = "the tests look for failures here")]

use std::iter::successors;

use listpack::{Entry, ListPack, Position, Validation};
use testkit::oracle::list_pack::{Element, ListPackOp, ListPackOracle};
use testkit::sequence::Sequence;

/// The list and its oracle.
type Pair = (ListPack, ListPackOracle);

/// Applies the operations read from `bytes` to an empty list; checks every result, and the whole list after each step.
pub(crate) fn run(bytes: &[u8]) {
    Sequence::from_bytes(bytes).run(Pair::default, checked_step).unwrap();
}

/// Applies `ops` as [`run`] does.
#[allow(dead_code, reason = "not every test that includes this file has its own operations")]
pub(crate) fn run_all(ops: &[ListPackOp]) {
    let mut pair = Pair::default();
    for op in ops {
        checked_step(&mut pair, op);
    }
}

fn checked_step((list, oracle): &mut Pair, op: &ListPackOp) {
    step(list, oracle, op);
    oracle.changed();
    check(list, oracle);
}

fn step(list: &mut ListPack, oracle: &mut ListPackOracle, op: &ListPackOp) {
    let len = oracle.entries.len();
    match op {
        ListPackOp::PushBack(Element(text)) => {
            let bytes = list.as_bytes().len();
            list.push_back(text).expect("room");
            assert_eq!(list.as_bytes().len(), bytes + Entry::Str(text).encoded_len());
            oracle.entries.push(text.clone());
        }
        ListPackOp::PushFront(Element(text)) => {
            list.push_front(text).expect("room");
            oracle.entries.insert(0, text.clone());
        }
        ListPackOp::Insert(index, Element(text)) => {
            let index = usize::from(*index) % (len + 1);
            let at = place(list, index);
            list.insert(at, text).expect("room");
            oracle.entries.insert(index, text.clone());
            assert!(list.entry(at) == Some(Entry::from(text)));
        }
        ListPackOp::InsertPair(index, Element(a), Element(b)) => {
            let index = usize::from(*index) % (len + 1);
            let at = place(list, index);
            // Always as strings: the list selects the encoding.
            list.insert_all(at, [Entry::Str(a), Entry::Str(b)]).expect("room");
            oracle.entries.splice(index..index, [a.clone(), b.clone()]);
        }
        ListPackOp::Replace(index, Element(text)) if len > 0 => {
            let index = usize::from(*index) % len;
            list.replace(place(list, index), text).expect("an entry");
            oracle.entries[index].clone_from(text);
        }
        ListPackOp::Delete(index) if len > 0 => {
            let index = usize::from(*index) % len;
            delete(list, index, &oracle.entries.remove(index));
        }
        ListPackOp::Replace(_, Element(text)) => {
            assert!(list.replace(list.end(), text).is_err());
        }
        ListPackOp::Delete(_) => {
            assert!(!list.delete(list.end()));
            assert_eq!(list.pop_front_with(|_| ()), None);
            assert_eq!(list.pop_back_with(|_| ()), None);
        }
        ListPackOp::DeleteRange(index, count) => {
            let index = usize::from(*index) % (len + 1);
            let deleted = list.delete_range(index, (*count).into());
            assert_eq!(deleted, (len - index).min((*count).into()));
            oracle.entries.drain(index..index + deleted);
        }
        ListPackOp::Split(index, turn) => {
            split(list, oracle, usize::from(*index) % (len + 1), *turn);
        }
        ListPackOp::MoveRun(index, count, to) => {
            let (index, to) = (usize::from(*index) % (len + 1), usize::from(*to) % (len + 1));
            move_run(list, oracle, index, usize::from(*count), to);
        }
        ListPackOp::Remove(index, most, front) => {
            remove(list, oracle, usize::from(*index) % (len + 1), usize::from(most % 4), *front);
        }
        ListPackOp::Retain(remainder) => {
            let remainder = usize::from(remainder % 3);
            list.retain(|entry| entry.text_len() % 3 != remainder);
            oracle.entries.retain(|text| text.len() % 3 != remainder);
        }
        ListPackOp::PushRun(Element(text), count) => {
            // Every step compares the whole list, so a long list makes all further steps slow.
            for _ in 0..usize::from(count % 64).min(1 + 2_000 / (1 + text.len())) {
                list.push_back(text).expect("room");
                oracle.entries.push(text.clone());
            }
        }
        ListPackOp::Find(Element(text), skip) => find(list, oracle, text, usize::from(skip % 3)),
        ListPackOp::FindAt(index) => {
            if len > 0 {
                let text = &oracle.entries[usize::from(*index) % len];
                find(list, oracle, text, 0);
                find(list, oracle, text, 1);
            }
        }
        ListPackOp::Get(index) => get(list, oracle, usize::from(*index) % (len + 2)),
        ListPackOp::SettleCount => {
            assert_eq!(list.settle_count(), len);
            oracle.settle_count();
        }
        ListPackOp::ShrinkToFit => {
            list.shrink_to_fit();
            assert!(list.heap_bytes() == 0 || list.heap_bytes() == list.as_bytes().len());
        }
        ListPackOp::Reload => {
            let blob = std::mem::take(list).into_bytes();
            *list = ListPack::from_bytes(blob, Validation::Deep).expect("its own bytes");
        }
        ListPackOp::Clear => {
            list.clear();
            oracle.clear();
        }
    }
}

/// Deletes the entry at `index`, which has this text; at the ends, by popping it.
fn delete(list: &mut ListPack, index: usize, text: &[u8]) {
    let at = place(list, index);
    let is_text = |entry: Entry<'_>| entry.with_bytes(|bytes| bytes == text);
    if index + 1 == list.len() {
        assert_eq!(list.pop_back_with(is_text), Some(true));
    } else if index == 0 {
        assert_eq!(list.pop_front_with(is_text), Some(true));
    } else {
        assert!(list.entry(at).is_some_and(is_text) && list.delete(at));
    }
    assert_eq!(at, place(list, index), "the place of the next");
}

/// Splits the list and joins the parts again, in either order.
fn split(list: &mut ListPack, oracle: &mut ListPackOracle, index: usize, turn: bool) {
    let len = oracle.entries.len();
    let mut behind = list.split_off(index);
    assert_eq!((list.len(), behind.len()), (index, len - index));
    behind.validate(Validation::Deep).expect("a whole list");
    let moved = oracle.entries.split_off(index);
    assert!(say(behind.iter(), moved.iter()));
    if turn {
        behind.append(list).expect("room");
        *list = behind;
        oracle.entries.splice(0..0, moved);
    } else {
        list.append(&behind).expect("room");
        oracle.entries.extend(moved);
    }
}

fn move_run(
    list: &mut ListPack,
    oracle: &mut ListPackOracle,
    index: usize,
    count: usize,
    to: usize,
) {
    let (len, behind) = (oracle.entries.len(), index + count);
    let moved = list.move_run(place(list, index), count, place(list, to));
    assert_eq!(moved, behind <= len && (to <= index || to >= behind));
    if moved {
        let run: Vec<_> = oracle.entries.drain(index..behind).collect();
        let to = if to > index { to - count } else { to };
        oracle.entries.splice(to..to, run);
    }
}

/// Removes the first or the last entries that equal the one at `index`. At the end, there is none that equals.
fn remove(
    list: &mut ListPack,
    oracle: &mut ListPackOracle,
    index: usize,
    most: usize,
    front: bool,
) {
    let needle = oracle.entries.get(index).map_or(&b"an absent entry"[..], Vec::as_slice).to_vec();
    let equal: Vec<_> =
        (0..oracle.entries.len()).filter(|&at| oracle.entries[at] == needle).collect();
    let most = if most == 3 { usize::MAX } else { most };
    let removed = equal.len().min(most);
    let from = if front { 0 } else { equal.len() - removed };
    for &at in equal[from..from + removed].iter().rev() {
        oracle.entries.remove(at);
    }
    let of_list = if front { list.remove(&needle, most) } else { list.remove_back(&needle, most) };
    assert_eq!(of_list, removed);
}

/// The position of the entry at `index`, or the end.
fn place(list: &ListPack, index: usize) -> Position {
    list.seek(index).unwrap_or(list.end())
}

fn find(list: &ListPack, oracle: &ListPackOracle, text: &[u8], skip: usize) {
    for from in [0, 1] {
        let Some(first) = list.seek(from) else { return };
        let found = oracle.find(from, text, skip).and_then(|index| list.seek(index));
        for needle in [Entry::from(text), Entry::Str(text)] {
            assert_eq!(list.find_from(first, needle, skip), found, "{needle:?} from {from}");
        }
    }
    assert_eq!(list.contains(text), oracle.entries.iter().any(|entry| entry == text));
}

fn get(list: &ListPack, oracle: &ListPackOracle, index: usize) {
    let expected = oracle.entries.get(index);
    assert_eq!(list.get(index).map(Entry::to_vec).as_ref(), expected);
    assert_eq!(list.iter().nth(index).map(Entry::to_vec).as_ref(), expected);
    let expected = oracle.entries.iter().rev().nth(index);
    assert_eq!(list.get_back(index).map(Entry::to_vec).as_ref(), expected);
    if let Some(at) = list.seek(index) {
        assert_eq!(list.next(at), list.seek(index + 1));
        assert_eq!(list.prev(at), index.checked_sub(1).and_then(|before| list.seek(before)));
        assert!(list.iter_from(at).eq(list.iter().skip(index)));
    }
}

/// Compares all observable state.
fn check(list: &ListPack, oracle: &ListPackOracle) {
    list.validate(Validation::Deep).expect("a whole list");
    assert_eq!(list.as_bytes(), oracle.blob());
    assert_eq!(list.len(), oracle.entries.len());
    assert_eq!(list.is_empty(), oracle.entries.is_empty());
    assert!(say(list.iter(), oracle.entries.iter()));
    assert!(say(list.iter().rev(), oracle.entries.iter().rev()));
    assert_eq!(list.first().is_none(), oracle.entries.is_empty());
    assert_eq!(list.last(), oracle.entries.len().checked_sub(1).and_then(|last| list.seek(last)));
    let offsets = successors(list.first(), |&at| list.next(at)).chain([list.end()]);
    let offsets: Vec<usize> = offsets.map(Position::offset).collect();
    let mut sizes = offsets.windows(2).map(|pair| pair[1] - pair[0]);
    let fixed = sizes.next().filter(|&first| sizes.all(|size| size == first));
    assert_eq!(list.fixed_size(), fixed);
    let held = list.heap_bytes();
    let used = list.as_bytes().len();
    assert!(held == 0 && list.is_empty() || held >= used);
    // The unused memory after a deletion is bounded, too: it is most after a pop.
    assert!(held < used + (held / 2).max(32), "{held} bytes held for {used}");
}

/// Returns whether the entries are equal to those texts, without copying any.
fn say<'a>(
    mut entries: impl Iterator<Item = Entry<'a>>,
    mut texts: impl Iterator<Item = &'a Vec<u8>>,
) -> bool {
    texts.all(|text| entries.next().is_some_and(|entry| entry.with_bytes(|says| says == text)))
        && entries.next().is_none()
}
