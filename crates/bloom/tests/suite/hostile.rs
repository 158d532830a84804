//! Untrusted bytes and fields: an error with the field and the offset, or a filter that works.

#![expect(clippy::unwrap_used, reason = "a failure here fails the test")]
#![expect(clippy::float_cmp, reason = "the results are exact")]

use bloom::{
    AddError, BloomFilter, DecodeError, ENCODING_VERSION, Fault, Field, HEADER_LEN,
    LINK_HEADER_LEN, LoadError, Loader, MergeError, Settings, SettingsError, SizeError,
};

use crate::common::grown;

fn scaled() -> BloomFilter {
    grown("bf:scaled").unwrap()
}

fn fault(error: DecodeError) -> (usize, Fault) {
    (error.at(), error.fault())
}

fn owned(filter: &BloomFilter) -> Vec<Field<Vec<u8>>> {
    let own = |field: Field<&[u8]>| match field {
        Field::Unsigned(number) => Field::Unsigned(number),
        Field::Double(number) => Field::Double(number),
        Field::Bytes(bytes) => Field::Bytes(bytes.to_vec()),
    };
    filter.fields().map(own).collect()
}

/// An accepted filter must work: it can be queried, added to, grown, measured and saved.
fn use_it(filter: &mut BloomFilter) {
    for n in 0..3u32 {
        let item = n.to_le_bytes();
        if filter.add(&item).is_ok() {
            assert!(filter.contains(&item));
        }
    }
    filter.contains_many(&["a", "b"], &mut Vec::new());
    let _ = (filter.memory(), filter.capacity(), filter.saturation());
    assert!((0.0..=1.0).contains(&filter.error_rate_by_bits()));
    assert!((0.0..=1.0).contains(&filter.error_rate_by_items()));
    assert_eq!(filter.chunks().count(), filter.link_count() + 1);
}

#[test]
fn every_cut_of_a_header_is_refused_where_it_ends() {
    let header = scaled().header();
    for len in 0..header.len() {
        let error = Loader::new(&header[..len]).unwrap_err();
        assert_eq!(error.fault(), Fault::Short, "{len}");
        assert!(error.at() <= len && len - error.at() < 8, "{len}: {}", error.at());
        assert_eq!(BloomFilter::from_header(&header[..len], u64::MAX).unwrap_err(), error);
    }
    let longer = [&header[..], &[0]].concat();
    assert_eq!(fault(Loader::new(&longer).unwrap_err()), (header.len(), Fault::Tail));
}

/// Each bit of a header, flipped. An accepted header keeps its bytes, and the filter works.
#[test]
fn every_flipped_bit_of_a_header_is_refused_or_works() {
    let filter = scaled();
    let header = filter.header();
    let mut accepted = 0;
    for at in 0..header.len() {
        for bit in 0..8 {
            let mut flipped = header.clone();
            flipped[at] ^= 1 << bit;
            let Ok(mut loader) = Loader::new(&flipped) else { continue };
            for chunk in filter.chunks().skip(1) {
                loader.load(chunk.cursor, &chunk.bytes).unwrap();
            }
            let mut loaded = loader.finish().unwrap();
            assert_eq!(loaded.header(), flipped, "byte {at}");
            use_it(&mut loaded);
            accepted += 1;
        }
    }
    // Sizes, expansion, capacities and the low bits of rates may have any value.
    assert!(accepted > 100 && accepted < header.len() * 8 / 2 + 200, "{accepted}");
}

