//! Any bytes as a file: what is accepted and written again reads the same.
//!
//! The first byte chooses how to read; most inputs are read without regard to their checksum, so
//! that they get past it.
#![no_main]

use rdb::{
    Attributes, Error, ModulePart, RawValue, ReadOptions, Reader, Record, StringValue, Target,
    Value, WriteOptions, Writer,
};

#[derive(Debug, PartialEq)]
enum Kept {
    String(StringValue),
    IntSet(Vec<u8>),
    SetListpack(Vec<u8>),
    Set(Vec<Vec<u8>>),
    ZSetListpack(Vec<u8>),
    ZSetZiplist(Vec<u8>),
    /// Members, and the bits of their scores.
    ZSet(Vec<(Vec<u8>, u64)>),
    Raw(RawValue),
}

#[derive(Debug, PartialEq)]
enum Item {
    Key(Vec<u8>, Attributes, Kept),
    Other(Record),
}

/// Bytes that all that is kept of an input may take. An input of a few kilobytes can stand for
/// megabytes of repeats; more teaches nothing.
const ENOUGH: usize = 4 << 20;

fn read(bytes: &[u8], options: ReadOptions, raw: bool) -> Result<Vec<Item>, Error> {
    let mut reader = Reader::with_options(bytes, options)?;
    let (mut items, mut size) = (Vec::new(), 0);
    while let Some(record) = reader.next_record()? {
        let (key, attributes) = match record {
            Record::Key { key, attributes, .. } => (key, attributes),
            other => {
                items.push(Item::Other(other));
                continue;
            }
        };
        let value = if raw {
            Kept::Raw(reader.raw_value()?)
        } else {
            match reader.value()? {
                Value::String(string) => Kept::String(string),
                Value::IntSet(blob) => Kept::IntSet(blob),
                Value::SetListpack(blob) => Kept::SetListpack(blob),
                Value::Raw(raw) => Kept::Raw(raw),
                Value::Set(mut members) => {
                    let mut kept = Vec::with_capacity(members.size_hint());
                    while let Some(member) = members.next()? {
                        size += member.len();
                        kept.push(member.to_vec());
                        if size > ENOUGH {
                            break;
                        }
                    }
                    Kept::Set(kept)
                }
                Value::ZSetListpack(blob) => Kept::ZSetListpack(blob),
                Value::ZSetZiplist(blob) => Kept::ZSetZiplist(blob),
                Value::ZSet(mut scores) => {
                    let mut kept = Vec::with_capacity(scores.size_hint());
                    while let Some((member, score)) = scores.next()? {
                        size += member.len();
                        kept.push((member.to_vec(), score.to_bits()));
                        if size > ENOUGH {
                            break;
                        }
                    }
                    Kept::ZSet(kept)
                }
            }
        };
        items.push(Item::Key(key, attributes, value));
        if size > ENOUGH {
            break;
        }
    }
    Ok(items)
}

/// No version that is written has ziplists of its own: one is passed on as it came.
fn ziplist(blob: &[u8]) -> RawValue {
    let len = (blob.len() as u64).to_be_bytes();
    let body = [&[0x81][..], &len, blob].concat();
    RawValue::new(rdb::ValueType::ZSetZiplist, body).expect("a string is all there is to it")
}

