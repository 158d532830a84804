//! The integer set compared with Redis's algorithm and a sorted vector.

use intset::IntSet;
use testkit::rng::Rng;

use crate::classic::intset::ClassicIntSet;
use crate::report::{Bench, Row, Section, Touched, Unit};

/// The name of the algorithm that represents Redis's own C code.
const REDIS: &str = "Redis's algorithm";
/// Members of a full set: Redis's limit.
const FULL: usize = 512;
/// The number of sequences of ids, so that the branch predictor does not learn one.
const SEQUENCES: usize = 128;

pub(super) fn measure(bench: &Bench) -> Section {
    let text = "Random 60-bit ids. *Redis's algorithm* is the published one in plain Rust, measured in the same run; \
                the targets were set beside Redis's own C code, which took 72 ns for an insertion and 34 and 62 ns for \
                a look-up.";
    Section::new("intset", text)
        .row(fill(bench).beside(REDIS, [36.0, 72.0]))
        .row(contains(bench, "contains, 512 members, one set", 1).beside(REDIS, [9.0, 34.0]))
        .row(
            contains(bench, "contains, 512 members, 2,000 sets", 2_000).beside(REDIS, [25.0, 62.0]),
        )
}

fn ids(rng: &mut Rng, count: usize) -> Vec<i64> {
    (0..count).map(|_| (rng.u64() >> 4).cast_signed()).collect()
}

fn fill(bench: &Bench) -> Row {
    let mut rng = Rng::new(1);
    let sequences: Vec<Vec<i64>> = (0..SEQUENCES).map(|_| ids(&mut rng, FULL)).collect();
    let pieces = u32::try_from(FULL * SEQUENCES).unwrap_or(u32::MAX);
    let results = bench
        .race()
        .contender("tallis", pieces, || {
            let mut added = 0;
            for ids in &sequences {
                let mut set = IntSet::new();
                added += ids.iter().filter(|&&id| set.insert(id)).count();
            }
            assert_eq!(added, FULL * SEQUENCES);
        })
        .rivals()
        .contender(REDIS, pieces, || {
            let mut added = 0;
            for ids in &sequences {
                let mut set = ClassicIntSet::default();
                added += ids.iter().filter(|&&id| set.insert(id)).count();
            }
            assert_eq!(added, FULL * SEQUENCES);
        })
        .contender("sorted Vec", pieces, || {
            for ids in &sequences {
                let mut set: Vec<i64> = Vec::new();
                for &id in ids {
                    if let Err(at) = set.binary_search(&id) {
                        set.insert(at, id);
                    }
                }
                assert_eq!(set.len(), FULL);
            }
        })
        .run();
    Row::new("insert, filling to 512", Unit::Nanos, Touched::bytes(8 * FULL), results)
}

fn contains(bench: &Bench, work: &str, sets: usize) -> Row {
    let sets = if bench.effort().is_quick() { sets.min(50) } else { sets };
    let mut rng = Rng::new(2);
    let members: Vec<Vec<i64>> = (0..sets).map(|_| ids(&mut rng, FULL)).collect();
    let questions: Vec<(usize, i64)> = (0..20_000)
        .map(|_| {
            let set = rng.index(sets);
            let there = rng.below(2) == 0;
            (
                set,
                if there { members[set][rng.index(FULL)] } else { (rng.u64() >> 4).cast_signed() },
            )
        })
        .collect();
    let ours: Vec<IntSet> = members.iter().map(|ids| ids.iter().copied().collect()).collect();
    let sorted: Vec<Vec<i64>> = members
        .iter()
        .map(|ids| {
            let mut ids = ids.clone();
            ids.sort_unstable();
            ids
        })
        .collect();
    let classic: Vec<ClassicIntSet> = members
        .iter()
        .map(|ids| {
            let mut set = ClassicIntSet::default();
            for &id in ids {
                set.insert(id);
            }
            set
        })
        .collect();
    let hits = |has: &dyn Fn(usize, i64) -> bool| {
        questions.iter().filter(|(set, id)| has(*set, *id)).count()
    };
    let there = hits(&|set, id| sorted[set].binary_search(&id).is_ok());
    assert_eq!(hits(&|set, id| ours[set].contains(id)), there);
    assert_eq!(hits(&|set, id| classic[set].contains(id)), there);
    let pieces = u32::try_from(questions.len()).unwrap_or(u32::MAX);
    let results = bench
        .race()
        .contender("tallis", pieces, || {
            questions.iter().filter(|(set, id)| ours[*set].contains(*id)).count()
        })
        .rivals()
        .contender(REDIS, pieces, || {
            questions.iter().filter(|(set, id)| classic[*set].contains(*id)).count()
        })
        .contender("sorted Vec", pieces, || {
            questions.iter().filter(|(set, id)| sorted[*set].binary_search(id).is_ok()).count()
        })
        .run();
    let bytes = ours.iter().map(|set| set.as_bytes().len()).sum();
    Row::new(work, Unit::Nanos, Touched::bytes(bytes), results)
}
