//! The page `docs/benchmarks.md`, its content and its format, and the same rows as JSON, to compare two runs.
//!
//! A page has a head, which names the machine, lists the rows that are lost and summarises all rows, and [`Section`]s
//! of [`Row`]s. A row is one piece of work: our result, the target, and the results of rivals **in the same run**.
//! Nanoseconds differ between machines; compare the ratios.

mod agreement;
mod cache;
mod compare;
mod head;
mod losses;
mod machine;
mod means;
mod measure;
mod plots;
mod rival;
mod run;
mod table;

use serde::{Deserialize, Serialize};
use testkit::alloc::Counting;

pub use agreement::Spreads;
pub use cache::{Cache, Caches, Place, Touched};
pub use compare::{Agreement, Change, Comparison, Line, Verdict, compare};
pub use losses::{Loss, losses};
pub use machine::Machine;
pub use means::{FamilyMeans, Mean, Of, by_family, overall};
pub use measure::{Effort, Race, Result, Sample};
pub use plots::{Plot, plots};
pub use rival::{Kind, Side};
pub use run::{Measured, Run};
pub use table::{Unit, page};

/// The tools with which a section is measured.
#[derive(Clone, Copy, Debug)]
pub struct Bench {
    effort: Effort,
    allocator: &'static Counting,
}

impl Bench {
    /// Creates the tools for this effort; `allocator` is the program's global allocator.
    #[must_use]
    pub const fn new(effort: Effort, allocator: &'static Counting) -> Self {
        Self { effort, allocator }
    }

    /// Returns the effort. A quick run may also use smaller inputs.
    #[must_use]
    pub const fn effort(&self) -> Effort {
        self.effort
    }

    /// Returns a race in time, to which contenders are added.
    #[must_use]
    pub fn race<'a>(&self) -> Race<'a> {
        Race::new(self.effort)
    }

    /// Builds a value, and returns it with the bytes that the allocator holds for it, headers and slack included.
    pub fn held<T>(&self, build: impl FnOnce() -> T) -> (T, usize) {
        self.allocator.counting(build)
    }

    /// As [`held`](Self::held), and also returns the peak of the bytes that were held during the build.
    pub fn peak<T>(&self, build: impl FnOnce() -> T) -> (T, usize, usize) {
        let before = self.allocator.live();
        self.allocator.reset_peak();
        let (built, held) = self.allocator.counting(build);
        (built, held, self.allocator.peak().saturating_sub(before))
    }
}

/// A heading, an introduction and rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Section {
    title: String,
    text: String,
    rows: Vec<Row>,
}

impl Section {
    /// Creates a section without rows. The text is Markdown and may be empty.
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

    /// Returns the heading.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the rows added so far.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }
}

/// A target for our result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Target {
    /// The name of another result: `value` is then ours divided by it. If `None`, `value` is in the unit of the row.
    beside: Option<String>,
    value: f64,
    /// Our figure and that of the other result when the target was set.
    of: Option<[f64; 2]>,
}

/// One piece of work: our results, the targets and the rivals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    work: String,
    unit: Unit,
    results: Vec<Result>,
    targets: Vec<Target>,
    note: String,
    /// `None` in runs that are older than the bytes of rows.
    #[serde(default)]
    touched: Option<Touched>,
    /// The name that rows of the same work at other sizes share, and the size of this row.
    #[serde(default)]
    curve: Option<(String, f64)>,
}

impl Row {
    /// Creates a row of results in `unit`, which access the bytes of `touched`. The first result is ours; further
    /// results that are not [rivals](Result::rival) are other forms of ours.
    ///
    /// # Panics
    ///
    /// If the row measures time and `touched` is [`Touched::NOTHING`].
    #[must_use]
    pub fn new(work: &str, unit: Unit, touched: Touched, results: Vec<Result>) -> Self {
        assert!(
            unit == Unit::Bytes || touched != Touched::NOTHING,
            "{work}: the touched bytes are missing"
        );
        Self {
            work: work.to_owned(),
            unit,
            results,
            targets: Vec::new(),
            note: String::new(),
            touched: Some(touched),
            curve: None,
        }
    }

