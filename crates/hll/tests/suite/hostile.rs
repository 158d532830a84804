//! Bytes that are not a HyperLogLog: an error with the fault and the offset, no panic, and no change.
#![expect(clippy::unwrap_used, reason = "a failure here fails the test")]

use hll::{DENSE_LEN, DecodeError, Encoding, Hll, HllMut, HyperLogLog, SPARSE_MAX_BYTES, Union};
use testkit::oracle::hll::HllOracle;

fn sparse(body: &[u8]) -> Vec<u8> {
    let mut bytes = hll::empty();
    bytes.truncate(16);
    bytes.extend_from_slice(body);
    bytes
}

/// Calls everything that takes bytes.
fn exercise(bytes: &[u8]) {
    let Ok(view) = Hll::new(bytes) else {
        let mut copy = bytes.to_vec();
        assert!(HllMut::new(&mut copy).is_err());
        assert!(Union::new().merge_into(&mut copy, SPARSE_MAX_BYTES).is_err());
        assert_eq!(copy, bytes);
        return;
    };
    let valid = view.validate();
    assert_eq!(view.count().err(), valid.err());
    assert_eq!(view.registers().err_or_unit(), valid);
    assert_eq!(Union::new().merge(&view), valid);
    assert_eq!(HyperLogLog::from_bytes(bytes.to_vec()).err(), valid.err());
    if let Ok(registers) = view.registers() {
        let oracle = HllOracle::from_registers(registers);
        assert_eq!(view.count(), Ok(oracle.count()));
        assert_eq!(view.register(16383), Ok(oracle.registers().last().copied()));
    }
    assert_eq!(view.register(16384), Ok(None));

    let mut copy = bytes.to_vec();
    let merged = Union::new().merge_into(&mut copy, SPARSE_MAX_BYTES);
    assert_eq!(merged.err(), valid.err());
    if merged.is_err() {
        assert_eq!(copy, bytes);
    }
    for (register, rank) in [(0, 40), (0, 1), (5000, 3), (16383, 32), (16383, 51)] {
        let hash = testkit::oracle::hll::HllOp::hash(register, rank);
        for max in [0, bytes.len(), bytes.len() + 1, bytes.len() + 2, SPARSE_MAX_BYTES] {
            let added = HllMut::new(&mut bytes.to_vec()).unwrap().add_hash(hash, max);
            assert_eq!(view.would_add(hash, max), added);
        }
        let mut copy = bytes.to_vec();
        let added = HllMut::new(&mut copy).unwrap().add_hash(hash, SPARSE_MAX_BYTES);
        match added {
            Ok(true) => assert!(Hll::new(&copy).unwrap().register(register).unwrap() >= Some(rank)),
            Ok(false) | Err(_) => assert_eq!(copy, bytes),
        }
        assert!(added.is_ok() || valid.is_err());
    }
}

trait ErrOrUnit {
    fn err_or_unit(self) -> Result<(), DecodeError>;
}

impl<T> ErrOrUnit for Result<T, DecodeError> {
    fn err_or_unit(self) -> Result<(), DecodeError> {
        self.map(|_| ())
    }
}

#[test]
fn each_fault_is_named_with_its_place() {
    let new = |bytes: &[u8]| Hll::new(bytes).map(|_| ());
    assert_eq!(new(b""), Err(DecodeError::ShortHeader { got: 0 }));
    assert_eq!(new(&hll::empty()[..15]), Err(DecodeError::ShortHeader { got: 15 }));
    assert_eq!(new(b"HYLS\x01___________"), Err(DecodeError::WrongMagic { got: *b"HYLS" }));
    assert_eq!(new(b"HYLL\x02___________"), Err(DecodeError::UnknownEncoding { got: 2 }));
    for len in [16, DENSE_LEN - 1, DENSE_LEN + 1] {
        let mut bytes = hll::empty();
        bytes[4] = 0;
        bytes.resize(len, 0);
        assert_eq!(new(&bytes), Err(DecodeError::WrongDenseLength { got: len }));
    }

    let cases: [(&[u8], _); 9] = [
        (b"\x7f\xff", Ok(())),
        (b"\x40\x00\x00\x80\x7f\xfc", Ok(())),
        (b"", Err(DecodeError::WrongRunSum { got: 0, at: 16 })),
        (b"\x7f\xfe", Err(DecodeError::WrongRunSum { got: 16383, at: 18 })),
        (b"\x00\x7f\xff", Err(DecodeError::WrongRunSum { got: 16385, at: 17 })),
        (b"\x7f\xfe\x81", Err(DecodeError::WrongRunSum { got: 16385, at: 18 })),
        (b"\x7f\xbf\x7f", Err(DecodeError::CutOpcode { at: 18 })),
        (b"\x7f\xff\x00", Err(DecodeError::TailBytes { at: 18 })),
        (b"\x7f\xff\x80", Err(DecodeError::TailBytes { at: 18 })),
    ];
    for (body, result) in cases {
        assert_eq!(Hll::new(&sparse(body)).unwrap().validate(), result, "{body:?}");
    }
}

