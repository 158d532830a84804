//! The notes' counts of users in a `HyperLogLog`.

use tallis::Store;

use super::bench::{Bench, in_batches};
use super::row::{Figure, Printed, Row, Source, Unit};
use crate::failure::Failure;

const HUNDRED: Printed = Printed {
    source: Source::Notes,
    name: "hll_count_100",
    what: "PFCOUNT of 100 users, the first wrong count",
    unit: Unit::Count,
    figure: Figure::Whole(99),
    words: None,
    determined: true,
    remark: "the elements are user0 to user99",
};

const COUNT: Printed = Printed {
    source: Source::Notes,
    name: "hll_count_100000",
    what: "PFCOUNT of 100000 users",
    unit: Unit::Count,
    figure: Figure::Whole(99_723),
    words: None,
    determined: false,
    remark: "user0 to user99999; the notes used Redis 4, whose estimate has another formula than that of later versions",
};

const HELD: Printed = Printed {
    source: Source::Notes,
    name: "hll_held",
    what: "their HyperLogLog in memory",
    unit: Unit::BytesHeld,
    figure: Figure::Whole(12_288),
    words: Some("12k"),
    determined: false,
    remark: "16384 registers of 6 bits; the server by MEMORY USAGE, with room to grow",
};

const KEY: &str = "codehole";

/// Returns the rows of the counts.
pub(super) fn rows(bench: &mut Bench<'_>) -> Result<Vec<Row>, Failure> {
    let users = |from, to| (from..to).map(|user| format!("user{user}"));
    let (few, many) = (100, bench.million / 10);
    let store = Store::new();
    let mut at_few = 0;
    let ((), held) = bench.held(|| {
        in_batches(users(0, few), |users| store.pfadd(KEY, users))?;
        at_few = store.pfcount([KEY])?;
        in_batches(users(few, many), |users| store.pfadd(KEY, users))
    })?;
    let tallis = [at_few, store.pfcount([KEY])?, held];
    let server = bench.served(|live| {
        live.clear()?;
        live.add_all("PFADD", KEY, users(0, few))?;
        let at_few = live.pfcount(KEY)?;
        live.add_all("PFADD", KEY, users(few, many))?;
        Ok([at_few, live.pfcount(KEY)?, live.memory_usage(KEY)?])
    })?;
    let row = |printed: &Printed, at: usize| {
        printed.row(Figure::Whole(tallis[at]), server.map(|of: [u64; 3]| Figure::Whole(of[at])))
    };
    Ok(vec![row(&HUNDRED, 0), row(&COUNT, 1), row(&HELD, 2)])
}
