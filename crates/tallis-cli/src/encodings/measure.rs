//! Measures one form at one size: the time of each operation, and the memory.
//!
//! Small values are measured in large numbers, as they are used: as many as give the elements of a measurement
//! together. So the memory of a value includes its key and its share of the table of keys, and a lookup finds the key
//! first.

#![expect(
    clippy::cast_precision_loss,
    reason = "bytes and elements of a measurement are far below 2^53"
)]

use std::time::{Duration, Instant};

use serde::Serialize;
use tallis::Store;
use testkit::rng::Rng;

use super::form::Form;
use super::items::{Items, Kind};
use super::shape::{Extent, Holder, Step, Work};
use crate::failure::Failure;
use crate::interrupt;
use crate::memory::Memory;

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Effort {
    /// The fewest elements of all values of a form together.
    pub(super) elements: usize,
    /// The most lookups per round.
    pub(super) questions: usize,
    /// The number of rounds.
    pub(super) rounds: usize,
}

/// Above this number of elements, [`Effort::FEW_ROUNDS`] are enough.
const MANY: usize = 1_000_000;

impl Effort {
    /// For quick results: a few seconds for all forms.
    pub(super) const QUICK: Self =
        Self { elements: 20_000, questions: 20_000, rounds: Self::FEW_ROUNDS };

    /// For published figures.
    pub(super) const FULL: Self = Self { elements: 100_000, questions: 100_000, rounds: 5 };

    const FEW_ROUNDS: usize = 3;

    /// Returns the number of rounds with so many elements.
    fn rounds(self, elements: usize) -> usize {
        if elements > MANY { self.rounds.min(Self::FEW_ROUNDS) } else { self.rounds }
    }
}

/// The median of the rounds, with the lowest and the highest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Spread {
    pub(super) median: f64,
    pub(super) min: f64,
    pub(super) max: f64,
}

impl Spread {
    /// Returns the spread of these figures, if there are any.
    pub(super) fn of(mut figures: Vec<f64>) -> Option<Self> {
        figures.sort_by(f64::total_cmp);
        let (&min, &max) = (figures.first()?, figures.last()?);
        let half = figures.len() / 2;
        let median = if figures.len() % 2 == 1 {
            figures[half]
        } else {
            f64::midpoint(figures[half - 1], figures[half])
        };
        Some(Self { median, min, max })
    }
}

/// Nanoseconds per operation: per element, and for a count per value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Times {
    pub(super) add: Option<Spread>,
    pub(super) test: Option<Spread>,
    pub(super) count: Option<Spread>,
    pub(super) scan: Option<Spread>,
    pub(super) remove: Option<Spread>,
}

impl Times {
    /// Returns the time of one operation.
    pub(super) const fn of(&self, work: Work) -> Option<Spread> {
        match work {
            Work::Add => self.add,
            Work::Test => self.test,
            Work::Count => self.count,
            Work::Scan => self.scan,
            Work::Remove => self.remove,
        }
    }

    /// Computes the times from the rounds of each operation.
    pub(super) fn from_rounds(mut rounds: impl FnMut(Work) -> Vec<f64>) -> Self {
        let mut spread = |work| Spread::of(rounds(work));
        Self {
            add: spread(Work::Add),
            test: spread(Work::Test),
            count: spread(Work::Count),
            scan: spread(Work::Scan),
            remove: spread(Work::Remove),
        }
    }
}

/// The result of measuring a form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Measured {
    /// Bytes per element, with the key and its share of all tables.
    pub(super) bytes: f64,
    pub(super) times: Times,
    /// The relative error of a count, as the root mean square over values; or the false positive rate.
    pub(super) error: Option<f64>,
    /// The result of OBJECT ENCODING.
    pub(super) encoding: &'static str,
}

/// The elements of a measurement, and the order in which they are added to each value.
#[derive(Debug)]
pub(super) struct Load {
    pub(super) extent: Extent,
    items: Items,
    /// Whether all values have the same elements.
    same: bool,
    /// The indexes of the elements of a value, in random order.
    places: Vec<u32>,
    questions: Questions,
}

