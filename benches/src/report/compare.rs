//! Comparison of two runs: the result of each row in the second run, divided by its result in the first.
//!
//! # Method
//!
//! The speed of a shared machine varies from hour to hour by much more than a change of the code does. The code of a
//! rival has not changed, so its time shows how fast the machine was. A row whose rivals ran in the same rounds is
//! therefore judged by (ours / rival now) / (ours / rival before), for each rival; any other row by ours now / ours
//! before.
//!
//! # Noise
//!
//! The spread of a result is the interquartile range of its rounds, since single rounds are disturbed by other
//! programs. The spread of the quotient of two runs extends from the lowest possible quotient to the highest. A row is
//! worse if the quotient is above [`LIMIT`] and its whole spread is above 1, that is, if the two spreads do not
//! overlap. If it has several rivals, this must hold for each of them. A live server is measured once, after the
//! rounds, so its spread is unknown and it is not used as a reference.
//!
//! # Agreement
//!
//! Two runs of the same code may be hours apart, and other programs use more or less of the caches and of the memory
//! bandwidth. The limits within which the factors of two runs agree are therefore wider, and depend on the cache level
//! of the data ([`agrees`]). The runs agree if the share [`SHARE`] of their factors does.

use std::fmt::{self, Display, Formatter, Write};

use super::agreement::{SHARE, agrees};
use super::cache::Place;
use super::table::cell;
use super::{Measured, Result, Row, Run, Sample, Unit};

/// Smaller differences are not marked.
const LIMIT: f64 = 1.03;

/// The verdict on a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The result is worse than before, by more than the noise.
    Worse,
    /// The result is better than before, by more than the noise.
    Better,
    /// The difference may be noise.
    Alike,
}

impl Verdict {
    /// Applies the rule on noise to a factor, of which more than 1 is worse.
    fn of(factor: Sample) -> Self {
        if factor.median > LIMIT && factor.low > 1.0 {
            Self::Worse
        } else if factor.median < 1.0 / LIMIT && factor.high < 1.0 {
            Self::Better
        } else {
            Self::Alike
        }
    }
}

/// How one of our results changed.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The result is in both runs.
    Both {
        /// The result of the first run.
        before: Sample,
        /// The result of the second run.
        now: Sample,
        /// Now divided by before; for rates, before divided by now. More than 1 is worse.
        factor: Sample,
        /// The same factor divided by that of a rival, for each rival that ran in the same rounds.
        beside: Vec<(String, Sample)>,
        /// Whether the result is worse or better.
        verdict: Verdict,
    },
    /// The result is only in the first run.
    Before,
    /// The result is only in the second run.
    Now,
}

/// One of our results, in two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The name of the section.
    pub section: String,
    /// The work that is measured.
    pub work: String,
    /// The name of the result.
    pub name: String,
    /// The unit of the result.
    pub unit: Unit,
    /// The cache level of the row's data.
    pub place: Place,
    /// How the result changed.
    pub change: Change,
}

/// The comparison of two runs, result by result.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The date and the command of each run.
    heads: [String; 2],
    /// Why the comparison may be misleading.
    warnings: Vec<String>,
    /// Our results in the order of the second run, followed by those of the first run only.
    pub lines: Vec<Line>,
}

/// Compares two runs, or only the sections in `only` if it is not empty.
#[must_use]
pub fn compare(before: &Run, now: &Run, only: &[String]) -> Comparison {
    let [old, new] = [before, now].map(|run| ours(run, only));
    let mut lines = Vec::new();
    for entry in &new {
        let change = old.iter().find(|other| entry.is(other)).map_or(Change::Now, |other| {
            both((other.row, other.result), (entry.row, entry.result))
        });
        lines.push(entry.line(change));
    }
    let gone = old.iter().filter(|entry| !new.iter().any(|other| entry.is(other)));
    lines.extend(gone.map(|entry| entry.line(Change::Before)));
    let mut warnings = Vec::new();
    if !before.machine.is_like(&now.machine) {
        warnings.push(
            "The machines or the compilers differ: only factors beside rivals are comparable."
                .to_owned(),
        );
    }
    if before.command != now.command {
        warnings.push(
            "The commands differ: rows of the same name may have different inputs.".to_owned(),
        );
    }
    let heads = [before, now].map(|run| format!("{}, `{}`", run.date, run.command));
    Comparison { heads, warnings, lines }
}

