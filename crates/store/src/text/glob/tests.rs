use proptest::prelude::*;
use testkit::live::{as_bytes, server};
use testkit::rng::Rng;

use super::{Glob, MAX_STARS, matches_no_case};

fn matches(pattern: &[u8], text: &[u8]) -> bool {
    Glob::new(pattern).matches(text)
}

/// Texts of the special bytes of patterns, and a few others.
fn random_text(rng: &mut Rng, alphabet: &[u8], longest: usize) -> Vec<u8> {
    (0..rng.index(longest + 1)).map(|_| alphabet[rng.index(alphabet.len())]).collect()
}

const PATTERN: &[u8] = b"aabbcAz***??[[]]^--\\\\\xff\x80\0";
const TEXT: &[u8] = b"aaabbbcAz*?[]^-\\\xff\x80\0";

#[test]
fn the_quirks_are_those_of_redis() {
    for (pattern, text, expected) in [
        (&b""[..], &b""[..], true),
        (b"", b"a", false),
        (b"a", b"", false),
        // Redis never matches `*` alone, but matches two of them.
        (b"*", b"", true),
        (b"**", b"", false),
        (b"**", b"a", true),
        (b"a*", b"a", true),
        (b"a***", b"a", true),
        (b"a*?", b"a", false),
        (b"*a*", b"bab", true),
        (b"*a*", b"bbb", false),
        (b"*ab", b"aab", true),
        (b"*a*b*c", b"xaxbxcxc", true),
        (b"a?c", b"abc", true),
        (b"a?c", b"ac", false),
        (b"\\*", b"*", true),
        (b"\\*", b"a", false),
        (b"\\a", b"a", true),
        (b"a\\", b"a\\", true),
        (b"a\\", b"a", false),
        (b"h[ae]llo", b"hello", true),
        (b"h[ae]llo", b"hillo", false),
        (b"h[^e]llo", b"hallo", true),
        (b"h[^e]llo", b"hello", false),
        (b"[a-c]", b"b", true),
        (b"[c-a]", b"b", true),
        (b"[a-c]", b"d", false),
        (b"[a-]", b"_", true),
        (b"[a-]", b"]", true),
        (b"[a-]]", b"_]", false),
        (b"[-a]", b"-", true),
        (b"[a-c-e]", b"-", true),
        (b"[a-c-e]", b"d", false),
        (b"[\\]]", b"]", true),
        (b"[\\a-c]", b"b", false),
        (b"[\\a-c]", b"-", true),
        (b"[a-\\]c]", b"c]", false),
        (b"[abc", b"b", true),
        (b"[", b"a", false),
        (b"[", b"[", false),
        (b"[^", b"a", true),
        (b"[]", b"]", false),
        (b"[^]", b"]", true),
        (b"[^^]", b"^", false),
        (b"[ab\\", b"\\", true),
        (b"x[ab\\]", b"x]", true),
        // Signed bytes: 0xff is -1, 0x80 is -128.
        (b"[\x80-\xff]", b"\x90", true),
        (b"[a-\xff]", b"\x90", false),
        (b"[a-\xff]", b"0", true),
        (b"a\0b", b"a\0b", true),
        (b"a", b"A", false),
    ] {
        assert_eq!(matches(pattern, text), expected, "{pattern:?} on {text:?}");
    }
}

#[test]
fn without_case_only_letters_are_equal() {
    for (pattern, text, expected) in [
        (&b"MaX*"[..], &b"maxmemory"[..], true),
        (b"[A-C]x", b"bX", true),
        (b"[a-c]x", b"BX", true),
        (b"[XY]", b"x", true),
        // An escaped byte of a class is compared with case, one outside without.
        (b"[\\X]", b"x", false),
        (b"\\X", b"x", true),
        // From `z` to `a` after lowercasing.
        (b"[Z-a]", b"z", false),
        (b"[Z-a]", b"b", false),
        (b"[[-a]", b"[", true),
        (b"[@-`]", b"A", false),
        (b"@", b"`", false),
        (b"\xc4", b"\xe4", false),
    ] {
        assert_eq!(matches_no_case(pattern, text), expected, "{pattern:?} on {text:?}");
    }
}

#[test]
fn a_thousand_stars_are_the_most() {
    let most = MAX_STARS as usize;
    let text = vec![b'a'; most + 10];
    assert!(matches(&b"*a".repeat(most), &text));
    assert!(matches(&[&b"*a".repeat(most)[..], b"*"].concat(), &text));
    assert!(!matches(&b"*a".repeat(most + 1), &text));
    assert!(matches(&b"**".repeat(most + 1), &text));
}

#[test]
fn a_pattern_made_to_be_slow_is_not() {
    let text = vec![b'a'; 20_000];
    let mut pattern = b"a*".repeat(500);
    pattern.push(b'b');
    assert!(!matches(&pattern, &text));
    assert!(!matches(&[&b"*?".repeat(900)[..], b"[^a]"].concat(), &text));
}

#[test]
fn a_pattern_shows_whether_it_needs_matching() {
    assert_eq!(Glob::new(b"user:1").exact(), Some(&b"user:1"[..]));
    assert_eq!(Glob::new(b"").exact(), Some(&b""[..]));
    assert_eq!(Glob::new(b"user\\:1").exact(), None);
    assert!(Glob::new(b"*").matches_all());
    assert!(!Glob::new(b"**").matches_all() && !Glob::new(b"a*").matches_all());
}

/// The definition by recursion: `*` matches nothing, or a byte and continues.
fn by_recursion(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern, text) {
        ([], text) => text.is_empty(),
        ([b'*', rest @ ..], _) => {
            by_recursion(rest, text) || !text.is_empty() && by_recursion(pattern, &text[1..])
        }
        ([b'?', rest @ ..], [_, text @ ..]) => by_recursion(rest, text),
        ([part, rest @ ..], [byte, text @ ..]) => part == byte && by_recursion(rest, text),
        _ => false,
    }
}

