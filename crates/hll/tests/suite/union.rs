//! Several sketches merged into a union in one call, compared with one call for each.
#![expect(clippy::unwrap_used, reason = "a failure here fails the test")]

use hll::{DecodeError, Encoding, Hll, HyperLogLog, SPARSE_MAX_BYTES, Union};
use testkit::rng::Rng;

/// Empty, sparse and dense sketches in random order.
fn sketches(rng: &mut Rng, count: usize) -> Vec<HyperLogLog> {
    let sketch = |_| {
        let elements = *rng.pick(&[0, 1, 30, 400, 3000, 20_000]).unwrap();
        let mut sketch: HyperLogLog = (0..elements).map(|_| rng.u64().to_le_bytes()).collect();
        if rng.below(4) == 0 {
            sketch.promote();
        }
        sketch
    };
    (0..count).map(sketch).collect()
}

#[test]
fn all_at_once_is_one_after_the_other() {
    let mut rng = Rng::new(11);
    for count in (0..40).chain([84]) {
        let sketches = sketches(&mut rng, count);
        let views: Vec<Hll<'_>> = sketches.iter().map(HyperLogLog::view).collect();
        let (mut once, mut each) = (Union::new(), Union::new());
        // Registers that the union already has are kept.
        let (first, rest) = views.split_at(count / 7);
        once.merge_all(first).unwrap();
        once.merge_all(rest).unwrap();
        for view in &views {
            each.merge(view).unwrap();
        }
        assert_eq!(once.count(), each.count());
        let [a, b] = [once, each].map(|mut union| {
            let mut target = hll::empty();
            let encoding = union.merge_into(&mut target, SPARSE_MAX_BYTES).unwrap();
            (encoding, target)
        });
        assert_eq!(a.0, b.0);
        assert!(a.1 == b.1, "{count}");
        if views.iter().any(|view| view.encoding() == Encoding::Dense) {
            assert_eq!(a.0, Encoding::Dense);
        }
    }
}

#[test]
fn a_damaged_one_leaves_the_union_as_it_was() {
    let whole: HyperLogLog = (0..5000_u32).map(u32::to_le_bytes).collect();
    let few: HyperLogLog = (0..9_u32).map(u32::to_le_bytes).collect();
    let mut damaged = few.as_bytes().to_vec();
    damaged.push(0);
    let damaged = Hll::new(&damaged).unwrap();
    let mut union = Union::new();
    for others in [[whole.view(), few.view(), damaged], [damaged, few.view(), whole.view()]] {
        assert!(matches!(union.merge_all(&others), Err(DecodeError::TailBytes { .. })));
        assert_eq!(union.count(), 0);
        // The union is still sparse.
        let mut target = hll::empty();
        let encoding = union.clone().merge_into(&mut target, SPARSE_MAX_BYTES).unwrap();
        assert_eq!((encoding, target), (Encoding::Sparse, hll::empty()));
    }
}

/// Merging into a sketch is raising each of its registers in turn, and the union includes that sketch afterwards.
#[test]
fn a_target_is_raised_register_by_register() {
    let mut rng = Rng::new(12);
    for limit in [18, 100, 500, SPARSE_MAX_BYTES, 20_000] {
        for _ in 0..60 {
            let source: HyperLogLog =
                (0..rng.below(900)).map(|_| rng.below(1500).to_le_bytes()).collect();
            let mut target = HyperLogLog::with_sparse_max_bytes(limit);
            target.extend((0..rng.below(900)).map(|_| rng.below(1500).to_le_bytes()));
            let mut union = Union::new();
            union.merge(&source.view()).unwrap();
            let mut both = Union::new();
            both.merge_all(&[source.view(), target.view()]).unwrap();

            let mut merged = target.as_bytes().to_vec();
            let encoding = union.merge_into(&mut merged, limit).unwrap();
            assert_eq!(union.count(), both.count());
            let merged = HyperLogLog::from_bytes(merged).unwrap();
            assert_eq!(merged.encoding(), encoding);
            assert_eq!(merged.count(), both.count());

            for (register, rank) in (0..).zip(source.view().registers().unwrap()) {
                if rank > 0 {
                    // The hash of an element of this register and rank.
                    target.add_hash(register | 1 << (hll::P + u32::from(rank) - 1));
                }
            }
            assert!(target.as_bytes()[16..] == merged.as_bytes()[16..], "{limit}");
        }
    }
}

/// Also where each of many neighbours is higher than in the target.
#[test]
fn neighbours_are_all_raised() {
    let mut source = HyperLogLog::new();
    for register in 0..200 {
        source.add_hash(register | 1 << hll::P);
    }
    let mut target = HyperLogLog::new();
    target.merge(&source);
    assert_eq!(target.encoding(), Encoding::Sparse);
    assert!(target.view().registers().unwrap().eq(source.view().registers().unwrap()));
    assert!(target.as_bytes()[16..] == source.as_bytes()[16..]);
}
