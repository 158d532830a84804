//! Both sides of each limit.

use listpack::ListPack;
use quicklist::{Entry, Fill, Limits, NodeRef, QuickList, Refused};

fn limits(fill: i64) -> Limits {
    Limits { fill: Fill::new(fill), ..Limits::default() }
}

/// The elements of each node.
fn cut(list: &QuickList) -> Vec<usize> {
    list.verify();
    list.nodes().map(NodeRef::count).collect()
}

/// The bytes of each node, and whether it is compressed.
fn sizes(list: &QuickList) -> Vec<(usize, bool)> {
    list.verify();
    list.nodes().map(|node| (node.size(), node.stream().is_some())).collect()
}

fn of(limits: Limits, texts: &[&str]) -> QuickList {
    let mut list = QuickList::new(limits);
    for text in texts {
        list.push_back(*text).expect("room");
    }
    list
}

/// A text of up to 63 bytes takes two more bytes, and one of up to 124 takes three more.
#[test]
fn a_node_has_the_size_of_its_fill() {
    for (fill, bytes) in [(-1, 4096), (-2, 8192), (-3, 16_384), (-4, 32_768), (-5, 65_536)] {
        for back in [true, false] {
            let mut list = QuickList::new(limits(fill));
            let text = "sixteen bytes : ";
            // Seven bytes for the node and eighteen for each element; the last one counts with eight in addition to its
            // text.
            let full = (bytes - 7 - 24) / 18 + 1;
            for _ in 0..full {
                if back { list.push_back(text) } else { list.push_front(text) }.expect("room");
            }
            assert_eq!(cut(&list), [full], "{fill}");
            if back { list.push_back(text) } else { list.push_front(text) }.expect("room");
            assert_eq!(cut(&list), if back { [full, 1] } else { [1, full] }, "{fill}");
        }
        // Exact to the byte.
        let mut list = QuickList::new(limits(fill));
        list.push_back("a").expect("room");
        let mut other = list.clone();
        let used = list.nodes().next().map_or(0, NodeRef::size);
        list.push_back(&vec![b'x'; bytes - used - 8]).expect("room");
        other.push_back(&vec![b'x'; bytes - used - 7]).expect("room");
        assert_eq!((cut(&list), cut(&other)), (vec![2], vec![1, 1]));
    }
}

#[test]
fn a_node_has_as_many_elements_as_its_fill_says_and_at_most_8_kibibytes() {
    for fill in [1, 2, 128] {
        let mut list = QuickList::new(limits(fill));
        let count = usize::try_from(fill).expect("positive");
        for number in 0..=fill {
            list.push_back(number).expect("room");
        }
        assert_eq!(cut(&list), [count, 1]);
    }
    let mut list = of(limits(128), &["a"]);
    list.push_back(&vec![b'x'; 8192 - 10 - 8]).expect("room");
    assert_eq!(cut(&list), [2]);
    list.push_back("b").expect("room");
    assert_eq!(cut(&list), [2, 1]);
    assert_eq!(cut(&of(limits(0), &["a", "b"])), [1, 1]);
    assert_eq!((Fill::new(1 << 40), Fill::new(i64::MIN)), (Fill::new(32_767), Fill::new(-5)));
}