#[test]
fn a_header_says_what_is_wrong_and_where() {
    let second = HEADER_LEN + LINK_HEADER_LEN;
    let infinite = f64::INFINITY.to_le_bytes();
    let expected = bloom::plan::bits_per_item(0.0025);
    let cases: [(usize, &[u8], usize, Fault); 18] = [
        (0, &[223], 0, Fault::Size { got: 991 }),
        (second + 16, &[0xff; 8], 0, Fault::Size { got: 990 }),
        (8, &[0; 4], 8, Fault::NoLinks),
        (8, &[5], HEADER_LEN + 4 * LINK_HEADER_LEN, Fault::Short),
        (8, &[3], HEADER_LEN + 3 * LINK_HEADER_LEN, Fault::Tail),
        (8, &[255; 4], HEADER_LEN + 4 * LINK_HEADER_LEN, Fault::Short),
        (12, &[4], 12, Fault::Options { got: 4 }),
        (12, &[0], 12, Fault::Options { got: 0 }),
        (second, &[0x39], second + 8, Fault::Bits { got: 2496, bytes: 313 }),
        (second + 7, &[0x20], second + 8, Fault::Bits { got: 2496, bytes: (0x20 << 56) + 312 }),
        (second + 24, &[0; 8], second + 24, Fault::ErrorRate { got: 0.0 }),
        (second + 24, &1.0_f64.to_le_bytes(), second + 24, Fault::ErrorRate { got: 1.0 }),
        (second + 32, &infinite, second + 32, Fault::BitsPerItem { got: f64::INFINITY, expected }),
        (
            second + 32,
            &11.0_f64.to_le_bytes(),
            second + 32,
            Fault::BitsPerItem { got: 11.0, expected },
        ),
        (second + 44, &[9, 1], second + 44, Fault::Capacity { got: 201 + 64, bits: 2496 }),
        (second + 40, &[8], second + 40, Fault::Hashes { got: 8, expected: 9 }),
        (second + 44, &[0; 8], second + 44, Fault::NoEntries),
        (second + 52, &[12], second + 52, Fault::PowerOfTwo { got: 12 }),
    ];
    for (at, bytes, wrong_at, expected) in cases {
        let mut header = scaled().header();
        header[at..at + bytes.len()].copy_from_slice(bytes);
        let error = Loader::new(&header).unwrap_err();
        assert_eq!(fault(error), (wrong_at, expected), "at {at}");
    }
    let mut header = scaled().header();
    header[second + 24..second + 32].copy_from_slice(&f64::NAN.to_le_bytes());
    assert_eq!(Loader::new(&header).unwrap_err().at(), second + 24);
}

/// A link with more hashes than the smallest rate needs is refused: a query of it could take seconds.
#[test]
fn hashes_and_rates_agree() {
    for (rate, hashes, accepted) in [(0.005, 8, true), (0.005, 9, false), (1e-300, 997, true)] {
        let bpe = bloom::plan::bits_per_item(rate);
        let mut fields = owned(&grown("bf:empty").unwrap());
        fields[4] = Field::Unsigned(1);
        fields[5] = Field::Double(rate);
        fields[6] = Field::Unsigned(hashes);
        fields[7] = Field::Double(bpe);
        fields[8] = Field::Unsigned(1600);
        fields[10] = Field::Bytes(vec![0; 200]);
        for (off, near) in
            [(0.0, true), (1e-12, true), (-1e-12, true), (1e-6, false), (-1e-6, false)]
        {
            fields[7] = Field::Double(bpe * (1.0 + off));
            let read = BloomFilter::from_fields(ENCODING_VERSION, fields.clone());
            assert_eq!(read.is_ok(), accepted && near, "{rate} {hashes} {off}: {read:?}");
        }
    }
}

#[test]
fn a_header_of_more_than_is_allowed_takes_no_memory() {
    let filter = scaled();
    let total = filter.links().map(|link| link.as_bytes().len() as u64).sum();
    assert_eq!(BloomFilter::from_header(&filter.header(), total).unwrap().len(), 990);
    let error = BloomFilter::from_header(&filter.header(), total - 1).unwrap_err();
    let last = HEADER_LEN + 3 * LINK_HEADER_LEN;
    assert_eq!(fault(error), (last, Fault::TooLarge { bytes: total }));

    // 2^59 bytes: more than any machine has.
    let mut header = grown("bf:empty").unwrap().header();
    header[HEADER_LEN..HEADER_LEN + 8].copy_from_slice(&(1_u64 << 59).to_le_bytes());
    header[HEADER_LEN + 8..HEADER_LEN + 16].copy_from_slice(&(1_u64 << 62).to_le_bytes());
    let error = BloomFilter::from_header(&header, u64::MAX).unwrap_err();
    assert_eq!(fault(error), (HEADER_LEN, Fault::TooLarge { bytes: 1 << 59 }));
    let mut loader = Loader::new(&header).unwrap();
    loader.load(1 + 5, b"bytes").unwrap();
    let incomplete = LoadError::Incomplete { loaded: 5, total: 1 << 59 };
    assert_eq!(loader.finish().unwrap_err(), incomplete);
}

