//! The page as Markdown.

use std::fmt::Write;

use super::{Machine, Result, Row, Sample, Section};

/// What the figures of a row count, and how they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds; less is better.
    Nanos,
    /// Bytes; less is better.
    Bytes,
    /// Pieces a second; more is better.
    PerSecond,
    /// How many times as fast; more is better.
    Times,
}

impl Unit {
    /// The figure with its unit and three digits that count.
    fn shown(self, value: f64) -> String {
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

    fn reaches(self, value: f64, target: f64) -> bool {
        match self {
            Self::Nanos | Self::Bytes => value <= target,
            Self::PerSecond | Self::Times => value >= target,
        }
    }
}

/// The whole page. `command` is how it was made, `date` when.
#[must_use]
pub fn page(machine: &Machine, command: &str, date: &str, sections: &[Section]) -> String {
    let mut text = String::new();
    write_page(&mut text, machine, command, date, sections)
        .unwrap_or_else(|_| unreachable!("writing to a string cannot fail"));
    text
}

fn write_page(
    text: &mut String,
    machine: &Machine,
    command: &str,
    date: &str,
    sections: &[Section],
) -> std::fmt::Result {
    writeln!(text, "# Benchmarks\n")?;
    writeln!(text, "Written by `{command}` on {date}. Not to be edited: run it again.\n")?;
    writeln!(text, "| | |\n|---|---|")?;
    for (name, value) in machine.lines() {
        writeln!(text, "| {name} | {} |", cell(&value))?;
    }
    writeln!(
        text,
        "\nEach figure is the median of rounds in which all contenders of the row take turns, with the lowest and\n\
         the highest round in brackets. A factor is ours divided by the rival's, from the same run: below 1 we\n\
         take less. Compare factors, not nanoseconds: other machines differ.\n"
    )?;
    for section in sections {
        write_section(text, section)?;
    }
    // One newline ends the page.
    text.truncate(text.trim_end().len());
    text.push('\n');
    Ok(())
}

fn write_section(text: &mut String, section: &Section) -> std::fmt::Result {
    writeln!(text, "## {}\n", section.title)?;
    if !section.text.is_empty() {
        writeln!(text, "{}\n", section.text)?;
    }
    if section.rows.is_empty() {
        return Ok(());
    }
    let noted = section.rows.iter().any(|row| !row.note.is_empty());
    let (head, rule) = if noted { (" | remark", "|---") } else { ("", "") };
    writeln!(text, "| work | measured | target | in the same run{head} |")?;
    writeln!(text, "|---|---|---|---{rule}|")?;
    for row in &section.rows {
        let rivals: Vec<String> = rivals(row);
        write!(text, "| {} | {} ", cell(&row.work), measured(row))?;
        write!(text, "| {} | {} |", target(row), dash(rivals.join("; ")))?;
        if noted {
            write!(text, " {} |", cell(&row.note))?;
        }
        writeln!(text)?;
    }
    writeln!(text)
}

fn measured(row: &Row) -> String {
    row.results.first().map_or_else(String::new, |Result { name, sample }| {
        format!("{}: {}", cell(name), spread(row.unit, *sample))
    })
}

fn spread(unit: Unit, Sample { median, min, max }: Sample) -> String {
    let text = format!("**{}**", unit.shown(median));
    let one_figure = min.total_cmp(&max).is_eq();
    if one_figure { text } else { format!("{text} [{}, {}]", unit.shown(min), unit.shown(max)) }
}

fn target(row: &Row) -> String {
    let (Some(target), Some(ours)) = (row.target, row.results.first()) else {
        return "-".to_owned();
    };
    let met = row.unit.reaches(ours.sample.median, target);
    format!("{}, {}", row.unit.shown(target), if met { "met" } else { "missed" })
}

fn rivals(row: &Row) -> Vec<String> {
    let Some((ours, rivals)) = row.results.split_first() else { return Vec::new() };
    let shown = rivals.iter().map(|Result { name, sample }| {
        let factor = ours.sample.median / sample.median;
        format!("{} {} (x{factor:.2})", cell(name), row.unit.shown(sample.median))
    });
    shown.collect()
}

fn dash(text: String) -> String {
    if text.is_empty() { "-".to_owned() } else { text }
}

/// Text that stays inside its cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::{Unit, page};
    use crate::report::{Machine, Result, Row, Sample, Section};

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
        };
        let ours = Result::new("tallis", Sample { median: 9.0, min: 8.5, max: 12.0 });
        let rival = Result::new("sorted Vec", Sample::exact(12.0));
        let rate = Result::new("tallis", Sample::exact(900_000.0));
        let section = Section::new("intset", "Random ids.")
            .row(Row::new("contains", Unit::Nanos, vec![ours.clone(), rival]).target(9.0))
            .row(Row::new("lines", Unit::PerSecond, vec![rate]).target(1e6).note("cold"));
        let plain = Section::new("hll", "").row(Row::new("count", Unit::Nanos, vec![ours]));
        let text = page(&machine, "cargo xtask report", "2025-03-12", &[section, plain]);
        let head = "# Benchmarks\n\n\
            Written by `cargo xtask report` on 2025-03-12. Not to be edited: run it again.\n\n\
            | | |\n|---|---|\n\
            | processor | A \\| B, 2 threads |\n\
            | vector extensions | AVX2 |\n\
            | system | linux 6.1, x86_64 |\n\
            | compiler | rustc 1.95.0 |\n\n";
        assert!(text.starts_with(head), "{text}");
        let body = "## intset\n\nRandom ids.\n\n\
            | work | measured | target | in the same run | remark |\n|---|---|---|---|---|\n\
            | contains | tallis: **9.00 ns** [8.50 ns, 12.0 ns] | 9.00 ns, met | sorted Vec 12.0 ns (x0.75) |  |\n\
            | lines | tallis: **900 k/s** | 1.00 M/s, missed | - | cold |\n\n\
            ## hll\n\n\
            | work | measured | target | in the same run |\n|---|---|---|---|\n\
            | count | tallis: **9.00 ns** [8.50 ns, 12.0 ns] | - | - |\n";
        assert!(text.ends_with(body), "{text}");
    }
}
