//! Replies: every kind, in both protocols, split at every byte.

use proptest::prelude::*;
use resp::{Protocol, Replies, ReplyError, Value};

/// Reads these bytes in pieces of that size.
fn read(bytes: &[u8], piece: usize) -> (Vec<Value>, Option<ReplyError>) {
    let mut replies = Replies::new();
    let mut all = Vec::new();
    for piece in bytes.chunks(piece) {
        replies.feed(piece);
        loop {
            match replies.take() {
                Ok(Some(value)) => all.push(value),
                Ok(None) => break,
                Err(error) => {
                    assert_eq!(replies.take(), Err(error), "it stays");
                    return (all, Some(error));
                }
            }
        }
    }
    (all, None)
}

fn written(value: &Value, protocol: Protocol) -> Vec<u8> {
    let mut out = Vec::new();
    value.write(protocol, &mut out);
    out
}

fn bulk(text: &str) -> Value {
    Value::Bulk(text.into())
}

/// A value of each kind, with its bytes in RESP3 and in RESP2.
fn every_kind() -> Vec<(Value, &'static str, &'static str)> {
    let pair = || vec![(bulk("k"), Value::Int(1))];
    vec![
        (Value::Status("OK".into()), "+OK\r\n", "+OK\r\n"),
        (Value::Error("ERR no".into()), "-ERR no\r\n", "-ERR no\r\n"),
        (Value::Int(-7), ":-7\r\n", ":-7\r\n"),
        (bulk("a\r\nb"), "$4\r\na\r\nb\r\n", "$4\r\na\r\nb\r\n"),
        (bulk(""), "$0\r\n\r\n", "$0\r\n\r\n"),
        (Value::Null, "_\r\n", "$-1\r\n"),
        (Value::NullArray, "_\r\n", "*-1\r\n"),
        (Value::Boolean(true), "#t\r\n", ":1\r\n"),
        (Value::Boolean(false), "#f\r\n", ":0\r\n"),
        (Value::Double(0.1), ",0.1\r\n", "$3\r\n0.1\r\n"),
        (Value::Double(-3.0), ",-3\r\n", "$2\r\n-3\r\n"),
        (Value::Double(f64::INFINITY), ",inf\r\n", "$3\r\ninf\r\n"),
        (Value::Double(f64::NEG_INFINITY), ",-inf\r\n", "$4\r\n-inf\r\n"),
        (
            Value::BigNumber("-12345678901234567890".into()),
            "(-12345678901234567890\r\n",
            "$21\r\n-12345678901234567890\r\n",
        ),
        (
            Value::Verbatim { format: *b"txt", text: "a b".into() },
            "=7\r\ntxt:a b\r\n",
            "$3\r\na b\r\n",
        ),
        (
            Value::Array(vec![Value::Int(1), Value::Array(vec![])]),
            "*2\r\n:1\r\n*0\r\n",
            "*2\r\n:1\r\n*0\r\n",
        ),
        (Value::Set(vec![Value::Int(1)]), "~1\r\n:1\r\n", "*1\r\n:1\r\n"),
        (Value::Push(vec![bulk("p")]), ">1\r\n$1\r\np\r\n", "*1\r\n$1\r\np\r\n"),
        (Value::Map(pair()), "%1\r\n$1\r\nk\r\n:1\r\n", "*2\r\n$1\r\nk\r\n:1\r\n"),
        (
            Value::Attributed { attributes: pair(), value: Box::new(Value::Int(2)) },
            "|1\r\n$1\r\nk\r\n:1\r\n:2\r\n",
            ":2\r\n",
        ),
        (
            Value::Attributed { attributes: vec![], value: Box::new(Value::Set(vec![])) },
            "|0\r\n~0\r\n",
            "*0\r\n",
        ),
    ]
}

#[test]
fn every_kind_is_written_and_read_in_pieces_of_any_size() {
    for (value, resp3, resp2) in every_kind() {
        assert_eq!(written(&value, Protocol::Resp3), resp3.as_bytes());
        assert_eq!(written(&value, Protocol::Resp2), resp2.as_bytes());
        // RESP3 has one null.
        let want = if value == Value::NullArray { Value::Null } else { value };
        for piece in 1..=resp3.len() {
            assert_eq!(read(resp3.as_bytes(), piece), (vec![want.clone()], None), "{resp3:?}");
        }
        let (all, error) = read(resp2.as_bytes(), 3);
        assert_eq!((all.len(), error), (1, None), "{resp2:?}");
        assert_eq!(written(&all[0], Protocol::Resp2), resp2.as_bytes());
    }
    assert_eq!(written(&Value::Double(f64::NAN), Protocol::Resp3), b",nan\r\n");
}

#[test]
fn forms_that_only_some_servers_write_are_read() {
    let one = |text: &str| {
        let (mut all, error) = read(text.as_bytes(), 1);
        assert_eq!((all.len(), error), (1, None), "{text:?}");
        all.remove(0)
    };
    assert_eq!(one("!6\r\nERR\r\nx\r\n"), Value::Error("ERR\r\nx".into()));
    assert_eq!(one(",1e+300\r\n"), Value::Double(1e300));
    assert_eq!(one(",0.10000000000000001\r\n"), Value::Double(0.1));
    assert!(matches!(one(",nan\r\n"), Value::Double(number) if number.is_nan()));
    assert!(matches!(one(",-nan\r\n"), Value::Double(number) if number.is_nan()));
    // A line feed cannot occur in an error.
    assert_eq!(written(&Value::Error("ERR a\r\nb".into()), Protocol::Resp3), b"-ERR a  b\r\n");
}

