//! Every kernel against its plain twin, and the plain ones against the definition, byte by byte.

use proptest::prelude::*;

use super::{Fold, available, best};

/// Lengths that are tried at every alignment: some blocks of the widest kernel.
const LENS: usize = 300;
const ALIGNMENTS: usize = 64;

fn noise(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        // A Weyl sequence, mixed.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb).to_le_bytes()[7]
    };
    (0..len).map(|_| next()).collect()
}

fn plain_count(bytes: &[u8]) -> u64 {
    bytes.iter().map(|byte| u64::from(byte.count_ones())).sum()
}

fn plain_skip(bytes: &[u8], byte: u8) -> usize {
    bytes.iter().position(|&got| got != byte).unwrap_or(bytes.len())
}

fn plain_bit(fold: Fold, x: bool, ys: &[bool]) -> bool {
    let any = ys.contains(&true);
    let set = usize::from(x) + ys.iter().filter(|&&y| y).count();
    match fold {
        Fold::And => x && !ys.contains(&false),
        Fold::Or => x || any,
        Fold::Xor => set % 2 == 1,
        Fold::Not => !x,
        Fold::Diff => x && !any,
        Fold::Diff1 => !x && any,
        Fold::AndOr => x && any,
        Fold::One => set == 1,
    }
}

fn plain_byte(fold: Fold, first: u8, others: &[u8]) -> u8 {
    (0..8).fold(0, |byte, bit| {
        let ys: Vec<bool> = others.iter().map(|y| y >> bit & 1 == 1).collect();
        byte | u8::from(plain_bit(fold, first >> bit & 1 == 1, &ys)) << bit
    })
}

fn combine_agrees(fold: Fold, first: &[u8], others: &[&[u8]], out: &mut [u8]) {
    for kernels in available() {
        out.fill(0x5a);
        (kernels.combine)(out, fold, first, others);
        for (at, &got) in out.iter().enumerate() {
            let ys: Vec<u8> = others.iter().map(|y| y[at]).collect();
            let wanted = plain_byte(fold, first[at], &ys);
            assert_eq!(got, wanted, "{} {fold:?} at {at} of {}", kernels.name, first.len());
        }
    }
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
    if std::is_x86_feature_detected!("avx512bw") && std::is_x86_feature_detected!("avx512vpopcntdq")
    {
        assert_eq!(names, ["avx512", "avx2", "portable"]);
    } else if std::is_x86_feature_detected!("avx2") {
        assert_eq!(names, ["avx2", "portable"]);
    }
}

#[test]
fn counts_agree_at_every_length_and_alignment() {
    let bytes = noise(1, LENS + ALIGNMENTS);
    for start in 0..ALIGNMENTS {
        for len in 0..=LENS {
            let bytes = &bytes[start..start + len];
            for kernels in available() {
                let got = (kernels.count)(bytes);
                assert_eq!(got, plain_count(bytes), "{} {start} {len}", kernels.name);
            }
        }
    }
}

#[test]
fn full_strings_are_counted_whole() {
    for len in [511, 512, 513, 4096, 70_000] {
        for kernels in available() {
            assert_eq!((kernels.count)(&vec![0xff; len]), len as u64 * 8, "{}", kernels.name);
            assert_eq!((kernels.count)(&vec![0; len]), 0, "{}", kernels.name);
        }
    }
}

#[test]
fn skips_agree_at_every_length_alignment_and_stop() {
    for byte in [0, 0xff, 0x5a] {
        let mut bytes = vec![byte; LENS + ALIGNMENTS];
        for start in 0..ALIGNMENTS {
            for len in 0..=LENS {
                let bytes = &mut bytes[start..start + len];
                // One stop for each length, so that all of them come up, and none.
                let stop = (len > 0).then(|| start * 37 % len);
                for stop in [stop, None] {
                    if let Some(stop) = stop {
                        bytes[stop] ^= 1 << (stop % 8);
                    }
                    for kernels in available() {
                        let got = (kernels.skip)(bytes, byte);
                        assert_eq!(got, plain_skip(bytes, byte), "{} {start} {len}", kernels.name);
                        assert_eq!(got, stop.unwrap_or(len), "{} {start} {len}", kernels.name);
                    }
                    if let Some(stop) = stop {
                        bytes[stop] = byte;
                    }
                }
            }
        }
    }
}

#[test]
fn every_stop_is_found() {
    let mut bytes = vec![0; 700];
    for stop in 0..bytes.len() {
        bytes[stop] = 0x80;
        for kernels in available() {
            assert_eq!((kernels.skip)(&bytes, 0), stop, "{}", kernels.name);
        }
        bytes[stop] = 0;
    }
}

#[test]
fn combinations_agree_at_every_length_and_alignment() {
    let sources: Vec<Vec<u8>> = (0..5).map(|seed| noise(seed, LENS + ALIGNMENTS)).collect();
    let mut out = vec![0; LENS + ALIGNMENTS];
    for start in 0..ALIGNMENTS {
        for len in 0..=LENS {
            // The sources lie elsewhere, and every operation is tried with every number of them at many lengths.
            let part = |at: usize| &sources[at][(start * (at + 3) + at) % ALIGNMENTS..][..len];
            let fold = Fold::ALL[(start + len) % Fold::ALL.len()];
            let others: Vec<&[u8]> = (1..=len % 5).map(part).collect();
            combine_agrees(fold, part(0), &others, &mut out[start..start + len]);
        }
    }
}

#[test]
fn every_operation_meets_every_number_of_sources() {
    let sources: Vec<Vec<u8>> = (0..12).map(|seed| noise(seed, 1000)).collect();
    for fold in Fold::ALL {
        for number in 0..sources.len() {
            let others: Vec<&[u8]> = sources[1..=number].iter().map(Vec::as_slice).collect();
            combine_agrees(fold, &sources[0], &others, &mut [0; 777]);
        }
    }
}

/// Long strings, mixed or mostly of one byte.
fn long() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![Just(0u8), Just(0xff), any::<u8>()];
    let mixed = prop::collection::vec(byte, 0..20_000);
    let plain = (prop_oneof![Just(0u8), Just(0xff)], 0..20_000usize, any::<(u16, u8)>());
    let plain = plain.prop_map(|(byte, len, (at, other))| {
        let mut bytes = vec![byte; len];
        if len > 0 {
            bytes[usize::from(at) % len] = other;
        }
        bytes
    });
    prop_oneof![mixed, plain]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn long_strings_agree(bytes in long(), start in 0..ALIGNMENTS) {
        let bytes = bytes.get(start..).unwrap_or_default();
        for kernels in available() {
            prop_assert_eq!((kernels.count)(bytes), plain_count(bytes), "{}", kernels.name);
            for byte in [0, 0xff] {
                prop_assert_eq!((kernels.skip)(bytes, byte), plain_skip(bytes, byte), "{}", kernels.name);
            }
        }
    }

    #[test]
    fn long_combinations_agree(
        fold in prop::sample::select(&Fold::ALL[..]),
        sources in prop::collection::vec(long(), 1..6),
    ) {
        let len = sources.iter().map(Vec::len).min().unwrap_or(0);
        let others: Vec<&[u8]> = sources[1..].iter().map(Vec::as_slice).collect();
        combine_agrees(fold, &sources[0], &others, &mut vec![0; len]);
    }
}
