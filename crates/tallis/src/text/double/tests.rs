use proptest::prelude::*;
use redis::{ConnectionLike, Value};
use testkit::live::{Options, error_text, server_with};
use testkit::rng::Rng;

use super::{parse, push_17, push_short, push_stored_17};

fn text(push: fn(f64, &mut Vec<u8>), value: f64) -> String {
    let mut text = Vec::new();
    push(value, &mut text);
    String::from_utf8(text).unwrap()
}

#[test]
fn texts_are_read_as_strtod_reads_them() {
    for (text, expected) in [
        ("0", Some(0.0)),
        ("-0", Some(-0.0)),
        ("1.", Some(1.0)),
        (".5", Some(0.5)),
        ("+.5e1", Some(5.0)),
        ("0.1", Some(0.1)),
        ("1e308", Some(1e308)),
        ("1e309", None),
        ("5e-324", Some(5e-324)),
        ("2e-324", None),
        ("0e-999999999999", Some(0.0)),
        ("0e999999999999", Some(0.0)),
        ("inf", Some(f64::INFINITY)),
        ("-Infinity", Some(f64::NEG_INFINITY)),
        ("nan", None),
        ("0x1p3", Some(8.0)),
        ("0x1.8p-1075", Some(5e-324)),
        ("0x1p-1075", None),
        ("0x1.fffffffffffff7p1023", Some(f64::MAX)),
        ("0x1.fffffffffffff8p1023", None),
        ("0x1.00000000000008p0", Some(1.0)),
        ("0x1.000000000000080000000000000000000000001p0", Some(1.0 + f64::EPSILON)),
        ("", None),
        (" 1", None),
        ("1 ", None),
        ("1\0", None),
        ("1e", None),
        ("0x", None),
    ] {
        let ours = parse(text.as_bytes()).map(f64::to_bits);
        assert_eq!(ours, expected.map(f64::to_bits), "{text}");
    }
}

#[test]
fn long_texts_are_cut_and_still_right() {
    let zeros = "0".repeat(300_000);
    for (text, expected) in [
        (format!("{zeros}1.5{zeros}"), Some(1.5)),
        (format!("0.{zeros}25e300001"), Some(2.5)),
        (format!("1{zeros}e-300000"), Some(1.0)),
        (format!("-1{zeros}e-300000"), Some(-1.0)),
        (format!("1{zeros}"), None),
        (format!("0.{zeros}1"), None),
        (format!("0.{zeros}"), Some(0.0)),
        // A tie, and the digit far behind that decides it.
        (format!("9007199254740993.{zeros}"), Some(9_007_199_254_740_992.0)),
        (format!("9007199254740993.{zeros}1"), Some(9_007_199_254_740_994.0)),
        (format!("0x{zeros}1.{zeros}"), Some(1.0)),
    ] {
        assert_eq!(parse(text.as_bytes()), expected, "{} bytes", text.len());
    }
}

#[test]
fn seventeen_digits_are_those_of_printf() {
    for (value, plain, stored) in [
        (0.0, "0", "0"),
        (-0.0, "-0", "-0"),
        (3.0, "3", "3"),
        (-3.0, "-3", "-3"),
        (0.1, "0.10000000000000001", "0.10000000000000001"),
        (0.5, "0.5", "0.5"),
        (0.000_1, "0.0001", "0.0001"),
        (0.000_01, "1.0000000000000001e-05", "1.0000000000000001e-05"),
        (1e-7, "9.9999999999999995e-08", "9.9999999999999995e-08"),
        (1e16, "10000000000000000", "10000000000000000"),
        (1e17, "1e+17", "100000000000000000"),
        (1e18, "1e+18", "1000000000000000000"),
        (4_611_686_018_427_387_904.0, "4.6116860184273879e+18", "4611686018427387904"),
        (4_611_686_018_427_388_928.0, "4.6116860184273889e+18", "4.6116860184273889e+18"),
        (1e100, "1e+100", "1e+100"),
        (-1e-100, "-1e-100", "-1e-100"),
        (5e-324, "4.9406564584124654e-324", "4.9406564584124654e-324"),
        (f64::MAX, "1.7976931348623157e+308", "1.7976931348623157e+308"),
        // Ties go to the even digit.
        (1_125_899_906_842_624.0 + 0.25, "1125899906842624.2", "1125899906842624.2"),
        (1_125_899_906_842_624.0 + 0.75, "1125899906842624.8", "1125899906842624.8"),
        (f64::INFINITY, "inf", "inf"),
        (f64::NEG_INFINITY, "-inf", "-inf"),
        (f64::NAN, "nan", "nan"),
    ] {
        assert_eq!(text(push_17, value), plain);
        assert_eq!(text(push_stored_17, value), stored);
    }
}