proptest! {
    #[test]
    fn stars_match_as_by_recursion(pattern in "[ab*?]{0,10}", text in "[ab]{1,12}") {
        let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
        prop_assert_eq!(matches(pattern, text), by_recursion(pattern, text));
    }

    #[test]
    fn any_bytes_are_a_pattern(pattern: Vec<u8>, text: Vec<u8>) {
        matches(&pattern, &text);
        matches_no_case(&pattern, &text);
    }

    #[test]
    fn an_escaped_text_matches_itself_only(text: Vec<u8>, other: Vec<u8>) {
        let pattern: Vec<u8> = text.iter().flat_map(|&byte| [b'\\', byte]).collect();
        prop_assert!(matches(&pattern, &text));
        prop_assert_eq!(matches(&pattern, &other), text == other);
    }
}

#[test]
fn a_live_server_finds_the_same_keys() {
    let Some(server) = server() else { return };
    let mut connection = server.connect();
    let mut rng = Rng::new(1);
    let mut found = 0;
    for _ in 0..20 {
        let mut keys: Vec<Vec<u8>> = (0..60).map(|_| random_text(&mut rng, TEXT, 6)).collect();
        keys.sort_unstable();
        keys.dedup();
        let patterns: Vec<Vec<u8>> = (0..500).map(|_| random_text(&mut rng, PATTERN, 9)).collect();
        let mut pipe = redis::pipe();
        pipe.cmd("FLUSHALL").ignore();
        for key in &keys {
            pipe.cmd("SET").arg(key).arg(1).ignore();
        }
        for pattern in &patterns {
            pipe.cmd("KEYS").arg(pattern);
        }
        let replies: Vec<Vec<Vec<u8>>> = pipe.query(&mut connection).unwrap();
        for (pattern, mut theirs) in patterns.iter().zip(replies) {
            theirs.sort_unstable();
            let glob = Glob::new(pattern);
            let ours: Vec<_> = keys.iter().filter(|key| glob.matches(key)).cloned().collect();
            assert_eq!(ours, theirs, "{pattern:?} on {keys:?}");
            found += ours.len();
        }
    }
    assert!(found > 10_000, "the patterns find {found} keys only");
}

#[test]
fn a_live_server_scans_for_the_same_keys() {
    let Some(server) = server() else { return };
    let mut connection = server.connect();
    let keys: [&[u8]; 6] = [b"", b"a", b"ab", b"b", b"*", b"\\"];
    for key in keys {
        redis::cmd("SET").arg(key).arg(1).exec(&mut connection).unwrap();
    }
    for pattern in [&b"*"[..], b"**", b"", b"a*", b"?", b"\\*", b"[^a]", b"[", b"[^", b"\\"] {
        let mut scan = redis::cmd("SCAN");
        scan.arg(0).arg("COUNT").arg(100).arg("MATCH").arg(pattern);
        let (_, mut theirs): (u64, Vec<Vec<u8>>) = scan.query(&mut connection).unwrap();
        theirs.sort_unstable();
        let mut ours: Vec<Vec<u8>> =
            keys.iter().filter(|key| matches(pattern, key)).map(|key| key.to_vec()).collect();
        ours.sort_unstable();
        assert_eq!(ours, theirs, "{pattern:?}");
    }
}

#[test]
fn a_live_server_finds_the_same_settings() {
    let Some(server) = server() else { return };
    let mut connection = server.connect();
    let names = |reply: &redis::Value| -> Vec<Vec<u8>> {
        let redis::Value::Array(pairs) = reply else { panic!("{reply:?}") };
        let mut names: Vec<_> =
            pairs.iter().step_by(2).map(|name| as_bytes(name).unwrap().to_vec()).collect();
        names.sort_unstable();
        names
    };
    let all = names(&redis::cmd("CONFIG").arg("GET").arg("*").query(&mut connection).unwrap());
    let mut rng = Rng::new(2);
    // A name with some of its bytes replaced. The star makes it a pattern for CONFIG GET.
    let patterns: Vec<Vec<u8>> = (0..1500)
        .map(|_| {
            let name = &all[rng.index(all.len())];
            let mut pattern = Vec::new();
            for &byte in &name[..=rng.index(name.len().min(8))] {
                let upper = byte.to_ascii_uppercase();
                match rng.below(9) {
                    0 => pattern.push(b'?'),
                    1 => pattern.push(b'*'),
                    2 => pattern.push(upper),
                    3 => pattern.extend([b'\\', upper]),
                    4 => pattern.extend([b'[', upper, b']']),
                    5 => pattern.extend([b'[', b'\\', [upper, byte][rng.index(2)], b']']),
                    6 => pattern.extend([b'[', b"AMZaz_-["[rng.index(8)], b'-', upper, b']']),
                    7 => pattern.extend([b'[', b'^', upper, b'-', b"AMZaz_-["[rng.index(8)], b']']),
                    _ => pattern.push(byte),
                }
            }
            pattern.push(b'*');
            pattern
        })
        .collect();
    let mut pipe = redis::pipe();
    for pattern in &patterns {
        pipe.cmd("CONFIG").arg("GET").arg(pattern);
    }
    let replies: Vec<redis::Value> = pipe.query(&mut connection).unwrap();
    for (pattern, reply) in patterns.iter().zip(&replies) {
        let ours: Vec<_> = all.iter().filter(|n| matches_no_case(pattern, n)).cloned().collect();
        assert_eq!(ours, names(reply), "{}", String::from_utf8_lossy(pattern));
    }
}
