//! Every kernel against its plain twin.

use proptest::prelude::*;

use super::{available, best, portable};
use crate::dense::{Dense, packed_mut};
use crate::hash::hash;
use crate::layout::{DENSE_LEN, HEADER_LEN, PACKED_LEN, Packed, REGISTERS, Unpacked};
use crate::sparse::{self, Spot};

fn filled(mut value: impl FnMut(usize) -> u8) -> Box<Unpacked> {
    let mut registers = Box::new([0; REGISTERS]);
    for (at, register) in registers.iter_mut().enumerate() {
        *register = value(at);
    }
    registers
}

fn packed(registers: &Unpacked) -> Box<Packed> {
    let mut packed = Box::new([0; PACKED_LEN]);
    portable::pack(registers, &mut packed);
    packed
}

/// The dense sketch of the registers, below a header all of whose bits are set.
fn dense(registers: &Unpacked) -> Box<Dense> {
    let mut dense = Box::new([0xff; DENSE_LEN]);
    portable::pack(registers, packed_mut(&mut dense));
    dense
}

/// Register sets of every kind: what input gives, one value alone, each value in one place, everything at random.
fn register_sets() -> Vec<Box<Unpacked>> {
    let mut state = 0u64;
    let mut random = move || {
        state += 1;
        hash(&state.to_le_bytes())
    };
    let mut sets = Vec::new();
    for value in 0..64 {
        sets.push(filled(|_| value));
        sets.push(filled(|at| if at == REGISTERS - 1 { value } else { 0 }));
        sets.push(filled(
            |at| if at * 64 / REGISTERS == usize::from(value) { 63 - value } else { 7 },
        ));
    }
    for _ in 0..6 {
        sets.push(filled(|_| random().to_le_bytes()[0] % 64));
        sets.push(filled(|_| random().to_le_bytes()[0] % 51));
    }
    for load in 0..20 {
        // The highest rank of 2^load elements.
        sets.push(filled(|_| {
            let rank = (random() | 1 << 50).trailing_zeros() + load;
            u8::try_from(rank.min(51)).unwrap()
        }));
    }
    sets.push(filled(|at| u8::try_from(at % 64).unwrap()));
    sets
}

#[test]
fn the_best_kernels_come_first() {
    assert!(core::ptr::eq(best(), available().next().unwrap()));
    assert_eq!(available().last().unwrap().name, "portable");
}

#[test]
#[cfg(all(target_arch = "x86_64", feature = "std"))]
fn a_machine_with_wide_kernels_tests_the_narrower_ones_too() {
    let names: Vec<&str> = available().map(|kernels| kernels.name).collect();
    if std::is_x86_feature_detected!("avx512bw")
        && std::is_x86_feature_detected!("avx512vbmi")
        && std::is_x86_feature_detected!("avx512vnni")
    {
        assert_eq!(names, ["avx512", "avx2", "portable"]);
    } else if std::is_x86_feature_detected!("avx2") {
        assert_eq!(names, ["avx2", "portable"]);
    }
}

#[test]
fn sums_agree() {
    for registers in register_sets() {
        let packed = packed(&registers);
        let sum = portable::sum_unpacked(&registers);
        for kernels in available() {
            assert_eq!((kernels.sum_packed)(&packed), sum, "{}", kernels.name);
            assert_eq!((kernels.sum_unpacked)(&registers), sum, "{}", kernels.name);
        }
    }
}

#[test]
fn packing_agrees_and_comes_back() {
    for registers in register_sets() {
        let plain = packed(&registers);
        for kernels in available() {
            let mut packed = [0xff; PACKED_LEN];
            (kernels.pack)(&registers, &mut packed);
            assert!(packed == *plain, "{}", kernels.name);
            let mut raised = [0; REGISTERS];
            (kernels.raise)(&mut raised, &[&dense(&registers)]);
            assert!(raised == *registers, "{}", kernels.name);
        }
    }
}

