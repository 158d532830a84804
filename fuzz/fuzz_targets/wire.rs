//! Any bytes as a frame, and as the value of a frame of each kind: a decoded value can be framed again and reads the
//! same.
#![no_main]

use tallis::wire::{self, Framed, HEADER_LEN, Kind};
use tallis::{Store, rdb};

/// Longer than any input.
const LIMIT: u64 = 1 << 24;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = wire::decode::<Store>(input, LIMIT);
    let Some((&kind, value)) = input.split_first() else { return };
    let mut frame = b"TALLIS\x01".to_vec();
    frame.push(kind % 10);
    frame.extend((value.len() as u64).to_le_bytes());
    frame.extend(value);
    let sum = rdb::crc64(&frame);
    frame.extend(sum.to_le_bytes());
    match Kind::from_byte(kind % 10) {
        Some(Kind::HyperLogLog) => comes_back::<tallis::hll::HyperLogLog>(&frame),
        Some(Kind::IntSet) => comes_back::<tallis::intset::IntSet>(&frame),
        Some(Kind::BloomFilter) => comes_back::<tallis::bloom::BloomFilter>(&frame),
        Some(Kind::ZSet) => comes_back::<tallis::skiplist_zset::ZSet>(&frame),
        Some(Kind::Bitmap) => comes_back::<tallis::bitpack::Bitmap>(&frame),
        Some(Kind::ListPack) => comes_back::<tallis::listpack::ListPack>(&frame),
        Some(Kind::QuickList) => comes_back::<tallis::quicklist::QuickList>(&frame),
        Some(_) => comes_back::<Store>(&frame),
        None => assert!(wire::decode::<Store>(&frame, LIMIT).is_err()),
    }
});

fn comes_back<T: Framed>(frame: &[u8]) {
    let Ok(value) = wire::decode::<T>(frame, LIMIT) else { return };
    let again = wire::encode(&value).expect("a decoded value can be framed");
    assert!(again.len() >= HEADER_LEN);
    let value = wire::decode::<T>(&again, LIMIT).expect("an encoded frame can be decoded");
    assert_eq!(wire::encode(&value).expect("the value was framed before"), again);
}
