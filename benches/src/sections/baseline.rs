//! The standard library's own sets: a reference that needs no other crate.

use std::collections::{BTreeSet, HashSet};

use testkit::rng::Rng;

use crate::report::{Bench, Result, Row, Sample, Section, Touched, Unit};

/// Members of a small set: those of one shard.
const MEMBERS: u32 = 512;

pub(super) fn measure(bench: &Bench) -> Section {
    let text = "Random 60-bit ids in the sets of the standard library, as a reference for all other sections.";
    Section::new("The standard library", text).row(contains(bench)).row(held(bench))
}

/// Returns the ids, and the order in which they are looked up: every second one is in the set.
fn ids(rng: &mut Rng) -> (Vec<i64>, Vec<i64>) {
    let mut id = || (rng.u64() >> 4).cast_signed();
    let members: Vec<i64> = (0..MEMBERS).map(|_| id()).collect();
    let others = (0..MEMBERS).map(|_| id());
    let mut probes: Vec<i64> = members.iter().copied().chain(others).collect();
    rng.shuffle(&mut probes);
    (members, probes)
}

fn contains(bench: &Bench) -> Row {
    let (members, probes) = ids(&mut Rng::new(1));
    let mut sorted = members.clone();
    sorted.sort_unstable();
    let tree: BTreeSet<i64> = members.iter().copied().collect();
    let hash: HashSet<i64> = members.iter().copied().collect();
    let found = |contains: &dyn Fn(i64) -> bool| probes.iter().filter(|id| contains(**id)).count();
    // A contender that returns wrong results has not done the same work.
    for contains in [
        &(|id| sorted.binary_search(&id).is_ok()) as &dyn Fn(i64) -> bool,
        &|id| tree.contains(&id),
        &|id| hash.contains(&id),
    ] {
        assert_eq!(found(contains), members.len());
    }
    let pieces = 2 * MEMBERS;
    let results = bench
        .race()
        .contender("sorted Vec", pieces, || {
            probes.iter().filter(|id| sorted.binary_search(id).is_ok()).count()
        })
        .rivals()
        .contender("BTreeSet", pieces, || probes.iter().filter(|id| tree.contains(id)).count())
        .contender("HashSet", pieces, || probes.iter().filter(|id| hash.contains(id)).count())
        .run();
    Row::new(
        "contains, 512 members, half of the ids there",
        Unit::Nanos,
        Touched::bytes(size_of_val(&*sorted)),
        results,
    )
}

fn held(bench: &Bench) -> Row {
    let count: u32 = if bench.effort().is_quick() { 10_000 } else { 1_000_000 };
    let ids = || {
        let mut rng = Rng::new(2);
        (0..count).map(move |_| (rng.u64() >> 4).cast_signed())
    };
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53 bytes")]
    let each = |bytes: usize| Sample::exact(bytes as f64 / f64::from(count));
    let (vec, vec_bytes) = bench.held(|| {
        let mut sorted = Vec::with_capacity(count as usize);
        sorted.extend(ids());
        sorted.sort_unstable();
        sorted
    });
    let (tree, tree_bytes) = bench.held(|| ids().collect::<BTreeSet<i64>>());
    let (hash, hash_bytes) = bench.held(|| ids().collect::<HashSet<i64>>());
    let text = || {
        let mut rng = Rng::new(3);
        (0..count).map(move |_| rng.uuid()).collect::<HashSet<String>>()
    };
    let (text, text_bytes) = bench.held(text);
    assert!([vec.len(), tree.len(), hash.len(), text.len()] == [count as usize; 4]);
    let results = vec![
        Result::new("sorted Vec", each(vec_bytes)),
        Result::rival("BTreeSet", each(tree_bytes)),
        Result::rival("HashSet", each(hash_bytes)),
        Result::rival("HashSet of UUIDs as text", each(text_bytes)),
    ];
    Row::new(&format!("bytes a member, {count} members"), Unit::Bytes, Touched::NOTHING, results)
}
