//! Any bytes as requests and as replies: they read the same in one piece and in several, and can be written again.
#![no_main]

use resp::{Protocol, ProtocolError, Replies, ReplyError, Requests, Value, write_request};

type Words = Vec<Vec<u8>>;

fn requests(bytes: &[u8], piece: usize) -> (Vec<Words>, Option<ProtocolError>) {
    let mut requests = Requests::new();
    let mut all = Vec::new();
    for piece in bytes.chunks(piece) {
        requests.feed(piece);
        loop {
            match requests.take() {
                Ok(Some(words)) => all.push(words.into_iter().map(<[u8]>::to_vec).collect()),
                Ok(None) => break,
                Err(error) => return (all, Some(error)),
            }
        }
    }
    (all, None)
}

fn replies(bytes: &[u8], piece: usize) -> (Vec<Value>, Option<ReplyError>) {
    let mut replies = Replies::new();
    let mut all = Vec::new();
    for piece in bytes.chunks(piece) {
        replies.feed(piece);
        loop {
            match replies.take() {
                Ok(Some(value)) => all.push(value),
                Ok(None) => break,
                Err(error) => return (all, Some(error)),
            }
        }
    }
    (all, None)
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&piece, bytes)) = bytes.split_first() else { return };
    let piece = usize::from(piece).max(1);
    let whole = bytes.len().max(1);

    let read = requests(bytes, whole);
    assert_eq!(requests(bytes, piece), read);
    let mut again = Vec::new();
    for words in &read.0 {
        assert!(!words.is_empty());
        write_request(words, &mut again);
    }
    assert_eq!(requests(&again, piece), (read.0, None));

    let (values, error) = replies(bytes, whole);
    let (pieces, same_error) = replies(bytes, piece);
    let written = |all: &[Value], protocol| {
        let mut out = Vec::new();
        for value in all {
            value.write(protocol, &mut out);
        }
        out
    };
    // Compared as bytes, since a NaN is not equal to itself.
    let again = written(&values, Protocol::Resp3);
    assert_eq!((&again, error), (&written(&pieces, Protocol::Resp3), same_error));
    for (protocol, first) in
        [(Protocol::Resp3, again), (Protocol::Resp2, written(&values, Protocol::Resp2))]
    {
        let (values, error) = replies(&first, piece);
        assert_eq!((written(&values, protocol), error), (first, None));
    }
});
