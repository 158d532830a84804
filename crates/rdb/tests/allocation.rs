//! No length and no count in the input makes the reader allocate more than a constant factor of the input.

mod common;

use common::{bytes, every_file};
use rdb::{Error, ReadOptions, Reader, Record, Value, dump};
use testkit::alloc::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting::new();

/// The buffer, and the room reserved for a string whose length is not verified yet.
const CHUNKS: usize = 2 * (64 << 10);
/// The bytes allocated for a byte of input: 88 for LZF, the byte itself, and its copy in the buffer.
const FACTOR: usize = 90;
/// Headers of blocks and small allocations.
const SLACK: usize = 4 << 10;

/// Reads everything and keeps one value at a time, with the capacity that the reader suggests.
fn read(file: &[u8], length: Option<u64>, raw: bool) -> Result<(), Error> {
    let mut reader = Reader::with_options(file, ReadOptions { length, checksum: false })?;
    while let Some(record) = reader.next_record()? {
        match record {
            Record::Key { .. } if raw => drop(reader.raw_value()?),
            Record::Key { .. } => {
                if let Value::Set(mut members) = reader.value()? {
                    let mut room = Vec::<u8>::with_capacity(members.size_hint());
                    while let Some(member) = members.next()? {
                        room.push(member.first().copied().unwrap_or_default());
                    }
                }
            }
            Record::ResizeDb { keys, .. } => {
                drop(Vec::<u8>::with_capacity(reader.plausible(keys)));
            }
            Record::Aux { .. }
            | Record::SelectDb(_)
            | Record::SlotInfo { .. }
            | Record::SlotImport { .. }
            | Record::Function { .. }
            | Record::ModuleAux { .. } => {}
        }
    }
    Ok(())
}

fn peak_of(work: impl FnOnce()) -> usize {
    let before = ALLOCATOR.live();
    ALLOCATOR.reset_peak();
    work();
    ALLOCATOR.peak() - before
}

fn check(file: &[u8], what: &str) {
    for raw in [false, true] {
        let known = peak_of(|| drop(read(file, Some(file.len() as u64), raw)));
        assert!(known <= FACTOR * file.len() + SLACK, "{what}: {known} bytes, length known");
        let unknown = peak_of(|| drop(read(file, None, raw)));
        assert!(unknown <= FACTOR * file.len() + CHUNKS + SLACK, "{what}: {unknown} bytes");
    }
    let payload = peak_of(|| drop(dump::decode(file)));
    assert!(payload <= SLACK, "{what}: {payload} bytes for a payload with a wrong footer");
}

/// A single test, because the counts are those of the whole process.
#[test]
fn promises_are_not_believed() {
    let lengths: [&[u8]; 5] = [
        b"\x7f\xff",
        b"\x80\x00\xff\xff\xff",
        b"\x80\xff\xff\xff\xff",
        b"\x81\x00\x00\x00\x7f\xff\xff\xff\xff",
        b"\x81\xff\xff\xff\xff\xff\xff\xff\xff",
    ];
    for length in lengths {
        let bodies: [Vec<u8>; 9] = [
            [b"\x00", length].concat(),                        // key
            [b"\x00\x01k", length, b"abc"].concat(),           // string
            [b"\x02\x01k", length, b"\x01a\x01b"].concat(),    // members
            [b"\x02\x01k\x02", length, b"\x01b"].concat(),     // member
            [b"\x00\x01k\xc3\x02", length, b"\x00a"].concat(), // plain length
            [b"\x00\x01k\xc3", length, b"\x01\x00a"].concat(), // stream length
            [b"\xfb", length, length, b"\x00\x01k"].concat(),  // hints
            [b"\x0f\x01k", length, b"\x01a\x01b"].concat(),    // nodes of a stream
            [b"\xfa\x01a", length].concat(),                   // aux
        ];
        for body in bodies {
            let file = [b"REDIS0010", &body[..]].concat();
            check(&file, &body.escape_ascii().to_string());
        }
    }
    for name in every_file() {
        let file = bytes(&name);
        if file.len() > 400 {
            continue;
        }
        for at in 0..file.len() {
            for change in [0x7f, 0x80, 0x81, 0xc3] {
                let mut changed = file.clone();
                changed[at] = change;
                check(&changed, &format!("{name}: {change:#04x} at {at}"));
            }
            check(&file[..at], &format!("{name} cut at {at}"));
        }
    }
    // The bound is tight: a valid file comes near it.
    let mut writer = rdb::Writer::new(Vec::new(), rdb::WriteOptions::default()).unwrap();
    writer.key(b"k", rdb::Attributes::default()).string(&vec![0; 10 << 20]).unwrap();
    let file = writer.finish().unwrap();
    check(&file, "a bomb");
    let held = peak_of(|| read(&file, Some(file.len() as u64), false).unwrap());
    assert!(held > 80 * file.len(), "{held} of {}", file.len());
}
