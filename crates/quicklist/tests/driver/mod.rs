//! Runs operations on a list and on its oracle. The fuzz target includes this file too.
#![expect(clippy::unwrap_used, reason = "the tests look for failures here")]

use std::collections::VecDeque;

use listpack::{ListPack, Validation};
use quicklist::{Entry, Fill, Limits, NodeRef, QuickList, Refused};
use testkit::oracle::list_pack::Element;
use testkit::oracle::quick_list::QuickListOp;
use testkit::sequence::Sequence;

type Oracle = VecDeque<Vec<u8>>;

/// The fills to test.
const FILLS: [i64; 9] = [1, 2, 3, 5, -1, -2, -3, -4, -5];

/// Statistics of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) steps: usize,
    pub(crate) plain: usize,
    pub(crate) compressed: usize,
    pub(crate) most_nodes: usize,
    pub(crate) shared: usize,
}

/// Reads limits from the first byte, and operations from the others; checks every result, and the whole list after each
/// step.
pub(crate) fn run(bytes: &[u8]) -> Seen {
    let Some((&settings, bytes)) = bytes.split_first() else { return Seen::default() };
    let settings = usize::from(settings);
    let limits = Limits {
        fill: Fill::new(FILLS[settings % FILLS.len()]),
        depth: u16::try_from(settings / FILLS.len() % 4).expect("below 4"),
        plain_from: if settings % 5 == 0 { 40 } else { 1 << 30 },
        exact_merge: settings % 2 == 0,
        merge_replaced: settings % 3 != 0,
    };
    let start = || Run {
        list: QuickList::new(limits),
        oracle: Oracle::new(),
        seen: Seen::default(),
        shared: None,
    };
    let run = Sequence::from_bytes(bytes).run(start, Run::step).unwrap();
    run.shared.into_iter().for_each(Frozen::check);
    run.seen
}

/// A list during a run.
struct Run {
    list: QuickList,
    oracle: Oracle,
    seen: Seen,
    shared: Option<Frozen>,
}

impl Run {
    fn step(&mut self, op: &QuickListOp) {
        let Self { list, oracle, seen, shared } = self;
        if let QuickListOp::Share(other) = op {
            shared.take().into_iter().for_each(Frozen::check);
            *shared = Some(Frozen::of(list, oracle, *other));
            seen.shared += 1;
        } else {
            step(list, oracle, op);
        }
        check(list, oracle);
        seen.steps += 1;
        seen.most_nodes = seen.most_nodes.max(list.node_count());
        seen.plain += usize::from(list.nodes().any(NodeRef::is_plain));
        seen.compressed += usize::from(list.nodes().any(|node| node.stream().is_some()));
    }
}

/// A list that shares nodes with one that changes, and its state when they were shared.
struct Frozen {
    list: QuickList,
    oracle: Oracle,
    nodes: Vec<Vec<u8>>,
}

impl Frozen {
    /// Freezes one of two lists; the other one is left in `list`.
    fn of(list: &mut QuickList, oracle: &Oracle, other: bool) -> Self {
        let nodes = node_bytes(list);
        let mut shared = list.share();
        assert_eq!(&shared, list);
        for (ours, theirs) in shared.nodes().zip(list.nodes()) {
            let start = |node: NodeRef<'_>| node.stream().map(<[u8]>::as_ptr);
            assert_eq!(start(ours), start(theirs), "a stream is copied");
            if ours.stream().is_none() {
                assert_eq!(ours.bytes().as_ptr(), theirs.bytes().as_ptr(), "a node is copied");
            }
        }
        if other {
            std::mem::swap(&mut shared, list);
        }
        Self { list: shared, oracle: oracle.clone(), nodes }
    }

    fn check(self) {
        check(&self.list, &self.oracle);
        assert_eq!(node_bytes(&self.list), self.nodes);
    }
}

fn node_bytes(list: &QuickList) -> Vec<Vec<u8>> {
    list.nodes().map(|node| node.bytes().into_owned()).collect()
}

