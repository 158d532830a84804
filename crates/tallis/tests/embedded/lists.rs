//! Lists by typed calls, compared with a deque.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::sync::Arc;

use bytes::Bytes;
use tallis::listpack::{ListPack, Validation};
use tallis::rdb::{self, Node, WriteOptions};
use tallis::{
    Direction, ErrorKind, Limits, ListEntry, LposOptions, Profile, Reply, RestoreOptions,
    SortOptions, Store, Target, each,
};
use testkit::kept::Kept;
use testkit::rng::Rng;

use crate::journal::Journal;
use crate::payload::{kinds, listpack, payload};

const PROFILES: [Profile; 2] = [Profile::Redis70, Profile::Redis72];

/// Limits with few elements per node.
fn nodes_of(size: isize, depth: usize) -> Limits {
    Limits { list_max_listpack_size: size, list_compress_depth: depth, ..Limits::default() }
}

fn all(store: &Store, key: &str) -> Vec<String> {
    store.lrange_as(key, 0, -1).unwrap()
}

/// The index from the front for one of Redis.
fn place(index: i64, len: usize) -> Option<usize> {
    let len = i64::try_from(len).unwrap();
    let place = if index < 0 { index + len } else { index };
    (0..len).contains(&place).then(|| usize::try_from(place).unwrap())
}

#[test]
fn random_calls_agree_with_a_deque() {
    for (seed, limits) in [(1, nodes_of(-2, 0)), (2, nodes_of(5, 0)), (3, nodes_of(3, 1))] {
        for profile in PROFILES {
            let mut rng = Rng::new(seed);
            let store = Store::builder().limits(limits).profile(profile).build();
            let mut oracle: VecDeque<Bytes> = VecDeque::new();
            for step in 0..6000 {
                let element = match rng.below(4) {
                    0 => Bytes::from(rng.below(300).to_string()),
                    1 => Bytes::from(rng.bytes(60)),
                    _ => Bytes::from(format!("element {}", rng.below(40))),
                };
                let index = rng.range(-30..=30);
                let find = |oracle: &VecDeque<Bytes>| oracle.iter().position(|one| *one == element);
                match rng.below(14) {
                    0..3 => {
                        oracle.push_back(element.clone());
                        assert_eq!(store.rpush("l", &element).unwrap(), oracle.len());
                    }
                    3..5 => {
                        oracle.push_front(element.clone());
                        assert_eq!(store.lpush("l", &element).unwrap(), oracle.len());
                    }
                    5 => assert_eq!(store.lpop("l").unwrap(), oracle.pop_front()),
                    6 => assert_eq!(store.rpop("l").unwrap(), oracle.pop_back()),
                    7 => match place(index, oracle.len()) {
                        Some(place) => {
                            oracle[place] = element.clone();
                            store.lset("l", index, &element).unwrap();
                        }
                        None => assert!(store.lset("l", index, &element).is_err()),
                    },
                    8 => {
                        let at = find(&oracle);
                        if let Some(at) = at {
                            oracle.insert(at, "new".into());
                        }
                        let len = at.map(|_| oracle.len());
                        assert_eq!(store.linsert_before("l", &element, "new").unwrap(), len);
                    }
                    9 => {
                        let at = find(&oracle);
                        if let Some(at) = at {
                            oracle.insert(at + 1, "new".into());
                        }
                        let len = at.map(|_| oracle.len());
                        assert_eq!(store.linsert_after("l", &element, "new").unwrap(), len);
                    }
                    10 => {
                        let count = rng.range(-2..=2);
                        let most = if count == 0 {
                            usize::MAX
                        } else {
                            usize::try_from(count.abs()).unwrap()
                        };
                        let mut places: Vec<usize> =
                            (0..oracle.len()).filter(|&at| oracle[at] == element).collect();
                        if count < 0 {
                            places.reverse();
                        }
                        places.truncate(most);
                        places.sort_unstable();
                        for &at in places.iter().rev() {
                            oracle.remove(at);
                        }
                        assert_eq!(store.lrem("l", count, &element).unwrap(), places.len());
                    }
                    11 => {
                        assert_eq!(store.lpos("l", &element).unwrap(), find(&oracle));
                        let last = LposOptions::default().rank(-1).count(1);
                        let found = store.lpos_options("l", &element, last).unwrap();
                        let last = oracle.iter().rposition(|one| *one == element);
                        assert_eq!(found.first().copied(), last);
                    }
                    12 => {
                        let at = place(index, oracle.len()).map(|at| oracle[at].clone());
                        assert_eq!(store.lindex("l", index).unwrap(), at);
                    }
                    _ if step % 20 == 0 => {
                        let keep = rng.index(200);
                        oracle.truncate(keep);
                        let stop = i64::try_from(keep).unwrap() - 1;
                        store.ltrim("l", 0, if keep == 0 { -9999 } else { stop }).unwrap();
                    }
                    _ => {
                        let moved = oracle.pop_back();
                        oracle.extend(moved.clone());
                        oracle.rotate_right(usize::from(moved.is_some()));
                        assert_eq!(store.rpoplpush("l", "l").unwrap(), moved);
                    }
                }
                assert_eq!(store.llen("l").unwrap(), oracle.len());
                assert_eq!(store.exists("l").unwrap(), !oracle.is_empty());
            }
            assert_eq!(store.lrange("l", 0, -1).unwrap(), Vec::from(oracle));
        }
    }
}