/// The elements to look up: their values and indexes, and copies of them in consecutive memory, so that only the lookup
/// has cache misses.
#[derive(Debug)]
struct Questions {
    at: Vec<(usize, u32)>,
    items: Items,
    /// The number of elements that exist.
    there: u64,
}

impl Extent {
    /// Returns the values of a form at one size.
    pub(super) fn of(form: &Form, size: usize, effort: Effort) -> Self {
        Self { values: effort.elements.div_ceil(size).min(form.values).max(1), size }
    }
}

impl Load {
    /// Returns the load of a form at one size.
    pub(super) fn of(form: &Form, size: usize, effort: Effort) -> Self {
        let extent = Extent::of(form, size, effort);
        let same = form.kind == Kind::Dense;
        let present = if same { size } else { extent.total() };
        let seed = 0x7a11_15e4_c0d1_0000 + size as u64;
        let others = if form.is_asked_by_place() { 0 } else { present.min(effort.questions) };
        Self::new(extent, Items::of(form.kind, present, others, seed), same, effort)
    }

    /// Returns the load of one value of these elements.
    pub(super) fn of_items(items: Items, effort: Effort) -> Self {
        let extent = Extent { values: 1, size: items.present() };
        Self::new(extent, items, false, effort)
    }

    fn new(extent: Extent, items: Items, same: bool, effort: Effort) -> Self {
        let mut rng = Rng::new(items.present() as u64);
        let mut places: Vec<u32> = (0..u32::try_from(extent.size).unwrap_or(u32::MAX)).collect();
        rng.shuffle(&mut places);
        let mut load = Self { extent, items, same, places, questions: Questions::none() };
        load.questions = load.ask(&mut rng, effort.questions);
        load
    }

    fn ask(&self, rng: &mut Rng, most: usize) -> Questions {
        let count = self.extent.total().min(most);
        let others = self.items.others();
        let mut there = 0;
        let mut at = Vec::with_capacity(count);
        let mut members = Vec::with_capacity(count);
        for n in 0..count {
            let (value, place) = (rng.index(self.extent.values), rng.index(self.extent.size));
            at.push((value, self.places[place]));
            // Every second one does not exist, if there are others.
            members.push(if n % 2 == 0 || others == 0 {
                there += 1;
                self.items.get(self.item_of(value, place))
            } else {
                self.items.other(rng.index(others))
            });
        }
        Questions { at, items: Items::copied(&members), there }
    }

    /// Returns the index of the element that is the `place`-th of a value.
    fn item_of(&self, value: usize, place: usize) -> usize {
        if self.same {
            self.places[place] as usize
        } else {
            // Elements of a small range are in several values.
            (value * self.extent.size + place) % self.items.present()
        }
    }

    /// Returns the number of steps of an operation.
    pub(super) fn steps(&self, work: Work) -> usize {
        match work {
            Work::Add | Work::Remove => self.extent.total(),
            Work::Test => self.questions.at.len(),
            Work::Count | Work::Scan => self.extent.values,
        }
    }

    /// Returns the number of elements of an operation, by which a figure is divided.
    pub(super) fn pieces(&self, work: Work) -> usize {
        if work == Work::Scan { self.extent.total() } else { self.steps(work) }
    }

    /// Returns one step of an operation.
    pub(super) fn step(&self, work: Work, number: usize) -> Step<'_> {
        match work {
            Work::Add | Work::Remove => {
                let (place, value) = (number / self.extent.values, number % self.extent.values);
                let item = self.items.get(self.item_of(value, place));
                Step { value, at: self.places[place] as usize, item }
            }
            Work::Test => {
                let (value, at) = self.questions.at[number];
                let item = self.questions.items.get(number);
                Step { value, at: at as usize, item }
            }
            Work::Count | Work::Scan => Step { value: number, at: 0, item: self.items.get(0) },
        }
    }
}

impl Questions {
    fn none() -> Self {
        Self { at: Vec::new(), items: Items::copied(&[]), there: 0 }
    }
}

/// How many steps are prepared before the clock is read.
const BATCH: usize = 4096;

/// Fails if there was an interrupt.
pub(super) fn not_interrupted() -> Result<(), Failure> {
    interrupt::check("no results are shown")
}