#[test]
fn invalid_replies_are_refused() {
    use ReplyError::{Depth, End, Form, Kind, Length};
    let deep = "*1\r\n".repeat(Replies::MAX_DEPTH + 1);
    for (text, want) in [
        ("x\r\n", Kind(b'x')),
        ("\r\n\r\n", Kind(b'\r')),
        (":\r\n", Form),
        (":1.5\r\n", Form),
        (":+1\r\n", Form),
        ("_x\r\n", Form),
        ("#\r\n", Form),
        ("#true\r\n", Form),
        (",\r\n", Form),
        (",infinity\r\n", Form),
        (",0x1\r\n", Form),
        ("(1.5\r\n", Form),
        ("(-\r\n", Form),
        ("=3\r\ntxt\r\n", Form),
        ("=4\r\ntxt \r\n", Form),
        ("+a\rb\r\n", End),
        ("$1\r\nabc\r\n", End),
        ("$-2\r\n", Length),
        ("$?\r\n", Length),
        ("$18446744073709551615\r\n", Length),
        ("%-1\r\n", Length),
        ("=-1\r\n", Length),
        ("%9223372036854775807\r\n:1\r\n*x\r\n", Length),
        (&deep, Depth),
    ] {
        for piece in [1, 5, text.len()] {
            assert_eq!(read(text.as_bytes(), piece), (vec![], Some(want)), "{text:?}");
        }
    }
    let deep = "*1\r\n".repeat(Replies::MAX_DEPTH) + ":1\r\n";
    assert_eq!(read(deep.as_bytes(), 9).0.len(), 1);
}

#[test]
fn a_length_is_trusted_only_with_its_bytes() {
    for text in [
        "*9223372036854775807\r\n:1\r\n",
        "$9223372036854775805\r\nabc",
        "%4611686018427387903\r\n",
    ] {
        assert_eq!(read(text.as_bytes(), 4), (vec![], None), "{text:?}");
    }
}

fn value() -> impl Strategy<Value = Value> {
    let text = || prop::collection::vec(prop::num::u8::ANY, 0..12);
    let line = || "[ -~]{0,12}".prop_map(String::into_bytes);
    let leaf = prop_oneof![
        line().prop_map(Value::Status),
        line().prop_map(Value::Error),
        any::<i64>().prop_map(Value::Int),
        text().prop_map(Value::Bulk),
        Just(Value::Null),
        any::<bool>().prop_map(Value::Boolean),
        (prop::num::f64::NORMAL | prop::num::f64::INFINITE | prop::num::f64::ZERO)
            .prop_map(Value::Double),
        "-?[0-9]{1,30}".prop_map(|digits| Value::BigNumber(digits.into())),
        text().prop_map(|text| Value::Verbatim { format: *b"txt", text }),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..5);
        let pairs = prop::collection::vec((inner.clone(), inner.clone()), 0..4);
        prop_oneof![
            list.clone().prop_map(Value::Array),
            list.clone().prop_map(Value::Set),
            list.prop_map(Value::Push),
            pairs.clone().prop_map(Value::Map),
            (pairs, inner).prop_map(|(attributes, value)| Value::Attributed {
                attributes,
                value: Box::new(value)
            }),
        ]
    })
}

/// Room that an earlier read has not used is not part of a later reply.
#[test]
fn pieces_that_are_read_and_pieces_that_are_fed_follow_each_other() {
    let sizes = [0, 3, 20_000, 1, 16_384, 40_000, 7];
    let text = |size| b"0123456".iter().copied().cycle().take(size).collect();
    let all: Vec<Value> = sizes.iter().map(|&size| Value::Bulk(text(size))).collect();
    let bytes: Vec<u8> = all.iter().flat_map(|one| written(one, Protocol::Resp2)).collect();
    for piece in [1, 5, 1_000, 16_384, 30_000] {
        let (mut replies, mut read) = (Replies::new(), Vec::new());
        for (number, mut piece) in bytes.chunks(piece).enumerate() {
            if number % 3 == 0 {
                replies.feed(piece);
                piece = &[];
            }
            while replies.fill(&mut piece).unwrap() > 0 {}
            while let Some(value) = replies.take().unwrap() {
                read.push(value);
            }
        }
        assert!(read == all, "pieces of {piece}");
    }
}

proptest! {
    #[test]
    fn written_replies_are_read(all in prop::collection::vec(value(), 0..4), piece in 1_usize..40) {
        let bytes: Vec<u8> = all.iter().flat_map(|one| written(one, Protocol::Resp3)).collect();
        prop_assert_eq!(read(&bytes, piece), (all, None));
    }

    #[test]
    fn pieces_make_no_difference(
        bytes in prop::collection::vec(
            prop::sample::select(&b"+-:$*_#,(=!%~>|123\r\n\r\n\r\ntxt: "[..]), 0..80),
        piece in 1_usize..10,
    ) {
        prop_assert_eq!(read(&bytes, piece), read(&bytes, 80));
    }
}