/// How well two runs agree in their factors beside rivals.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    /// The number of factors, in both runs, beside rivals that ran in the same rounds.
    pub factors: usize,
    /// The factors that do not agree.
    pub apart: Vec<String>,
}

impl Agreement {
    /// Returns the share of factors that agree, or `None` if there are no factors.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "hundreds")]
        let [all, apart] = [self.factors, self.apart.len()].map(|count| count as f64);
        (self.factors > 0).then(|| (all - apart) / all)
    }

    /// Returns whether the two runs agree, or `None` if there are no factors.
    #[must_use]
    pub fn holds(&self) -> Option<bool> {
        self.share().map(|share| share >= SHARE)
    }
}

impl Display for Agreement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (Some(share), Some(holds)) = (self.share(), self.holds()) else {
            return writeln!(
                f,
                "Whether the runs agree is not known: no rival ran in the rounds of both.\n"
            );
        };
        let verdict = if holds { "The runs agree" } else { "The runs do not agree" };
        writeln!(
            f,
            "{verdict}: {} of {} factors beside rivals that ran in the same rounds do ({:.0} %); {:.0} % are required.\n",
            self.factors - self.apart.len(),
            self.factors,
            (100.0 * share).floor(),
            100.0 * SHARE,
        )
    }
}

/// One of our results, with its section and row.
struct Entry<'a> {
    section: &'a str,
    row: &'a Row,
    result: &'a Result,
    place: Place,
}

impl Entry<'_> {
    fn is(&self, other: &Entry<'_>) -> bool {
        let key = |entry: &Entry<'_>| (entry.row.unit, entry.result.name.clone());
        self.section == other.section && self.row.work == other.row.work && key(self) == key(other)
    }

    fn line(&self, change: Change) -> Line {
        Line {
            section: self.section.to_owned(),
            work: self.row.work.clone(),
            name: self.result.name.clone(),
            unit: self.row.unit,
            place: self.place,
            change,
        }
    }
}

fn ours<'a>(run: &'a Run, only: &[String]) -> Vec<Entry<'a>> {
    let wanted = |measured: &&Measured| only.is_empty() || only.contains(&measured.name);
    let sections = run.sections.iter().filter(wanted);
    let rows = sections.flat_map(|Measured { name, section, .. }| {
        section.rows().iter().map(move |row| (name.as_str(), row))
    });
    rows.flat_map(|(section, row)| {
        let ours = row.results().iter().filter(|result| !result.rival);
        let place = run.machine.caches.place(row.touched());
        ours.map(move |result| Entry { section, row, result, place })
    })
    .collect()
}

fn both((old_row, old): (&Row, &Result), (new_row, new): (&Row, &Result)) -> Change {
    let quotient = |before: Sample, now: Sample| {
        if new_row.unit.less_is_better() { now.over(before) } else { before.over(now) }
    };
    let raced = |result: &&Result| result.rival && !result.rounds.is_empty();
    let rivals = new_row.results().iter().filter(raced).filter_map(|theirs| {
        let before = old_row.result(&theirs.name).filter(raced)?;
        Some((theirs.name.clone(), quotient(old.over(before), new.over(theirs))))
    });
    // Bytes have no noise, so rivals add nothing.
    let beside: Vec<(String, Sample)> =
        if new.rounds.is_empty() { Vec::new() } else { rivals.collect() };
    let factor = quotient(old.sample, new.sample);
    let mut verdicts = beside.iter().map(|(_, factor)| Verdict::of(*factor));
    let first = verdicts.next().unwrap_or_else(|| Verdict::of(factor));
    let verdict = if verdicts.all(|verdict| verdict == first) { first } else { Verdict::Alike };
    Change::Both { before: old.sample, now: new.sample, factor, beside, verdict }
}

impl Display for Comparison {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { heads: [before, now], warnings, lines } = self;
        writeln!(f, "# Two runs of the report\n")?;
        writeln!(f, "Before: {before}.  \nNow: {now}.\n")?;
        for warning in warnings {
            writeln!(f, "{warning}\n")?;
        }
        write!(f, "{}", self.agreement())?;
        writeln!(
            f,
            "A factor is now divided by before; for rates, before divided by now. More than 1 is worse. The interquartile range\n\
             of the rounds is in brackets. Beside a rival: the ratio of our time to the rival's now, divided by that ratio before.\n"
        )?;
        for (at, line) in lines.iter().enumerate() {
            if at == 0 || lines[at - 1].section != line.section {
                let space = if at == 0 { "" } else { "\n" };
                writeln!(f, "{space}## {}\n", line.section)?;
                writeln!(
                    f,
                    "| work | before | now | factor | beside | |\n|---|---|---|---|---|---|"
                )?;
            }
            writeln!(f, "{line}")?;
        }
        self.write_sum(f)
    }
}