/// Writes items as the newest version; `None` if one is of a type that it does not have.
fn write(items: &[Item], compression: bool) -> Option<Vec<u8>> {
    let options = WriteOptions { target: Target::V12, compression, ..WriteOptions::default() };
    let mut writer = Writer::new(Vec::new(), options).expect("memory does not fail");
    for item in items {
        let written = match item {
            Item::Other(Record::Aux { key, value }) => writer.aux(key, value),
            Item::Other(Record::SelectDb(number)) => writer.select_db(*number),
            Item::Other(Record::ResizeDb { keys, expires }) => writer.resize_db(*keys, *expires),
            Item::Other(Record::SlotInfo { slot, keys, expires }) => {
                writer.slot_info(*slot, *keys, *expires)
            }
            Item::Other(Record::Function { code }) => writer.function(code),
            Item::Other(Record::ModuleAux { body, .. }) => writer.module_aux(body),
            Item::Other(Record::Key { .. }) => unreachable!("keys are kept apart"),
            Item::Key(key, attributes, value) => {
                let to = writer.key(key, *attributes);
                match value {
                    Kept::String(StringValue::Int(int)) => to.int(*int),
                    Kept::String(StringValue::Bytes(bytes)) => to.string(bytes),
                    Kept::IntSet(blob) => to.intset(blob),
                    Kept::SetListpack(blob) => to.set_listpack(blob),
                    Kept::Raw(raw) => match to.raw(raw) {
                        Err(rdb::WriteError::NotInVersion { .. }) => return None,
                        other => other,
                    },
                    Kept::Set(members) => to.set(members.len() as u64).and_then(|mut to| {
                        members.iter().try_for_each(|member| to.member(member))?;
                        to.finish()
                    }),
                    Kept::ZSetListpack(blob) => to.zset_listpack(blob),
                    Kept::ZSetZiplist(blob) => to.raw(&ziplist(blob)),
                    Kept::ZSet(scores) => to.zset(scores.len() as u64).and_then(|mut to| {
                        for (member, score) in scores {
                            to.member(member, f64::from_bits(*score))?;
                        }
                        to.finish()
                    }),
                }
            }
        };
        written.expect("what was read can be written");
    }
    Some(writer.finish().expect("all members were written"))
}

/// The parts of a module's value are written as the same parts.
fn check_module(raw: &RawValue) {
    let Some((id, parts)) = raw.module_parts() else { return };
    let parts: Vec<_> = parts.map(|part| part.expect("it was walked")).collect();
    let again = rdb::dump::encode(WriteOptions::default(), |value| {
        let mut value = value.module(id)?;
        parts.iter().try_for_each(|part| value.part(part.borrowed()))?;
        value.finish()
    });
    let again = again.expect("memory does not fail");
    let mut payload = rdb::dump::decode(&again).expect("what was written is read");
    let again = payload.raw_value().expect("there is a value");
    let (found, again) = again.module_parts().expect("it is a module's");
    let bits = |part: &ModulePart<Vec<u8>>| format!("{part:?}");
    let again: Vec<_> = again.map(|part| bits(&part.expect("it was walked"))).collect();
    assert_eq!((found, again), (id, parts.iter().map(bits).collect()));
}

/// Text of an integer may come as bytes; it is written as an integer.
fn canonical(item: Item) -> Item {
    match item {
        Item::Key(key, attributes, Kept::String(string)) => {
            Item::Key(key, attributes, Kept::String(StringValue::Bytes(string.into_bytes())))
        }
        other => other,
    }
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&flags, bytes)) = bytes.split_first() else { return };
    let length = (flags & 1 == 0).then_some(bytes.len() as u64);
    let checksum = flags & 6 == 6;
    let raw = flags & 8 != 0;
    let options = ReadOptions { length, checksum };

    // Passing over a value accepts what reading it accepts.
    let skip = || -> Result<(), Error> {
        let mut reader = Reader::with_options(bytes, options)?;
        while reader.next_record()?.is_some() {}
        Ok(())
    };
    let result = read(bytes, options, raw);
    let Ok(items) = result else {
        assert!(skip().is_err());
        return;
    };
    for item in &items {
        if let Item::Key(_, _, Kept::Raw(raw)) = item {
            check_module(raw);
        }
    }
    let Some(again) = write(&items, flags & 16 != 0) else { return };
    let length = Some(again.len() as u64);
    let reread = read(&again, ReadOptions { length, checksum: true }, raw);
    let items: Vec<_> = items.into_iter().map(canonical).collect();
    let reread: Vec<_> =
        reread.expect("what was written is right").into_iter().map(canonical).collect();
    assert_eq!(items, reread);
});
