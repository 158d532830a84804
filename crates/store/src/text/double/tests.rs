//! Tests with texts of doubles: known results, and results of a live server.
#![expect(clippy::float_cmp, reason = "zeros of either sign are the same score")]

use redis::{ConnectionLike, Value};
use testkit::live::{error_text, server};
use testkit::rng::Rng;

use super::{Weights, parse, parse_end, parse_weight};

#[test]
fn texts_are_parsed_to_their_numbers() {
    for (text, number) in [
        ("0", 0.0),
        ("-0", -0.0),
        ("+1.5", 1.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e3", 1000.0),
        ("1E-3", 0.001),
        ("inf", f64::INFINITY),
        ("-Infinity", f64::NEG_INFINITY),
        ("0x1.8p1", 3.0),
        ("-0xff", -255.0),
        ("0x1p-1074", 5e-324),
        ("0x1.8p-1074", 1e-323),
        ("0x0.fffffffffffff8p-1022", f64::MIN_POSITIVE),
        ("0x1.fffffffffffffp1023", f64::MAX),
        ("0x.1", 0.0625),
        ("4.9e-324", 5e-324),
        ("1.7976931348623157e308", f64::MAX),
        ("0.1000000000000000055511151231257827", 0.1),
    ] {
        let bits = |number: Option<f64>| number.map(f64::to_bits);
        assert_eq!(bits(parse(text.as_bytes())), Some(number.to_bits()), "{text}");
        assert_eq!(bits(parse_end(text.as_bytes())), Some(number.to_bits()), "{text}");
    }
    for text in
        ["", " 1", "1 ", "nan", "1e400", "-1e400", "1e-400", "0x1p2000", "0x1p-2000", "1\0", "a"]
    {
        assert_eq!(parse(text.as_bytes()), None, "{text:?}");
    }
}

#[test]
fn a_range_end_is_read_as_c_reads_it() {
    for (text, number) in [
        ("", Some(0.0)),
        ("\0x", Some(0.0)),
        (" \t\n\x0b\x0c\r1", Some(1.0)),
        ("1\0x", Some(1.0)),
        ("1e400", Some(f64::INFINITY)),
        ("1e-400", Some(0.0)),
        ("0x1p-2000", Some(0.0)),
        ("1 ", None),
        (" ", None),
        ("nan", None),
        ("x", None),
    ] {
        assert_eq!(parse_end(text.as_bytes()), number, "{text:?}");
    }
}

#[test]
fn a_weight_is_read_as_c_reads_it_and_within_the_range_of_a_double() {
    for (text, number) in [
        ("", Some(0.0)),
        (" 1", Some(1.0)),
        ("1\0x", Some(1.0)),
        ("-inf", Some(f64::NEG_INFINITY)),
        ("0e-999", Some(0.0)),
        ("2.3e-308", Some(2.3e-308)),
        ("2.1e-308", None),
        ("1e-400", None),
        ("1e309", None),
        ("1 ", None),
        ("nan", None),
    ] {
        assert_eq!(parse_weight(text.as_bytes(), Weights::OfC), number, "{text:?}");
    }
    for (text, rounded, plain) in [
        ("", Some(0.0), None),
        (" 1", None, None),
        ("0x10", None, None),
        ("1\0x", Some(1.0), Some(1.0)),
        ("1e400", Some(f64::INFINITY), None),
        ("1e-400", Some(0.0), None),
        ("5e-324", Some(5e-324), Some(5e-324)),
    ] {
        assert_eq!(parse_weight(text.as_bytes(), Weights::Rounded), rounded, "{text:?}");
        assert_eq!(parse_weight(text.as_bytes(), Weights::Plain), plain, "{text:?}");
    }
}

fn odd(rng: &mut Rng) -> Vec<u8> {
    const PARTS: [&[u8]; 30] = [
        b"0",
        b"1",
        b"17",
        b"999",
        b".",
        b".5",
        b"e",
        b"e5",
        b"e-300",
        b"e308",
        b"e+",
        b"-",
        b"+",
        b"0x",
        b"0x1f",
        b"p",
        b"p-1070",
        b"p1023",
        b"inf",
        b"infinity",
        b"nan",
        b" ",
        b"\t",
        b"\0",
        b"x",
        b"00000000000000000000",
        b"3333333333333333333",
        b"E",
        b"X",
        b"-0",
    ];
    (0..rng.below(5)).flat_map(|_| PARTS[rng.index(PARTS.len())]).copied().collect()
}

#[test]
fn a_live_server_reads_the_same_of_random_texts() {
    let Some(server) = server() else { return };
    let mut connection = server.connect();
    let mut rng = Rng::new(53);
    let texts: Vec<Vec<u8>> = (0..6000).map(|_| odd(&mut rng)).collect();
    let mut pipe = redis::pipe();
    for text in &texts {
        // A score, after one that prevents it from being parsed as an option, and the numbers on both sides of an end.
        pipe.cmd("DEL").arg("k").cmd("ZADD").arg("k").arg(0).arg("first").arg(text).arg("m");
        pipe.cmd("DUMP").arg("k").cmd("ZCOUNT").arg("all").arg(text).arg("+inf");
    }
    let mut all = redis::cmd("ZADD");
    all.arg("all").arg("-inf").arg("a").arg("inf").arg("z");
    let rungs: Vec<f64> =
        (-320..309).map(|exponent| format!("1e{exponent}").parse().unwrap()).collect();
    for rung in &rungs {
        all.arg(rung).arg(format!("+{rung}")).arg(-rung).arg(format!("-{rung}"));
    }
    all.query::<usize>(&mut connection).unwrap();
    let replies =
        connection.req_packed_commands(&pipe.get_packed_pipeline(), 0, 4 * texts.len()).unwrap();
    let mut taken = 0;
    for (text, replies) in texts.iter().zip(replies.chunks(4)) {
        let shown = text.escape_ascii();
        match (parse(text), &replies[1]) {
            (Some(number), Value::Int(2)) => {
                taken += 1;
                let Value::BulkString(payload) = &replies[2] else { panic!("{replies:?}") };
                assert!(packed_score(payload) == number, "{shown}");
            }
            (None, Value::ServerError(error)) => {
                assert_eq!(error_text(error), "ERR value is not a valid float", "{shown}");
            }
            (ours, theirs) => panic!("{shown}: {ours:?} is not {theirs:?}"),
        }
        // A bracket before an end belongs to the command.
        match (parse_end(text), &replies[3]) {
            (Some(end), Value::Int(count)) => {
                let scores = rungs.iter().flat_map(|&rung| [rung, -rung]);
                let scores = scores.chain([f64::INFINITY, f64::NEG_INFINITY]);
                let above = scores.filter(|&score| score >= end).count();
                assert_eq!(*count, i64::try_from(above).unwrap(), "{shown}");
            }
            (None, Value::ServerError(error)) => {
                assert_eq!(error_text(error), "ERR min or max is not a float", "{shown}");
            }
            (ours, theirs) => panic!("{shown}: {ours:?} is not {theirs:?}"),
        }
    }
    assert!(taken > 500, "{taken} texts were numbers");
}

/// The score of the member in a payload.
fn packed_score(payload: &[u8]) -> f64 {
    let mut payload = rdb::dump::decode(payload).unwrap();
    let rdb::Value::Blob(_, blob) = payload.value().unwrap() else { panic!() };
    let set: skiplist_zset::ZSet = skiplist_zset::ZSet::from_bytes(blob).unwrap();
    set.score("m").unwrap()
}
