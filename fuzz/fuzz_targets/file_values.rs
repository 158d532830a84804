//! Any bytes as a file whose values are measured, split into elements and rewritten. Nothing panics, measuring in
//! pieces gives the same result as measuring at once, and the rewritten file can be read.
//!
//! The first byte chooses the version to write and its options.
#![no_main]

use std::sync::LazyLock;

use rdb::{Attributes, ReadOptions, Reader, Record, Target, ValueType, WriteOptions, Writer};
use tallis::file::{Meter, Rewrite, ValueError, each_element};

/// Calls `look` with each value of the file until it returns false.
fn each_value(bytes: &[u8], mut look: impl FnMut(&mut Reader<&[u8]>, ValueType) -> bool) {
    let options = ReadOptions { length: Some(bytes.len() as u64), checksum: false };
    let Ok(mut reader) = Reader::with_options(bytes, options) else { return };
    while let Ok(Some(record)) = reader.next_record() {
        if let Record::Key { kind, .. } = record
            && !look(&mut reader, kind)
        {
            return;
        }
    }
}

/// It measures a store of many keys when it is created, which takes far longer than a file of a few bytes.
static METER: LazyLock<Meter> = LazyLock::new(Meter::new);

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&flags, bytes)) = bytes.split_first() else { return };
    let meter = &*METER;
    let mut whole = Vec::new();
    each_value(bytes, |reader, kind| {
        meter.measure_whole(reader, kind).map(|found| whole.push(found)).is_ok()
    });
    let mut at = 0;
    each_value(bytes, |reader, kind| {
        let found = meter.measure(reader, kind);
        // The values are small enough here to be loaded in one piece.
        if let Some(whole) = whole.get(at) {
            assert_eq!(found.as_ref().expect("the value was measured at once"), whole);
        }
        at += 1;
        found.is_ok()
    });
    each_value(bytes, |reader, _| {
        let at = reader.offset();
        let Ok(value) = reader.value() else { return false };
        each_element(value, at, |_| Ok::<(), ValueError>(())).is_ok()
    });
    let target = Target::ALL[usize::from(flags & 7) % Target::ALL.len()];
    let reencode = flags & 8 != 0;
    let options = WriteOptions { target, compression: !reencode, ..WriteOptions::default() };
    each_value(bytes, |reader, kind| {
        let mut writer = Writer::new(Vec::new(), options).expect("writing to memory does not fail");
        let rewrite = Rewrite::new().reencode(reencode);
        if rewrite.value(reader, kind, writer.key(b"k", Attributes::default())).is_err() {
            return false;
        }
        let file = writer.finish().expect("the value is complete");
        let mut again = Reader::new(&file[..]).expect("a valid header");
        while again.next_record().expect("a written file can be read").is_some() {}
        true
    });
});
