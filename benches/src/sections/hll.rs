//! HyperLogLog compared with Redis's algorithm and other crates.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use hll::{Hll, HllMut, HyperLogLog, SPARSE_MAX_BYTES, Union};
use testkit::rng::Rng;

use cardinality_estimator::CardinalityEstimator;
use hyperloglogplus::{HyperLogLog as _, HyperLogLogPlus};
use wyhash::WyHash;

use crate::classic::hll as classic;
use crate::report::{Bench, Result, Row, Sample, Section, Touched, Unit};

/// The name of the algorithm that represents Redis's own C code.
const REDIS: &str = "Redis's algorithm";

pub(super) fn measure(bench: &Bench) -> Section {
    let text = "Random elements of 16 bytes. *Redis's algorithm* is the published one in plain Rust, measured in the \
                same run; the targets were set beside Redis's own C code, which took 3.9 ns, 183 ns, 7.7 us and 329 \
                us. hyperloglockless does not pack its registers. cardinality-estimator keeps its count beside them, \
                updates it with each addition, and hashes by wyhash; hyperloglogplus, here with ahash, and \
                cardinality-estimator have special forms for few elements. All have 2^14 registers. *Bytes* are those \
                of one sketch, allocator overhead included.";
    Section::new("hll", text)
        .row(dense_add(bench).beside(REDIS, [2.6, 3.9]))
        .row(sparse_add(bench).beside(REDIS, [60.0, 183.0]))
        .row(dense_count(bench).beside(REDIS, [1_200.0, 7_700.0]))
        .row(union_count(bench).beside(REDIS, [15_000.0, 329_000.0]))
        .row(bytes(bench, "bytes of a sketch of 200,000 elements", 200_000))
        .row(bytes(bench, "bytes of a sketch of 300 elements", 300))
}

/// The sketches of two crates, with as many registers as ours.
type Estimator = CardinalityEstimator<[u8; 16], WyHash, 14, 6>;
type Plus = HyperLogLogPlus<[u8; 16], ahash::RandomState>;

fn estimator(seed: u64, count: usize) -> Estimator {
    let mut sketch = Estimator::new();
    for element in elements(seed, count) {
        sketch.insert(&element);
    }
    sketch
}

fn empty_plus() -> Plus {
    Plus::new(14, ahash::RandomState::with_seeds(1, 2, 3, 4)).unwrap()
}

fn plus(seed: u64, count: usize) -> Plus {
    let mut sketch = empty_plus();
    for element in elements(seed, count) {
        sketch.insert(&element);
    }
    sketch
}

/// Returns `true` if an estimate is within five standard errors of 2^14 registers.
fn is_near(estimate: f64, count: f64) -> bool {
    (estimate / count - 1.0).abs() < 5.0 * 1.04 / 128.0
}

fn elements(seed: u64, count: usize) -> Vec<[u8; 16]> {
    let mut rng = Rng::new(seed);
    let mut element = || (u128::from(rng.u64()) << 64 | u128::from(rng.u64())).to_le_bytes();
    (0..count).map(|_| element()).collect()
}

fn dense(seed: u64, count: usize) -> Vec<u8> {
    let mut sketch: HyperLogLog = elements(seed, count).into_iter().collect();
    sketch.promote();
    sketch.into_bytes()
}

fn classic_dense(seed: u64, count: usize) -> classic::Dense {
    let mut sketch = classic::Dense::new();
    for element in elements(seed, count) {
        sketch.add(&element);
    }
    sketch
}

fn dense_add(bench: &Bench) -> Row {
    let added = elements(1, 8192);
    let mut ours = dense(1, 100_000);
    let bytes = ours.len();
    let mut plain = classic_dense(1, 100_000);
    let mut other = hyperloglockless::HyperLogLog::new(14);
    other.insert_all(elements(1, 100_000));
    let mut simple = simple_hll::HyperLogLog::<14>::new();
    for element in elements(1, 100_000) {
        simple.add_object(&element);
    }
    let (mut estimated, mut counted) = (estimator(1, 100_000), plus(1, 100_000));
    let results = bench
        .race()
        .contender("tallis", 8192, || {
            let mut edit = HllMut::new(&mut ours).unwrap();
            added.iter().filter(|element| edit.add(*element, SPARSE_MAX_BYTES).unwrap()).count()
        })
        .rivals()
        .contender(REDIS, 8192, || added.iter().filter(|element| plain.add(*element)).count())
        .contender("hyperloglockless", 8192, || {
            for element in &added {
                other.insert(element);
            }
        })
        .contender("simple_hll", 8192, || {
            for element in &added {
                simple.add_object(element);
            }
        })
        .contender("cardinality-estimator", 8192, || {
            for element in &added {
                estimated.insert(element);
            }
        })
        .contender("hyperloglogplus", 8192, || {
            for element in &added {
                counted.insert(element);
            }
        })
        .run();
    Row::new("dense, add 16 bytes", Unit::Nanos, Touched::bytes(bytes), results)
}