impl Comparison {
    /// Compares the factors beside rivals.
    #[must_use]
    pub fn agreement(&self) -> Agreement {
        let (mut factors, mut apart) = (0, Vec::new());
        for line in &self.lines {
            let Change::Both { beside, .. } = &line.change else { continue };
            for (rival, factor) in beside {
                factors += 1;
                if !agrees(*factor, line.place) {
                    let Line { section, work, name, .. } = line;
                    let factor = spread(*factor, times);
                    apart.push(format!("{section}: {work}, {name} beside {rival}: {factor}"));
                }
            }
        }
        Agreement { factors, apart }
    }

    fn write_sum(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let named = |wanted: &dyn Fn(&Change) -> bool| -> Vec<String> {
            let lines = self.lines.iter().filter(|line| wanted(&line.change));
            lines.map(|line| format!("{}: {}, {}", line.section, line.work, line.name)).collect()
        };
        let judged = |wanted| {
            named(&|change| matches!(change, Change::Both { verdict, .. } if *verdict == wanted))
        };
        let (worse, better) = (judged(Verdict::Worse), judged(Verdict::Better));
        let alike = judged(Verdict::Alike).len();
        let before = named(&|change| *change == Change::Before);
        let now = named(&|change| *change == Change::Now);
        writeln!(f, "\n## Sum\n")?;
        writeln!(
            f,
            "{} results in both runs: {} worse, {} better, {alike} alike. Only before: {}. Only now: {}.",
            worse.len() + better.len() + alike,
            worse.len(),
            better.len(),
            before.len(),
            now.len(),
        )?;
        let lists = [
            ("Worse", worse),
            ("Better", better),
            ("Factors that do not agree", self.agreement().apart),
            ("Only before", before),
            ("Only now", now),
        ];
        for (title, names) in lists.into_iter().filter(|(_, names)| !names.is_empty()) {
            writeln!(f, "\n{title}:\n")?;
            for name in names {
                writeln!(f, "* {name}")?;
            }
        }
        Ok(())
    }
}

impl Display for Line {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "| {}: {} ", cell(&self.work), cell(&self.name))?;
        match &self.change {
            Change::Before => write!(f, "| | missing | | | only before |"),
            Change::Now => write!(f, "| missing | | | | only now |"),
            Change::Both { before, now, factor, beside, verdict } => {
                let unit = |figure: f64| self.unit.shown(figure);
                write!(f, "| {} | {} ", spread(*before, unit), spread(*now, unit))?;
                let mut rivals = String::new();
                for (at, (name, factor)) in beside.iter().enumerate() {
                    let comma = if at == 0 { "" } else { "; " };
                    write!(rivals, "{comma}{} {}", cell(name), spread(*factor, times))?;
                }
                let mark = match (verdict, beside.is_empty() && factor.low < factor.high) {
                    (Verdict::Worse, false) => "**worse**",
                    // The machine may be slower, and no rival would show it.
                    (Verdict::Worse, true) => "**worse**, without a rival",
                    (Verdict::Better, false) => "better",
                    (Verdict::Better, true) => "better, without a rival",
                    (Verdict::Alike, _) => "",
                };
                write!(f, "| {} | {rivals} | {mark} |", spread(*factor, times))
            }
        }
    }
}

fn times(factor: f64) -> String {
    format!("x{factor:.2}")
}

