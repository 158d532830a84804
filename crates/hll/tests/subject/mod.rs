//! Two sketches and their oracles, checked completely after every operation.
//!
//! The model test and the fuzz target share this file.
#![expect(clippy::unwrap_used, reason = "the tests look for failures here")]

use hll::{DENSE_LEN, Encoding, Hll, HllMut, Union};
use testkit::oracle::hll::{HllOp, HllOracle};
use testkit::sequence::Sequence;

/// A sketch, the same sketch dense from the start, and their oracle.
struct Trio {
    value: Vec<u8>,
    dense: Vec<u8>,
    oracle: HllOracle,
    /// The additions since the last other operation, which are repeated in one call.
    added: Added,
}

/// Additions, the result of each, and the sketch before them.
#[derive(Default)]
struct Added {
    before: Vec<u8>,
    hashes: Vec<u64>,
    changed: Vec<bool>,
}

impl Trio {
    fn new() -> Self {
        let mut dense = hll::empty();
        edit(&mut dense).promote().expect("empty");
        Self { value: hll::empty(), dense, oracle: HllOracle::new(), added: Added::default() }
    }

    fn add_hash(&mut self, hash: u64, limit: usize) {
        let before = self.value.clone();
        if self.added.hashes.is_empty() {
            self.added.before.clone_from(&before);
        }
        let raised = self.oracle.add_hash(hash);
        self.added.hashes.push(hash);
        self.added.changed.push(raised);
        assert_eq!(edit(&mut self.value).add_hash(hash, limit), Ok(raised));
        assert_eq!(edit(&mut self.dense).add_hash(hash, limit), Ok(raised));
        if raised {
            assert_eq!(view(&self.value).cached(), None);
        } else {
            assert_eq!(self.value, before);
        }
    }

    /// Ends a series of additions: one call with all of them must leave the same bytes.
    fn end_series(&mut self, limit: usize) {
        let Added { mut before, hashes, changed } = core::mem::take(&mut self.added);
        if hashes.is_empty() {
            return;
        }
        let mut all = Vec::new();
        assert_eq!(edit(&mut before).add_hashes(&hashes, limit, &mut all), Ok(()));
        assert_eq!(all, changed);
        assert_eq!(before, self.value);
    }

    fn count(&mut self) {
        let cached = view(&self.value).cached();
        let counted = edit(&mut self.value).count().expect("valid");
        assert_eq!(counted.count, self.oracle.count());
        assert_eq!(counted.stored, cached.is_none());
        if counted.count >> 63 == 0 {
            assert_eq!(view(&self.value).cached(), Some(counted.count));
        }
    }

    fn merge(&mut self, other: &Self, limit: usize) {
        let any_dense = [&self.value, &other.value]
            .into_iter()
            .any(|value| view(value).encoding() == Encoding::Dense);
        self.oracle.merge(&other.oracle);

        let mut union = Union::new();
        union.merge(&view(&other.value)).expect("valid");
        let encoding = union.merge_into(&mut self.value, limit).expect("valid");
        assert_eq!(view(&self.value).encoding(), encoding);
        assert!(encoding == Encoding::Dense || !any_dense);
        assert_eq!(view(&self.value).cached(), None);
        assert_eq!(union.count(), self.oracle.count());

        let mut union = Union::new();
        union.merge(&view(&other.dense)).expect("valid");
        union.merge_into(&mut self.dense, limit).expect("valid");
    }

    fn check(&self, limit: usize) {
        let view = view(&self.value);
        assert_eq!(view.validate(), Ok(()));
        assert!(view.registers().expect("valid").eq(self.oracle.registers().iter().copied()));
        let most = match view.encoding() {
            Encoding::Sparse => limit.max(hll::empty().len()),
            Encoding::Dense => DENSE_LEN,
        };
        assert!(self.value.len() <= most, "{} bytes, limit {limit}", self.value.len());
        assert!(self.value.capacity() <= (most + most / 8 + 16).max(DENSE_LEN));

        let mut promoted = self.value.clone();
        edit(&mut promoted).promote().expect("valid");
        assert_eq!(promoted[16..], self.dense[16..]);
        assert_eq!(promoted[8..16], self.value[8..16]);
    }
}

fn view(value: &[u8]) -> Hll<'_> {
    Hll::new(value).expect("header")
}

fn edit(value: &mut Vec<u8>) -> HllMut<'_> {
    HllMut::new(value).expect("header")
}

/// The current sketch, and the other one.
type Pair = (Trio, Trio);

fn start() -> Pair {
    (Trio::new(), Trio::new())
}

/// Runs the operations with a limit on sparse bytes, and panics where a sketch and its oracle differ.
#[allow(dead_code, reason = "not every test that includes this file has its own operations")]
pub(crate) fn run(ops: &[HllOp], limit: usize) {
    let mut pair = start();
    for op in ops {
        step(&mut pair, *op, limit);
    }
    pair.0.end_series(limit);
}

/// Runs the first hundred operations read from `bytes`, as [`run`] does.
#[allow(dead_code, reason = "not every test that includes this file has bytes")]
pub(crate) fn run_bytes(bytes: &[u8], limit: usize) {
    let mut sequence = Sequence::from_bytes(bytes);
    sequence.truncate(100);
    sequence.run(start, |pair, op| step(pair, *op, limit)).unwrap().0.end_series(limit);
}

fn step((here, there): &mut Pair, op: HllOp, limit: usize) {
    if !matches!(op, HllOp::Add(_) | HllOp::Place { .. } | HllOp::Run { .. }) {
        here.end_series(limit);
    }
    match op {
        HllOp::Add(number) => {
            let element = HllOp::element(number);
            let hash = hll::hash(&element);
            let mut probe = here.oracle.clone();
            assert_eq!(probe.add(&element), here.oracle.clone().add_hash(hash));
            here.add_hash(hash, limit);
        }
        HllOp::Place { register, rank } => here.add_hash(HllOp::hash(register, rank), limit),
        HllOp::Run { register, len, rank } => {
            for step in 0..u16::from(len % 16) {
                let register = register.wrapping_add(step);
                here.add_hash(HllOp::hash(register, rank), limit);
            }
        }
        HllOp::Count => here.count(),
        HllOp::Promote => {
            let was_sparse = view(&here.value).encoding() == Encoding::Sparse;
            assert_eq!(edit(&mut here.value).promote(), Ok(was_sparse));
        }
        HllOp::Merge => here.merge(there, limit),
        HllOp::Swap => core::mem::swap(here, there),
        HllOp::Clear => *here = Trio::new(),
    }
    here.check(limit);
}