fn sparse_add(bench: &Bench) -> Row {
    let sets: Vec<_> = (10..42).map(|seed| elements(seed, 300)).collect();
    // One sketch is used at a time.
    let bytes = sets[0].iter().collect::<HyperLogLog>().as_bytes().len();
    let results = bench
        .race()
        .contender("tallis", 300 * 32, || {
            let fill = |set: &Vec<[u8; 16]>| {
                let mut sketch = hll::empty();
                let mut edit = HllMut::new(&mut sketch).unwrap();
                for element in set {
                    edit.add(element, SPARSE_MAX_BYTES).unwrap();
                }
                sketch.len()
            };
            sets.iter().map(fill).sum::<usize>()
        })
        .contender("tallis, in one call", 300 * 32, || {
            let fill = |set: &Vec<[u8; 16]>| {
                let hashes: Vec<u64> = set.iter().map(|element| hll::hash(element)).collect();
                let mut sketch = hll::empty();
                let mut edit = HllMut::new(&mut sketch).unwrap();
                edit.add_hashes(&hashes, SPARSE_MAX_BYTES, &mut Vec::new()).unwrap();
                sketch.len()
            };
            sets.iter().map(fill).sum::<usize>()
        })
        .rivals()
        .contender(REDIS, 300 * 32, || {
            let fill = |set: &Vec<[u8; 16]>| {
                let mut sketch = classic::Sparse::new();
                for element in set {
                    sketch.add(element);
                }
                sketch.0.len()
            };
            sets.iter().map(fill).sum::<usize>()
        })
        .contender("cardinality-estimator", 300 * 32, || {
            let fill = |set: &Vec<[u8; 16]>| {
                let mut sketch = Estimator::new();
                for element in set {
                    sketch.insert(element);
                }
                sketch.size_of()
            };
            sets.iter().map(fill).sum::<usize>()
        })
        .contender("hyperloglogplus", 300 * 32, || {
            for set in &sets {
                let mut sketch = empty_plus();
                for element in set {
                    sketch.insert(element);
                }
                std::hint::black_box(sketch);
            }
        })
        .run();
    Row::new("sparse, add up to 300 elements", Unit::Nanos, Touched::bytes(bytes), results)
}

fn dense_count(bench: &Bench) -> Row {
    let value = dense(2, 200_000);
    let ours = Hll::new(&value).unwrap();
    let plain = classic_dense(2, 200_000);
    assert_eq!(ours.count().unwrap(), plain.count());
    let mut simple = simple_hll::HyperLogLog::<14>::new();
    for element in elements(2, 200_000) {
        simple.add_object(&element);
    }
    let (estimated, mut counted) = (estimator(2, 200_000), plus(2, 200_000));
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    for estimate in [ours.count().unwrap() as f64, estimated.estimate() as f64, counted.count()] {
        assert!(is_near(estimate, 200_000.0), "{estimate}");
    }
    let mut race = bench.race().contender("tallis", 1, || ours.count());
    for (name, count) in hll::count_kernels() {
        race = race.contender(&format!("tallis, {name}"), 1, move || count(&ours));
    }
    let results = race
        .rivals()
        .contender(REDIS, 1, || plain.count())
        .contender("simple_hll", 1, || simple.count())
        .contender("cardinality-estimator", 1, || estimated.estimate())
        .contender("hyperloglogplus", 1, || counted.count())
        .run();
    Row::new("dense, count", Unit::Nanos, Touched::bytes(value.len()), results)
}

fn union_count(bench: &Bench) -> Row {
    let values: Vec<_> = (100..124).map(|seed| dense(seed, 50_000)).collect();
    let plain: Vec<_> = (100..124).map(|seed| classic_dense(seed, 50_000)).collect();
    let count = || {
        let mut union = Union::new();
        for value in &values {
            union.merge(&Hll::new(value).unwrap()).unwrap();
        }
        union.count()
    };
    assert_eq!(count(), classic::union_count(&plain));
    let estimated: Vec<Estimator> = (100..124).map(|seed| estimator(seed, 50_000)).collect();
    let counted: Vec<Plus> = (100..124).map(|seed| plus(seed, 50_000)).collect();
    let estimate = || {
        let mut union = Estimator::new();
        for sketch in &estimated {
            union.merge(sketch);
        }
        union.estimate()
    };
    let plus_count = || {
        let mut union = empty_plus();
        for sketch in &counted {
            union.merge(sketch).unwrap();
        }
        union.count()
    };
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    for estimate in [count() as f64, estimate() as f64, plus_count()] {
        assert!(is_near(estimate, 24.0 * 50_000.0), "{estimate}");
    }
    let results = bench
        .race()
        .contender("tallis", 1, count)
        .rivals()
        .contender(REDIS, 1, || classic::union_count(&plain))
        .contender("cardinality-estimator", 1, estimate)
        .contender("hyperloglogplus", 1, plus_count)
        .run();
    Row::new(
        "union count of 24 dense",
        Unit::Nanos,
        Touched::bytes(values.iter().map(Vec::len).sum()),
        results,
    )
}

fn bytes(bench: &Bench, work: &str, count: usize) -> Row {
    let all = elements(3, count);
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53 bytes")]
    let exact = |bytes: usize| Sample::exact(bytes as f64);
    let (_, ours) = bench.held(|| all.iter().collect::<HyperLogLog>());
    let (_, estimated) = bench.held(|| estimator(3, count));
    let (_, counted) = bench.held(|| plus(3, count));
    let (_, lockless) = bench.held(|| {
        let mut sketch = hyperloglockless::HyperLogLog::new(14);
        sketch.insert_all(all.iter().copied());
        sketch
    });
    let results = vec![
        Result::new("tallis", exact(ours)),
        Result::rival("cardinality-estimator", exact(estimated)),
        Result::rival("hyperloglogplus", exact(counted)),
        Result::rival("hyperloglockless", exact(lockless)),
    ];
    Row::new(work, Unit::Bytes, Touched::NOTHING, results)
}
