//! Requests: Redis's forms, limits and errors, split at every byte.

use proptest::prelude::*;
use resp::{ProtocolError, Requests, write_request};

/// Reads these bytes in pieces of that size.
fn read(bytes: &[u8], piece: usize) -> (Vec<Vec<Vec<u8>>>, Option<ProtocolError>) {
    let mut requests = Requests::new();
    let mut all = Vec::new();
    for piece in bytes.chunks(piece) {
        requests.feed(piece);
        loop {
            match requests.take() {
                Ok(Some(words)) => all.push(words.into_iter().map(<[u8]>::to_vec).collect()),
                Ok(None) => break,
                Err(error) => {
                    assert_eq!(requests.take(), Err(error), "it stays");
                    return (all, Some(error));
                }
            }
        }
    }
    (all, None)
}

fn words(all: &[&str]) -> Vec<Vec<u8>> {
    all.iter().map(|word| word.as_bytes().to_vec()).collect()
}

#[test]
fn both_forms_are_read_in_pieces_of_any_size() {
    let cases: &[(&str, &[&[&str]])] = &[
        ("", &[]),
        ("\r\n\n", &[]),
        ("PING\r\nPING\n", &[&["PING"], &["PING"]]),
        ("  GET \"a b\"  \r\n", &[&["GET", "a b"]]),
        ("*1\r\n$4\r\nPING\r\n", &[&["PING"]]),
        ("*2\r\n$3\r\nGET\r\n$0\r\n\r\nPING\r\n", &[&["GET", ""], &["PING"]]),
        ("*0\r\n*-1\r\n*-70\r\nPING\r\n", &[&["PING"]]),
        ("*2\r\n$3\r\nGET\r\n$4\r\n\r\n\r\n\r\n", &[&["GET", "\r\n\r\n"]]),
        ("*2\r\n$3\r\nGET\r\n$1\r\n", &[]),
        // Line ends are not checked.
        ("*1\rx$4\ryPINGzzPING\r\n", &[&["PING"], &["PING"]]),
    ];
    for (text, want) in cases {
        let want: Vec<_> = want.iter().map(|all| words(all)).collect();
        for piece in 1..=text.len().max(1) {
            assert_eq!(read(text.as_bytes(), piece), (want.clone(), None), "{text:?} by {piece}");
        }
    }
}

#[test]
fn invalid_requests_are_refused() {
    use ProtocolError::{
        Count, CountTooLong, Expected, InlineTooLong, Length, LengthTooLong, UnbalancedQuotes,
    };
    let long = "1".repeat(65_536);
    let cases = [
        ("GET \"a\r\n".to_owned(), UnbalancedQuotes),
        (format!("{long}1"), InlineTooLong),
        (format!("*{long}"), CountTooLong),
        ("*x\r\n".to_owned(), Count),
        ("*\r\n".to_owned(), Count),
        ("*01\r\n".to_owned(), Count),
        ("*2147483648\r\n".to_owned(), Count),
        (format!("*1\r\n${long}"), LengthTooLong),
        ("*1\r\n$x\r\n".to_owned(), Length),
        ("*1\r\n$-1\r\n".to_owned(), Length),
        ("*1\r\n$536870913\r\n".to_owned(), Length),
        ("*1\r\n:1\r\n".to_owned(), Expected(b':')),
        ("*1\r\n\r\n".to_owned(), Expected(b'\r')),
        ("*1\r\nPING\r\n".to_owned(), Expected(b'P')),
    ];
    for (text, want) in cases {
        for piece in [1, 7, text.len()] {
            assert_eq!(read(text.as_bytes(), piece), (vec![], Some(want)));
        }
        // Earlier requests are not lost.
        let (all, error) = read(format!("PING\r\n{text}").as_bytes(), 4096);
        assert_eq!((all, error), (vec![words(&["PING"])], Some(want)));
    }
    // With one byte less, it could still become a request.
    assert_eq!(read(long.as_bytes(), 4096), (vec![], None));
    assert_eq!(read(b"*2147483647\r\n$536870912\r\n", 5), (vec![], None));
}

#[test]
fn a_word_may_have_the_configured_length() {
    let mut requests = Requests::new().max_bulk(3);
    requests.feed(b"*1\r\n$3\r\nabc\r\n*1\r\n$4\r\n");
    assert_eq!(requests.take(), Ok(Some(vec![&b"abc"[..]])));
    assert_eq!(requests.take(), Err(ProtocolError::Length));
}

#[test]
fn messages_are_those_of_redis() {
    let message = |error: ProtocolError| String::from_utf8(error.message()).unwrap();
    assert_eq!(message(ProtocolError::Count), "Protocol error: invalid multibulk length");
    let expected = |byte| message(ProtocolError::Expected(byte));
    assert_eq!(expected(b'P'), "Protocol error: expected '$', got 'P'");
    assert_eq!(expected(b'\r'), "Protocol error: expected '$', got ' '");
    assert_eq!(expected(0), "Protocol error: expected '$', got '");
    assert_eq!(
        ProtocolError::Expected(0xff).to_string(),
        "Protocol error: expected '$', got '\u{fffd}'"
    );
}

#[test]
fn a_reader_hands_over_its_bytes() {
    let mut source = &b"*1\r\n$4\r\nPING\r\n"[..];
    let mut requests = Requests::new();
    assert_eq!(requests.fill(&mut source).unwrap(), 14);
    assert_eq!(requests.pending(), 14);
    assert_eq!(requests.take(), Ok(Some(vec![&b"PING"[..]])));
    assert_eq!((requests.fill(&mut source).unwrap(), requests.pending()), (0, 0));
}

proptest! {
    #[test]
    fn written_requests_are_read(
        all in prop::collection::vec(
            prop::collection::vec(prop::collection::vec(prop::num::u8::ANY, 0..40), 1..6), 0..6),
        piece in 1_usize..50,
    ) {
        let mut bytes = Vec::new();
        for words in &all {
            write_request(words, &mut bytes);
        }
        prop_assert_eq!(read(&bytes, piece.min(bytes.len().max(1))), (all, None));
    }

    #[test]
    fn pieces_make_no_difference(
        bytes in prop::collection::vec(prop::sample::select(&b"*$1203\r\n\r\n\r\n ab\"'\\\0-"[..]), 0..80),
        piece in 1_usize..10,
    ) {
        prop_assert_eq!(read(&bytes, piece), read(&bytes, 80));
    }
}
