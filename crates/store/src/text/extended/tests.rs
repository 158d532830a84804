use std::fmt::Write;

use proptest::prelude::*;
use redis::{ConnectionLike, Value};
use testkit::live::{as_bytes, error_text, server};
use testkit::rng::Rng;

use super::{Extended, NOT_A_FLOAT, NOT_FINITE, Rounded, TEXT_MAX};

/// The result of INCRBYFLOAT for two texts.
fn sum(a: &[u8], b: &[u8]) -> Result<String, &'static str> {
    let (Some(a), Some(b)) = (Extended::parse(a), Extended::parse(b)) else {
        return Err(NOT_A_FLOAT);
    };
    let sum = a.add(b).ok_or(NOT_FINITE)?;
    Ok(String::from_utf8(sum.to_text()).unwrap())
}

fn bits(text: &str) -> Option<(u64, i32)> {
    match Extended::parse(text.as_bytes())?.magnitude {
        Rounded::Finite { significand, exponent } => Some((significand, exponent)),
        Rounded::Zero => Some((0, 0)),
        Rounded::Infinite => None,
    }
}

/// Edge cases, for all pairs of them.
const EDGES: [&str; 80] = [
    "",
    " 1",
    "1 ",
    "+",
    ".",
    "1e",
    "0x",
    "nan",
    "inf",
    "-inf",
    "Infinity",
    "infinit",
    "1\0",
    "\0",
    "0",
    "-0",
    "0.0",
    "-0e5",
    "0e99999999999999999999",
    "0x0p-99999999999999999999",
    "1",
    "-1",
    "+1",
    "1.",
    ".5",
    "-.5",
    "0.1",
    "0.2",
    "0.3",
    "-0.3",
    "3000",
    "1e-7",
    "3.0e3",
    "5.0e3",
    "0x1p3",
    "0x.8",
    "0xffffffffffffffff",
    "0x1ffffffffffffffff",
    "0x1fffffffffffffffd",
    "0x10000000000000001",
    "0x18000000000000000000000000000000000000001",
    "0x1.00000000000000018p0",
    "0x1p16383",
    "0x1.fffffffffffffffep16383",
    "0x1.ffffffffffffffffp16383",
    "0x1p16384",
    "-0x1p16383",
    "-0x1.fffffffffffffffep16383",
    "0x1p-16445",
    "0x1p-16446",
    "0x1.8p-16446",
    "0x1.8p-16445",
    "0x1p-16382",
    "0x.fffffffffffffffep-16382",
    "-0x1p-16445",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "18446744073709551617",
    "36893488147419103233",
    "36893488147419103235",
    "-36893488147419103233",
    "1e17",
    "1e27",
    "1e28",
    "1e300",
    "-1e300",
    "1e4931",
    "1e4932",
    "2e4932",
    "1e4933",
    "1e99999999999999999999",
    "1e-4949",
    "2e-4951",
    "1e-4951",
    "1e-99999999999999999999",
    "0.000000000000000005",
    "0.000000000000000015",
    "-0.0000000000000000049",
];

#[test]
fn sums_are_those_of_long_double() {
    for (a, b, expected) in [
        ("0.1", "0.2", Ok("0.3")),
        ("3000", "1e-7", Ok("3000.00000010000000006")),
        ("10.50", "0.1", Ok("10.6")),
        ("5.0e3", "2.0e2", Ok("5200")),
        ("1", "-1", Ok("0")),
        ("-0", "-0", Ok("0")),
        ("-1e-20", "0", Ok("0")),
        ("-0.5", "0", Ok("-0.5")),
        ("0x1p3", "0", Ok("8")),
        ("1e27", "1", Ok("1000000000000000000000000000")),
        ("18446744073709551615", "1", Ok("18446744073709551616")),
        ("18446744073709551616", "1", Ok("18446744073709551616")),
        ("18446744073709551616", "3", Ok("18446744073709551620")),
        ("inf", "1", Err(NOT_FINITE)),
        ("inf", "-inf", Err(NOT_FINITE)),
        ("1e4932", "1e4932", Err(NOT_FINITE)),
        ("nan", "1", Err(NOT_A_FLOAT)),
        ("1e4933", "1", Err(NOT_A_FLOAT)),
        ("", "1", Err(NOT_A_FLOAT)),
    ] {
        assert_eq!(
            sum(a.as_bytes(), b.as_bytes()).as_deref(),
            expected.as_ref().map(|t| *t),
            "{a} {b}"
        );
    }
}