fn spread(sample: Sample, shown: impl Fn(f64) -> String) -> String {
    let Sample { median, low, high, .. } = sample;
    if low < high {
        format!("{} [{}, {}]", shown(median), shown(low), shown(high))
    } else {
        shown(median)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{about, run as run_of};
    use super::super::{Result, Row, Run, Sample, Section, Touched, Unit};
    use super::{Change, Comparison, Line, Verdict, compare};

    fn ours(figure: f64, percent: f64) -> Result {
        Result::of("tallis", false, about(figure, percent))
    }

    fn theirs(name: &str, figure: f64) -> Result {
        Result::of(name, true, about(figure, 0.5))
    }

    fn run(rows: Vec<Row>) -> Run {
        let section = rows.into_iter().fold(Section::new("Sets", ""), Section::row);
        run_of(vec![("sets", Some("sets"), section)])
    }

    fn nanos(work: &str, results: Vec<Result>) -> Row {
        Row::new(work, Unit::Nanos, Touched::bytes(1), results)
    }

    /// What becomes of a row of these results.
    fn change(unit: Unit, before: Vec<Result>, now: Vec<Result>) -> (f64, Vec<f64>, Verdict) {
        let [before, now] = [before, now]
            .map(|results| run(vec![Row::new("add", unit, Touched::bytes(1), results)]));
        let Comparison { lines, .. } = compare(&before, &now, &[]);
        let [Line { change: Change::Both { factor, beside, verdict, .. }, .. }] = &lines[..] else {
            panic!("{lines:?}")
        };
        (factor.median, beside.iter().map(|(_, factor)| factor.median).collect(), *verdict)
    }

    #[test]
    fn a_slower_hour_is_not_a_slower_row() {
        let before = vec![ours(100.0, 0.5), theirs("hashbrown", 50.0)];
        let slow_hour = vec![ours(200.0, 0.5), theirs("hashbrown", 100.0)];
        assert_eq!(
            change(Unit::Nanos, before.clone(), slow_hour),
            (2.0, vec![1.0], Verdict::Alike)
        );
        let slower = vec![ours(125.0, 0.5), theirs("hashbrown", 50.0)];
        assert_eq!(change(Unit::Nanos, before.clone(), slower), (1.25, vec![1.25], Verdict::Worse));
        let faster = vec![ours(100.0, 0.5), theirs("hashbrown", 100.0)];
        assert_eq!(change(Unit::Nanos, before, faster), (1.0, vec![0.5], Verdict::Better));
    }

    #[test]
    fn a_row_is_worse_only_beside_each_of_its_rivals() {
        let of = |ours_now, first, second| {
            vec![ours(ours_now, 0.5), theirs("yo-kv", first), theirs("hashbrown", second)]
        };
        let before = of(100.0, 100.0, 100.0);
        assert_eq!(change(Unit::Nanos, before.clone(), of(200.0, 100.0, 160.0)).2, Verdict::Worse);
        assert_eq!(change(Unit::Nanos, before, of(200.0, 100.0, 200.0)).2, Verdict::Alike);
    }

    #[test]
    fn without_a_rival_in_the_rounds_ours_is_beside_ours() {
        let server = |figure| Result::rival("redis-server", Sample::exact(figure));
        let before = vec![ours(100.0, 0.5), server(100.0)];
        let now = vec![ours(150.0, 0.5), server(150.0)];
        assert_eq!(change(Unit::Nanos, before, now), (1.5, vec![], Verdict::Worse));
        let bytes = |figure| vec![Result::new("tallis", Sample::exact(figure))];
        assert_eq!(change(Unit::Bytes, bytes(100.0), bytes(102.0)).2, Verdict::Alike);
        assert_eq!(change(Unit::Bytes, bytes(100.0), bytes(125.0)), (1.25, vec![], Verdict::Worse));
    }

    #[test]
    fn rates_are_worse_when_they_fall() {
        let before = vec![ours(3.0, 0.1), theirs("plain", 4.0)];
        let now = vec![ours(1.5, 0.1), theirs("plain", 4.0)];
        let (factor, beside, verdict) = change(Unit::PerSecond, before, now);
        assert_eq!((factor, beside, verdict), (2.0, vec![2.0], Verdict::Worse));
    }

    #[test]
    fn the_noise_of_both_spreads_has_to_be_exceeded() {
        let of = |before, spread_before, now, spread_now| {
            let [before, now] = [ours(before, spread_before), ours(now, spread_now)];
            change(Unit::Nanos, vec![before], vec![now]).2
        };
        // 100 and 102 are apart, and not worth a mark.
        assert_eq!(of(100.0, 0.1, 102.0, 0.1), Verdict::Alike);
        assert_eq!(of(100.0, 0.1, 104.0, 0.1), Verdict::Worse);
        assert_eq!(of(104.0, 0.1, 100.0, 0.1), Verdict::Better);
        // The middle halves are [95, 105] and [104.5, 115.5].
        assert_eq!(of(100.0, 5.0, 110.0, 5.0), Verdict::Alike);
        assert_eq!(of(100.0, 0.1, 110.0, 12.0), Verdict::Alike);
        assert_eq!(of(100.0, 12.0, 110.0, 0.1), Verdict::Alike);
        assert_eq!(of(100.0, 4.0, 110.0, 4.0), Verdict::Worse);
    }

    #[test]
    fn what_one_side_misses_is_told() {
        let store = Result::of("tallis, the store", false, about(5.0, 1.0));
        let before = run(vec![
            nanos("add", vec![ours(1.0, 1.0), store, theirs("yo-kv", 1.0)]),
            nanos("gone", vec![ours(1.0, 1.0)]),
        ]);
        let now = run(vec![nanos("new", vec![ours(1.0, 1.0)]), nanos("add", vec![ours(1.0, 1.0)])]);
        let comparison = compare(&before, &now, &[]);
        let told: Vec<_> = comparison
            .lines
            .iter()
            .map(|line| {
                (line.work.as_str(), line.name.as_str(), matches!(line.change, Change::Both { .. }))
            })
            .collect();
        assert_eq!(
            told,
            [
                ("new", "tallis", false),
                ("add", "tallis", true),
                ("add", "tallis, the store", false),
                ("gone", "tallis", false)
            ]
        );
        let text = comparison.to_string();
        assert!(text.contains("| gone: tallis | | missing | | | only before |\n"), "{text}");
        assert!(text.contains("| new: tallis | missing | | | | only now |\n"), "{text}");
        let sum =
            "1 results in both runs: 0 worse, 0 better, 1 alike. Only before: 2. Only now: 1.\n";
        assert!(text.contains(sum), "{text}");
    }

    #[test]
    fn sections_that_are_not_asked_for_are_not_missing() {
        let before = run(vec![nanos("add", vec![ours(1.0, 1.0)])]);
        let mut now = before.clone();
        now.sections.clear();
        assert_eq!(compare(&before, &now, &["strings".to_owned()]).lines, []);
        assert_eq!(compare(&before, &now, &["sets".to_owned()]).lines.len(), 1);
    }

    #[test]
    fn two_runs_agree_if_nine_in_ten_factors_do() {
        let of = |apart: usize| {
            let rows = |slower: usize| {
                let ours = |at: usize| ours(if at < slower { 120.0 } else { 100.0 }, 0.5);
                let row = |at: usize| {
                    nanos(&format!("add {at}"), vec![ours(at), theirs("hashbrown", 50.0)])
                };
                run((0..20).map(row).collect())
            };
            let comparison = compare(&rows(0), &rows(apart), &[]);
            let agreement = comparison.agreement();
            assert_eq!((agreement.factors, agreement.apart.len()), (20, apart));
            let text = comparison.to_string();
            let told = if agreement.holds() == Some(true) { "agree" } else { "do not agree" };
            assert!(text.contains(&format!("\nThe runs {told}: {} of 20", 20 - apart)), "{text}");
            agreement.holds()
        };
        assert_eq!([0, 2, 3].map(of), [Some(true), Some(true), Some(false)]);
        let alone = run(vec![nanos("add", vec![ours(1.0, 1.0)])]);
        let comparison = compare(&alone, &alone, &[]);
        assert_eq!(comparison.agreement().holds(), None);
        assert!(comparison.to_string().contains("\nWhether the runs agree is not known"));
    }

    #[test]
    fn the_text_shows_both_spreads_and_sums_up() {
        let before = run(vec![nanos("add", vec![ours(100.0, 1.0), theirs("hashbrown", 50.0)])]);
        let mut now = run(vec![nanos("add", vec![ours(150.0, 2.0), theirs("hashbrown", 50.0)])]);
        let text = compare(&before, &now, &[]).to_string();
        let line = "| add: tallis | 100 ns [99.0 ns, 101 ns] | 150 ns [147 ns, 153 ns] | x1.50 [x1.46, x1.55] \
                    | hashbrown x1.50 [x1.47, x1.53] | **worse** |\n";
        assert!(text.contains(line), "{text}");
        let end = "\nWorse:\n\n* sets: add, tallis\n\nFactors that do not agree:\n\n\
                   * sets: add, tallis beside hashbrown: x1.50 [x1.47, x1.53]\n";
        assert!(text.ends_with(end), "{text}");
        assert!(!text.contains("differ:"), "{text}");
        now.machine.processor.push('X');
        assert!(
            compare(&before, &now, &[])
                .to_string()
                .contains("The machines or the compilers differ")
        );
    }
}
