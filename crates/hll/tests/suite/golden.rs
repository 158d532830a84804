//! Bytes and counts of a live Redis.
#![expect(clippy::unwrap_used, reason = "a failure here fails the test")]

use hll::{DENSE_LEN, Encoding, Hll, HllMut, HyperLogLog, SPARSE_MAX_BYTES, Union};

/// CRC-32 (IEEE) as a running state; it begins with 0.
fn crc32(crc: u32, bytes: &[u8]) -> u32 {
    let mut crc = !crc;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    !crc
}

fn name(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Sparse => "sparse",
        Encoding::Dense => "dense",
    }
}

fn fields<const N: usize>(text: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    text.lines().map(|line| {
        let fields: Vec<_> = line.split('\t').collect();
        fields.try_into().unwrap()
    })
}

fn golden() -> impl Iterator<Item = (&'static str, &'static str, u64, Vec<u8>)> {
    fields(include_str!("../data/golden.tsv")).map(|[key, encoding, count, hex]| {
        let digits: Vec<_> = hex.bytes().map(|digit| char::from(digit).to_digit(16)).collect();
        let bytes = digits.as_chunks::<2>().0.iter();
        let bytes =
            bytes.map(|&[high, low]| u8::try_from(high.unwrap() << 4 | low.unwrap()).unwrap());
        (key, encoding, count.parse().unwrap(), bytes.collect())
    })
}

#[test]
fn golden_values_are_taken_and_counted() {
    for (key, encoding, count, bytes) in golden() {
        let view = Hll::new(&bytes).unwrap();
        view.validate().unwrap();
        assert_eq!(name(view.encoding()), encoding, "{key}");
        assert_eq!(view.count(), Ok(count), "{key}");
        assert!(view.cached().is_none_or(|cached| cached == count), "{key}");

        let mut union = Union::new();
        union.merge(&view).unwrap();
        assert_eq!(union.count(), count, "{key}");

        let mut dense = HyperLogLog::from_bytes(bytes.clone()).unwrap();
        assert_eq!(dense.as_bytes(), bytes);
        dense.promote();
        assert_eq!(dense.as_bytes().len(), DENSE_LEN);
        assert_eq!(dense.view().count(), Ok(count), "{key}");
        assert_eq!(dense, HyperLogLog::from_bytes(bytes).unwrap());
    }
}

#[test]
fn golden_sparse_values_come_from_their_registers() {
    // Redis's sparse bytes depend on the order of the elements only where VAL opcodes are adjacent, which are absent
    // here.
    for (key, encoding, _, bytes) in golden() {
        if encoding == "dense" || bytes.len() > 60 {
            continue;
        }
        let mut again = hll::empty();
        let view = Hll::new(&bytes).unwrap();
        let mut union = Union::new();
        union.merge(&view).unwrap();
        union.merge_into(&mut again, SPARSE_MAX_BYTES).unwrap();
        assert_eq!(again[16..], bytes[16..], "{key}");
    }
}

#[test]
fn a_million_users_count_as_in_redis() {
    let users: HyperLogLog = (0..1_000_000).map(|i| format!("USER{i}")).collect();
    assert_eq!(users.count(), 1_007_336);
}

#[test]
fn bytes_grow_as_in_redis() {
    let mut lines = fields(include_str!("../data/growth.tsv")).peekable();
    for limit in [SPARSE_MAX_BYTES, 500, 300, 100] {
        let mut value = hll::empty();
        let mut crc = 0;
        for size in 0..=20_000 {
            let encoding = Hll::new(&value).unwrap().encoding();
            if encoding == Encoding::Sparse || size % 97 == 0 {
                crc = crc32(crc, &value);
            }
            let here = |&[line_limit, line_size, ..]: &[&str; 5]| {
                line_limit.parse() == Ok(limit) && line_size.parse() == Ok(size)
            };
            if let Some([.., line_encoding, line_len, line_crc]) = lines.next_if(here) {
                assert_eq!(name(encoding), line_encoding, "limit {limit}, size {size}");
                assert_eq!(line_len.parse(), Ok(value.len()), "limit {limit}, size {size}");
                assert_eq!(format!("{crc:08x}"), line_crc, "limit {limit}, size {size}");
            }
            let mut edit = HllMut::new(&mut value).unwrap();
            if size % 7 == 0 {
                edit.count().unwrap();
            }
            edit.add(format!("USER{size}").as_bytes(), limit).unwrap();
        }
    }
    assert_eq!(lines.next(), None, "every line is used");
}

/// The prefix and the number of the elements, and whether the sketch is made dense.
fn form(name: &str) -> Option<(&'static str, u32, bool)> {
    match name {
        "none" => None,
        "empty" => Some(("e", 0, false)),
        "few" => Some(("f", 9, false)),
        "some" => Some(("s", 200, false)),
        "many" => Some(("m", 900, false)),
        "small-dense" => Some(("f", 20, true)),
        "dense" => Some(("d", 5000, false)),
        "big" => Some(("b", 50_000, false)),
        other => panic!("no form {other}"),
    }
}

fn make(name: &str, limit: usize) -> Option<Vec<u8>> {
    let (prefix, number, dense) = form(name)?;
    let mut value = hll::empty();
    let mut edit = HllMut::new(&mut value).unwrap();
    for i in 0..number {
        edit.add(format!("{prefix}{i}").as_bytes(), limit).unwrap();
    }
    if dense {
        edit.promote().unwrap();
    }
    edit.count().unwrap();
    Some(value)
}

#[test]
fn every_pair_of_forms_merges_as_in_redis() {
    for [limit, a, b, count, encoding, len, crc] in fields(include_str!("../data/merges.tsv")) {
        let at = format!("limit {limit}, {b} into {a}");
        let limit = limit.parse().unwrap();
        let (target, source) = (make(a, limit), make(b, limit));
        let mut union = Union::new();
        for value in [&target, &source].into_iter().flatten() {
            union.merge(&Hll::new(value).unwrap()).unwrap();
        }
        assert_eq!(Ok(union.count()), count.parse(), "{at}");

        let mut union = Union::new();
        if let Some(source) = source {
            union.merge(&Hll::new(&source).unwrap()).unwrap();
        }
        let mut target = target.unwrap_or_else(hll::empty);
        let result = union.merge_into(&mut target, limit).unwrap();
        assert_eq!(name(result), encoding, "{at}");
        assert_eq!(Ok(target.len()), len.parse(), "{at}");
        assert_eq!(format!("{:08x}", crc32(0, &target)), crc, "{at}");
    }
}
