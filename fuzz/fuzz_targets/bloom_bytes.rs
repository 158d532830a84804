//! Raw bytes as a header with chunks and as fields. Accepted input gives a filter that works and is written as the same
//! bytes.
#![no_main]

use arbitrary::{Arbitrary, Unstructured};
use bloom::{BloomFilter, Field, Loader, Settings};

/// The largest total of bit arrays that a header may allocate.
const MAX_BYTES: u64 = 1 << 20;

#[derive(Arbitrary, Debug)]
enum Part {
    Unsigned(u64),
    Small(u8),
    Double(f64),
    Bytes(Vec<u8>),
    /// The part that a valid filter has at this position.
    Good,
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    header(input);
    // Most random bytes are not a header, so they also modify a valid one.
    let mut good = good().header();
    for pair in input.chunks_exact(2).take(8) {
        let at = usize::from(pair[0]) % good.len();
        good[at] ^= pair[1];
    }
    header(&good);
    chunks(input);
    let _ = fields(&mut Unstructured::new(input));
});

/// Returns a filter of two links.
fn good() -> BloomFilter {
    let mut filter = Settings::new(3, 0.01).build().unwrap();
    for item in ["a", "b", "c", "d"] {
        filter.add(item.as_bytes()).unwrap();
    }
    filter
}

fn header(bytes: &[u8]) {
    let loader = Loader::new(bytes);
    match BloomFilter::from_header(bytes, MAX_BYTES) {
        Ok(mut filter) => {
            assert_eq!(filter.header(), bytes);
            let mut loader = loader.expect("both loaders accept the same headers");
            assert!(!loader.is_complete());
            for chunk in filter.chunks().skip(1) {
                loader.load(chunk.cursor, &chunk.bytes).unwrap();
            }
            assert_eq!(loader.finish().unwrap().header(), bytes);
            work(&mut filter);
        }
        Err(error) => {
            let allowed = matches!(error.fault(), bloom::Fault::TooLarge { .. });
            assert_eq!(loader.is_ok(), allowed, "{error}");
            assert!(error.at() <= bytes.len());
        }
    }
}

/// Loads chunks at any cursor: both loaders agree where no chunk is missing.
fn chunks(input: &[u8]) {
    let good = good();
    let mut placed = BloomFilter::from_header(&good.header(), MAX_BYTES).unwrap();
    let mut loader = Loader::new(&good.header()).unwrap();
    let mut gap = false;
    for piece in input.chunks(9) {
        let cursor = u64::from(piece[0] % 64);
        let there = placed.load_chunk(cursor, &piece[1..]);
        match loader.load(cursor, &piece[1..]) {
            Err(bloom::LoadError::Gap { .. }) => gap |= there.is_ok() && piece.len() > 1,
            other => assert_eq!(other, there),
        }
    }
    if let Ok(loaded) = loader.finish()
        && !gap
    {
        assert_eq!(loaded, placed);
    }
    work(&mut placed);
}

fn fields(input: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let version = input.int_in_range(1..=5)?;
    let parts = Vec::<Part>::arbitrary(input)?;
    let good = good();
    let mut expected = good.fields();
    let fields: Vec<_> = parts
        .into_iter()
        .map_while(|part| {
            let good = expected.next();
            Some(match part {
                Part::Unsigned(number) => Field::Unsigned(number),
                Part::Small(number) => Field::Unsigned(number.into()),
                Part::Double(number) => Field::Double(number),
                Part::Bytes(bytes) => Field::Bytes(bytes),
                Part::Good => match good? {
                    Field::Unsigned(number) => Field::Unsigned(number),
                    Field::Double(number) => Field::Double(number),
                    Field::Bytes(bytes) => Field::Bytes(bytes.to_vec()),
                },
            })
        })
        .collect();
    if let Ok(mut filter) = BloomFilter::from_fields(version, fields.clone()) {
        let mut written = filter.fields().map(|field| match field {
            Field::Unsigned(number) => Field::Unsigned(number),
            Field::Double(number) => Field::Double(number),
            Field::Bytes(bytes) => Field::Bytes(bytes.to_vec()),
        });
        if version < 4 {
            assert_eq!(written.nth(3), Some(Field::Unsigned(2)));
            written.zip(fields.into_iter().skip(3)).for_each(|(a, b)| assert_eq!(a, b));
        } else {
            written.zip(fields).for_each(|(a, b)| assert_eq!(a, b));
        }
        work(&mut filter);
    }
    Ok(())
}

/// Queries and measures an accepted filter, and adds an item unless the next link would be huge.
fn work(filter: &mut BloomFilter) {
    let _ = (filter.memory(), filter.capacity(), filter.expansion());
    for rate in [filter.error_rate_by_bits(), filter.error_rate_by_items(), filter.saturation()] {
        assert!((0.0..=1.0).contains(&rate));
    }
    let items = ["a", "b", "x", "y"];
    let mut answers = Vec::new();
    filter.contains_many(&items, &mut answers);
    assert!(items.iter().map(|item| filter.contains(item.as_bytes())).eq(answers));
    let last = filter.links().last().unwrap();
    if last.is_full()
        && last.bits().saturating_mul(filter.expansion().unwrap_or(0).into()) > 1 << 26
    {
        return;
    }
    if filter.add(b"new").is_ok() {
        assert!(filter.contains(b"new"));
    }
}