#[test]
fn short_texts_are_those_of_the_newer_servers() {
    for (bits, expected) in [
        (0x3fb9_9999_9999_999a, "0.1"),
        (0x3fd3_3333_3333_3333, "0.3"),
        (0x4008_0000_0000_0000, "3"),
        (0x4376_3457_85d8_a000, "100000000000000000"),
        (0x3e7a_d7f2_9abc_af48, "1e-7"),
        (0x3e84_21f5_f40d_8376, "1.5e-7"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x3ee4_f8b5_88e3_68f1, "0.00001"),
        (0x3f1a_36e2_eb1c_432d, "0.0001"),
        (0x3f20_2e4b_6ce5_dc68, "1.2345e-4"),
        (0x40fe_240c_9fbe_76c9, "123456.789"),
        (0x43e1_58e4_6091_3d00, "1e+19"),
        (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x0010_0000_0000_0000, "2.2250738585072014e-308"),
        (0x000f_ffff_ffff_ffff, "2.225073858507201e-308"),
        (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0x43d0_0000_0000_0000, "4611686018427387904"),
        (0x43d0_0000_0000_0001, "4611686018427389000"),
        (0x43e0_0000_0000_0000, "9223372036854776000"),
        (0x966e_3d71_f622_be94, "-1.2345678901234567e-200"),
        (0x4450_bb44_8ec2_f608, "1234567890123456800000"),
        (0x54b2_49ad_2594_c37d, "1e+100"),
        (0x3dde_3c8f_d606_ea4d, "1.1e-10"),
        (0xbddb_7cdf_d9d7_bdbb, "-1e-10"),
        (0x4484_d646_51fe_74c6, "12300000000000001000000"),
        (0x43e5_6a95_1762_ab5c, "1.2345678e+19"),
        (0x3fd5_5555_5555_5555, "0.3333333333333333"),
        (0x4040_aaaa_aaaa_aaab, "33.333333333333336"),
        // The shortest would be 1e+23: the bounds are a little too narrow to see it.
        (0x44b5_2d02_c7e1_4af6, "99999999999999990000000"),
        (0x0000_0000_0000_0000, "0"),
        (0x8000_0000_0000_0000, "-0"),
        (0x7ff0_0000_0000_0000, "inf"),
        (0xfff0_0000_0000_0000, "-inf"),
        (0x7ff8_0000_0000_0000, "nan"),
    ] {
        assert_eq!(text(push_short, f64::from_bits(bits)), expected, "{bits:x}");
    }
}

