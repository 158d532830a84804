//! A list of untrusted nodes, and every operation on it. The fuzz target includes this file too.

use listpack::{ListPack, Validation};
use quicklist::{Entry, Fill, Limits, QuickList};

/// Reads limits from the first byte and nodes from the others: a kind, a length of two bytes, and the bytes. Returns
/// whether each node was valid.
pub(crate) fn run(bytes: &[u8]) -> bool {
    let Some((&settings, mut bytes)) = bytes.split_first() else { return true };
    let limits = Limits {
        fill: Fill::new(i64::from(settings % 8) - 3),
        depth: u16::from(settings / 8 % 3),
        plain_from: if settings & 0x80 == 0 { 1 << 30 } else { 20 },
        exact_merge: settings & 0x40 == 0,
        merge_replaced: settings & 0x20 == 0,
    };
    let mut list = QuickList::new(limits);
    let (mut whole, mut taken) = (true, 0);
    while let Some((&[kind, low, high], rest)) = bytes.split_first_chunk() {
        let len = usize::from(u16::from_le_bytes([low, high])).min(rest.len());
        let (node, rest) = rest.split_at(len);
        bytes = rest;
        if kind % 4 == 0 {
            list.append_plain(node);
            taken += len;
        } else if let Ok(node) = ListPack::from_bytes(node, Validation::Shallow) {
            whole &= node.validate(Validation::Deep).is_ok();
            list.append_listpack(node);
            taken += len;
        }
    }
    // A run of nodes has room for 64 nodes of 32 bytes each.
    assert!(list.heap_bytes() <= 2 * taken + 128 * list.node_count() + 4096);
    if whole {
        list.verify();
        assert_eq!(list.iter().count(), list.len());
        assert!(list.iter().rev().count() == list.len());
    }
    let mut visited = 0;
    list.iter().for_each_entry(|_| visited += 1);
    assert_eq!(visited, list.iter().count());
    let read = list.iter().chain(list.iter().rev());
    let texts: Vec<Vec<u8>> = read.map(|element| element.to_vec()).take(64).collect();
    for (index, text) in texts.iter().enumerate() {
        let _ = (list.get(index), list.range(index..index + 9).rev().count());
        assert!(list.positions(text, 0..list.len()).take(4).all(|at| at < list.len()));
        change(list.clone(), index, text, whole);
    }
    for front in [true, false] {
        let mut list = list.clone();
        let count = list.len();
        let pop = |list: &mut QuickList| if front { list.pop_front() } else { list.pop_back() };
        let popped = (0..=count).take_while(|_| pop(&mut list).is_some()).count();
        assert!(list.is_empty() && (!whole || popped == count));
    }
    whole
}

fn change(mut list: QuickList, index: usize, text: &[u8], whole: bool) {
    let _ = list.set(index, Entry::Int(7));
    let _ = list.set(index, "a text of more than twenty bytes");
    let _ = list.insert(index, text);
    let _ = list.insert_before(text, "b");
    let _ = list.insert_after("b", text);
    let _ = list.push_front(text);
    list.remove(text, 1 + index % 2);
    list.remove_back("b", usize::MAX);
    list.delete_range(index, 3);
    list.trim(index / 2..list.len().saturating_sub(index / 3));
    let _ = list.push_back(text);
    if whole {
        list.verify();
    }
}