#[test]
fn texts_become_the_nearest_number() {
    for (text, expected) in [
        ("0", Some((0, 0))),
        ("1", Some((1 << 63, -63))),
        ("0.1", Some((0xcccc_cccc_cccc_cccd, -67))),
        ("18446744073709551615", Some((u64::MAX, 0))),
        // Ties, and slightly more.
        ("18446744073709551617", Some((1 << 63, 1))),
        ("18446744073709551619", Some(((1 << 63) + 2, 1))),
        ("18446744073709551618.99", Some(((1 << 63) + 1, 1))),
        ("1e17", Some((0xb1a2_bc2e_c500_0000, -7))),
        ("1e4932", Some((0xd72c_b2a9_5c7e_f6cd, 16_320))),
        ("1e-4940", Some((0x6_6327_8e62, -16_445))),
        ("2e-4951", Some((1, -16_445))),
        ("1e-4950", Some((3, -16_445))),
        ("1e-4951", None),
        ("1e4933", None),
    ] {
        assert_eq!(bits(text), expected, "{text}");
    }
}

#[test]
fn long_texts_end_where_the_buffer_of_redis_does() {
    let zeros = "0".repeat(TEXT_MAX - 1);
    assert_eq!(bits(&format!("{zeros}1")), bits("1"));
    assert_eq!(bits(&format!("{zeros}01")), None);
    let nines = "9".repeat(4932);
    assert_eq!(bits(&format!("{nines}e-4932")), bits("1"));
    assert_eq!(bits(&format!("0.{}1e5000", "0".repeat(4999))), bits("1"));
    // The digit that decides comes last.
    let tie = format!("18446744073709551617.{}", "0".repeat(5000));
    assert_eq!(bits(&tie), Some((1 << 63, 1)));
    assert_eq!(bits(&format!("{tie}1")), Some(((1 << 63) + 1, 1)));
    let tie = format!("0x1.00000000000000010{}", "0".repeat(5000));
    assert_eq!(bits(&tie), bits("1"));
    assert_eq!(bits(&format!("{tie}1")), Some(((1 << 63) + 1, -63)));
}

fn digit(rng: &mut Rng) -> char {
    char::from(b"0123456789"[rng.index(10)])
}

/// A random number as text: decimal with digits and exponents of all sizes, or hexadecimal.
fn random_text(rng: &mut Rng) -> Vec<u8> {
    let mut text = String::new();
    if rng.chance(1, 3) {
        text.push(if rng.chance(1, 4) { '+' } else { '-' });
    }
    let mut digits = |rng: &mut Rng, longest: u64| {
        for _ in 0..=rng.below(longest) {
            text.push(digit(rng));
        }
        if rng.chance(1, 2) {
            text.push('.');
            for _ in 0..rng.below(longest) {
                text.push(digit(rng));
            }
        }
    };
    match rng.below(10) {
        0..3 => digits(rng, 6),
        3..6 => digits(rng, 25),
        6 => digits(rng, 120),
        7 => text.push_str(&rng.i64().unsigned_abs().to_string()),
        8 => {
            // Halfway between two numbers, or next to it.
            let tie = u128::from(rng.u64() | 1 << 63) << 1 | 1;
            let shift = rng.below(63);
            text.push_str(&((tie << shift) + u128::from(rng.below(3)) - 1).to_string());
        }
        _ => {
            let (whole, fraction) = (rng.u64() >> rng.below(64), rng.u64());
            let _ = write!(text, "0x{whole:x}.{fraction:x}p{}", rng.range(-16_600..=16_400));
            return text.into_bytes();
        }
    }
    match rng.below(6) {
        0 => {
            let _ = write!(text, "e{}", rng.range(-30..=30));
        }
        1 => {
            let _ = write!(text, "E{:+}", rng.range(-5..=45));
        }
        2 => {
            let _ = write!(text, "e{}", rng.range(-5000..=4940));
        }
        _ => {}
    }
    if rng.chance(1, 50) {
        let at = rng.index(text.len());
        text.insert(at, char::from(b" x.e-\0"[rng.index(6)]));
    }
    text.into_bytes()
}

