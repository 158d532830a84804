//! Small integers: sets of half of the numbers below a limit, in several sizes.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use std::collections::BTreeSet;

use roaring::RoaringBitmap;
use tallis::Store;
use testkit::rng::Rng;

use super::{held, pieces};
use crate::inputs::Turns;
use crate::report::{Bench, Result, Row, Sample, Section, Touched, Unit};

/// The names of our forms on the page.
const OURS: &str = "tallis, a set";
const BITMAP: &str = "tallis, a bitmap";

/// Queries per turn.
const TURN: usize = 20_000;

pub(super) fn measure(bench: &Bench) -> Section {
    let sizes =
        if bench.effort().is_quick() { [100, 2_000, 20_000] } else { [100, 10_000, 1_000_000] };
    let text = "Sets of N random numbers below 2N. *Add*: one call per number, in random order, into a set that is \
                empty at first, in a store that exists. *Contains*: numbers below 2N in random order, about half of \
                them in the set. *a set* is SADD and SISMEMBER of the typed interface on one key, an intset up to 512 \
                members and a hash table beyond; *a bitmap* is SETBIT and GETBIT on one string. *RoaringBitmap* and \
                *BTreeSet* hold only the numbers. Bytes: those of the largest sets, allocator overhead included.";
    let inputs = sizes.map(Input::new);
    let mut section = Section::new("Small integers", text);
    for input in &inputs {
        section = section.row(add(bench, input)).row(contains(bench, input));
    }
    section.row(bytes(bench, &inputs[inputs.len() - 1]))
}

/// Numbers in the order in which they are added, and the numbers to query.
struct Input {
    numbers: Vec<u32>,
    asked: Vec<u32>,
}

impl Input {
    fn new(count: usize) -> Self {
        let mut rng = Rng::new(21);
        let below = pieces(2 * count);
        let mut numbers: Vec<u32> = (0..below).collect();
        rng.shuffle(&mut numbers);
        numbers.truncate(count);
        let asked = count.max(TURN);
        let asked = (0..asked).map(|_| u32::try_from(rng.below(below.into())).unwrap()).collect();
        Self { numbers, asked }
    }

    /// Adds the numbers as a set to an empty store.
    fn set_in(&self, store: Store) -> Store {
        for &number in &self.numbers {
            store.sadd("set", [i64::from(number)]).unwrap();
        }
        store
    }

    fn set(&self) -> Store {
        self.set_in(Store::new())
    }

    /// Adds the numbers as a bitmap to an empty store.
    fn bitmap_in(&self, store: Store) -> Store {
        for &number in &self.numbers {
            store.setbit("bits", number.into(), true).unwrap();
        }
        store
    }

    fn bitmap(&self) -> Store {
        self.bitmap_in(Store::new())
    }

    fn roaring(&self) -> RoaringBitmap {
        let mut set = RoaringBitmap::new();
        for &number in &self.numbers {
            set.insert(number);
        }
        set
    }

    fn tree(&self) -> BTreeSet<u32> {
        let mut set = BTreeSet::new();
        for &number in &self.numbers {
            set.insert(number);
        }
        set
    }
}

fn add(bench: &Bench, input: &Input) -> Row {
    let count = input.numbers.len();
    let all = pieces(count);
    let results = bench
        .race()
        .contender_from(OURS, all, Store::new, |store| input.set_in(store))
        .contender_from(BITMAP, all, Store::new, |store| input.bitmap_in(store))
        .rivals()
        .contender_from("RoaringBitmap", all, || (), |()| input.roaring())
        .contender_from("BTreeSet", all, || (), |()| input.tree())
        .run();
    let work = format!("add, up to {count} small integers");
    Row::new(&work, Unit::Nanos, held(&input.set()), results).at_size("add a small integer", count)
}

fn contains(bench: &Bench, input: &Input) -> Row {
    let (set, bitmap) = (input.set(), input.bitmap());
    let (roaring, tree) = (input.roaring(), input.tree());
    let in_set = |&&number: &&u32| set.sismember("set", i64::from(number)).unwrap();
    let in_bitmap = |&&number: &&u32| bitmap.getbit("bits", number.into()).unwrap();
    let in_roaring = |&&number: &&u32| roaring.contains(number);
    let in_tree = |number: &&u32| tree.contains(*number);
    let asked = &input.asked;
    let there = asked.iter().filter(in_tree).count();
    assert_eq!(asked.iter().filter(in_set).count(), there);
    assert_eq!(asked.iter().filter(in_bitmap).count(), there);
    assert_eq!(asked.iter().filter(in_roaring).count(), there);
    let [mut a, mut b, mut c, mut d] = [(); 4].map(|()| Turns::new(TURN, asked.len()));
    let all = pieces(TURN);
    let results = bench
        .race()
        .contender(OURS, all, || asked[a.turn()].iter().filter(in_set).count())
        .contender(BITMAP, all, || asked[b.turn()].iter().filter(in_bitmap).count())
        .rivals()
        .contender("RoaringBitmap", all, || asked[c.turn()].iter().filter(in_roaring).count())
        .contender("BTreeSet", all, || asked[d.turn()].iter().filter(in_tree).count())
        .run();
    let count = input.numbers.len();
    let work = format!("contains, {count} small integers");
    Row::new(&work, Unit::Nanos, held(&set), results).at_size("look up a small integer", count)
}

fn bytes(bench: &Bench, input: &Input) -> Row {
    let count = input.numbers.len();
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53 bytes")]
    let each = |bytes: usize| Sample::exact(bytes as f64 / count as f64);
    let results = vec![
        Result::new(OURS, each(bench.held(|| input.set()).1)),
        Result::new(BITMAP, each(bench.held(|| input.bitmap()).1)),
        Result::rival("RoaringBitmap", each(bench.held(|| input.roaring()).1)),
        Result::rival("BTreeSet", each(bench.held(|| input.tree()).1)),
    ];
    let work = format!("bytes an integer, {count} small integers");
    Row::new(&work, Unit::Bytes, Touched::NOTHING, results)
}
