//! Any bytes as a payload: what is accepted and written again reads the same.
//!
//! By the first byte the payload is read as it is, or with a footer made right.
#![no_main]

use rdb::{StringValue, Target, Value, WriteError, WriteOptions, crc64, dump};

#[derive(Debug, PartialEq)]
enum Kept {
    String(Vec<u8>),
    IntSet(Vec<u8>),
    SetListpack(Vec<u8>),
    Set(Vec<Vec<u8>>),
    ZSetListpack(Vec<u8>),
    ZSetZiplist(Vec<u8>),
    /// Members, and the bits of their scores.
    ZSet(Vec<(Vec<u8>, u64)>),
    Raw(rdb::RawValue),
}

fn keep(payload: &[u8]) -> Result<Kept, rdb::Error> {
    let mut payload = dump::decode(payload)?;
    // The scan has been through the value: reading it cannot fail.
    Ok(match payload.value().expect("the value was walked") {
        Value::String(string) => Kept::String(string.into_bytes()),
        Value::IntSet(blob) => Kept::IntSet(blob),
        Value::SetListpack(blob) => Kept::SetListpack(blob),
        Value::Raw(raw) => Kept::Raw(raw),
        Value::Set(mut members) => {
            let mut kept = Vec::with_capacity(members.size_hint());
            while let Some(member) = members.next().expect("the value was walked") {
                kept.push(member.to_vec());
            }
            Kept::Set(kept)
        }
        Value::ZSetListpack(blob) => Kept::ZSetListpack(blob),
        Value::ZSetZiplist(blob) => Kept::ZSetZiplist(blob),
        Value::ZSet(mut scores) => {
            let mut kept = Vec::with_capacity(scores.size_hint());
            while let Some((member, score)) = scores.next().expect("the value was walked") {
                kept.push((member.to_vec(), score.to_bits()));
            }
            Kept::ZSet(kept)
        }
    })
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&flags, bytes)) = bytes.split_first() else { return };
    let mut payload = bytes.to_vec();
    if flags & 1 == 0 {
        let version: u16 = [10, 11, 12, 80][usize::from(flags >> 1 & 3)];
        payload.extend_from_slice(&version.to_le_bytes());
        let checksum = crc64(&payload);
        payload.extend_from_slice(&checksum.to_le_bytes());
    }
    let Ok(kept) = keep(&payload) else { return };
    let raw = dump::decode(&payload).and_then(|mut payload| payload.raw_value());
    let raw = raw.expect("what can be read can be taken as it is");

    let options = WriteOptions { target: Target::V12, compression: flags & 8 != 0, checksum: true };
    let again = dump::encode(options, |value| match &kept {
        Kept::String(bytes) => value.string(bytes),
        Kept::IntSet(blob) => value.intset(blob),
        Kept::SetListpack(blob) => value.set_listpack(blob),
        Kept::Raw(raw) => value.raw(raw),
        Kept::Set(members) => {
            let mut to = value.set(members.len() as u64)?;
            members.iter().try_for_each(|member| to.member(member))?;
            to.finish()
        }
        Kept::ZSetListpack(blob) => value.zset_listpack(blob),
        // No version that is written has ziplists of its own.
        Kept::ZSetZiplist(_) => value.raw(&raw),
        Kept::ZSet(scores) => {
            let mut to = value.zset(scores.len() as u64)?;
            for (member, score) in scores {
                to.member(member, f64::from_bits(*score))?;
            }
            to.finish()
        }
    });
    match again {
        Ok(again) => assert_eq!(keep(&again).expect("what was written is right"), kept),
        Err(WriteError::NotInVersion { .. }) => return,
        Err(error) => panic!("{error}"),
    }
    let copy = dump::encode(options, |value| value.raw(&raw)).expect("the version has the type");
    assert_eq!(keep(&copy).expect("what was copied is right"), kept);

    // Text of an integer is written as one, whichever way it came.
    if let Kept::String(bytes) = &kept
        && let Some(int) = std::str::from_utf8(bytes).ok().and_then(|text| text.parse::<i64>().ok())
        && int.to_string().as_bytes() == bytes
    {
        let as_int = dump::encode(options, |value| value.int(int)).expect("memory does not fail");
        let read = dump::decode(&as_int).and_then(|mut read| match read.value()? {
            Value::String(StringValue::Int(read)) => Ok(read.to_string().into_bytes()),
            Value::String(StringValue::Bytes(read)) => Ok(read),
            other => panic!("{other:?}"),
        });
        assert_eq!(&read.expect("what was written is right"), bytes);
    }
});
