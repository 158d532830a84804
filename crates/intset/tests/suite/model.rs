//! Random operations compared with the oracle; the whole set is checked after each.

#[path = "../driver/mod.rs"]
mod driver;

use proptest::collection::vec;
use proptest::prelude::*;
use testkit::oracle::int_set::{IntSetOp, Member};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_sequence_agrees_with_the_oracle(bytes in vec(any::<u8>(), 0..1500)) {
        driver::run(&bytes);
    }

    /// Evenly distributed, as ids are, so that a search uses the window; then clustered, so that the window misses.
    #[test]
    fn searches_in_greater_sets_agree(
        start in any::<i64>(),
        shift in 0_u32..60,
        ids in vec(any::<i64>(), 50..800),
        cluster in vec(0_i64..500, 0..300),
        asked in vec(any::<i64>(), 20),
    ) {
        let ids = ids.iter().map(|id| Member(id >> shift));
        let cluster = cluster.iter().map(|near| Member(start.wrapping_add(*near)));
        let all: Vec<Member> = ids.chain(cluster).collect();
        let mut ops = vec![IntSetOp::Extend(all.clone())];
        for Member(value) in all.iter().copied().chain(asked.into_iter().map(Member)) {
            for near in [-1, 0, 1] {
                ops.push(IntSetOp::Query(Member(value.wrapping_add(near))));
            }
        }
        driver::ask(&ops);
    }
}