#[test]
fn calls_take_one_or_many_of_any_type() {
    let store = Store::new();
    assert_eq!(store.rpush("l", [1, 2]).unwrap(), 2);
    assert_eq!(store.rpush("l", vec!["three", "four"]).unwrap(), 4);
    assert_eq!(store.lpush("l", 0.5).unwrap(), 5);
    assert_eq!(store.lpush("none", Vec::<u8>::new()).unwrap(), 1, "an empty string is one element");
    assert_eq!(store.lpush("other", Vec::<&str>::new()).unwrap(), 0);
    assert!(!store.exists("other").unwrap());
    assert_eq!(store.lpush_exists("other", 1).unwrap(), 0);
    assert_eq!(store.rpush_exists("l", "five").unwrap(), 6);
    assert_eq!(store.lpush_exists("l", ["b", "a"]).unwrap(), 8);
    assert_eq!(all(&store, "l"), ["a", "b", "0.5", "1", "2", "three", "four", "five"]);
    assert_eq!(store.lrange_as::<(f64, u8)>("l", 2, 3).unwrap(), (0.5, 1));
    assert_eq!(store.lpop_as::<char>("l").unwrap(), 'a');
    assert_eq!(store.rpop_as::<Option<String>>("l").unwrap().as_deref(), Some("five"));
    assert_eq!(store.lpop_multiple_as::<Vec<String>>("l", 2).unwrap(), ["b", "0.5"]);
    assert_eq!(store.rpop_multiple_as::<Vec<String>>("l", 2).unwrap(), ["four", "three"]);
    assert_eq!(store.lindex_as::<Option<u8>>("l", -1).unwrap(), Some(2));
    assert_eq!(store.lindex_as::<Option<u8>>("l", 7).unwrap(), None);
    assert_eq!(store.rpoplpush_as::<u8>("l", "m").unwrap(), 2);
    assert_eq!(store.lmove_as::<u8>("l", "m", Direction::Left, Direction::Left).unwrap(), 1);
    assert!(!store.exists("l").unwrap());
    assert_eq!(all(&store, "m"), ["1", "2"]);
    assert_eq!(store.lpop_multiple("m", 0).unwrap(), Vec::<Bytes>::new());
    assert_eq!(store.lpop_multiple("none at all", 3).unwrap(), Vec::<Bytes>::new());
}