fn step(list: &mut QuickList, oracle: &mut Oracle, op: &QuickListOp) {
    match op {
        QuickListOp::PushBack(Element(text)) => {
            list.push_back(text).expect("room");
            oracle.push_back(text.clone());
        }
        QuickListOp::PushFront(Element(text)) => {
            list.push_front(text).expect("room");
            oracle.push_front(text.clone());
        }
        QuickListOp::PushRun(Element(text), count) => {
            // Every step compares the whole list, so a long list makes all further steps slow.
            for _ in 0..usize::from(count % 64).min(1 + 2_000 / (1 + text.len())) {
                list.push_back(text).expect("room");
                oracle.push_back(text.clone());
            }
        }
        QuickListOp::PopBack => assert_eq!(list.pop_back(), oracle.pop_back()),
        QuickListOp::PopFront => assert_eq!(list.pop_front(), oracle.pop_front()),
        QuickListOp::Set(index, Element(text)) => match at(*index, oracle.len()) {
            Some(index) => {
                list.set(index, text).expect("an element");
                oracle[index].clone_from(text);
            }
            None => assert_eq!(list.set(0, text), Err(Refused::NoElement { index: 0 })),
        },
        QuickListOp::Insert(index, Element(text)) => {
            let index = usize::from(*index) % (oracle.len() + 1);
            // Always as a string: the list selects the encoding.
            list.insert(index, Entry::Str(text)).expect("an element");
            oracle.insert(index, text.clone());
        }
        QuickListOp::InsertBefore(index, Element(text)) => {
            let Some(index) = at(*index, oracle.len()) else { return };
            let pivot = oracle[index].clone();
            assert_eq!(list.insert_before(&pivot, text), Ok(true));
            let first = first_of(oracle, &pivot).expect("the one at the index, or before");
            oracle.insert(first, text.clone());
        }
        QuickListOp::InsertAfter(index, Element(text)) => {
            let Some(index) = at(*index, oracle.len()) else { return };
            let pivot = oracle[index].clone();
            assert_eq!(list.insert_after(&pivot, text), Ok(true));
            let first = first_of(oracle, &pivot).expect("the one at the index, or before");
            oracle.insert(first + 1, text.clone());
        }
        QuickListOp::InsertAt(Element(pivot), Element(text)) => {
            let first = first_of(oracle, pivot);
            assert_eq!(list.insert_before(pivot, text), Ok(first.is_some()));
            if let Some(first) = first {
                oracle.insert(first, text.clone());
            }
        }
        QuickListOp::Remove(index, most, front) => {
            let Some(index) = at(*index, oracle.len()) else { return };
            let needle = oracle[index].clone();
            remove(list, oracle, &needle, usize::from(most % 8), *front);
        }
        QuickListOp::DeleteRange(index, count) => {
            let index = usize::from(*index) % (oracle.len() + 1);
            let deleted = list.delete_range(index, (*count).into());
            assert_eq!(deleted, (oracle.len() - index).min((*count).into()));
            oracle.drain(index..index + deleted);
        }
        QuickListOp::Trim(start, end) => {
            let len = oracle.len();
            let (start, end) =
                (usize::from(*start) % (len + 1), len - usize::from(*end) % (len + 1));
            list.trim(start..end);
            oracle.truncate(end.max(start));
            oracle.drain(..start);
        }
        QuickListOp::Get(index, count) => get(list, oracle, usize::from(*index), (*count).into()),
        QuickListOp::Positions(index, start) => {
            let Some(index) = at(*index, oracle.len()) else { return };
            let start = usize::from(*start) % oracle.len();
            positions(list, oracle, &oracle[index], start);
        }
        QuickListOp::Reload => reload(list),
        QuickListOp::Convert => convert(list),
        QuickListOp::Share(_) => {}
        QuickListOp::ShrinkToFit => list.shrink_to_fit(),
        QuickListOp::Clear => {
            list.clear();
            oracle.clear();
            assert_eq!(list.heap_bytes(), 0);
        }
    }
}

fn reload(list: &mut QuickList) {
    let mut again = QuickList::new(*list.limits());
    for node in list.nodes() {
        let bytes = node.bytes().into_owned();
        if node.is_plain() {
            again.append_plain(bytes);
        } else {
            let node = ListPack::from_bytes(bytes, Validation::Deep).expect("its own");
            again.append_listpack(node);
        }
    }
    assert_eq!(node_bytes(&again), node_bytes(list));
    assert_eq!(again, *list);
    *list = again;
}