#[test]
fn chunks_keep_to_their_places() {
    let filter = scaled();
    // The links have 144, 312, 696 and 1536 bytes.
    let total = 144 + 312 + 696 + 1536;
    let mut empty = BloomFilter::from_header(&filter.header(), u64::MAX).unwrap();
    let mut loader = Loader::new(&filter.header()).unwrap();
    loader.load(1 + 10, &[7; 10]).unwrap();
    let cases = [
        (0, 0, LoadError::Cursor { got: 0 }),
        (1, 1, LoadError::Cursor { got: 1 }),
        (10, 10, LoadError::Cursor { got: 10 }),
        (1 + total + 1, 1, LoadError::PastEnd { at: total }),
        (u64::MAX, 1, LoadError::PastEnd { at: u64::MAX - 2 }),
        (1 + 145, 145, LoadError::CrossesLink { at: 0, end: 144 }),
        (1 + 146, 3, LoadError::CrossesLink { at: 143, end: 144 }),
        (1 + total + 5, 10, LoadError::CrossesLink { at: total - 5, end: total }),
    ];
    for (cursor, len, expected) in cases {
        assert_eq!(empty.load_chunk(cursor, &vec![1; len]), Err(expected), "{cursor} {len}");
        assert_eq!(loader.load(cursor, &vec![1; len]), Err(expected), "{cursor} {len}");
    }
    assert_eq!(empty.saturation(), 0.0);

    // Inside the link, and at the next link.
    for (cursor, at) in [(1 + 12, 11), (1 + 145, 144), (1 + 500, 499)] {
        assert_eq!(loader.load(cursor, &[1]), Err(LoadError::Gap { at, loaded: 10 }));
        empty.load_chunk(cursor, &[1]).unwrap();
    }
    assert!(!loader.is_complete());
    // Overlapping chunks replace bytes and may continue beyond them.
    loader.load(1 + 15, &[9; 10]).unwrap();
    loader.load(1 + 3, &[1; 3]).unwrap();
    loader.load(1 + 144, &[2; 129]).unwrap();
    for (end, len) in [(456, 312), (1152, 696), (2688, 1536)] {
        assert!(!loader.is_complete());
        loader.load(1 + end, &vec![3; len]).unwrap();
    }
    assert!(loader.is_complete());
    let loaded = loader.finish().unwrap();
    let first = loaded.links().next().unwrap().as_bytes();
    assert_eq!(first[..16], [1, 1, 1, 7, 7, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 2]);
}

/// Chunks end only after 16 MiB and at the end of a link.
#[test]
fn large_links_come_in_several_chunks() {
    let settings = Settings::new(20_000_000, 0.01).expansion(1);
    let mut filter = settings.build().unwrap();
    filter.add(b"a").unwrap();
    let lens: Vec<_> = filter.chunks().map(|chunk| (chunk.cursor, chunk.bytes.len())).collect();
    let bytes = filter.links().next().unwrap().as_bytes().len();
    assert_eq!(lens, [(1, 73), (1 + (16 << 20), 16 << 20), (1 + bytes as u64, bytes - (16 << 20))]);
    let mut loader = Loader::new(&filter.header()).unwrap();
    for chunk in filter.chunks().skip(1) {
        loader.load(chunk.cursor, &chunk.bytes).unwrap();
    }
    assert!(loader.finish().unwrap() == filter);
    // In the middle of a chunk, and beyond the end.
    assert_eq!(filter.chunk_at(100).unwrap().cursor, 100 + (16 << 20));
    assert_eq!(filter.chunk_at(1 + bytes as u64), None);
    assert_eq!(filter.chunk_at(u64::MAX), None);
}