#[test]
fn invalid_types_and_indices_are_refused_and_nothing_changes() {
    let store = Store::new();
    store.set("s", "v").unwrap();
    store.rpush("l", ["a", "b"]).unwrap();
    let before = store.changes();
    let wrong = ErrorKind::WrongType;
    assert_eq!(store.lpush("s", "x").unwrap_err().kind(), wrong);
    assert_eq!(store.lpush_exists("s", "x").unwrap_err().kind(), wrong);
    assert_eq!(store.lpop("s").unwrap_err().kind(), wrong);
    assert_eq!(store.llen("s").unwrap_err().kind(), wrong);
    assert_eq!(store.lrange("s", 0, -1).unwrap_err().kind(), wrong);
    assert_eq!(store.lpos("s", "x").unwrap_err().kind(), wrong);
    assert_eq!(store.lmpop(["none", "s"], Direction::Left, 1).unwrap_err().kind(), wrong);
    assert_eq!(store.rpoplpush("l", "s").unwrap_err().kind(), wrong);
    assert_eq!(store.rpoplpush("s", "l").unwrap_err().kind(), wrong);
    assert_eq!(store.rpoplpush("none", "s").unwrap(), None, "nothing to put there");
    assert_eq!(store.lset("none", 0, "x").unwrap_err().kind(), ErrorKind::NoSuchKey);
    assert_eq!(store.lset("l", 2, "x").unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(store.lset("l", -3, "x").unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(store.linsert_before("l", "none", "x").unwrap(), None);
    assert_eq!(store.linsert_after("none", "a", "x").unwrap(), None);
    assert_eq!(store.changes(), before);
    assert_eq!(all(&store, "l"), ["a", "b"]);
}

#[test]
fn options_choose_among_equal_elements() {
    for limits in [nodes_of(-2, 0), nodes_of(2, 0)] {
        let store = Store::builder().limits(limits).build();
        store.rpush("l", ["a", "b", "a", "c", "a", "b"]).unwrap();
        let find = |options| store.lpos_options("l", "a", options).unwrap();
        let options = LposOptions::default();
        assert_eq!(find(options), [0, 2, 4]);
        assert_eq!(find(options.rank(2)), [2, 4]);
        assert_eq!(find(options.rank(-2)), [2, 0]);
        assert_eq!(find(options.rank(0)), [0, 2, 4]);
        assert_eq!(find(options.count(2)), [0, 2]);
        assert_eq!(find(options.maxlen(3)), [0, 2]);
        assert_eq!(find(options.maxlen(2).rank(-1)), [4]);
        assert_eq!(find(options.maxlen(1).rank(-1)), [0_usize; 0]);
        assert_eq!(find(options.rank(i64::MIN)), [0_usize; 0]);
        assert_eq!(store.lmpop(["none", "l"], Direction::Right, 2).unwrap(), {
            Some(("l".into(), vec!["b".into(), "a".into()]))
        });
        assert_eq!(store.lmpop(["none"], Direction::Left, 2).unwrap(), None);
    }
}

#[test]
fn an_entry_runs_several_steps_at_once_and_informs_the_sinks() {
    let journal = Arc::new(Journal::default());
    let store = Store::builder().sink(journal.clone()).build();
    // The last ten of a sequence.
    let oldest = store
        .with_list("recent", |list: &mut ListEntry<'_>| {
            list.push(Direction::Left, ["a", "b", "c"])?;
            list.trim(0, 1);
            assert_eq!((list.len(), list.get(-1)), (2, Some("b".into())));
            list.set(1, "B")?;
            assert_eq!(list.insert(true, "B", "between")?, Some(3));
            assert_eq!(list.remove(-1, "between"), 1);
            let mut seen = Vec::new();
            list.for_each(0, -1, |element| seen.push(element.to_bytes()));
            assert_eq!(seen, ["c", "B"]);
            Ok(list.pop(Direction::Right))
        })
        .unwrap();
    assert_eq!(oldest, Some("B".into()));
    store.rpush("recent", "d").unwrap();
    store.lmove("recent", "recent", Direction::Left, Direction::Right).unwrap();
    store.rpoplpush("recent", "other").unwrap();
    store.lmpop(["recent", "other"], Direction::Left, 5).unwrap();
    assert_eq!(
        journal.lines(),
        [
            "LPUSH recent a b c",
            "LTRIM recent 0 1",
            "LSET recent 1 B",
            "LINSERT recent BEFORE B between",
            "LREM recent -1 between",
            "RPOP recent",
            "RPUSH recent d",
            "LMOVE recent recent LEFT RIGHT",
            "RPOP recent",
            "LPUSH other c",
            "LPOP recent 1",
        ]
    );
}

/// The encoding becomes a quicklist when the limit is exceeded, and a listpack again when half of it is left in one
/// node.
#[test]
fn a_list_that_shrinks_to_half_of_the_limit_is_a_listpack_again() {
    let store = Store::builder().limits(nodes_of(8, 0)).build();
    let encoding = || store.object_encoding("l").unwrap().unwrap();
    store.rpush("l", 0..8).unwrap();
    assert_eq!(encoding(), "listpack");
    store.rpush("l", 8).unwrap();
    assert_eq!(encoding(), "quicklist");
    // Two nodes, the second of which becomes empty first.
    for left in (5..=8).rev() {
        store.rpop("l").unwrap();
        assert_eq!((store.llen("l").unwrap(), encoding()), (left, "quicklist"));
    }
    store.rpop("l").unwrap();
    assert_eq!((store.llen("l").unwrap(), encoding()), (4, "listpack"));
    // A list of two nodes is not a listpack, however few elements they have.
    store.rpush("l", 0..5).unwrap();
    store.ltrim("l", 7, -1).unwrap();
    assert_eq!((store.llen("l").unwrap(), encoding()), (2, "quicklist"));
    assert_eq!(all(&store, "l"), ["3", "4"]);
    store.lpop("l").unwrap();
    assert_eq!((store.llen("l").unwrap(), encoding()), (1, "listpack"));
    // Bytes count if the limit is one of bytes.
    let store = Store::builder().limits(nodes_of(-1, 0)).build();
    let encoding = || store.object_encoding("l").unwrap().unwrap();
    store.rpush("l", ["x".repeat(3000), "y".repeat(1070)]).unwrap();
    assert_eq!(encoding(), "listpack");
    store.rpush("l", "z".repeat(100)).unwrap();
    assert_eq!(encoding(), "quicklist");
    store.rpop("l").unwrap();
    assert_eq!(encoding(), "quicklist");
    store.lpop("l").unwrap();
    assert_eq!(encoding(), "listpack");
}

#[test]
fn redis_70_has_only_quicklists() {
    let store = Store::builder().profile(Profile::Redis70).build();
    store.rpush("l", "a").unwrap();
    assert_eq!(store.object_encoding("l").unwrap(), Some("quicklist"));
    let payload = store.dump("l").unwrap().unwrap();
    store.restore("m", &payload, RestoreOptions::default()).unwrap();
    assert_eq!(store.object_encoding("m").unwrap(), Some("quicklist"));
}

/// Beginning with the server's default threshold, an element has its own node.
#[test]
fn large_elements_have_their_own_nodes() {
    let store = Store::builder().profile(Profile::Redis70).build();
    let threshold = |size: &str| store.execute(&["DEBUG", "QUICKLIST-PACKED-THRESHOLD", size]);
    assert_eq!(threshold("100b"), Reply::OK);
    store.rpush("l", ["a".to_owned(), "x".repeat(99), "y".repeat(100), "b".to_owned()]).unwrap();
    assert_eq!(store.object_encoding("l").unwrap(), Some("quicklist"));
    let nodes = nodes(&store, "l");
    assert!(nodes.starts_with("nodes:3 ql_avg_node:1.33 ql_listpack_max:-2 "), "{nodes}");
    for size in ["0", "4293918720"] {
        assert_eq!(threshold(size), Reply::OK);
    }
    for size in ["4293918721", "-1", "x", "18446744073709551617"] {
        assert!(threshold(size).is_error(), "{size}");
    }
}

/// The nodes in the reply of DEBUG OBJECT.
fn nodes(store: &Store, key: &str) -> String {
    let reply = store.execute(&["DEBUG", "OBJECT", key]);
    let (_, nodes) = reply.as_str().unwrap().split_once(" ql_").unwrap();
    nodes.to_owned()
}

/// The differences of the crate `quicklist` between 7.2 and 7.0.
#[test]
fn nodes_are_merged_according_to_the_profile() {
    for (profile, replaced, inserted) in
        [(Profile::Redis70, 4, [2, 1, 3]), (Profile::Redis72, 3, [1, 2, 3])]
    {
        let store = Store::builder().limits(nodes_of(4, 0)).profile(profile).build();
        store.execute(&["DEBUG", "QUICKLIST-PACKED-THRESHOLD", "100"]);
        store.rpush("l", ["a", "b", "c", "d", "e", "f"]).unwrap();
        store.lset("l", 1, "x".repeat(100)).unwrap();
        assert!(nodes(&store, "l").starts_with(&format!("nodes:{replaced} ")), "{profile:?}");

        // Two nodes that are together four bytes too long, before one that is split.
        let (long, other) = ("x".repeat(300), "y".repeat(4096 + 4 - 300 - 8 - 7));
        let blobs = [&[&*long][..], &[&other], &["a", "b", &"z".repeat(4096)]].map(listpack);
        let options = WriteOptions { target: Target::V10, ..WriteOptions::default() };
        let payload = rdb::dump::encode(options, |value| {
            let mut list = value.list_nodes(3)?;
            blobs.iter().try_for_each(|blob| list.packed(blob))?;
            list.finish()
        });
        let store = Store::builder().limits(nodes_of(-1, 0)).profile(profile).build();
        store.restore("l", payload.unwrap(), RestoreOptions::default()).unwrap();
        store.linsert_after("l", "a", "c").unwrap();
        let dump = store.dump("l").unwrap().unwrap();
        let mut dump = rdb::dump::decode(&dump).unwrap();
        let Kept::ListNodes(nodes) = Kept::read(dump.value().unwrap()).unwrap() else {
            panic!("no nodes")
        };
        let counts = nodes.iter().map(|node| {
            let Node::Packed(blob) = node else { panic!("a plain node") };
            ListPack::from_bytes(blob.clone(), Validation::Deep).unwrap().len()
        });
        assert_eq!(counts.collect::<Vec<_>>(), inserted, "{profile:?}");
    }
}

/// A list created by SORT has the nodes of a list with default settings, and keeps these settings.
#[test]
fn a_sorted_list_has_nodes_of_the_default_size() {
    let store = Store::builder().limits(nodes_of(4, 1)).profile(Profile::Redis70).build();
    store.rpush("l", 0..10).unwrap();
    assert!(
        nodes(&store, "l")
            .starts_with("nodes:3 ql_avg_node:3.33 ql_listpack_max:4 ql_compressed:1")
    );
    store.sort_store("l", "sorted", &SortOptions::default()).unwrap();
    store.rpush("sorted", 0..10).unwrap();
    let nodes = nodes(&store, "sorted");
    assert!(nodes.starts_with("nodes:1 ql_avg_node:20.00 ql_listpack_max:-2 ql_compressed:0"));
}

#[test]
fn an_invalid_list_is_not_restored() {
    let nodes = |nodes: &[(bool, &[u8])]| {
        payload(|value| {
            let mut list = value.list_nodes(nodes.len() as u64)?;
            for &(plain, bytes) in nodes {
                if plain { list.plain(bytes)? } else { list.packed(bytes)? }
            }
            list.finish()
        })
    };
    let store = Store::new();
    let empty = listpack(&[]);
    for refused in [
        nodes(&[]),
        nodes(&[(true, b"")]),
        nodes(&[(false, b"junk")]),
        nodes(&[(false, &empty)]),
        nodes(&[(false, &listpack(&["a"])), (false, b"")]),
        payload(|value| value.list(0)?.finish()),
    ] {
        let error = store.restore("l", &refused, RestoreOptions::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert!(!store.exists("l").unwrap());
    }
    for (restored, encoding) in [
        (nodes(&[(false, &listpack(&["a", "b"])), (false, &empty)]), "listpack"),
        (nodes(&[(false, &listpack(&["a"])), (false, &listpack(&["b"]))]), "quicklist"),
        (nodes(&[(true, b"a"), (true, b"b")]), "quicklist"),
        (
            payload(|value| {
                let mut list = value.list(2)?;
                list.member(b"a")?;
                list.member(b"b")?;
                list.finish()
            }),
            "listpack",
        ),
    ] {
        store.restore("l", &restored, RestoreOptions::default().replace(true)).unwrap();
        assert_eq!(all(&store, "l"), ["a", "b"]);
        assert_eq!(store.object_encoding("l").unwrap(), Some(encoding));
    }
    // The whole limit applies, not half of it.
    let store = Store::builder().limits(nodes_of(4, 0)).build();
    for (elements, encoding) in [(&["a", "b", "c", "d"][..], "listpack"), (&["a"; 5], "quicklist")]
    {
        let payload = nodes(&[(false, &listpack(elements))]);
        store.restore("l", &payload, RestoreOptions::default().replace(true)).unwrap();
        assert_eq!(store.object_encoding("l").unwrap(), Some(encoding));
    }
}

/// The types of lists that occur only in files.
const ZIPLIST: u8 = 10;
const ZIPLISTS: u8 = 14;

/// Encodings for which no supported version has a form.
#[test]
fn ziplists_are_read_and_invalid_ones_refused() {
    const BLOB: &[u8] = b"\x10\0\0\0\x0d\0\0\0\x02\0\0\x01f\x03\xf6\xff";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dump.rdb");
    let load = |kind: u8, blobs: &[&[u8]]| {
        let mut file = b"REDIS0007\xfe\x00".to_vec();
        file.extend([kind, 1, b'l']);
        if kind == ZIPLISTS {
            file.push(u8::try_from(blobs.len()).unwrap());
        }
        for blob in blobs {
            file.push(u8::try_from(blob.len()).unwrap());
            file.extend(*blob);
        }
        file.extend(b"\xff\0\0\0\0\0\0\0\0");
        fs::write(&path, file).unwrap();
        let store = Store::new();
        store.load(&path)?;
        Ok::<_, tallis::Error>(store)
    };
    let store = load(ZIPLIST, &[BLOB]).unwrap();
    assert_eq!(all(&store, "l"), ["f", "5"]);
    assert_eq!(store.object_encoding("l").unwrap(), Some("listpack"));
    let store = load(ZIPLISTS, &[BLOB, BLOB]).unwrap();
    assert_eq!(all(&store, "l"), ["f", "5", "f", "5"]);
    assert_eq!(store.object_encoding("l").unwrap(), Some("quicklist"), "two nodes");
    assert!(!load(ZIPLISTS, &[]).unwrap().exists("l").unwrap(), "no element, no key");
    for kind in [ZIPLIST, ZIPLISTS] {
        let error = load(kind, &[b"junk"]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert!(error.to_string().contains("ziplist is malformed"), "{error}");
    }
}

#[test]
fn a_file_has_the_form_that_its_version_has() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dump.rdb");
    let store = Store::builder().limits(nodes_of(4, 1)).build();
    store.rpush("small", ["a", "2"]).unwrap();
    store.rpush("large", each((0..300).map(|n| format!("{n} {}", "x".repeat(50))))).unwrap();
    for (target, kind) in [
        (Target::V9, rdb::ValueType::List),
        (Target::V10, rdb::ValueType::ListQuicklist2),
        (Target::V11, rdb::ValueType::ListQuicklist2),
    ] {
        let options =
            tallis::SaveOptions { version: Some(target), ..tallis::SaveOptions::default() };
        store.save_with(&path, options).unwrap();
        let expected = [b"large", b"small"].map(|key| (key.to_vec(), kind));
        assert_eq!(kinds(&path), BTreeMap::from(expected));
        let again = Store::builder().limits(nodes_of(4, 1)).build();
        again.load(&path).unwrap();
        for key in ["small", "large"] {
            assert_eq!(all(&again, key), all(&store, key));
            assert_eq!(again.object_encoding(key).unwrap(), store.object_encoding(key).unwrap());
        }
    }
}

#[test]
fn a_trim_that_removes_nothing_is_a_change_except_for_valkey() {
    for (profile, sees) in [(Profile::Redis82, true), (Profile::Valkey91, false)] {
        let store = Store::builder().profile(profile).build();
        store.rpush("l", ["a", "b"]).unwrap();
        for (stop, sees) in [("-1", sees), ("0", true)] {
            let mut session = store.session();
            session.execute(&["WATCH", "l"]);
            session.execute(&["LTRIM", "l", "0", stop]);
            session.execute(&["MULTI"]);
            assert_eq!(session.execute(&["EXEC"]) == Reply::NullArray, sees, "{profile:?} {stop}");
        }
    }
}
