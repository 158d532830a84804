//! Any bytes as an RDB file: an accepted file that is written again reads the same.
//!
//! The first byte chooses the options of the reader. Most inputs are read without the checksum, since random bytes
//! rarely have a valid one.
#![no_main]

use rdb::{Error, ModulePart, RawValue, ReadOptions, Reader, Target, WriteError, WriteOptions};
use testkit::kept::{Item, Kept, read_file, write_file};

fn read(bytes: &[u8], options: ReadOptions, raw: bool) -> Result<Vec<Item>, Error> {
    read_file(Reader::with_options(bytes, options)?, |reader| {
        if raw { Ok(Kept::Raw(reader.raw_value()?)) } else { Kept::read(reader.value()?) }
    })
}

/// The parts of a module's value are written unchanged.
fn check_module(raw: &RawValue) {
    let Some((id, parts)) = raw.module_parts() else { return };
    let parts: Vec<_> = parts.map(|part| part.expect("the value was walked")).collect();
    let again = rdb::dump::encode(WriteOptions::default(), |value| {
        let mut value = value.module(id)?;
        parts.iter().try_for_each(|part| value.part(part.borrowed()))?;
        value.finish()
    });
    let again = again.expect("writing to memory does not fail");
    let mut payload = rdb::dump::decode(&again).expect("a written payload can be read");
    let again = payload.raw_value().expect("there is a value");
    let (found, again) = again.module_parts().expect("the value of a module");
    let bits = |part: &ModulePart<Vec<u8>>| format!("{part:?}");
    let again: Vec<_> = again.map(|part| bits(&part.expect("the value was walked"))).collect();
    assert_eq!((found, again), (id, parts.iter().map(bits).collect()));
}

/// An integer may be read as the bytes of its text; it is written as an integer.
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

    // Skipping a value accepts the same bytes as reading it.
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
        again => again.expect("a value that was read can be written"),
    };
    let length = Some(again.len() as u64);
    let reread = read(&again, ReadOptions { length, checksum: true }, raw);
    let items: Vec<_> = items.into_iter().map(canonical).collect();
    let reread: Vec<_> =
        reread.expect("a written file is valid").into_iter().map(canonical).collect();
    assert_eq!(items, reread);
});
