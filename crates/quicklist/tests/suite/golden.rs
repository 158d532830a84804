//! The nodes that live servers have after some hundred commands: `tests/data/README.md` describes the files.

use quicklist::{Entry, Fill, Limits, QuickList};
use rdb::crc64;

const GOLDEN: [(&str, &str); 5] = [
    ("fill_4_of_7_0", include_str!("../data/fill_4_of_7_0.txt")),
    ("fill_2_depth_1_of_7_0", include_str!("../data/fill_2_depth_1_of_7_0.txt")),
    (
        "4_kib_depth_2_plain_1400_of_7_0",
        include_str!("../data/4_kib_depth_2_plain_1400_of_7_0.txt"),
    ),
    ("4_kib_of_7_2", include_str!("../data/4_kib_of_7_2.txt")),
    ("fill_5_plain_60_of_7_2", include_str!("../data/fill_5_plain_60_of_7_2.txt")),
];

/// Returns the bytes of a word: `@x300` is `x` 300 times.
fn text(word: &str) -> Vec<u8> {
    match word.strip_prefix('@').map(|run| run.split_at(1)) {
        Some((byte, times)) => byte.repeat(times.parse().expect("a number")).into_bytes(),
        None => word.as_bytes().to_vec(),
    }
}

fn number<T: std::str::FromStr>(word: &str) -> T {
    word.parse().ok().expect("a number")
}

fn limits(line: &str) -> Limits {
    let words: Vec<&str> = line.split(' ').collect();
    let ["fill", fill, "depth", depth, "plain", plain, "version", version] = words[..] else {
        panic!("no limits: {line}")
    };
    let of_72 = version == "7.2";
    Limits {
        fill: Fill::new(number(fill)),
        depth: number(depth),
        plain_from: number(plain),
        exact_merge: of_72,
        merge_replaced: of_72,
    }
}

fn apply(list: &mut QuickList, line: &str) {
    let words: Vec<&str> = line.split(' ').collect();
    let index = |list: &QuickList, index: &str| list.index(number(index)).expect("an element");
    match words[..] {
        ["RPUSH", element] => list.push_back(&text(element)).expect("room"),
        ["LPUSH", element] => list.push_front(&text(element)).expect("room"),
        ["RPOP"] => assert!(list.pop_back().is_some()),
        ["LPOP"] => assert!(list.pop_front().is_some()),
        ["LSET", at, element] => {
            list.set(index(list, at), &text(element)).expect("an element");
        }
        ["LINSERT", "BEFORE", pivot, element] => {
            list.insert_before(&text(pivot), &text(element)).expect("room");
        }
        ["LINSERT", "AFTER", pivot, element] => {
            list.insert_after(&text(pivot), &text(element)).expect("room");
        }
        ["LREM", count, element] => {
            let count: i64 = number(count);
            let (most, needle) = (count.unsigned_abs(), text(element));
            let most = if most == 0 { usize::MAX } else { usize::try_from(most).expect("few") };
            let removed = if count < 0 {
                list.remove_back(&needle, most)
            } else {
                list.remove(&needle, most)
            };
            assert!(removed <= most);
        }
        ["LTRIM", start, end] => list.trim(index(list, start)..index(list, end) + 1),
        _ => panic!("no command: {line}"),
    }
}

/// The line of a node in the files.
fn shown(node: quicklist::NodeRef<'_>) -> String {
    let container = if node.is_plain() { 1 } else { 2 };
    let form = if node.stream().is_some() { "lzf" } else { "raw" };
    format!("{container} {form} {} {:016x}", node.size(), crc64(&node.bytes()))
}

#[test]
fn the_commands_leave_the_nodes_of_servers() {
    for (name, file) in GOLDEN {
        let (script, nodes) = file.split_once("\nnodes\n").expect("a script and nodes");
        let (first, commands) = script.split_once('\n').expect("limits and commands");
        let mut list = QuickList::new(limits(first));
        for line in commands.lines() {
            apply(&mut list, line);
            list.verify();
        }
        assert!(nodes.lines().count() > 4, "{name}");
        assert!(list.nodes().map(shown).eq(nodes.lines()), "{name}");
        assert!(list.iter().rev().all(|element| element != Entry::from("absent")));
    }
}