/// No update leaves two bytes for one register.
#[test]
fn a_long_opcode_of_one_register_becomes_a_short_one() {
    let cases: [(&[u8], u16, &[u8]); 2] =
        [(b"\x40\x00\x7f\xfe", 0, b"\x88\x7f\xfe"), (b"\x7f\xfe\x40\x00", 16383, b"\x7f\xfe\x88")];
    for (body, register, expected) in cases {
        let mut bytes = sparse(body);
        let hash = testkit::oracle::hll::HllOp::hash(register, 3);
        assert_eq!(HllMut::new(&mut bytes).unwrap().add_hash(hash, SPARSE_MAX_BYTES), Ok(true));
        assert_eq!(bytes[16..], *expected, "{body:?}");
    }
}

#[test]
fn reserved_bytes_may_hold_anything_and_stay() {
    let mut bytes = hll::empty();
    bytes[5..8].copy_from_slice(&[1, 2, 3]);
    assert_eq!(Hll::new(&bytes).unwrap().count(), Ok(0));
    let mut edit = HllMut::new(&mut bytes).unwrap();
    edit.add(b"a", SPARSE_MAX_BYTES).unwrap();
    edit.promote().unwrap();
    assert_eq!(edit.encoding(), Encoding::Dense);
    assert_eq!(bytes[5..8], [1, 2, 3]);
}

#[test]
fn every_byte_flipped_and_every_length_cut() {
    let mut sketch = HyperLogLog::new();
    sketch.extend((0..40).map(|i| format!("element {i}")));
    sketch.count_and_cache();
    let bytes = sketch.into_bytes();
    for at in 0..bytes.len() {
        exercise(&bytes[..at]);
        for bit in 0..8 {
            let mut bad = bytes.clone();
            bad[at] ^= 1 << bit;
            exercise(&bad);
        }
        let mut bad = bytes.clone();
        bad.insert(at, 0x7f);
        exercise(&bad);
        bad.truncate(at);
        bad.extend_from_slice(&bytes[(at + 1).min(bytes.len())..]);
        exercise(&bad);
    }
}

#[test]
fn random_bodies_never_panic() {
    let mut state = 1u64;
    let mut random = move || {
        state = hll::hash(&state.to_le_bytes());
        state.to_le_bytes()
    };
    for round in 0..3000 {
        let mut body = Vec::new();
        for _ in 0..random()[0] % 20 {
            body.extend_from_slice(&random()[..usize::from(random()[0] % 9)]);
        }
        if round % 2 == 0 {
            // Completes bodies that are too short, so that some are valid.
            let short = match Hll::new(&sparse(&body)).unwrap().validate() {
                Err(DecodeError::WrongRunSum { got, .. }) if got < 16384 => 16384 - got,
                _ => 0,
            };
            if let Some(count) = short.checked_sub(1) {
                let [low, high, ..] = count.to_le_bytes();
                body.extend_from_slice(&[0x40 | high, low]);
            }
        }
        exercise(&sparse(&body));
    }
}

#[test]
fn dense_registers_of_any_value_are_counted() {
    let mut state = 7u64;
    for low in [0, 1, 9, 30, 48, 50, 51, 52, 60, 63] {
        for span in [1, 2, 5, 16, 40, 63] {
            let mut bytes = hll::empty();
            HllMut::new(&mut bytes).unwrap().promote().unwrap();
            for byte in &mut bytes[16..] {
                *byte = 0;
            }
            for register in 0..16384 {
                state = hll::hash(&state.to_le_bytes());
                let value = (low + state % span).min(63);
                let bit = register * 6;
                for i in (0..6).filter(|i| value >> i & 1 == 1) {
                    bytes[16 + (bit + i) / 8] |= 1 << ((bit + i) % 8);
                }
            }
            exercise(&bytes);
        }
    }
}
