//! The page `docs/benchmarks.md`: what it holds and how it is written; and the same rows as JSON, to compare two
//! runs.
//!
//! A page is a head that names the machine, and [`Section`]s of [`Row`]s. A row is one piece of work: what it took
//! here, the target, and what rivals took **in the same run**. Nanoseconds differ from machine to machine; the ratios
//! are what to compare.

mod compare;
mod machine;
mod measure;
mod run;
mod table;

use serde::{Deserialize, Serialize};
use testkit::alloc::Counting;

pub use compare::{Change, Comparison, Line, Verdict, compare};
pub use machine::Machine;
pub use measure::{Effort, Race, Result, Sample};
pub use run::{Measured, Run};
pub use table::{Unit, page};

/// What a section measures with.
#[derive(Clone, Copy, Debug)]
pub struct Bench {
    effort: Effort,
    allocator: &'static Counting,
}

impl Bench {
    /// Measures with this effort; `allocator` is the program's global allocator.
    #[must_use]
    pub const fn new(effort: Effort, allocator: &'static Counting) -> Self {
        Self { effort, allocator }
    }

    /// How much is measured: a quick run may also take smaller inputs.
    #[must_use]
    pub const fn effort(&self) -> Effort {
        self.effort
    }

    /// A race in time, to which contenders are added.
    #[must_use]
    pub fn race<'a>(&self) -> Race<'a> {
        Race::new(self.effort)
    }

    /// Builds something and returns the bytes that the allocator holds for it, headers and slack included.
    pub fn held<T>(&self, build: impl FnOnce() -> T) -> (T, usize) {
        self.allocator.counting(build)
    }

    /// As [`held`](Self::held), with the most bytes that were held on the way there.
    pub fn peak<T>(&self, build: impl FnOnce() -> T) -> (T, usize, usize) {
        let before = self.allocator.live();
        self.allocator.reset_peak();
        let (built, held) = self.allocator.counting(build);
        (built, held, self.allocator.peak().saturating_sub(before))
    }
}

/// A heading, a word of introduction and its rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Section {
    title: String,
    text: String,
    rows: Vec<Row>,
}

impl Section {
    /// A section without rows. The text may be empty; it is Markdown.
    #[must_use]
    pub fn new(title: &str, text: &str) -> Self {
        Self { title: title.to_owned(), text: text.to_owned(), rows: Vec::new() }
    }

    /// Adds a row.
    #[must_use]
    pub fn row(mut self, row: Row) -> Self {
        self.rows.push(row);
        self
    }

    /// The rows so far.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }
}

/// What ours is to reach.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Target {
    /// Beside whom: the value is then ours divided by theirs. Without, it is in the unit of the row.
    beside: Option<String>,
    value: f64,
    /// Ours and theirs where the target was set.
    of: Option<[f64; 2]>,
}

/// One piece of work: ours, the targets and the rivals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    work: String,
    unit: Unit,
    results: Vec<Result>,
    targets: Vec<Target>,
    note: String,
}

impl Row {
    /// A row of results in `unit`. The first of them is ours; those that are not [rivals](Result::rival) are other
    /// forms of ours.
    #[must_use]
    pub fn new(work: &str, unit: Unit, results: Vec<Result>) -> Self {
        Self { work: work.to_owned(), unit, results, targets: Vec::new(), note: String::new() }
    }

    /// What ours is to reach, in the unit of the row.
    ///
    /// # Panics
    ///
    /// If that is nanoseconds: they differ from machine to machine.
    #[must_use]
    pub fn target(self, value: f64) -> Self {
        assert!(self.unit != Unit::Nanos, "{}: a target in nanoseconds", self.work);
        self.aim(Target { beside: None, value, of: None })
    }

    /// Ours is to take this many times what another result of the row takes.
    #[must_use]
    pub fn factor(self, beside: &str, value: f64) -> Self {
        self.aim(Target { beside: Some(beside.to_owned()), value, of: None })
    }

    /// As [`factor`](Self::factor), by the figures where the target was set: what ours was to take, and what theirs
    /// took.
    #[must_use]
    pub fn beside(self, beside: &str, [ours, theirs]: [f64; 2]) -> Self {
        let of = Some([ours, theirs]);
        self.aim(Target { beside: Some(beside.to_owned()), value: ours / theirs, of })
    }

    fn aim(mut self, target: Target) -> Self {
        self.targets.push(target);
        self
    }

    /// A remark, such as figures measured elsewhere.
    #[must_use]
    pub fn note(mut self, note: &str) -> Self {
        note.clone_into(&mut self.note);
        self
    }

    /// What is measured.
    #[must_use]
    pub fn work(&self) -> &str {
        &self.work
    }

    /// The results, ours first.
    #[must_use]
    pub fn results(&self) -> &[Result] {
        &self.results
    }

    /// Those beside whom a target is.
    pub fn yardsticks(&self) -> impl Iterator<Item = &str> {
        self.targets.iter().filter_map(|target| target.beside.as_deref())
    }

    /// The result of that name.
    fn result(&self, name: &str) -> Option<&Result> {
        self.results.iter().find(|result| result.name == name)
    }
}