    /// Marks the row as one of several of the same work, `curve`, at other sizes.
    #[must_use]
    pub fn at_size(mut self, curve: &str, size: usize) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a position in a plot")]
        let size = size as f64;
        self.curve = Some((curve.to_owned(), size));
        self
    }

    /// Sets a target for our result, in the unit of the row.
    ///
    /// # Panics
    ///
    /// If the unit is nanoseconds, which differ between machines.
    #[must_use]
    pub fn target(self, value: f64) -> Self {
        assert!(self.unit != Unit::Nanos, "{}: a target in nanoseconds", self.work);
        self.aim(Target { beside: None, value, of: None })
    }

    /// Sets a target for our result, as a factor of another result of the row.
    #[must_use]
    pub fn factor(self, beside: &str, value: f64) -> Self {
        self.aim(Target { beside: Some(beside.to_owned()), value, of: None })
    }

    /// As [`factor`](Self::factor), from the figures when the target was set: the target for ours, and the other
    /// result.
    #[must_use]
    pub fn beside(self, beside: &str, [ours, theirs]: [f64; 2]) -> Self {
        let of = Some([ours, theirs]);
        self.aim(Target { beside: Some(beside.to_owned()), value: ours / theirs, of })
    }

    fn aim(mut self, target: Target) -> Self {
        self.targets.push(target);
        self
    }

    /// Adds a remark, such as figures measured elsewhere.
    #[must_use]
    pub fn note(mut self, note: &str) -> Self {
        note.clone_into(&mut self.note);
        self
    }

    /// Returns the name of the work.
    #[must_use]
    pub fn work(&self) -> &str {
        &self.work
    }

    /// Returns the results, ours first.
    #[must_use]
    pub fn results(&self) -> &[Result] {
        &self.results
    }

    /// Returns the results that are not part of this project.
    pub fn rivals(&self) -> impl Iterator<Item = &Result> {
        self.results.iter().filter(|result| result.rival)
    }

    /// Returns our first result divided by the rival's, for rates the rival's divided by ours. Above 1 ours is behind.
    ///
    /// # Panics
    ///
    /// If the row has no results.
    #[must_use]
    pub fn behind(&self, rival: &Result) -> Sample {
        let ours = &self.results[0];
        if self.unit.less_is_better() { ours.over(rival) } else { rival.over(ours) }
    }

    /// Returns the factor for the best rival of a side, or `None` if the row has no rival of that side.
    fn beside_best(&self, side: Side) -> Option<f64> {
        let rivals = self.rivals().filter(|rival| side.has(&rival.name));
        rivals.map(|rival| self.behind(rival).median).max_by(f64::total_cmp)
    }

    /// Returns the bytes that the row accesses, if known.
    #[must_use]
    pub const fn touched(&self) -> Option<Touched> {
        self.touched
    }

    /// Returns the arguments of [`at_size`](Self::at_size).
    fn curve(&self) -> Option<(&str, f64)> {
        self.curve.as_ref().map(|(curve, size)| (curve.as_str(), *size))
    }

    /// Returns the names of the results that targets refer to.
    pub fn yardsticks(&self) -> impl Iterator<Item = &str> {
        self.targets.iter().filter_map(|target| target.beside.as_deref())
    }

    /// Returns the result with this name.
    fn result(&self, name: &str) -> Option<&Result> {
        self.results.iter().find(|result| result.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::{Machine, Measured, Result, Row, Run, Sample, Section, Touched, Unit};

    /// Returns rounds around a figure, `percent` per cent apart.
    pub(super) fn about(figure: f64, percent: f64) -> Vec<f64> {
        (-2..=2).map(|step| figure * (1.0 + f64::from(step) * percent / 100.0)).collect()
    }

    /// Returns a run of sections, given with their names and families.
    pub(super) fn run(sections: Vec<(&str, Option<&str>, Section)>) -> Run {
        let sections = sections.into_iter().map(|(name, family, section)| Measured {
            name: name.to_owned(),
            family: family.map(str::to_owned),
            section,
        });
        let (command, date) = ("report".to_owned(), "2025-03-12".to_owned());
        Run::new(Machine::here(), command, date, sections.collect())
    }

    /// Returns sections: a row of sets with crates and a server, a row of strings with yo-kv, a row of bytes, and a row
    /// without a result of ours.
    pub(super) fn sections() -> Vec<(&'static str, Option<&'static str>, Section)> {
        let ours = || Result::of("tallis", false, about(10.0, 1.0));
        let theirs = |name: &str, nanos: f64| Result::of(name, true, about(nanos, 0.0));
        let server = Result::rival("redis-server", Sample::exact(40.0));
        let row = |work: &str, results| Row::new(work, Unit::Nanos, Touched::bytes(1000), results);
        let bytes = |name: &str, bytes| Result::rival(name, Sample::exact(bytes));
        let held = vec![Result::new("tallis", Sample::exact(5.0)), bytes("hashbrown", 10.0)];
        let add = vec![ours(), theirs("hashbrown", 5.0), theirs("HashSet", 20.0), server];
        let sets = Section::new("Sets of ids", "").row(row("add", add)).row(Row::new(
            "bytes",
            Unit::Bytes,
            Touched::NOTHING,
            held,
        ));
        let strings =
            Section::new("Strings", "").row(row("GET", vec![ours(), theirs("yo-kv", 40.0)]));
        let other = Section::new("Std", "").row(row("get", vec![ours(), theirs("BTreeSet", 1.0)]));
        vec![
            ("sets", Some("sets"), sets),
            ("strings", Some("strings"), strings),
            ("std", None, other),
        ]
    }

    #[test]
    #[should_panic(expected = "the touched bytes are missing")]
    fn a_row_of_time_has_bytes() {
        let _ = Row::new("add", Unit::Nanos, Touched::NOTHING, Vec::new());
    }

    #[test]
    fn above_1_is_behind_for_rates_too() {
        let of = |unit, ours, theirs| {
            let theirs = Result::rival("yo-kv", Sample::exact(theirs));
            let results = vec![Result::new("tallis", Sample::exact(ours)), theirs.clone()];
            Row::new("work", unit, Touched::bytes(1), results).behind(&theirs)
        };
        assert_eq!(of(Unit::Nanos, 3.0, 2.0), Sample::exact(1.5));
        assert_eq!(of(Unit::PerSecond, 2.0, 3.0), Sample::exact(1.5));
        assert_eq!(of(Unit::Times, 2.0, 1.0), Sample::exact(0.5));
    }
}
