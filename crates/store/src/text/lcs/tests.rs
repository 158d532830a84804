use redis::Value;
use testkit::live::{command, server};
use testkit::rng::Rng;

use super::{Match, check, lcs, length};

/// The first and the last byte of a run.
fn ends(start: usize, len: usize) -> [usize; 2] {
    [start, start + len - 1]
}

const LIMIT: u64 = 512 << 20;

fn letter(rng: &mut Rng, letters: usize) -> u8 {
    b"abcdefghijklmnopqrstuvwxyz"[rng.index(letters)]
}

fn random_text(rng: &mut Rng, longest: u64, letters: usize) -> Vec<u8> {
    (0..rng.below(longest + 1)).map(|_| letter(rng, letters)).collect()
}

fn changed(rng: &mut Rng, text: &[u8], letters: usize) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..rng.below(8) {
        let at = rng.index(text.len() + 1);
        match rng.below(3) {
            0 => text.insert(at, letter(rng, letters)),
            1 if at < text.len() => drop(text.remove(at)),
            _ => text.truncate(text.len().max(at)),
        }
    }
    text
}

/// The whole table, filled and traced by definition.
fn by_table(a: &[u8], b: &[u8]) -> (Vec<u8>, Vec<Match>) {
    let mut table = vec![vec![0u32; b.len() + 1]; a.len() + 1];
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            table[i][j] = if a[i - 1] == b[j - 1] {
                table[i - 1][j - 1] + 1
            } else {
                table[i - 1][j].max(table[i][j - 1])
            };
        }
    }
    let (mut i, mut j) = (a.len(), b.len());
    let (mut text, mut matches): (Vec<u8>, Vec<Match>) = (Vec::new(), Vec::new());
    while i > 0 && j > 0 {
        if a[i - 1] == b[j - 1] {
            (i, j) = (i - 1, j - 1);
            text.insert(0, a[i]);
            match matches.last_mut() {
                Some(last) if last.a == i + 1 && last.b == j + 1 => {
                    *last = Match { a: i, b: j, len: last.len + 1 };
                }
                _ => matches.push(Match { a: i, b: j, len: 1 }),
            }
        } else if table[i - 1][j] > table[i][j - 1] {
            i -= 1;
        } else {
            j -= 1;
        }
    }
    (text, matches)
}

#[test]
fn the_example_of_the_manual() {
    let found = lcs(b"ohmytext", b"mynewtext", LIMIT).unwrap();
    assert_eq!(found.text(), b"mytext");
    assert_eq!(found.len(), 6);
    let ends: Vec<_> = found
        .matches()
        .map(|found| (ends(found.a, found.len), ends(found.b, found.len), found.len))
        .collect();
    assert_eq!(ends, [([4, 7], [5, 8], 4), ([2, 3], [0, 1], 2)]);
}

#[test]
fn of_several_the_one_of_redis_is_chosen() {
    for (a, b, text) in [
        ("", "", ""),
        ("abc", "", ""),
        ("", "abc", ""),
        ("abc", "xyz", ""),
        ("ab", "ba", "b"),
        ("ba", "ab", "a"),
        ("abcb", "bcab", "bcb"),
        ("abcbdab", "bdcaba", "bdab"),
    ] {
        let found = lcs(a.as_bytes(), b.as_bytes(), LIMIT).unwrap();
        assert_eq!(String::from_utf8(found.text()).unwrap(), text, "{a:?} and {b:?}");
    }
}

#[test]
fn bits_and_the_table_agree() {
    let mut rng = Rng::new(31);
    for round in 0..1500 {
        let letters = [1, 2, 4, 26][round % 4];
        let a = random_text(&mut rng, 150, letters);
        let b = if rng.chance(1, 2) {
            random_text(&mut rng, 150, letters)
        } else {
            changed(&mut rng, &a, letters)
        };
        let (text, matches) = by_table(&a, &b);
        let found = lcs(&a, &b, LIMIT).unwrap();
        assert_eq!(found.len(), text.len());
        assert_eq!(length(&a, &b, LIMIT).unwrap(), text.len());
        assert_eq!(found.matches().collect::<Vec<_>>(), matches, "{a:?} and {b:?}");
        assert_eq!(found.text(), text);
    }
}

#[test]
fn all_bytes_and_whole_words_of_columns_are_distinguished() {
    let every: Vec<u8> = (0..=255).collect();
    assert_eq!(length(&every, &every, LIMIT).unwrap(), 256);
    for len in [63, 64, 65, 127, 128, 129] {
        let (a, b) = (vec![b'x'; len], vec![b'x'; 2 * len]);
        let found = lcs(&a, &b, LIMIT).unwrap();
        assert_eq!(found.matches().collect::<Vec<_>>(), [Match { a: 0, b: len, len }]);
    }
}

