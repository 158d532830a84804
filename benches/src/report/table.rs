//! The page as Markdown.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::{Caches, Plot, Result, Row, Run, Sample, Section, Target, cache, head};

/// The unit of the figures of a row, and how they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// Nanoseconds; less is better.
    Nanos,
    /// Bytes; less is better.
    Bytes,
    /// Pieces per second; more is better.
    PerSecond,
    /// A speed-up, as a ratio; more is better.
    Times,
}

impl Unit {
    /// Formats a figure with its unit and three significant digits.
    pub(super) fn shown(self, value: f64) -> String {
        let steps: &[(f64, &str)] = match self {
            Self::Nanos => &[(1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns")],
            Self::Bytes => &[(1e6, "MB"), (1e3, "kB"), (1.0, "B")],
            Self::PerSecond => &[(1e6, "M/s"), (1e3, "k/s"), (1.0, "/s")],
            Self::Times => &[(1.0, "times")],
        };
        let step = steps.iter().find(|&&(size, _)| value >= size).or(steps.last());
        let (size, name) = step.copied().unwrap_or((1.0, ""));
        let value = value / size;
        let digits = if value >= 100.0 {
            0
        } else if value >= 10.0 {
            1
        } else {
            2
        };
        format!("{value:.digits$} {name}")
    }

    /// Returns `true` if less is better.
    pub(super) const fn less_is_better(self) -> bool {
        match self {
            Self::Nanos | Self::Bytes => true,
            Self::PerSecond | Self::Times => false,
        }
    }

    /// Returns `true` if the figures depend on time: times, rates and speed-ups.
    pub(super) const fn is_time(self) -> bool {
        !matches!(self, Self::Bytes)
    }

    fn reaches(self, value: f64, target: f64) -> bool {
        if self.less_is_better() { value <= target } else { value >= target }
    }
}

/// Returns the whole page, with links to these plots in the folder `plots` next to it.
#[must_use]
pub fn page(run: &Run, plots: &[Plot]) -> String {
    let mut text = String::new();
    write_page(&mut text, run, plots)
        .unwrap_or_else(|_| unreachable!("writing to a string cannot fail"));
    text
}

fn write_page(text: &mut String, run: &Run, plots: &[Plot]) -> std::fmt::Result {
    let Run { command, date, machine, sections, .. } = run;
    writeln!(text, "# Benchmarks\n")?;
    writeln!(text, "Written by `{command}` on {date}. Do not edit it: run the command again.\n")?;
    writeln!(text, "| | |\n|---|---|")?;
    for (name, value) in machine.lines() {
        writeln!(text, "| {name} | {} |", cell(&value))?;
    }
    writeln!(text)?;
    head::write(text, run, plots)?;
    writeln!(
        text,
        "## How to read the tables\n\n\
         Each figure is the median of the rounds, in which all contenders of the row run in turn, with the lowest and\n\
         the highest round in brackets. A factor is ours divided by the rival's, for rates the rival's divided by ours, from the same run: below 1 we\n\
         take less. Compare factors, not nanoseconds, which differ between machines. A target for a time is therefore a factor too; in\n\
         brackets are the nanoseconds from which it was computed, on the machine where it was set. *Data* is the nearest cache that holds all bytes\n\
         of our structure that the row accesses, and how many bytes these are; rows that measure bytes have none.\n"
    )?;
    for measured in sections {
        write_section(text, &measured.section, &machine.caches)?;
    }
    // The page ends with one newline.
    text.truncate(text.trim_end().len());
    text.push('\n');
    Ok(())
}

fn write_section(text: &mut String, section: &Section, caches: &Caches) -> std::fmt::Result {
    writeln!(text, "## {}\n", section.title)?;
    if !section.text.is_empty() {
        writeln!(text, "{}\n", section.text)?;
    }
    if section.rows.is_empty() {
        return Ok(());
    }
    let noted = section.rows.iter().any(|row| !row.note.is_empty());
    let (head, rule) = if noted { (" | remark", "|---") } else { ("", "") };
    writeln!(text, "| work | data | measured | target | in the same run{head} |")?;
    writeln!(text, "|---|---|---|---|---{rule}|")?;
    for row in &section.rows {
        let rivals: Vec<String> = rivals(row);
        let data = cache::cell(caches, row.touched);
        write!(text, "| {} | {data} | {} ", cell(&row.work), measured(row))?;
        write!(text, "| {} | {} |", dash(targets(row).join("; ")), dash(rivals.join("; ")))?;
        if noted {
            write!(text, " {} |", cell(&row.note))?;
        }
        writeln!(text)?;
    }
    writeln!(text)
}

fn measured(row: &Row) -> String {
    row.results.first().map_or_else(String::new, |Result { name, sample, .. }| {
        format!("{}: {}", cell(name), spread(row.unit, *sample))
    })
}

fn spread(unit: Unit, Sample { median, min, max, .. }: Sample) -> String {
    let text = format!("**{}**", unit.shown(median));
    let one_figure = min.total_cmp(&max).is_eq();
    if one_figure { text } else { format!("{text} [{}, {}]", unit.shown(min), unit.shown(max)) }
}

fn targets(row: &Row) -> Vec<String> {
    row.results.first().map_or_else(Vec::new, |ours| {
        row.targets.iter().map(|target| shown_target(row, ours, target)).collect()
    })
}

fn shown_target(row: &Row, ours: &Result, target: &Target) -> String {
    let Target { beside, value, of } = target;
    let (aim, reached) = match beside {
        None => (row.unit.shown(*value), Some(ours.sample.median)),
        Some(name) => {
            let of = of.map(|[ours, theirs]| format!(" ({ours} of {theirs})")).unwrap_or_default();
            let factor = row.result(name).map(|theirs| ours.over(theirs).median);
            (format!("{} of {}{of}", times(*value), cell(name)), factor)
        }
    };
    let verdict = reached.map_or("not measured", |reached| {
        if row.unit.reaches(reached, *value) { "met" } else { "missed" }
    });
    format!("{aim}, {verdict}")
}

/// Formats a factor with two decimals, or with three below 0.1.
pub(super) fn times(factor: f64) -> String {
    if factor < 0.1 { format!("x{factor:.3}") } else { format!("x{factor:.2}") }
}

fn rivals(row: &Row) -> Vec<String> {
    let shown = row.results.iter().skip(1).map(|result| {
        let (factor, median) = (row.behind(result).median, result.sample.median);
        format!("{} {} ({})", cell(&result.name), row.unit.shown(median), times(factor))
    });
    shown.collect()
}

fn dash(text: String) -> String {
    if text.is_empty() { "-".to_owned() } else { text }
}

/// Returns text that stays inside its cell.
pub(super) fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::{Unit, page};
    use crate::report::{
        Cache, Caches, Machine, Measured, Result, Row, Run, Sample, Section, Touched,
    };

    #[test]
    fn figures_keep_three_digits() {
        for (unit, value, shown) in [
            (Unit::Nanos, 7.344, "7.34 ns"),
            (Unit::Nanos, 72.04, "72.0 ns"),
            (Unit::Nanos, 188.4, "188 ns"),
            (Unit::Nanos, 0.25, "0.25 ns"),
            (Unit::Nanos, 7_700.0, "7.70 us"),
            (Unit::Nanos, 2.5e9, "2.50 s"),
            (Unit::Bytes, 9.63, "9.63 B"),
            (Unit::Bytes, 9_630_000.0, "9.63 MB"),
            (Unit::PerSecond, 1_250_000.0, "1.25 M/s"),
            (Unit::Times, 1.8, "1.80 times"),
        ] {
            assert_eq!(unit.shown(value), shown);
        }
    }

    #[test]
    fn the_page_is_written_word_for_word() {
        let machine = Machine {
            processor: "A | B".to_owned(),
            extensions: "AVX2".to_owned(),
            threads: 2,
            kernel: "linux 6.1, x86_64".to_owned(),
            rustc: "rustc 1.95.0".to_owned(),
            caches: Caches::new(vec![Cache { level: 1, bytes: 32 << 10 }]),
        };
        let ours = Result::new("tallis", Sample::of(vec![8.5, 9.0, 12.0]));
        let rival = Result::new("sorted Vec", Sample::exact(12.0));
        let rate = Result::new("tallis", Sample::exact(900_000.0));
        let section = Section::new("intset", "Random ids.")
            .row(
                Row::new("contains", Unit::Nanos, Touched::bytes(4000), vec![ours.clone(), rival])
                    .beside("sorted Vec", [8.0, 10.0])
                    .beside("redis-server", [9.0, 36.0])
                    .factor("sorted Vec", 0.5),
            )
            .row(
                Row::new("lines", Unit::PerSecond, Touched::bytes(1 << 20), vec![rate])
                    .target(1e6)
                    .note("cold"),
            );
        let held = Row::new("bytes", Unit::Bytes, Touched::NOTHING, vec![ours]);
        let plain = Section::new("hll", "").row(held);
        let named = |section| Measured { name: String::new(), family: None, section };
        let (command, date) = ("cargo xtask report".to_owned(), "2025-03-12".to_owned());
        let run = Run::new(machine, command, date, [section, plain].map(named).into());
        let text = page(&run, &[]);
        let head = "# Benchmarks\n\n\
            Written by `cargo xtask report` on 2025-03-12. Do not edit it: run the command again.\n\n\
            | | |\n|---|---|\n\
            | processor | A \\| B, 2 threads |\n\
            | caches | L1d 32 KiB |\n\
            | vector extensions | AVX2 |\n\
            | system | linux 6.1, x86_64 |\n\
            | compiler | rustc 1.95.0 |\n\n\
            ## The rows that we lose\n\n";
        assert!(text.starts_with(head), "{text}");
        let body = "## intset\n\nRandom ids.\n\n\
            | work | data | measured | target | in the same run | remark |\n|---|---|---|---|---|---|\n\
            | contains | L1d, 4.00 kB | tallis: **9.00 ns** [8.50 ns, 12.0 ns] | x0.80 of sorted Vec (8 of 10), met; \
             x0.25 of redis-server (9 of 36), not measured; x0.50 of sorted Vec, missed | sorted Vec 12.0 ns (x0.75) |  |\n\
            | lines | memory, 1.05 MB | tallis: **900 k/s** | 1.00 M/s, missed | - | cold |\n\n\
            ## hll\n\n\
            | work | data | measured | target | in the same run |\n|---|---|---|---|---|\n\
            | bytes | - | tallis: **9.00 B** [8.50 B, 12.0 B] | - | - |\n";
        assert!(text.ends_with(body), "{text}");
    }
}