/// A million numbers of all sizes, whose texts were hashed with those of `fpconv_dtoa` of Redis 7.2.6.
#[test]
fn the_digits_of_a_million_numbers_are_those_of_redis() {
    let mut rng = Rng::new(51);
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut text = Vec::new();
    for _ in 0..1_000_000 {
        let value = f64::from_bits(rng.u64());
        if !value.is_finite() || value == 0.0 {
            continue;
        }
        text.clear();
        super::push_digits(value, &mut text);
        text.push(b'\n');
        // FNV-1a.
        for byte in &text {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    assert_eq!(hash, 0x294a_4390_00ef_c819);
}

proptest! {
    #[test]
    fn every_form_reads_back(bits: u64) {
        let value = f64::from_bits(bits);
        prop_assume!(!value.is_nan());
        for push in [push_17, push_stored_17, push_short] {
            let text = text(push, value);
            prop_assert_eq!(parse(text.as_bytes()).map(f64::to_bits), Some(bits), "{}", text);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(text: Vec<u8>) {
        parse(&text);
    }

    #[test]
    fn any_form_of_number_is_read(text in "[+-]?(0x)?[0-9a-f]{0,40}[.]?[0-9a-f]{0,40}([ep][+-]?[0-9]{1,20})?") {
        if let Some(value) = parse(text.as_bytes()) {
            prop_assert!(!value.is_nan());
        }
    }
}

fn random_number(rng: &mut Rng) -> String {
    match rng.below(8) {
        0 => f64::from_bits(rng.u64()).to_string(),
        1 => format!("{:e}", f64::from_bits(rng.u64())),
        2 => rng.range(-1_000_000..=1_000_000).to_string(),
        3 => (rng.i64() >> rng.below(64)).to_string(),
        4 => format!("{}.{}e{}", rng.range(-99..=99), rng.u64(), rng.range(-345..=310)),
        5 => format!("{:.1$}", rng.unit() * 100.0, rng.index(18)),
        // Whole numbers and quarters around the last place, for the ties of 17 digits.
        6 => (rng.unit() * f64::from_bits((1023 + 53 - rng.below(4)) << 52)).to_string(),
        _ => {
            let sign = ["", "-", "+"][rng.index(3)];
            format!("{sign}0x{:x}.{:x}p{}", rng.u64(), rng.u64(), rng.range(-1140..=1024))
        }
    }
}

#[test]
fn a_live_server_reads_and_prints_scores_alike() {
    const EDGES: [&str; 26] = [
        "",
        " 1",
        "1 ",
        "\t1",
        "1\0",
        "\0",
        "nan",
        "inf",
        "+inf",
        "-iNfinity",
        "infinit",
        "1e",
        "0x",
        "0x.8",
        "0X1P-2",
        ".",
        "5.",
        ".5",
        "1e309",
        "2e-324",
        "3e-324",
        "1e-400",
        "0e999999",
        "1_0",
        "0x1p-1075",
        "0x1.8p-1075",
    ];
    // What a listpack holds is to be found in a DUMP.
    let options = Options::new().config("rdbcompression", "no");
    let Some(server) = server_with(&options) else { return };
    let mut connection = server.connect();
    let mut rng = Rng::new(52);
    for round in 0..10 {
        let scores: Vec<String> = match round {
            0 => EDGES.map(str::to_owned).to_vec(),
            _ => (0..500).map(|_| random_number(&mut rng)).collect(),
        };
        let mut pipe = redis::pipe();
        for score in &scores {
            pipe.cmd("DEL").arg("z").cmd("ZADD").arg("z").arg(score).arg("member");
            pipe.cmd("ZSCORE").arg("z").arg("member").cmd("DUMP").arg("z");
        }
        let packed = pipe.get_packed_pipeline();
        let replies = connection.req_packed_commands(&packed, 0, 4 * scores.len()).unwrap();
        for (score, replies) in scores.iter().zip(replies.chunks(4)) {
            let Some(value) = parse(score.as_bytes()) else {
                let Value::ServerError(error) = &replies[1] else { panic!("{score}: {replies:?}") };
                assert_eq!(error_text(error), "ERR value is not a valid float", "{score}");
                continue;
            };
            // A listpack has no negative zero.
            let printed = if value == 0.0 { 0.0 } else { value };
            let ours = text(push_17, printed);
            assert_eq!(Value::BulkString(ours.into_bytes()), replies[2], "{score}");
            let Value::BulkString(dump) = &replies[3] else { panic!("{score}: {replies:?}") };
            let stored = text(push_stored_17, value);
            if stored.parse::<i64>().is_err() {
                let stored = stored.as_bytes();
                assert!(dump.windows(stored.len()).any(|part| part == stored), "{score}");
            }
        }
    }
}