#[test]
fn every_field_that_is_missing_or_of_another_kind_is_refused() {
    let fields = owned(&scaled());
    assert_eq!(fields.len(), 4 + 4 * 8);
    for len in 0..fields.len() {
        let error = BloomFilter::from_fields(ENCODING_VERSION, fields[..len].to_vec()).unwrap_err();
        assert_eq!(fault(error), (len, Fault::Short));
        for other in [Field::Unsigned(0), Field::Double(0.5), Field::Bytes(vec![1, 2, 3])] {
            let mut wrong = fields.clone();
            if std::mem::discriminant(&wrong[len]) != std::mem::discriminant(&other) {
                wrong[len] = other;
                let error = BloomFilter::from_fields(ENCODING_VERSION, wrong).unwrap_err();
                assert_eq!(fault(error), (len, Fault::WrongKind));
            }
        }
    }
}

#[test]
fn fields_say_what_is_wrong_and_where() {
    let second = 4 + 8;
    let expected = bloom::plan::bits_per_item(0.0025);
    let cases = [
        (1, Field::Unsigned(0), 1, Fault::NoLinks),
        (1, Field::Unsigned(u64::MAX), 36, Fault::Short),
        (2, Field::Unsigned(6), 2, Fault::Options { got: 6 }),
        (3, Field::Unsigned(1 << 32), 3, Fault::Expansion { got: 1 << 32 }),
        (second, Field::Unsigned(0), second, Fault::NoEntries),
        (second + 1, Field::Double(-0.5), second + 1, Fault::ErrorRate { got: -0.5 }),
        (second + 2, Field::Unsigned(10), second + 2, Fault::Hashes { got: 10, expected: 9 }),
        (
            second + 2,
            Field::Unsigned(9 + (1 << 32)),
            second + 2,
            Fault::Hashes { got: 9 + (1 << 32), expected: 9 },
        ),
        (second + 3, Field::Double(-1.0), second + 3, Fault::BitsPerItem { got: -1.0, expected }),
        (second, Field::Unsigned(201), second, Fault::Capacity { got: 201, bits: 2496 }),
        (second + 4, Field::Unsigned(2497), second + 4, Fault::Bits { got: 2497, bytes: 312 }),
        (second + 4, Field::Unsigned(0), second + 4, Fault::Bits { got: 0, bytes: 312 }),
        (second + 5, Field::Unsigned(12), second + 5, Fault::PowerOfTwo { got: 12 }),
        (second + 6, Field::Bytes(vec![]), second + 4, Fault::Bits { got: 2496, bytes: 0 }),
        (second + 6, Field::Bytes(vec![0; 311]), second + 4, Fault::Bits { got: 2496, bytes: 311 }),
    ];
    for (at, field, wrong_at, expected) in cases {
        let mut fields = owned(&scaled());
        fields[at] = field;
        let error = BloomFilter::from_fields(ENCODING_VERSION, fields).unwrap_err();
        assert_eq!(fault(error), (wrong_at, expected), "field {at}");
    }
    for version in [0, 1, 5] {
        let error = BloomFilter::from_fields(version, owned(&scaled())).unwrap_err();
        assert_eq!(fault(error), (0, Fault::Version { got: version }));
    }
    // An empty array of no bits is not a link either.
    let mut fields = owned(&grown("bf:empty").unwrap());
    fields[4 + 4] = Field::Unsigned(0);
    fields[4 + 6] = Field::Bytes(vec![]);
    let error = BloomFilter::from_fields(ENCODING_VERSION, fields).unwrap_err();
    assert_eq!(fault(error), (8, Fault::Bits { got: 0, bytes: 0 }));
}