fn compare(connection: &mut redis::Connection, pairs: &[(Vec<u8>, Vec<u8>)]) {
    let mut pipe = redis::pipe();
    for (a, b) in pairs {
        pipe.cmd("SET").arg("k").arg(a).cmd("INCRBYFLOAT").arg("k").arg(b);
    }
    let packed = pipe.get_packed_pipeline();
    let replies = connection.req_packed_commands(&packed, 0, 2 * pairs.len()).unwrap();
    for ((a, b), replies) in pairs.iter().zip(replies.chunks(2)) {
        let theirs = if let Value::ServerError(error) = &replies[1] {
            Err(error_text(error))
        } else {
            Ok(String::from_utf8_lossy(as_bytes(&replies[1]).unwrap()).into_owned())
        };
        let shown = (String::from_utf8_lossy(a), String::from_utf8_lossy(b));
        assert_eq!(sum(a, b).map_err(str::to_owned), theirs, "{shown:?}");
    }
}

#[test]
fn a_live_server_adds_the_edges_alike() {
    let Some(server) = server() else { return };
    let mut connection = server.connect();
    for a in EDGES {
        let pairs: Vec<_> =
            EDGES.iter().map(|b| (a.as_bytes().to_vec(), b.as_bytes().to_vec())).collect();
        compare(&mut connection, &pairs);
    }
    let long = [TEXT_MAX - 1, TEXT_MAX, TEXT_MAX + 1].map(|len| {
        let mut text = vec![b'1'];
        text.resize(len - 4, b'0');
        text.extend_from_slice(b"e-99");
        (text, b"0".to_vec())
    });
    compare(&mut connection, &long);
}

#[test]
fn a_live_server_adds_alike() {
    let Some(server) = server() else { return };
    let mut connection = server.connect();
    let mut rng = Rng::new(41);
    for _ in 0..20 {
        let pairs: Vec<_> = (0..500)
            .map(|_| {
                let a = random_text(&mut rng);
                let b = match rng.below(4) {
                    0 => b"0".to_vec(),
                    // The same number with the other sign, and other final digits: the difference is in the last
                    // places.
                    1 if a.len() > 3 => {
                        let mut b = a.clone();
                        let last = b.len() - 1;
                        b[last / 2] = if b[last / 2] == b'7' { b'8' } else { b'7' };
                        if b[0] == b'-' {
                            b.remove(0);
                        } else {
                            b.insert(0, b'-');
                        }
                        b
                    }
                    _ => random_text(&mut rng),
                };
                (a, b)
            })
            .collect();
        compare(&mut connection, &pairs);
    }
}

#[test]
fn integers_are_exact() {
    for number in [0, 1, -1, i64::MAX, i64::MIN, 1 << 53, (1 << 53) + 1] {
        let text = number.to_string();
        assert_eq!(Extended::from(number).to_text(), text.as_bytes());
        assert_eq!(Some(Extended::from(number)), Extended::parse(text.as_bytes()));
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(text: Vec<u8>) {
        if let Some(number) = Extended::parse(&text) {
            number.to_text();
        }
    }

    #[test]
    fn any_form_of_number_is_read_and_printed(text in "[+-]?[0-9]{0,60}[.]?[0-9]{0,60}(e[+-]?[0-9]{1,5})?") {
        if let Some(number) = Extended::parse(text.as_bytes()) {
            let text = number.to_text();
            prop_assert!(text.len() <= 4960);
            // The result is a number again, with the same text.
            let again = Extended::parse(&text).unwrap();
            prop_assert_eq!(again.to_text(), text);
        }
    }

    #[test]
    fn order_does_not_matter(a: i64, b: i64, shift in -200i32..200) {
        let scaled = format!("{b}e{shift}");
        let (a, b) = (Extended::from(a), Extended::parse(scaled.as_bytes()).unwrap());
        prop_assert_eq!(a.add(b), b.add(a));
    }
}
