//! Snapshots without a server: loading what was saved, and errors that leave everything unchanged.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::fs;
use std::sync::Arc;

use rdb::{Attributes, WriteOptions, Writer};
use tallis::{ErrorKind, ManualClock, Profile, SaveOptions, Store, Target};

#[test]
fn a_failed_save_keeps_the_older_file() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new();
    store.set("k", "v").unwrap();
    for path in [folder.path().to_owned(), folder.path().join("none/dump.rdb"), "/dev/full".into()]
    {
        let error = store.save(&path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io, "{}", path.display());
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left lying about");

    let file = folder.path().join("dump.rdb");
    store.save(&file).unwrap();
    let first = fs::read(&file).unwrap();
    // A value of a type that the old version of the format does not have cannot be saved in it.
    let options = WriteOptions { target: rdb::Target::V12, ..WriteOptions::default() };
    let mut writer = Writer::new(Vec::new(), options).unwrap();
    // A hash of one field, which expires in the year 2100.
    let body = [&4_102_444_800_000_i64.to_le_bytes()[..], b"\x01\x01\x01f\x01v"].concat();
    let hash = rdb::RawValue::new(rdb::ValueType::HashTtl, body).unwrap();
    writer.key(b"new", Attributes::default()).raw(&hash).unwrap();
    let newer = folder.path().join("newer.rdb");
    fs::write(&newer, writer.finish().unwrap()).unwrap();
    let other = Store::new();
    other.load(&newer).unwrap();
    let old = SaveOptions { version: Some(Target::V10), ..SaveOptions::default() };
    let error = other.save_with(&file, old).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(
        error.to_string().ends_with("key 'new': version 10 has no type or opcode 24"),
        "{error}"
    );
    assert_eq!(fs::read(&file).unwrap(), first);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn a_failed_load_leaves_the_store_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dump.rdb");
    let store = Store::new();
    store.sadd("s", [1, 2, 3]).unwrap();
    store.set("k", "v").unwrap();
    store.save(&file).unwrap();
    let good = fs::read(&file).unwrap();
    store.set("k", "w").unwrap();

    assert_eq!(store.load(folder.path().join("none")).unwrap_err().kind(), ErrorKind::Io);
    assert_eq!(store.load(folder.path()).unwrap_err().kind(), ErrorKind::Io);
    for at in 0..good.len() {
        fs::write(&file, &good[..at]).unwrap();
        let error = store.load(&file).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{at}: {error}");
        let mut flipped = good.clone();
        flipped[at] ^= 0x10;
        fs::write(&file, &flipped).unwrap();
        assert_eq!(
            store.load(&file).unwrap_err().kind(),
            ErrorKind::Corrupt,
            "the checksum sees it"
        );
    }
    assert_eq!(store.get("k").unwrap().unwrap(), "w");
    fs::write(&file, &good).unwrap();
    store.load(&file).unwrap();
    assert_eq!(store.get("k").unwrap().unwrap(), "v");
    assert_eq!(store.dbsize().unwrap(), 2);
}

/// Loads a file of the data that `write` writes.
fn loaded(write: impl FnOnce(&mut Writer<Vec<u8>>)) -> Result<Store, tallis::Error> {
    let mut writer = Writer::new(Vec::new(), WriteOptions::default()).unwrap();
    write(&mut writer);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dump.rdb");
    fs::write(&file, writer.finish().unwrap()).unwrap();
    let store = Store::builder().clock(Arc::new(ManualClock::new(1_000))).build();
    store.load(&file).map(|()| store)
}

