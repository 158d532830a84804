//! Any bytes as a file: what is accepted and written again reads the same.
//!
//! The first byte chooses how to read; most inputs are read without regard to their checksum, so
//! that they get past it.
#![no_main]

use rdb::{Error, ModulePart, RawValue, ReadOptions, Reader, Target, WriteError, WriteOptions};
use testkit::kept::{Item, Kept, read_file, write_file};

fn read(bytes: &[u8], options: ReadOptions, raw: bool) -> Result<Vec<Item>, Error> {
    read_file(Reader::with_options(bytes, options)?, |reader| {
        if raw { Ok(Kept::Raw(reader.raw_value()?)) } else { Kept::read(reader.value()?) }
    })
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
        Item::Key { key, attributes, metadata, value } => {
            Item::Key { key, attributes, metadata, value: value.with_string_as_bytes() }
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
        if let Item::Key { value: Kept::Raw(raw), .. } = item {
            check_module(raw);
        }
    }
    let compression = flags & 16 != 0;
    let options = WriteOptions { target: Target::V13, compression, ..WriteOptions::default() };
    let again = match write_file(&items, options) {
        Err(WriteError::NotInVersion { .. }) => return,
        again => again.expect("what was read can be written"),
    };
    let length = Some(again.len() as u64);
    let reread = read(&again, ReadOptions { length, checksum: true }, raw);
    let items: Vec<_> = items.into_iter().map(canonical).collect();
    let reread: Vec<_> =
        reread.expect("what was written is right").into_iter().map(canonical).collect();
    assert_eq!(items, reread);
});
