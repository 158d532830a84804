//! A frame with wrong lengths does not cause allocations of these sizes.

use tallis::Store;
use tallis::hll::HyperLogLog;
use tallis::rdb::crc64;
use tallis::wire::{self, Error, Kind};
use testkit::alloc::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting::new();

/// A frame of these bytes, with a valid checksum.
fn frame_of(kind: Kind, value: &[u8]) -> Vec<u8> {
    let mut frame = b"TALLIS\x01".to_vec();
    frame.push(kind as u8);
    frame.extend((value.len() as u64).to_le_bytes());
    frame.extend(value);
    let sum = crc64(&frame);
    frame.extend(sum.to_le_bytes());
    frame
}

/// A single test, so that no other thread allocates at the same time.
#[test]
fn a_length_does_not_allocate_memory_for_missing_bytes() {
    let before = ALLOCATOR.live();
    ALLOCATOR.reset_peak();
    let store = Store::new();
    let empty = ALLOCATOR.peak() - before;
    drop(store);

    // One key, of database 0, whose name is "k" and which does not expire.
    let key = [&1_u64.to_le_bytes()[..], &[0; 4], &1_u64.to_le_bytes(), b"k\0"].concat();
    let (string, set) = (0_u32.to_le_bytes(), 3_u32.to_le_bytes());
    for len in [1_u64 << 10, 1 << 30, 1 << 40, 1 << 62, u64::MAX] {
        let len = len.to_le_bytes();
        // At each position of a length: of the value, of the keys, of a key, of a string, of members, of one member.
        let values = [
            (Kind::HyperLogLog, len.to_vec()),
            (Kind::Keys, len.to_vec()),
            (Kind::Keys, [&key[..12], &len].concat()),
            (Kind::Keys, [&key[..], &string, &len].concat()),
            (Kind::Keys, [&key[..], &set, &len].concat()),
            (Kind::Keys, [&key[..], &set, &1_u64.to_le_bytes(), &len].concat()),
        ];
        for (kind, value) in values {
            let frame = frame_of(kind, &value);
            let before = ALLOCATOR.live();
            ALLOCATOR.reset_peak();
            let refused = if kind == Kind::HyperLogLog {
                wire::decode::<HyperLogLog>(&frame, 1 << 40).err()
            } else {
                wire::decode::<Store>(&frame, 1 << 40).err()
            };
            let peak = ALLOCATOR.peak() - before;
            assert!(matches!(refused, Some(Error::Malformed(_))), "{value:?}: {refused:?}");
            // serde reserves memory for at most a megabyte of members before it has read any.
            assert!(peak < empty + (2 << 20), "{value:?}: {peak} bytes");
        }
    }
    let frame = wire::encode(&HyperLogLog::new()).unwrap();
    assert!(wire::decode::<HyperLogLog>(&frame, 1 << 40).is_ok());
}
