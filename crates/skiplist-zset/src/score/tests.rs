use core::cmp::Ordering;

use proptest::prelude::*;
use testkit::rng::Rng;

use super::*;

fn text(form: ScoreText, score: f64) -> String {
    let mut text = Vec::new();
    form.push(score, &mut text);
    String::from_utf8(text).unwrap()
}

fn stored(form: ScoreText, score: f64) -> String {
    form.with_entry(score, |entry| String::from_utf8(entry.to_vec()).unwrap())
}

#[test]
fn seventeen_digits_are_those_of_printf() {
    for (score, plain, kept) in [
        (0.0, "0", "0"),
        (-0.0, "-0", "0"),
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
    ] {
        assert_eq!(text(ScoreText::Digits17, score), plain);
        assert_eq!(stored(ScoreText::Digits17, score), kept);
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
        (0xbddb_7cdf_d9d7_bdbb, "-1e-10"),
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
        assert_eq!(text(ScoreText::Shortest, f64::from_bits(bits)), expected, "{bits:x}");
    }
}

/// A million numbers of all sizes, whose texts were hashed with those of `fpconv_dtoa` of Redis 7.2.6.
#[test]
fn the_digits_of_a_million_numbers_are_those_of_redis() {
    let mut rng = Rng::new(51);
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for _ in 0..1_000_000 {
        let value = f64::from_bits(rng.u64());
        if !value.is_finite() || value == 0.0 {
            continue;
        }
        let mut text = Text { bytes: [0; TEXT_MAX], len: 0 };
        push_digits(value, &mut text);
        text.push(b"\n");
        // FNV-1a.
        for byte in text.as_bytes() {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    assert_eq!(hash, 0x294a_4390_00ef_c819);
}

#[test]
fn keys_have_the_order_of_the_scores() {
    let mut scores = vec![
        f64::NEG_INFINITY,
        f64::MIN,
        -1.0,
        -f64::MIN_POSITIVE,
        -5e-324,
        0.0,
        5e-324,
        f64::MIN_POSITIVE,
        1.0,
        f64::MAX,
        f64::INFINITY,
    ];
    assert!(scores.is_sorted_by(|&a, &b| key(a) < key(b)));
    assert_eq!(key(0.0), key(-0.0));
    let mut rng = Rng::new(1);
    scores.extend((0..1000).map(|_| f64::from_bits(rng.u64())).filter(|score| !score.is_nan()));
    for a in &scores {
        for b in &scores {
            assert_eq!(Some(key(*a).cmp(&key(*b))), a.partial_cmp(b), "{a} {b}");
        }
    }
}

#[test]
fn entries_that_are_not_numbers_are_not_scores() {
    for text in ["", "nan", "-nan", "x", " 1", "1 ", "1,5", "--1", "1e", "\u{e9}"] {
        assert_eq!(of_entry(Entry::Str(text.as_bytes())), None, "{text:?}");
    }
    for (text, score) in [("inf", f64::INFINITY), ("-inf", f64::NEG_INFINITY), ("1e+17", 1e17)] {
        assert_eq!(of_entry(Entry::from(text)), Some(score));
    }
    assert_eq!(of_entry(Entry::Str(b"\xff")), None);
}

proptest! {
    #[test]
    fn every_text_reads_back(bits: u64) {
        let score = f64::from_bits(bits);
        prop_assume!(!score.is_nan());
        for form in [ScoreText::Digits17, ScoreText::Shortest] {
            let read: f64 = text(form, score).parse().unwrap();
            prop_assert_eq!(read.to_bits(), bits);
            prop_assert_eq!(form.with_entry(score, of_entry), Some(score));
        }
    }
}

/// Texts of every form that lists may have, and some that are no numbers.
fn texts() -> Vec<String> {
    let mut rng = Rng::new(53);
    let mut texts: Vec<String> = [
        "",
        "-",
        ".",
        "-.",
        "1.",
        ".5",
        "-0",
        "-0.0",
        "+1",
        "1e",
        "1e+",
        "1e5",
        "1e+5",
        "1.e+5",
        "e+5",
        "1.5e-22",
        "1.5e+22",
        "1e+23",
        "9e-23",
        "9007199254740992",
        "9007199254740993",
        "9007199254740993.5",
        "1234567890123456789",
        "12345678901234567890",
        "0.1234567890123456789",
        "1.2.3",
        "1x",
        "/2345678",
        "1234567:",
        "12345678:1234567",
        "1.2345678/",
        "inf",
        "-inf",
        "nan",
        "infinity",
        "1e400",
        "1e-400",
        "0x10",
        " 1",
        "1 ",
        "1e+0x",
        "1e-+1",
        "--1",
        "00000000000001.50",
        "1e+005",
    ]
    .map(str::to_owned)
    .into();
    for _ in 0..20_000 {
        let score = match rng.below(4) {
            0 => f64::from_bits(rng.u64()),
            1 => rng.unit() * 1e6,
            2 => (rng.unit() * 1e6).round() / 100.0,
            _ => -rng.unit() / 1e4,
        };
        texts.push(text(ScoreText::Shortest, score));
        texts.push(text(ScoreText::Digits17, score));
        // One byte is another one.
        let mut bytes = text(ScoreText::Shortest, score).into_bytes();
        let at = rng.index(bytes.len());
        bytes[at] = b"0159.-+e:/ "[rng.index(11)];
        texts.extend(String::from_utf8(bytes));
    }
    texts
}

#[test]
fn texts_are_read_as_the_standard_library_reads_them() {
    for text in texts() {
        let expected = text.parse::<f64>().ok().filter(|score| !score.is_nan());
        let read = of_entry(Entry::Str(text.as_bytes()));
        assert_eq!(read.map(f64::to_bits), expected.map(f64::to_bits), "{text}");
    }
    assert_eq!(of_entry(Entry::Str(b"1\xff")), None);
    assert_eq!(of_entry(Entry::Int(i64::MIN)), Some(-9_223_372_036_854_775_808.0));
}

#[test]
fn texts_are_compared_as_the_numbers_that_they_are() {
    for text in texts() {
        let entry = Entry::Str(text.as_bytes());
        let score = of_entry(entry);
        let near = score.unwrap_or(1.0);
        let ulps = (-3..=3_i64).filter_map(|step| near.to_bits().checked_add_signed(step));
        for other in ulps.map(f64::from_bits).chain([near * 1.1, -near, 0.0, f64::INFINITY]) {
            let expected = score.and_then(|score| score.partial_cmp(&other));
            assert_eq!(compare(entry, other), expected, "{text} and {other:e}");
        }
    }
    assert_eq!(compare(Entry::Int(3), 3.5), Some(Ordering::Less));
    assert_eq!(compare(Entry::Int(3), f64::NAN), None);
}