#[test]
fn raising_takes_the_highest_of_however_many() {
    let sets = register_sets();
    for (number, start) in sets.iter().enumerate() {
        // Up to two passes over the registers and some that are left.
        let count = number % 20;
        let others: Vec<&Unpacked> =
            (1..=count).map(|at| &*sets[(number + at * 37) % sets.len()]).collect();
        let dense: Vec<Box<Dense>> = others.iter().map(|registers| dense(registers)).collect();
        let dense: Vec<&Dense> = dense.iter().map(|dense| &**dense).collect();
        let highest =
            filled(|at| others.iter().map(|registers| registers[at]).fold(start[at], u8::max));
        for kernels in available() {
            let mut raised = start.clone();
            (kernels.raise)(&mut raised, &dense);
            assert!(raised == highest, "{} {count}", kernels.name);
        }
    }
}

/// The scan from where each kernel stops must end as the scan from the start does, faults included.
fn approaches_agree(body: &[u8], register: u16) {
    // The last byte of the header is that of a count, and before the first opcode.
    for last in [0, 0x80, 0x41] {
        let mut bytes = vec![0; HEADER_LEN];
        bytes[HEADER_LEN - 1] = last;
        bytes.extend_from_slice(body);
        approaches_agree_on(&bytes, register);
    }
}

fn approaches_agree_on(bytes: &[u8], register: u16) {
    let mut plain = Spot::START;
    let run = sparse::find(bytes, &mut plain, register);
    let long_series = |bytes: &[u8]| bytes.iter().all(|byte| byte >> 6 == 1);
    let clear = bytes[HEADER_LEN - 1] >> 6 != 1 && !bytes[HEADER_LEN..].windows(3).any(long_series);
    let exact = clear && bytes.len() >= sparse::WORTH_A_KERNEL;
    for kernels in available() {
        let spot = (kernels.approach)(bytes, register);
        assert!(spot.first <= register.into(), "{}", kernels.name);
        let mut found = spot;
        assert_eq!(sparse::find(bytes, &mut found, register), run, "{}", kernels.name);
        assert_eq!(found, plain, "{} {bytes:02x?}", kernels.name);
        let near = kernels.name == "portable" || !exact || run.is_err() || spot == found;
        assert!(near, "{} stops at {spot:?}, expected {found:?}", kernels.name);
    }
}

/// Bytes that look like the start of an XZERO come often, in series too; a quarter are small zeros.
fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![
        3 => 0x40u8..0x43,
        1 => 0x40u8..0x80,
        2 => 0x80u8..=0xff,
        2 => 0u8..8,
        1 => 0u8..=0xff,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn walks_agree_on_any_bytes(
        body in prop::collection::vec(byte(), 0..400),
        register in prop_oneof![0..200u16, 0..16384u16],
    ) {
        approaches_agree(&body, register);
    }
}

#[test]
fn walks_agree_at_every_register_of_a_sketch() {
    let mut value = crate::empty();
    for number in 0..400u32 {
        let mut edit = crate::HllMut::new(&mut value).unwrap();
        edit.add(&number.to_le_bytes(), 3000).unwrap();
    }
    for register in 0..16384 {
        approaches_agree(&value[HEADER_LEN..], register);
    }
}

#[test]
fn walks_agree_across_the_ends_of_blocks() {
    for lead in 0..=70 {
        for tail in [&[0x41, 0x42, 0x43][..], &[0x40; 9], &[0x7f, 0xff], &[0x84, 0x41, 0x41, 0x41]]
        {
            let mut body = vec![0x80; lead];
            body.extend_from_slice(tail);
            body.extend_from_slice(&[0x81; 70]);
            for cut in [body.len(), lead + 1, lead + 2] {
                for register in (0..200).chain([300, 600, 16383]) {
                    approaches_agree(&body[..cut], register);
                }
            }
        }
    }
}
