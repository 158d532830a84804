//! Random operations compared with the oracle, with limits so low that every case of an update occurs soon.

use proptest::prelude::*;
use testkit::oracle::hll::HllOp;

#[path = "../subject/mod.rs"]
mod subject;

fn op(registers: u16) -> impl Strategy<Value = HllOp> {
    // Ranks around the limit of the sparse encoding are rare, so that most sequences stay sparse for a while.
    let rank = prop_oneof![60 => 1..6u8, 5 => 1..33u8, 1 => 33..52u8];
    let place =
        (0..registers, rank.clone()).prop_map(|(register, rank)| HllOp::Place { register, rank });
    let run = (0..registers, any::<u8>(), rank).prop_map(|(register, len, rank)| HllOp::Run {
        register,
        len,
        rank,
    });
    prop_oneof![
        40 => place,
        15 => run,
        10 => any::<u16>().prop_map(HllOp::Add),
        4 => Just(HllOp::Count),
        3 => Just(HllOp::Merge),
        3 => Just(HllOp::Swap),
        1 => Just(HllOp::Promote),
        1 => Just(HllOp::Clear),
    ]
}

fn ops() -> impl Strategy<Value = Vec<HllOp>> {
    // With few registers, runs meet, split and join; with all of them, the bytes become long.
    prop_oneof![Just(40u16), Just(700), Just(16384)]
        .prop_flat_map(|registers| prop::collection::vec(op(registers), 1..120))
}

fn limit() -> impl Strategy<Value = usize> {
    prop_oneof![Just(0), Just(18), Just(24), Just(60), Just(300), Just(hll::SPARSE_MAX_BYTES)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sketches_do_as_their_oracles(ops in ops(), limit in limit()) {
        subject::run(&ops, limit);
    }
}

#[test]
fn a_sketch_that_is_extended_has_the_bytes_of_one_by_one() {
    for count in [0, 1, 3, 4, 200, 1024, 1025, 6000] {
        let elements = (0..count).map(|number: u32| number.to_le_bytes());
        for limit in [0, 100, hll::SPARSE_MAX_BYTES] {
            let [mut many, mut single] =
                [(); 2].map(|()| hll::HyperLogLog::with_sparse_max_bytes(limit));
            many.extend(elements.clone());
            elements.clone().for_each(|element| {
                single.add(&element);
            });
            assert_eq!(many.as_bytes(), single.as_bytes(), "{count} elements, {limit} bytes");
        }
    }
}