/// Numbers that no command produces, but that a file may have.
#[test]
fn odd_numbers_are_kept_and_harmless() {
    for size in [0, u64::MAX] {
        let mut fields = owned(&scaled());
        fields[0] = Field::Unsigned(size);
        let mut filter = BloomFilter::from_fields(ENCODING_VERSION, fields).unwrap();
        assert_eq!((filter.len(), filter.capacity()), (size, 1500));
        assert_eq!(filter.add(b"another item"), Ok(true));
        assert_eq!(filter.len(), size.saturating_add(1));
        use_it(&mut filter);
    }
    let full = |settings: Settings, expansion| {
        let mut fields = owned(&settings.build().unwrap());
        fields[3] = Field::Unsigned(expansion);
        fields[11] = Field::Unsigned(u64::MAX);
        BloomFilter::from_fields(ENCODING_VERSION, fields).unwrap()
    };
    // A scaling filter that cannot grow: the next link would be for no items.
    let mut filter = full(Settings::new(10, 0.01), 0);
    assert_eq!(filter.add(b"x"), Err(AddError::Grow(SizeError::Capacity { got: Some(0) })));
    // The next link is too large for any memory.
    let mut filter = full(Settings::new(1000, 1e-300), u32::MAX.into());
    let before = filter.clone();
    let Err(AddError::Grow(SizeError::OutOfMemory { bytes })) = filter.add(b"x") else { panic!() };
    assert!(bytes > 1 << 48);
    assert_eq!(filter, before);
    // The number of bits does not fit into 63 bits.
    let uncounted = SizeError::OutOfMemory { bytes: u64::MAX };
    assert_eq!(bloom::Link::new(u64::MAX, 0.01).map(|link| link.len()), Err(uncounted));
}

#[test]
fn a_filter_stays_within_its_bytes() {
    // 100 items at 0.5 % take 144 bytes, 200 at 0.25 % another 312.
    let settings = Settings::new(100, 0.01).max_bytes(143);
    let too_large = SettingsError::Size(SizeError::OutOfMemory { bytes: 144 });
    assert_eq!(settings.build().unwrap_err(), too_large);
    for max_bytes in [144, 455] {
        let mut filter = settings.max_bytes(max_bytes).build().unwrap();
        let mut added = 0;
        let refused = (0..).find_map(|n: u32| match filter.add(&n.to_le_bytes()) {
            Ok(new) => {
                added += u64::from(new);
                None
            }
            Err(error) => Some(error),
        });
        assert_eq!(refused, Some(AddError::Grow(SizeError::OutOfMemory { bytes: 456 })));
        assert_eq!((added, filter.len(), filter.add(&[0; 4])), (100, 100, Ok(false)));
        filter.set_max_bytes(456);
        let mut answers = Vec::new();
        filter.add_many(&["new"], &mut answers).unwrap();
        assert_eq!((filter.link_count(), answers), (2, vec![true]));
        let copy = BloomFilter::from_header(&filter.header(), 456).unwrap();
        assert!(filter.heap_bytes() >= 456 && copy.heap_bytes() >= 456);
    }
}

/// Servers fill whole words, but a file may have other lengths: the last bytes are bits like all others.
#[test]
fn arrays_need_not_be_whole_words() {
    for bytes in [7, 9, 13] {
        let mut fields = owned(&grown("bf:empty").unwrap());
        fields[4] = Field::Unsigned(bytes * 8 / 12);
        fields[8] = Field::Unsigned(bytes * 8);
        fields[10] = Field::Bytes(vec![0; usize::try_from(bytes).unwrap()]);
        let mut filter = BloomFilter::from_fields(ENCODING_VERSION, fields).unwrap();
        for n in 0..4_u32 {
            filter.add(&n.to_le_bytes()).unwrap();
            assert!((0..=n).all(|n| filter.contains(&n.to_le_bytes())), "{bytes} bytes");
        }
        let array = filter.links().next().unwrap().as_bytes();
        assert_eq!(array.len() as u64, bytes);
        assert_ne!(array.last(), Some(&0));
        let mut loader = Loader::new(&filter.header()).unwrap();
        let mut placed = BloomFilter::from_header(&filter.header(), bytes).unwrap();
        for chunk in filter.chunks().skip(1) {
            loader.load(chunk.cursor, &chunk.bytes).unwrap();
            placed.load_chunk(chunk.cursor, &chunk.bytes).unwrap();
            assert!(placed.load_chunk(chunk.cursor + 1, &chunk.bytes).is_err());
        }
        assert_eq!(loader.finish().unwrap(), filter);
        assert_eq!(placed, filter);
    }
}

