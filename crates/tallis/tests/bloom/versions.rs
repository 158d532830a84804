//! Values of other versions, and damaged ones.

use rdb::{ModuleId, ModulePart, Target, Value as Raw, WriteOptions};
use tallis::{ErrorKind, Profile, RestoreOptions, Store};

use super::recorded::recorded;

type Parts = Vec<ModulePart<Vec<u8>>>;

fn parts_of(payload: &[u8]) -> Parts {
    let mut payload = rdb::dump::decode(payload).unwrap();
    let Raw::Raw(raw) = payload.value().unwrap() else { panic!("no module's value") };
    let (id, parts) = raw.module_parts().unwrap();
    assert_eq!((id.name(), id.version()), (*b"MBbloom--", 4));
    parts.map(Result::unwrap).collect()
}

fn payload_of(version: u16, parts: &Parts) -> Vec<u8> {
    let options = WriteOptions { target: Target::V10, ..WriteOptions::default() };
    let written = rdb::dump::encode(options, |value| {
        let mut value = value.module(ModuleId::new(*b"MBbloom--", version).unwrap())?;
        for part in parts {
            value.part(part.borrowed())?;
        }
        value.finish()
    });
    written.unwrap()
}

/// A file with this value at the key `k`.
fn file_of(version: u16, parts: &Parts) -> Vec<u8> {
    let options = WriteOptions { target: Target::V10, ..WriteOptions::default() };
    let mut writer = rdb::Writer::new(Vec::new(), options).unwrap();
    writer.select_db(0).unwrap();
    let value = writer.key(b"k", rdb::Attributes::default());
    let mut value = value.module(ModuleId::new(*b"MBbloom--", version).unwrap()).unwrap();
    for part in parts {
        value.part(part.borrowed()).unwrap();
    }
    value.finish().unwrap();
    writer.finish().unwrap()
}

fn store() -> Store {
    Store::builder().profile(Profile::Redis70).build()
}

/// The values of version 4 of a filter with one link, and of one with several.
fn values() -> [Parts; 2] {
    let of = |key: &str| {
        let all = recorded("redis-7.0.15");
        parts_of(&all.iter().find(|with| with.key == key).unwrap().payload)
    };
    let values = [of("bf:default"), of("bf:scaled")];
    assert_eq!(values.each_ref().map(Vec::len), [12, 36]);
    values
}

#[test]
fn versions_2_and_3_lack_the_expansion_which_is_2() {
    for parts in values() {
        let mut old = parts.clone();
        assert_eq!(old.remove(3), ModulePart::Unsigned(2));
        for version in [2, 3] {
            let store = store();
            let payload = payload_of(version, &old);
            store.restore("k", &payload, RestoreOptions::default()).unwrap();
            assert_eq!(store.bf_info("k").unwrap().expansion, Some(2));
            // The written version is 4.
            let written = store.dump("k").unwrap().unwrap();
            assert_eq!(parts_of(&written), parts);
            assert_eq!(written, payload_of(4, &parts));
        }
    }
}

#[test]
fn filters_of_other_versions_are_kept_unchanged() {
    let [parts, scaled] = values();
    let mut without_expansion = parts.clone();
    without_expansion.remove(3);
    let mut without_options = without_expansion.clone();
    without_options.remove(2);
    let rounded = |parts: &Parts, options| {
        let mut parts = parts.clone();
        parts[2] = ModulePart::Unsigned(options);
        parts
    };
    // The number of bits rounded up to a power of two, which is the third field from the end of a link.
    let mut power = parts.clone();
    power[2] = ModulePart::Unsigned(4);
    power[8] = ModulePart::Unsigned(2048);
    power[9] = ModulePart::Unsigned(11);
    power[10] = ModulePart::Bytes(vec![0; 256]);
    let folder = tempfile::tempdir().unwrap();
    let (file, copy) = (folder.path().join("file"), folder.path().join("copy"));
    for (version, parts) in [
        (0, without_options.clone()),
        (1, without_options),
        (5, parts.clone()),
        (4, rounded(&parts, 4)),
        (4, rounded(&parts, 0)),
        (4, rounded(&scaled, 4)),
        (4, power),
    ] {
        let payload = payload_of(version, &parts);
        let first = store();
        first.restore("k", &payload, RestoreOptions::default()).unwrap();
        assert_eq!(first.key_type("k").unwrap().as_deref(), Some("MBbloom--"), "{version}");
        assert_eq!(first.bf_info("k").unwrap_err().kind(), ErrorKind::WrongType, "{version}");
        assert_eq!(first.bf_add("k", "a").unwrap_err().kind(), ErrorKind::WrongType);
        assert_eq!(first.dump("k").unwrap().unwrap(), payload, "{version}");

        std::fs::write(&file, file_of(version, &parts)).unwrap();
        let second = store();
        second.load(&file).unwrap();
        second
            .save_with(
                &copy,
                tallis::SaveOptions {
                    version: Some(Target::V10),
                    ..tallis::SaveOptions::default()
                },
            )
            .unwrap();
        let third = store();
        third.load(&copy).unwrap();
        assert_eq!(third.dump("k").unwrap().unwrap(), payload, "{version}");
    }
}

#[test]
fn damaged_filters_are_refused_with_key_and_offset() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let [good, _] = values();
    let number = |at: usize, number: u64| {
        let mut parts = good.clone();
        parts[at] = ModulePart::Unsigned(number);
        parts
    };
    let mut damaged = vec![
        number(9, 64), // the power of two
        number(1, 0),  // links
        number(1, 2),
        number(1, 1 << 40),
        number(3, u64::MAX), // the expansion
        number(4, 0),        // the capacity
        number(4, 100_000),
        number(6, 9),    // the hashes
        number(8, 1151), // the bits
        number(8, 0),
        number(8, u64::MAX),
        number(5, 1),  // not a double
        number(10, 1), // not bytes
        good[..11].to_vec(),
        good[..4].to_vec(),
        Vec::new(),
        [&good[..], &[ModulePart::Unsigned(0)]].concat(),
    ];
    for rate in [0.0, 1.0, -0.5, f64::NAN, f64::INFINITY, 0.5] {
        let mut parts = good.clone();
        parts[5] = ModulePart::Double(rate);
        damaged.push(parts);
    }
    let mut short = good.clone();
    short[10] = ModulePart::Bytes(vec![0; 143]);
    damaged.push(short);
    let sound = store();
    sound.restore("k", payload_of(4, &good), RestoreOptions::default()).unwrap();
    for parts in damaged {
        let store = store();
        let refused = store.restore("k", payload_of(4, &parts), RestoreOptions::default());
        let refused = refused.expect_err(&format!("{parts:?}"));
        assert_eq!(refused.kind(), ErrorKind::Corrupt, "{parts:?}");
        assert_eq!(refused.to_string(), "ERR Bad data format", "{parts:?}");

        let bytes = file_of(4, &parts);
        let key = bytes.windows(2).position(|pair| pair == b"\x01k").unwrap();
        std::fs::write(&file, bytes).unwrap();
        let refused = store.load(&file).unwrap_err();
        let text = refused.to_string();
        assert_eq!(refused.kind(), ErrorKind::Corrupt, "{text}");
        assert!(text.contains("key 'k'") && text.contains("Bloom filter"), "{text}");
        let offset = text.rsplit_once("offset ").unwrap().1;
        let offset: usize = offset.parse().unwrap_or_else(|_| panic!("{text}"));
        assert!((key - 1..key + 20).contains(&offset), "{text}: the key is at {key}");
        assert_eq!(store.dbsize().unwrap(), 0);
    }
}
