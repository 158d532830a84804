//! Raw bytes as a HyperLogLog: a refused value is unchanged, an accepted one gives the same results as the oracle.
#![no_main]

use hll::{Hll, HllMut, HyperLogLog, SPARSE_MAX_BYTES, Union};
use testkit::oracle::hll::{HllOp, HllOracle};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    as_it_comes(input);
    // Most random bytes have no valid header, so the same bytes are also tried as a sparse body and as dense registers.
    let mut sparse = hll::empty();
    sparse.truncate(16);
    sparse.extend_from_slice(input);
    as_it_comes(&sparse);
    let mut dense = hll::empty();
    HllMut::new(&mut dense).unwrap().promote().unwrap();
    for (byte, &random) in dense[16..].iter_mut().zip(input.iter().cycle()) {
        *byte = random;
    }
    as_it_comes(&dense);
});

fn as_it_comes(bytes: &[u8]) {
    let mut copy = bytes.to_vec();
    let Ok(view) = Hll::new(bytes) else {
        assert!(HllMut::new(&mut copy).is_err());
        assert!(Union::new().merge_into(&mut copy, SPARSE_MAX_BYTES).is_err());
        assert_eq!(copy, bytes);
        return;
    };
    let valid = view.validate();
    assert_eq!(view.count().err(), valid.err());
    assert_eq!(Union::new().merge(&view), valid);

    let (register, rank) = bytes.iter().fold((0u16, 0u8), |(register, rank), &byte| {
        (register.wrapping_mul(31).wrapping_add(byte.into()), rank.wrapping_add(byte))
    });
    let hash = HllOp::hash(register, rank);
    let added = HllMut::new(&mut copy).unwrap().add_hash(hash, SPARSE_MAX_BYTES);
    if added != Ok(true) {
        assert_eq!(copy, bytes);
    }

    many(bytes);

    match HyperLogLog::from_bytes(bytes.to_vec()) {
        Err(error) => assert_eq!(valid, Err(error)),
        Ok(sketch) => {
            assert_eq!(sketch.as_bytes(), bytes);
            let mut oracle = HllOracle::from_registers(view.registers().unwrap());
            assert_eq!(view.count(), Ok(oracle.count()));
            // A register of a dense value may hold up to 63, which is greater than any rank.
            assert_eq!(added, Ok(oracle.add_hash(hash)));
            let view = Hll::new(&copy).unwrap();
            assert_eq!(view.count(), Ok(oracle.count()));
            assert!(view.registers().unwrap().eq(oracle.registers().iter().copied()));

            let mut union = Union::new();
            union.merge(&view).unwrap();
            let mut merged = sketch.into_bytes();
            union.merge_into(&mut merged, SPARSE_MAX_BYTES).unwrap();
            let merged = HyperLogLog::from_bytes(merged).unwrap();
            assert_eq!(merged, HyperLogLog::from_bytes(copy).unwrap());
            assert_eq!(merged.count(), union.count());
        }
    }
}

/// A batch of additions leaves the same value as single additions, and fails where they fail.
fn many(bytes: &[u8]) {
    let pieces = bytes.rchunks_exact(3).take(100);
    let hashes: Vec<u64> = pieces
        .map(|piece| HllOp::hash(u16::from_le_bytes([piece[0], piece[1] % 2]), piece[2] % 33))
        .collect();
    let (mut many, mut single) = (bytes.to_vec(), bytes.to_vec());
    let mut changed = Vec::new();
    let done = HllMut::new(&mut many).unwrap().add_hashes(&hashes, SPARSE_MAX_BYTES, &mut changed);
    let mut edit = HllMut::new(&mut single).unwrap();
    let mut each = Vec::new();
    let one_by_one = hashes.iter().try_for_each(|&hash| {
        each.push(edit.add_hash(hash, SPARSE_MAX_BYTES)?);
        Ok(())
    });
    assert_eq!(done, one_by_one);
    assert_eq!(changed, each);
    assert_eq!(many, single);
}
