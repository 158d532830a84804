//! Filters recorded from live servers: loaded, queried, written again, and created again by the same commands.

use bloom::{BloomFilter, ENCODING_VERSION, Field, Loader};

use crate::common::{Recorded, body_of, fields_of, grown, recorded};

/// Checks everything that the recording says about a filter.
fn agrees(filter: &BloomFilter, with: &Recorded) {
    let key = &with.key;
    let info = [
        Some(filter.capacity()),
        Some(filter.memory()),
        Some(filter.link_count() as u64),
        Some(filter.len()),
        filter.expansion().map(u64::from),
    ];
    assert_eq!(info[..], with.info, "{key}");

    let chunks: Vec<_> = filter.chunks().map(|c| (c.cursor, c.bytes.into_owned())).collect();
    assert!(chunks == with.chunks, "{key}: another dump");
    let body = &with.payload[..with.payload.len() - 10];
    assert!(body_of(filter) == body, "{key}: another payload");

    let one_by_one: Vec<_> =
        with.items.iter().map(|item| filter.contains(item.as_bytes())).collect();
    assert!(one_by_one == with.answers, "{key}: other answers");
    let mut many = Vec::new();
    filter.contains_many(&with.items, &mut many);
    assert!(many == with.answers, "{key}: other answers to many at once");
}

#[test]
fn payloads_load_answer_and_come_back() {
    for with in recorded() {
        let fields = fields_of(&with.payload);
        let filter = BloomFilter::from_fields(ENCODING_VERSION, fields).unwrap();
        agrees(&filter, &with);
    }
}

#[test]
fn dumps_load_answer_and_come_back() {
    for with in recorded() {
        let mut loader = Loader::new(&with.chunks[0].1).unwrap();
        let mut placed = BloomFilter::from_header(&with.chunks[0].1, 10_000).unwrap();
        for (cursor, chunk) in &with.chunks[1..] {
            assert!(!loader.is_complete());
            loader.load(*cursor, chunk).unwrap();
        }
        for (cursor, chunk) in with.chunks[1..].iter().rev() {
            placed.load_chunk(*cursor, chunk).unwrap();
        }
        assert!(loader.is_complete());
        agrees(&loader.finish().unwrap(), &with);
        agrees(&placed, &with);
    }
}

#[test]
fn the_same_commands_make_the_same_filters() {
    for with in recorded() {
        agrees(&grown(&with.key).unwrap(), &with);
    }
}

/// A loaded filter continues like the filter that was saved.
#[test]
fn a_loaded_filter_grows_like_the_one_saved() {
    for with in recorded() {
        let mut loaded =
            BloomFilter::from_fields(ENCODING_VERSION, fields_of(&with.payload)).unwrap();
        let mut kept = grown(&with.key).unwrap();
        for n in 0..3000 {
            let item = format!("more{n}");
            assert_eq!(loaded.add(item.as_bytes()), kept.add(item.as_bytes()));
        }
        assert_eq!(loaded, kept);
    }
}

/// Versions 2 and 3 do not have the expansion, which was always 2.
#[test]
fn older_versions_lack_the_expansion() {
    for with in recorded().into_iter().filter(|with| with.key != "bf:exp4") {
        let mut fields = fields_of(&with.payload);
        assert_eq!(fields.remove(3), Field::Unsigned(2));
        for version in [2, 3] {
            let filter = BloomFilter::from_fields(version, fields.clone()).unwrap();
            agrees(&filter, &with);
        }
    }
}
