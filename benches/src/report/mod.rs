//! The page `docs/benchmarks.md`: what it holds and how it is written.
//!
//! A page is a head that names the machine, and [`Section`]s of [`Row`]s. A row is one piece of work: what it took here, the
//! target, and what rivals took **in the same run**. Nanoseconds differ from machine to machine; the ratios are what to
//! compare.

mod machine;
mod measure;
mod table;

use testkit::alloc::Counting;

pub use machine::Machine;
pub use measure::{Effort, Race, Result, Sample};
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

    /// Builds something and tells the bytes that the allocator holds for it, headers and slack included.
    pub fn held<T>(&self, build: impl FnOnce() -> T) -> (T, usize) {
        self.allocator.counting(build)
    }
}

/// A heading, a word of introduction and its rows.
#[derive(Clone, Debug)]
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

/// One piece of work: ours, the target and the rivals.
#[derive(Clone, Debug)]
pub struct Row {
    work: String,
    unit: Unit,
    results: Vec<Result>,
    target: Option<f64>,
    note: String,
}

impl Row {
    /// A row of results in `unit`; the first of them is ours, the others are its rivals.
    #[must_use]
    pub fn new(work: &str, unit: Unit, results: Vec<Result>) -> Self {
        Self { work: work.to_owned(), unit, results, target: None, note: String::new() }
    }

    /// What ours is to reach, in the unit of the row.
    #[must_use]
    pub fn target(mut self, value: f64) -> Self {
        self.target = Some(value);
        self
    }

    /// A remark: figures measured elsewhere, or why a target is missed.
    #[must_use]
    pub fn note(mut self, note: &str) -> Self {
        note.clone_into(&mut self.note);
        self
    }

    /// The results, ours first.
    #[must_use]
    pub fn results(&self) -> &[Result] {
        &self.results
    }
}