#[test]
fn settings_have_their_ranges() {
    let build = |settings: Settings| settings.build().map(|filter| filter.len());
    let new = Settings::new;
    assert_eq!(build(new(0, 0.01)), Err(SettingsError::Capacity { got: 0 }));
    let many = (1 << 30) + 1;
    assert_eq!(build(new(many, 0.01)), Err(SettingsError::Capacity { got: many }));
    assert_eq!(
        build(new(1, 0.01).expansion(32_769)),
        Err(SettingsError::Expansion { got: 32_769 })
    );
    assert_eq!(build(new(1, 0.01).expansion(32_768)), Ok(0));
    for rate in [0.0, 1.0, -0.5, f64::INFINITY] {
        let wrong = SettingsError::Size(SizeError::ErrorRate { got: rate });
        assert_eq!(build(new(1, rate)), Err(wrong));
        assert_eq!(build(new(1, rate).non_scaling()), Err(wrong));
    }
    assert!(build(new(1, f64::NAN)).is_err());
    // Half of the smallest rate is zero.
    let smallest = f64::from_bits(1);
    assert_eq!(build(new(1, smallest).non_scaling()), Ok(0));
    let none = SettingsError::Size(SizeError::ErrorRate { got: 0.0 });
    assert_eq!(build(new(1, smallest)), Err(none));
    // The largest capacity, which reserves 1.5 GB that are never touched.
    assert_eq!(build(new(1 << 30, 0.01)), Ok(0));

    let rate = |settings: Settings| settings.build().unwrap().links().next().unwrap().error_rate();
    assert_eq!(rate(new(10, 0.9)), 0.125);
    assert_eq!(rate(new(10, 0.9).non_scaling()), 0.25);
    assert_eq!(rate(new(10, 0.2).expansion(0)), 0.2);
}

#[test]
fn expansion_zero_does_not_scale_and_is_kept() {
    let mut filter = Settings::new(2, 0.01).expansion(0).build().unwrap();
    assert_eq!(filter.header()[12..20], [13, 0, 0, 0, 0, 0, 0, 0]);
    let mut answers = Vec::new();
    let full = Err(AddError::Full { capacity: 2 });
    assert_eq!(filter.add_many(&["a", "b", "a", "c", "d"], &mut answers), full);
    assert_eq!(answers, [true, true, false]);
    assert_eq!((filter.len(), filter.expansion(), filter.is_scaling()), (2, None, false));
    assert!(!filter.contains(b"c"));
}

#[test]
fn only_filters_of_the_same_settings_merge() {
    let settings = Settings::new(100, 0.01);
    let base = settings.build().unwrap();
    let others = [
        Settings::new(101, 0.01),
        Settings::new(100, 0.011),
        settings.expansion(3),
        settings.non_scaling(),
    ];
    for other in others {
        let mut filter = base.clone();
        assert_eq!(filter.merge(&other.build().unwrap()), Err(MergeError::Different));
        assert_eq!(filter, base);
    }
    let scaled = scaled();
    let first = scaled.links().next().unwrap();
    let settings = Settings::new(first.capacity(), first.error_rate() * 2.0);
    let settings = settings.expansion(scaled.expansion().unwrap());
    let mut limited = settings.build().unwrap();
    let bytes = scaled.links().map(|link| link.bits() / 8).sum();
    limited.set_max_bytes(bytes - 1);
    assert_eq!(limited.merge(&scaled), Err(MergeError::OutOfMemory { bytes }));
    limited.set_max_bytes(bytes);
    assert_eq!(limited.merge(&scaled), Ok(()));
    assert_eq!(limited, scaled);

    // Merging a filter with itself changes nothing; after a merge with another one, it has about as many items as both
    // together.
    let mut filter = Settings::new(1000, 0.001).build().unwrap();
    let mut other = filter.clone();
    for n in 0..500 {
        filter.add(format!("{n}").as_bytes()).unwrap();
        other.add(format!("{}", n + 250).as_bytes()).unwrap();
    }
    let before = filter.clone();
    filter.merge(&before).unwrap();
    assert_eq!(filter, before);
    filter.merge(&other).unwrap();
    assert!(filter.len().abs_diff(750) < 20, "{}", filter.len());
    assert!((0..750).all(|n| filter.contains(format!("{n}").as_bytes())));
}