fn convert(list: &mut QuickList) {
    let limits = *list.limits();
    let alone = list.node_count() < 2 && !list.nodes().any(NodeRef::is_plain);
    *list = match std::mem::take(list).into_listpack() {
        Ok(one) => {
            assert!(alone);
            QuickList::from_listpack(one, limits)
        }
        Err(list) => {
            assert!(!alone);
            list
        }
    };
}

/// An index of a list of this length, or `None` if it is empty.
fn at(index: u16, len: usize) -> Option<usize> {
    usize::from(index).checked_rem(len)
}

fn first_of(oracle: &Oracle, text: &[u8]) -> Option<usize> {
    oracle.iter().position(|element| element == text)
}

fn remove(list: &mut QuickList, oracle: &mut Oracle, needle: &[u8], most: usize, front: bool) {
    let mut indices: Vec<usize> = (0..oracle.len()).filter(|&at| oracle[at] == needle).collect();
    if !front {
        indices.reverse();
    }
    indices.truncate(most);
    let removed = if front { list.remove(needle, most) } else { list.remove_back(needle, most) };
    assert_eq!(removed, indices.len());
    indices.sort_unstable();
    for index in indices.into_iter().rev() {
        oracle.remove(index);
    }
}

fn get(list: &QuickList, oracle: &Oracle, index: usize, count: usize) {
    let index = index % (oracle.len() + 2);
    let element = list.get(index).map(|element| element.to_vec());
    assert_eq!(element.as_ref(), oracle.get(index));
    let last = i64::try_from(index).expect("short") + 1;
    assert_eq!(list.index(-last), oracle.len().checked_sub(index + 1));
    let expected = oracle.iter().skip(index).take(count);
    assert!(say(list.range(index..index + count), expected.clone()));
    assert!(say(list.range(index..index + count).rev(), expected.clone().rev()));
    let mut visited = Vec::new();
    list.range(index..index + count).for_each_entry(|entry| visited.push(entry.to_vec()));
    assert!(visited.iter().eq(expected.clone()));
    // Alternates between both ends until they meet.
    let (mut ours, mut theirs) = (list.range(index..index + count), expected);
    assert_eq!(ours.len(), theirs.len());
    while let Some(text) = theirs.next() {
        assert!(ours.next().is_some_and(|element| element == Entry::from(text)));
        let (back, expected) = (ours.next_back(), theirs.next_back());
        assert_eq!(back.map(|element| element.to_vec()).as_ref(), expected);
    }
    assert!(ours.next().is_none() && ours.next_back().is_none());
}

fn positions(list: &QuickList, oracle: &Oracle, needle: &[u8], start: usize) {
    for end in [start, start + 5, oracle.len(), usize::MAX] {
        let within = start..end.min(oracle.len());
        let expected: Vec<usize> = within.filter(|&at| oracle[at] == needle).collect();
        assert!(list.positions(needle, start..end).eq(expected.iter().copied()));
        let back = list.positions_back(needle, start..end);
        assert!(back.eq(expected.into_iter().rev()));
    }
}

/// Compares all observable state.
fn check(list: &QuickList, oracle: &Oracle) {
    list.verify();
    assert_eq!((list.len(), list.is_empty()), (oracle.len(), oracle.is_empty()));
    assert!(say(list.iter(), oracle.iter()));
    assert!(say(list.iter().rev(), oracle.iter().rev()));
    assert_eq!(list.nodes().map(NodeRef::count).sum::<usize>(), oracle.len());
    let limits = list.limits();
    for node in list.nodes().filter(|node| !node.is_plain() && node.count() > 1) {
        let most = limits.fill.limits().1.unwrap_or(usize::MAX);
        assert!(node.count() <= most, "a node of {} elements", node.count());
    }
}

/// Returns whether the elements are equal to those texts.
fn say<'a>(
    mut elements: impl Iterator<Item = quicklist::Element<'a>>,
    mut texts: impl Iterator<Item = &'a Vec<u8>>,
) -> bool {
    texts.all(|text| elements.next().is_some_and(|element| element.with_bytes(|says| says == text)))
        && elements.next().is_none()
}