/// Runs all steps of an operation; returns the sum of their results, and their time. An interrupt ends it.
#[expect(clippy::disallowed_methods, reason = "measuring time is the purpose")]
fn run<'l>(
    holder: &mut dyn Holder,
    load: &'l Load,
    work: Work,
    batch: &mut Vec<Step<'l>>,
) -> Result<(u64, Duration), Failure> {
    let (mut found, mut time) = (0, Duration::ZERO);
    let steps = load.steps(work);
    let mut next = 0;
    while next < steps {
        not_interrupted()?;
        batch.clear();
        let end = steps.min(next + BATCH);
        batch.extend((next..end).map(|number| load.step(work, number)));
        next = end;
        let start = Instant::now();
        found += holder.run(work, batch)?;
        time += start.elapsed();
    }
    Ok((found, time))
}

/// Measures a form with a load.
pub(super) fn measure(
    form: &Form,
    load: &Load,
    effort: Effort,
    memory: &dyn Memory,
) -> Result<Measured, Failure> {
    let mut batch = Vec::with_capacity(BATCH);
    let mut rounds = [const { Vec::new() }; Work::ALL.len()];
    let mut measured = Measured { bytes: 0.0, times: Times::default(), error: None, encoding: "" };
    // The first round measures the memory, and warms the caches.
    for round in 0..=effort.rounds(load.extent.total()) {
        let store = Store::builder().limits(form.limits.limits()).build();
        let mut holder = form.shape.holder(store.clone(), load.extent);
        let mut added = Ok((0, Duration::ZERO));
        let mut fill = || {
            added = holder
                .begin()
                .map_err(Failure::from)
                .and_then(|()| run(&mut *holder, load, Work::Add, &mut batch));
        };
        if round == 0 {
            let held = memory.held(&mut fill);
            added?;
            measured.bytes = held as f64 / load.extent.total() as f64;
            measured.encoding = encoding(form, &store, &*holder)?;
            measured.error = error(form, load, &mut *holder)?;
            continue;
        }
        fill();
        let added = added?;
        for (work, figures) in Work::ALL.into_iter().zip(&mut rounds) {
            if !form.shape.does(work) {
                continue;
            }
            let (found, time) = match work {
                Work::Add => added,
                Work::Test | Work::Count | Work::Scan | Work::Remove => {
                    run(&mut *holder, load, work, &mut batch)?
                }
            };
            check(form, load, work, found)?;
            figures.push(time.as_secs_f64() * 1e9 / load.pieces(work) as f64);
        }
    }
    measured.times = Times::from_rounds(|work| std::mem::take(&mut rounds[work as usize]));
    Ok(measured)
}

/// Returns the result of OBJECT ENCODING for a value, which must be one of the form's.
fn encoding(form: &Form, store: &Store, holder: &dyn Holder) -> Result<&'static str, Failure> {
    let found = store.object_encoding(holder.key()?)?.unwrap_or("no value");
    if form.encodings.contains(&found) {
        Ok(found)
    } else {
        let Form { name, encodings, .. } = form;
        Err(Failure::Trouble(format!("{name}: {found} instead of {}", encodings.join(" or "))))
    }
}

/// Checks that an exact form finds exactly the elements that exist.
fn check(form: &Form, load: &Load, work: Work, found: u64) -> Result<(), Failure> {
    let want = match work {
        Work::Test => load.questions.there,
        Work::Add | Work::Count | Work::Scan | Work::Remove => load.extent.total() as u64,
    };
    if found == want || !form.is_exact() {
        return Ok(());
    }
    Err(Failure::Trouble(format!("{}: {work:?} found {found} instead of {want}", form.name)))
}