#[test]
fn insertion_into_a_full_node_uses_a_neighbour_or_splits_it() {
    let full = ["a", "b", "c", "d", "e", "f", "g"];
    // abc def g: into the next or the previous node, if that has room.
    let mut list = of(limits(3), &full);
    assert_eq!(list.insert_after("f", "x"), Ok(true));
    assert_eq!(cut(&list), [3, 3, 2]);
    assert_eq!(list.insert_before("x", "y"), Ok(true));
    assert_eq!(cut(&list), [3, 3, 3]);
    // Otherwise into a new node.
    assert_eq!(list.insert_after("c", "z"), Ok(true));
    assert_eq!(cut(&list), [3, 1, 3, 3]);
    // In the middle, between two halves, here "d" and "e", "f"; then the two nodes before the second half are merged.
    assert_eq!(list.insert_before("e", "w"), Ok(true));
    assert_eq!(cut(&list), [3, 3, 2, 3]);
    assert_eq!(format!("{list:?}"), r#"["a", "b", "c", "z", "d", "w", "e", "f", "y", "x", "g"]"#);
    // Nodes that lose elements are not merged.
    list.delete_range(1, 3);
    assert_eq!(cut(&list), [1, 2, 2, 3]);
}

#[test]
fn nodes_are_merged_up_to_their_limit_and_four_more_bytes_before_7_2() {
    for (exact_merge, room) in [(true, 0), (false, 4)] {
        for (spare, expected) in [(0, [2, 1, 3]), (1, [1, 2, 3])] {
            // Each element takes four bytes in addition to its text, and the node of both takes another seven.
            let (long, other) = (vec![b'x'; 300], vec![b'y'; 4096 + room + spare - 300 - 8 - 7]);
            let mut list = QuickList::new(Limits { exact_merge, ..limits(-1) });
            for elements in
                [&[long][..], &[other], &[b"a".to_vec(), b"b".to_vec(), vec![b'z'; 4096]]]
            {
                let mut node = ListPack::new();
                for element in elements {
                    node.push_back(element).expect("room");
                }
                list.append_listpack(node);
            }
            assert_eq!(cut(&list), [1, 1, 3]);
            // The last node is split after "a". Merging the two nodes before it is tried first; if they are not merged,
            // "a" is merged with the second.
            assert_eq!(list.insert_after("a", "c"), Ok(true));
            assert_eq!(cut(&list), expected, "{exact_merge} {spare}");
        }
    }
}

#[test]
fn without_a_threshold_elements_larger_than_a_node_are_large() {
    for (fill, most) in [(-1, 4096), (-2, 8192), (-5, 65_536), (4, 8192), (1000, 8192)] {
        let mut list = QuickList::new(Limits { plain_from: 0, ..limits(fill) });
        for len in [most, most + 1] {
            list.push_back(&vec![b'x'; len][..]).expect("room");
        }
        let plain: Vec<_> = list.nodes().map(NodeRef::is_plain).collect();
        assert_eq!(plain, [false, true], "{fill}");
    }
}

#[test]
fn large_elements_get_plain_nodes_that_hold_no_others() {
    let limits = Limits { plain_from: 5, ..limits(4) };
    let mut list = of(limits, &["a", "b", "1234", "12345", "c"]);
    assert_eq!(cut(&list), [3, 1, 1]);
    let plain = |list: &QuickList| list.nodes().map(NodeRef::is_plain).collect::<Vec<_>>();
    assert_eq!(plain(&list), [false, true, false]);
    assert_eq!(&*list.nodes().nth(1).expect("three").bytes(), b"12345");
    // In the middle of a node: between its halves. A plain node whose element becomes short is replaced.
    list.set(1, "large").expect("an element");
    assert_eq!(plain(&list), [false, true, false, true, false]);
    list.set(3, "d").expect("an element");
    assert_eq!(plain(&list), [false, true, false, false]);
    assert_eq!(format!("{list:?}"), r#"["a", "large", 1234, "d", "c"]"#);
    list.set_plain_from(1 << 30);
    list.push_front("larger").expect("room");
    assert_eq!(plain(&list), [false, true, false, false]);
}

#[test]
fn inner_nodes_are_compressed_from_48_bytes_on_if_that_saves_more_than_8() {
    let limits = Limits { depth: 1, ..limits(1) };
    let size = |len: usize| {
        let text = "x".repeat(len);
        let list = of(limits, &["first", &text, "last"]);
        sizes(&list)[1]
    };
    assert_eq!(size(38), (47, false));
    assert_eq!(size(39), (48, true));
    // The stream of the distinct bytes is not shorter than they are; each repetition saves some bytes.
    let distinct: String = (b'A'..=b'z').map(char::from).collect();
    let of_repeats = |repeats: usize| {
        let text = format!("{distinct}{}", &distinct[..repeats]);
        sizes(&of(limits, &["first", &text, "last"]))[1].1
    };
    let compressed: Vec<bool> = (0..40).map(of_repeats).collect();
    let from = compressed.iter().position(|&compressed| compressed).expect("in the end");
    assert!((8..20).contains(&from) && compressed[from..].iter().all(|&compressed| compressed));
}

#[test]
fn the_nodes_at_the_ends_stay_uncompressed() {
    let text = "x".repeat(100);
    for depth in 1..4 {
        let mut list = QuickList::new(Limits { depth, ..limits(1) });
        let depth = usize::from(depth);
        for nodes in 1..12_usize {
            list.push_front(text.as_str()).expect("room");
            let compressed = list.nodes().filter(|node| node.stream().is_some()).count();
            assert_eq!(compressed, nodes.saturating_sub(2 * depth));
        }
        for nodes in (1..11_usize).rev() {
            list.pop_back();
            let compressed = list.nodes().filter(|node| node.stream().is_some()).count();
            assert_eq!(compressed, nodes.saturating_sub(2 * depth));
            list.verify();
        }
    }
}

#[test]
fn a_refused_element_changes_nothing() {
    let mut list = of(Limits { plain_from: u32::MAX, ..limits(-1) }, &["a", "b"]);
    // Zeroed lazily by the system, and never read.
    let long = vec![0; 1 << 30];
    let refused = Err(Refused::TooLarge { len: 1 << 30 });
    assert_eq!(list.push_back(&long), refused);
    assert_eq!(list.push_front(&long), refused);
    assert_eq!(list.insert(1, &long), refused);
    assert_eq!(list.insert_after("a", &long).map(|_| ()), refused);
    assert_eq!(list.set(0, &long), refused);
    assert_eq!(list.set(2, "c"), Err(Refused::NoElement { index: 2 }));
    assert_eq!(list.insert(3, "c"), Err(Refused::NoElement { index: 3 }));
    assert_eq!(cut(&list), [2]);
    assert!(list.iter().eq([Entry::from("a"), Entry::from("b")]));
    assert_eq!(Refused::NoElement { index: 2 }.to_string(), "list has no element at index 2");
}

#[test]
fn an_index_finds_its_node_among_thousands() {
    let mut list = QuickList::new(limits(1));
    for number in 0..10_000 {
        list.push_back(number).expect("room");
    }
    for number in 1..5_000 {
        list.push_front(-number).expect("room");
    }
    for (index, number) in (-4_999..10_000).enumerate() {
        assert!(list.get(index).is_some_and(|element| element == Entry::Int(number)), "{index}");
    }
    // From the middle, until few elements are left.
    while list.len() > 10 {
        list.delete_range(list.len() / 2 - 3, 7);
    }
    list.verify();
    assert!(list.heap_bytes() < 40_000, "{} bytes", list.heap_bytes());
}

#[test]
fn memory_is_that_of_the_nodes() {
    let mut list = QuickList::new(Limits::default());
    for number in 0..200_000 {
        list.push_back(format!("element:{number:08}").as_str()).expect("room");
    }
    let bytes: usize = list.nodes().map(NodeRef::size).sum();
    assert!(list.heap_bytes() < bytes + bytes / 200 + 1_000, "{} of {bytes}", list.heap_bytes());
    assert!(list.heap_bytes() < 200_000 * 183 / 10, "{}", list.heap_bytes());
    list.shrink_to_fit();
    let least = bytes + 32 * list.node_count();
    assert!((least..least + 1_000).contains(&list.heap_bytes()), "{}", list.heap_bytes());
    list.clear();
    assert_eq!((list.heap_bytes(), list.len()), (0, 0));
}

/// `for_each_entry` visits the same elements as iterating, from any start.
#[test]
fn each_entry_of_a_range_is_visited() {
    for (fill, depth, plain_from) in [(4, 0, 1 << 30), (4, 1, 1 << 30), (5, 2, 60), (-2, 0, 60)] {
        let mut list = QuickList::new(Limits { depth, plain_from, ..limits(fill) });
        for number in 0..90 {
            let long = "long ".repeat(if number % 7 == 0 { 15 } else { 1 });
            list.push_back(format!("{number} {long}").as_str()).expect("room");
        }
        for (start, end) in [(0, 90), (0, 1), (3, 4), (3, 5), (17, 61), (88, 200), (50, 50)] {
            for taken in 0..3 {
                let mut visited = list.range(start..end);
                let mut iterated = list.range(start..end);
                for _ in 0..taken {
                    assert_eq!(visited.next(), iterated.next());
                    assert_eq!(visited.next_back(), iterated.next_back());
                }
                let mut one_by_one = Vec::new();
                for element in iterated {
                    one_by_one.push(element.to_vec());
                }
                let mut whole = Vec::new();
                visited.for_each_entry(|entry| whole.push(entry.to_vec()));
                assert_eq!(whole, one_by_one, "{fill} {depth} {start} {end} {taken}");
            }
        }
    }
}

#[test]
fn a_long_list_allocates_a_node_once() {
    let text = |number: usize| format!("element:{number:08}");
    for back in [true, false] {
        let mut list = QuickList::new(Limits::default());
        let mut number = 0;
        while list.node_count() < 40 {
            let text = text(number);
            let push = if back { list.push_back(&*text) } else { list.push_front(&*text) };
            push.expect("room");
            number += 1;
        }
        // A node of one element: it takes the others without an allocation.
        let (held, pushed) = (list.heap_bytes(), list.len());
        while list.node_count() == 40 {
            assert_eq!(list.heap_bytes(), held, "after {} more", list.len() - pushed);
            let text = text(list.len());
            let push = if back { list.push_back(&*text) } else { list.push_front(&*text) };
            push.expect("room");
        }
        assert!(list.len() - pushed > 400, "{} elements", list.len() - pushed);
    }
}

#[test]
fn a_short_list_has_no_node_of_slack() {
    let mut list = QuickList::new(Limits::default());
    while list.node_count() < 8 {
        list.push_back("an element").expect("room");
    }
    let sizes = list.nodes().map(NodeRef::size).sum::<usize>();
    assert!(list.heap_bytes() < sizes + 4096, "{} of {sizes}", list.heap_bytes());
}

/// A file may have a node of a gigabyte.
#[test]
fn a_node_is_not_allocated_for_a_neighbour_beyond_the_limit() {
    let mut large = ListPack::new();
    for number in 0..100_000 {
        large.push_back(number).expect("room");
    }
    let mut small = ListPack::new();
    small.push_back("an element").expect("room");
    let mut list = QuickList::new(Limits::default());
    for _ in 0..20 {
        list.append_listpack(small.clone());
    }
    list.append_listpack(large);
    let before = list.heap_bytes();
    list.push_back("another").expect("room");
    assert_eq!(list.node_count(), 22);
    assert!(list.heap_bytes() < before + 8192 + 1024, "{} after {before}", list.heap_bytes());
}

/// A node whose elements have one size is not scanned for an index: it must notice each change of a size.
#[test]
fn elements_of_one_size_are_found_after_any_change() {
    for depth in [0, 1] {
        let text = |number: usize| format!("element:{number:03}");
        let mut list = QuickList::new(Limits { depth, ..limits(16) });
        let mut oracle: Vec<String> = (0..100).map(text).collect();
        for text in &oracle {
            list.push_back(text.as_str()).expect("room");
        }
        let changes = ["of one size", "another size", "17", "element:999", "", "element:000"];
        for (step, change) in changes.iter().cycle().take(300).enumerate() {
            let index = step * 37 % oracle.len();
            match step % 5 {
                0 | 1 => {
                    list.set(index, *change).expect("room");
                    oracle[index] = String::from(*change);
                }
                2 => {
                    list.insert(index, *change).expect("room");
                    oracle.insert(index, String::from(*change));
                }
                3 => {
                    list.push_front(*change).expect("room");
                    oracle.insert(0, String::from(*change));
                }
                _ => {
                    assert_eq!(list.delete_range(index, 2), 2.min(oracle.len() - index));
                    oracle.drain(index..oracle.len().min(index + 2));
                }
            }
            list.verify();
            let mut found = (0..oracle.len()).map(|index| list.get(index).expect("in range"));
            let equal = |text: &String| found.next().is_some_and(|f| f == Entry::from(&**text));
            assert!(oracle.iter().all(equal), "step {step}");
        }
    }
}