#[test]
fn invalid_values_are_refused_with_their_key() {
    let key = |writer: &mut Writer<Vec<u8>>, blob: &[u8]| {
        writer.key(b"bad", Attributes::default()).blob(rdb::Blob::IntSet, blob).unwrap();
    };
    let cases: [(&[u8], &str); 4] = [
        (b"\x02\0\0\0\x02\0\0\0\x02\0\x01\0", "intset is malformed"),
        (b"\x02\0\0\0\x03\0\0\0\x02\0\x01\0", "intset is malformed"),
        (b"\x03\0\0\0\x01\0\0\0\x02\0\x01\0", "intset is malformed"),
        (b"\x02\0\0\0\0\0\0\0", "intset is empty"),
    ];
    for (blob, what) in cases {
        let error = loaded(|writer| key(writer, blob)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        let text = error.to_string();
        assert!(
            text.contains("key 'bad': ") && text.contains(what) && text.contains("offset"),
            "{text}"
        );
    }
    let twice = loaded(|writer| {
        let mut members = writer.key(b"bad", Attributes::default()).set(2).unwrap();
        members.member(b"x").unwrap();
        members.member(b"x").unwrap();
        members.finish().unwrap();
    });
    assert!(twice.unwrap_err().to_string().contains("a duplicate member"));
    let key_twice = loaded(|writer| {
        writer.key(b"k", Attributes::default()).string(b"a").unwrap();
        writer.key(b"k", Attributes::default()).string(b"b").unwrap();
    });
    assert!(key_twice.unwrap_err().to_string().contains("duplicate key"));
}

#[test]
fn loading_omits_empty_and_expired_keys() {
    let store = loaded(|writer| {
        writer.key(b"empty", Attributes::default()).set(0).unwrap().finish().unwrap();
        let expired = Attributes { expire_at_ms: Some(1_000), ..Attributes::default() };
        writer.key(b"gone", expired).string(b"x").unwrap();
        let expiring = Attributes { expire_at_ms: Some(1_001), ..Attributes::default() };
        writer.key(b"going", expiring).string(b"x").unwrap();
        writer.select_db(4_000_000_000).unwrap();
        writer.key(b"far", Attributes::default()).int(7).unwrap();
    })
    .unwrap();
    assert_eq!(store.dbsize().unwrap(), 1);
    assert_eq!(store.ttl("going").unwrap().millis(), 1);
    assert_eq!(store.db(4_000_000_000).get("far").unwrap().unwrap(), "7");
}

#[test]
fn a_set_is_loaded_in_the_encoding_of_the_limits() {
    let store = loaded(|writer| {
        for (key, members) in [(b"few", 512), (b"lot", 513)] {
            let mut set = writer.key(key, Attributes::default()).set(members).unwrap();
            for member in 0..members {
                set.member(member.to_string().as_bytes()).unwrap();
            }
            set.finish().unwrap();
        }
    })
    .unwrap();
    assert_eq!(store.object_encoding("few").unwrap(), Some("intset"));
    assert_eq!(store.object_encoding("lot").unwrap(), Some("hashtable"));
}

#[test]
fn a_listpack_is_saved_as_its_members_in_versions_without_listpacks() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new();
    store.sadd("s", ["1", "two", ""]).unwrap();
    assert_eq!(store.object_encoding("s").unwrap(), Some("listpack"));
    for (target, want) in [
        (Target::V9, rdb::ValueType::Set),
        (Target::V10, rdb::ValueType::Set),
        (Target::V11, rdb::ValueType::SetListpack),
    ] {
        let file = folder.path().join("dump.rdb");
        store
            .save_with(&file, SaveOptions { version: Some(target), ..SaveOptions::default() })
            .unwrap();
        let bytes = fs::read(&file).unwrap();
        let mut reader = rdb::Reader::new(bytes.as_slice()).unwrap();
        let kind = loop {
            if let Some(rdb::Record::Key { kind, .. }) = reader.next_record().unwrap() {
                break kind;
            }
        };
        assert_eq!(kind, want);
        let again = Store::new();
        again.load(&file).unwrap();
        assert_eq!(again.object_encoding("s").unwrap(), Some("listpack"));
        assert_eq!(again.smembers("s").unwrap(), ["1", "two", ""]);
        let old = Store::builder().profile(Profile::Redis70).build();
        old.load(&file).unwrap();
        assert_eq!(old.object_encoding("s").unwrap(), Some("hashtable"));
        assert_eq!(old.scard("s").unwrap(), 3);
    }
}

#[test]
fn a_damaged_listpack_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dump.rdb");
    let options = WriteOptions { target: Target::V11, ..WriteOptions::default() };
    for (blob, why) in [
        (&b"\x09\0\0\0\x02\0\x01\x01\xff"[..], "malformed"),
        (b"\x0b\0\0\0\x02\0\x01\x01\x01\x01\xff", "duplicate member"),
        // The same member as an integer and as its text.
        (b"\x0c\0\0\0\x02\0\x01\x01\x811\x02\xff", "duplicate member"),
    ] {
        let mut writer = Writer::new(Vec::new(), options).unwrap();
        writer.key(b"s", Attributes::default()).blob(rdb::Blob::SetListpack, blob).unwrap();
        fs::write(&file, writer.finish().unwrap()).unwrap();
        let error = Store::new().load(&file).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[test]
fn opaque_values_are_kept() {
    // A stream with one entry, as Redis 7.0 writes it.
    const STREAM: &[u8] = b"\x01\x10\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x01\x1d\x1d\0\0\0\n\0\x01\x01\0\x01\x01\x01\x81f\
        \x02\0\x01\x02\x01\0\x01\0\x01\x81v\x02\x04\x01\xff\x01\x01\x01\x01\x01\0\0\x01\0";
    let mut file = b"REDIS0010\xfe\x00\x13\x06stream".to_vec();
    file.extend(STREAM);
    file.extend(b"\xff\0\0\0\0\0\0\0\0");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dump.rdb");
    fs::write(&path, &file).unwrap();
    let store = Store::new();
    store.load(&path).unwrap();
    assert_eq!(store.key_type("stream").unwrap(), Some("stream".into()));
    assert_eq!(store.sadd("stream", [1]).unwrap_err().kind(), ErrorKind::WrongType);
    assert_eq!(store.get("stream").unwrap_err().kind(), ErrorKind::WrongType);
    assert!(store.expire("stream", 100).unwrap());
    let payload = store.dump("stream").unwrap().unwrap();
    store.save(&path).unwrap();
    let again = Store::new();
    again.load(&path).unwrap();
    assert_eq!(again.dump("stream").unwrap().unwrap(), payload);
    assert!(payload.starts_with(&[&b"\x13"[..], STREAM].concat()));
    assert_eq!(store.object_encoding("stream").unwrap(), Some("stream"));
    assert_eq!(store.del(["stream"]).unwrap(), 1);
}