#[test]
fn tables_are_refused_where_redis_refuses_them() {
    let text = |a, b, limit| check(a, b, limit).err().map(|error| error.to_string());
    let too_large = "ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len";
    assert_eq!(text((1 << 13) - 1, (1 << 14) - 1, LIMIT), None);
    assert_eq!(text((1 << 13) - 1, 1 << 14, LIMIT).as_deref(), Some(too_large));
    assert_eq!(text(0, (1 << 27) - 1, LIMIT), None);
    assert_eq!(text(0, 1 << 27, LIMIT).as_deref(), Some(too_large));
    let longest = u32::MAX as usize - 2;
    let too_long = "ERR String too long for LCS";
    assert_eq!(text(longest, 0, u64::MAX), None);
    assert_eq!(text(longest + 1, 0, u64::MAX).as_deref(), Some(too_long));
    assert_eq!(text(0, longest + 1, LIMIT).as_deref(), Some(too_long));
    let overflow = "ERR Insufficient memory, failed allocating transient memory for LCS";
    assert_eq!(text(longest, longest, u64::MAX).as_deref(), Some(overflow));
}

fn as_number(value: &Value) -> usize {
    let Value::Int(number) = value else { panic!("{value:?}") };
    usize::try_from(*number).unwrap()
}

fn as_array(value: &Value) -> &[Value] {
    let Value::Array(values) = value else { panic!("{value:?}") };
    values
}

fn as_match(value: &Value) -> Match {
    let [a, b, len] = as_array(value) else { panic!("{value:?}") };
    let [first, last] = as_array(a) else { panic!("{a:?}") };
    let len = as_number(len);
    let found = Match { a: as_number(first), b: as_number(&as_array(b)[0]), len };
    assert_eq!(found.a + found.len - 1, as_number(last));
    assert_eq!(found.b + found.len - 1, as_number(&as_array(b)[1]));
    found
}

#[test]
fn a_live_server_finds_the_same() {
    let Some(server) = server() else { return };
    let mut connection = server.connect();
    let mut rng = Rng::new(32);
    for round in 0..8 {
        let pairs: Vec<(Vec<u8>, Vec<u8>, usize)> = (0..300)
            .map(|_| {
                let letters = [1, 2, 3, 8][round % 4];
                let a = random_text(&mut rng, 90, letters);
                let b = if rng.chance(1, 2) {
                    random_text(&mut rng, 90, letters)
                } else {
                    changed(&mut rng, &a, letters)
                };
                (a, b, rng.index(5))
            })
            .collect();
        let mut pipe = redis::pipe();
        for (a, b, least) in &pairs {
            pipe.cmd("MSET").arg("a").arg(a).arg("b").arg(b).ignore();
            pipe.cmd("LCS").arg("a").arg("b");
            pipe.cmd("LCS").arg("a").arg("b").arg("LEN");
            pipe.cmd("LCS").arg("a").arg("b").arg("IDX").arg("WITHMATCHLEN");
            pipe.cmd("LCS").arg("a").arg("b").arg("IDX").arg("WITHMATCHLEN");
            pipe.arg("MINMATCHLEN").arg(least);
        }
        let replies: Vec<Value> = pipe.query(&mut connection).unwrap();
        for ((a, b, least), replies) in pairs.iter().zip(replies.chunks(4)) {
            let found = lcs(a, b, LIMIT).unwrap();
            assert_eq!(Value::BulkString(found.text()), replies[0], "{a:?} and {b:?}");
            assert_eq!(found.len(), as_number(&replies[1]));
            let theirs = |reply| -> Vec<Match> {
                as_array(&as_array(reply)[1]).iter().map(as_match).collect()
            };
            assert_eq!(found.matches().collect::<Vec<_>>(), theirs(&replies[2]));
            let long: Vec<_> = found.matches().filter(|found| found.len >= *least).collect();
            assert_eq!(long, theirs(&replies[3]));
            assert_eq!(found.len(), as_number(&as_array(&replies[3])[3]));
        }
    }
}

#[test]
fn a_live_server_refuses_the_same_sizes() {
    let Some(server) = server() else { return };
    let mut connection = server.connect();
    let limit = 1 << 20;
    command(&mut connection, &["CONFIG", "SET", "proto-max-bulk-len", "1048576"]).unwrap();
    for (a, b) in [(511, 511), (511, 512), (512, 511), (0, 262_143), (0, 262_144), (262_143, 0)] {
        command(&mut connection, &["SET", "a", &"a".repeat(a)]).unwrap();
        command(&mut connection, &["SET", "b", &"b".repeat(b)]).unwrap();
        let theirs = command(&mut connection, &["LCS", "a", "b", "LEN"]).err();
        assert_eq!(check(a, b, limit).err().map(|error| error.to_string()), theirs, "{a} {b}");
    }
}
