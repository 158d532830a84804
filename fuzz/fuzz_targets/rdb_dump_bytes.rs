//! Any bytes as a DUMP payload: an accepted payload that is written again reads the same.
//!
//! By the first byte, the payload is read unchanged or with a valid footer appended.
#![no_main]

use rdb::{StringValue, Target, ValueType, WriteError, WriteOptions, crc64, dump};
use testkit::kept::Kept;

fn keep(payload: &[u8]) -> Result<Kept, rdb::Error> {
    let mut payload = dump::decode(payload)?;
    // The scan has walked the value, so reading it cannot fail.
    let value = payload.value().and_then(Kept::read).expect("the value was walked");
    Ok(value.with_string_as_bytes())
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&flags, bytes)) = bytes.split_first() else { return };
    let mut payload = bytes.to_vec();
    if flags & 1 == 0 {
        let version: u16 = [10, 11, 13, 80][usize::from(flags >> 1 & 3)];
        payload.extend_from_slice(&version.to_le_bytes());
        let checksum = crc64(&payload);
        payload.extend_from_slice(&checksum.to_le_bytes());
    }
    let Ok(kept) = keep(&payload) else { return };
    let raw = dump::decode(&payload).and_then(|mut payload| payload.raw_value());
    let raw = raw.expect("a value that can be read can be copied");

    let options = WriteOptions { target: Target::V13, compression: flags & 8 != 0, checksum: true };
    let again = dump::encode(options, |value| kept.write(value));
    match again {
        Ok(again) => assert_eq!(keep(&again).expect("a written payload is valid"), kept),
        Err(WriteError::NotInVersion { .. }) => return,
        Err(error) => panic!("{error}"),
    }
    match dump::encode(options, |value| value.raw(&raw)) {
        Ok(copy) => assert_eq!(keep(&copy).expect("a copied payload is valid"), kept),
        // A hash with fields that expire can be written in the form of either server, but copied only in its own.
        Err(WriteError::NotInVersion { .. }) => assert_eq!(raw.kind(), ValueType::ValkeyHashTtl),
        Err(error) => panic!("{error}"),
    }

    // The text of an integer is written as an integer, in whichever form it was read.
    if let Kept::String(StringValue::Bytes(bytes)) = &kept
        && let Some(int) = std::str::from_utf8(bytes).ok().and_then(|text| text.parse::<i64>().ok())
        && int.to_string().as_bytes() == bytes
    {
        let as_int =
            dump::encode(options, |value| value.int(int)).expect("writing to memory does not fail");
        assert_eq!(keep(&as_int).expect("a written payload is valid"), kept);
    }
});