/// Returns the error of a form that is not exact.
fn error(form: &Form, load: &Load, holder: &mut dyn Holder) -> Result<Option<f64>, Failure> {
    if form.is_exact() {
        return Ok(None);
    }
    if form.shape.does(Work::Test) {
        let (found, _) = run(holder, load, Work::Test, &mut Vec::with_capacity(BATCH))?;
        let there = load.questions.there;
        let others = load.steps(Work::Test) as u64 - there;
        return Ok((others > 0).then(|| found.saturating_sub(there) as f64 / others as f64));
    }
    let size = load.extent.size as f64;
    let mut squares = 0.0;
    for value in 0..load.extent.values {
        let counted = holder.run(Work::Count, &[load.step(Work::Count, value)])?;
        squares += (counted as f64 / size - 1.0).powi(2);
    }
    Ok(Some((squares / load.extent.values as f64).sqrt()))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::form::FORMS;
    use super::*;

    /// Counts nothing. The tests of the program have an allocator that does.
    struct Nothing;

    impl Memory for Nothing {
        fn held(&self, work: &mut dyn FnMut()) -> isize {
            work();
            0
        }
    }

    const SMALL: Effort = Effort { elements: 300, questions: 200, rounds: 2 };

    #[test]
    fn a_value_has_so_many_different_elements() {
        for form in &FORMS {
            for size in [1, 7, 100, 1000, 10_000].into_iter().filter(|&size| form.takes(size)) {
                let load = Load::of(form, size, SMALL);
                let steps = load.steps(Work::Add);
                assert_eq!(steps, load.extent.total());
                let mut elements = vec![HashSet::new(); load.extent.values];
                let mut places = elements.clone();
                for step in (0..steps).map(|number| load.step(Work::Add, number)) {
                    elements[step.value].insert(format!("{:?}", step.item));
                    places[step.value].insert(step.at.to_string());
                }
                let sizes = elements.iter().chain(&places).map(HashSet::len);
                assert!(sizes.clone().all(|found| found == size), "{} of {size}", form.name);
            }
        }
    }

    #[test]
    fn every_second_question_is_for_what_is_not_there() {
        for form in &FORMS {
            let load = Load::of(form, form.sizes[0].max(10), SMALL);
            let (asked, there) = (load.steps(Work::Test), load.questions.there);
            let want = if form.is_asked_by_place() { 200 } else { 100 };
            assert_eq!((asked, there), (200, want), "{}", form.name);
        }
    }

    #[test]
    fn every_form_does_its_work_in_its_encoding() {
        for form in &FORMS {
            let load = Load::of(form, form.sizes[0].max(10), SMALL);
            let measured = measure(form, &load, SMALL, &Nothing).unwrap();
            assert!(form.encodings.contains(&measured.encoding), "{}", form.name);
            for work in Work::ALL {
                let time = measured.times.of(work);
                assert_eq!(time.is_some(), form.shape.does(work), "{} {work:?}", form.name);
                assert!(time.is_none_or(|time| time.min > 0.0 && time.min <= time.median));
            }
            assert_eq!(measured.error.is_some(), !form.is_exact(), "{}", form.name);
        }
    }

    #[test]
    fn many_elements_have_fewer_rounds() {
        let rounds = |effort: Effort| [MANY, MANY + 1].map(|elements| effort.rounds(elements));
        assert_eq!([rounds(Effort::FULL), rounds(Effort::QUICK)], [[5, 3], [3, 3]]);
        assert_eq!(rounds(SMALL), [2, 2]);
    }

    #[test]
    fn a_form_that_is_another_one_is_no_measurement() {
        let wrong = Form { encodings: &["listpack"], ..FORMS[0] };
        let load = Load::of(&wrong, 10, SMALL);
        let failure = measure(&wrong, &load, SMALL, &Nothing).unwrap_err();
        assert!(
            matches!(&failure, Failure::Trouble(what) if what == "intset, 16 bits: intset instead of listpack"),
            "{failure:?}"
        );
        let load = Load::of(&FORMS[0], 10, SMALL);
        assert!(check(&FORMS[0], &load, Work::Remove, 1).is_err());
        assert!(check(&FORMS[0], &load, Work::Test, 100).is_ok());
    }

    #[test]
    fn a_spread_has_the_middle_and_both_ends() {
        let spread = |figures: &[f64]| Spread::of(figures.to_vec());
        assert_eq!(spread(&[3.0, 1.0, 2.0]), Some(Spread { median: 2.0, min: 1.0, max: 3.0 }));
        assert_eq!(spread(&[4.0, 1.0]), Some(Spread { median: 2.5, min: 1.0, max: 4.0 }));
        assert_eq!(spread(&[]), None);
    }
}
