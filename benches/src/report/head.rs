//! The head of the page: the rows that are lost, a summary of all rows, and how closely a second run must agree.

use std::fmt::{Result, Write};

use super::agreement::{FAR, NEAR, SHARE, Spreads};
use super::losses::{Loss, contested, losses};
use super::means::{Mean, Of, by_family, overall};
use super::plots::Plot;
use super::rival::Side;
use super::table::{cell, times};
use super::{Run, Sample};

/// Writes the head, with links to these plots.
pub(super) fn write(text: &mut String, run: &Run, plots: &[Plot]) -> Result {
    write_losses(text, run)?;
    write_summary(text, run)?;
    write_agreement(text, run)?;
    write_plots(text, plots)
}

fn write_losses(text: &mut String, run: &Run) -> Result {
    let losses = losses(run);
    writeln!(text, "## The rows that we lose\n")?;
    writeln!(
        text,
        "{} of the {} rows that have a rival, worst first. In each of them a rival of the same run is ahead in the whole middle half of\n\
         the rounds. A factor is ours divided by the rival's, for rates the rival's divided by ours, with that middle half in brackets.\n\
         A crate that is a bare structure has no keys, types or locks; the factor includes what it saves by that.\n",
        losses.len(),
        contested(run),
    )?;
    if losses.is_empty() {
        return Ok(());
    }
    writeln!(text, "| section | work | rival | factor | others that are ahead |")?;
    writeln!(text, "|---|---|---|---|---|")?;
    losses.iter().try_for_each(|loss| writeln!(text, "{}", line(loss)))?;
    writeln!(text)
}

fn line(loss: &Loss<'_>) -> String {
    let title = loss.section.section.title();
    let mut ahead = loss.ahead.iter();
    let (rival, factor) = ahead
        .next()
        .map_or_else(Default::default, |(rival, factor)| (cell(&rival.name), in_brackets(*factor)));
    let others: Vec<String> = ahead
        .map(|(rival, factor)| format!("{} {}", cell(&rival.name), times(factor.median)))
        .collect();
    let others = if others.is_empty() { "-".to_owned() } else { others.join("; ") };
    let (link, work) = (slug(title), cell(loss.row.work()));
    format!("| [{}](#{link}) | {work} | {rival} | {factor} | {others} |", cell(title))
}

fn in_brackets(factor: Sample) -> String {
    let median = format!("**{}**", times(factor.median));
    if factor.low < factor.high {
        format!("{median} [{}, {}]", times(factor.low), times(factor.high))
    } else {
        median
    }
}

/// Returns the anchor of a heading in rendered Markdown.
pub(super) fn slug(title: &str) -> String {
    let kept = title.to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn write_summary(text: &mut String, run: &Run) -> Result {
    writeln!(text, "## Summary\n")?;
    let (all, families) = (overall(run, Of::Time), by_family(run, Of::Time));
    for (at, side) in Side::ALL.into_iter().enumerate() {
        let Some(mean) = all[at] else {
            writeln!(text, "Nothing was measured beside {}.", side.name())?;
            continue;
        };
        let mut of: Vec<(&str, Mean)> = families
            .iter()
            .filter_map(|family| Some((family.family.as_str(), family.means[at]?)))
            .collect();
        of.sort_by(|(_, a), (_, b)| a.factor.total_cmp(&b.factor));
        let of: Vec<String> =
            of.iter().map(|(name, mean)| format!("{name} {}", times(mean.factor))).collect();
        let ours = if at == 0 { "ours takes" } else { "it takes" };
        writeln!(
            text,
            "Beside {} {ours} **{}** of the time, the geometric mean of {}: {}.",
            side.name(),
            times(mean.factor),
            rows(mean.rows),
            of.join(", "),
        )?;
    }
    writeln!(
        text,
        "\nA mean is over the times of all rows of a family, with rates inverted. Each row counts once, as the first result of ours compared with the best rival\n\
         of that kind in the row; rows without one are left out. *Redis* stands for live servers, by their own time for the command. *The best crate* is the best of all crates in\n\
         the row, including yo-kv, the standard library and bare structures. Plain loops and the limits of the machine are in no mean.\n"
    )?;
    let bytes = by_family(run, Of::Bytes);
    if bytes.is_empty() {
        return Ok(());
    }
    writeln!(text, "The same means for bytes, with the number of rows:\n")?;
    let names = Side::ALL.map(Side::name);
    writeln!(text, "| family | {} |\n|---|---|---|---|", names.join(" | "))?;
    for family in &bytes {
        writeln!(text, "| {} | {} |", cell(&family.family), family.means.map(shown).join(" | "))?;
    }
    writeln!(text, "| all of them | {} |\n", overall(run, Of::Bytes).map(shown).join(" | "))
}

fn rows(count: usize) -> String {
    if count == 1 { "1 row".to_owned() } else { format!("{count} rows") }
}

fn shown(mean: Option<Mean>) -> String {
    mean.map_or("-".to_owned(), |Mean { factor, rows }| format!("{} ({rows})", times(factor)))
}

fn write_agreement(text: &mut String, run: &Run) -> Result {
    let Some(Spreads { factors, half, most }) = Spreads::of(run) else { return Ok(()) };
    writeln!(
        text,
        "**Agreement of a second run.** Of the {factors} factors of rivals that ran in the same rounds, half have the middle half of their rounds within {:.1} % of\n\
         the median, and nine in ten within {:.1} %. A second run on this machine agrees in a factor if the two differ at most by a ratio of {NEAR} where the data are in L1d or\n\
         L2, and of {FAR} where they are in a shared cache or in memory, which other programs use too; or if the middle halves overlap. At\n\
         least {:.0} % of the factors must agree; `cargo xtask report --compare` counts them and lists the others. Nanoseconds need not agree: the speed of the machine changes from hour to hour.\n",
        100.0 * half,
        100.0 * most,
        100.0 * SHARE,
    )
}

fn write_plots(text: &mut String, plots: &[Plot]) -> Result {
    if plots.is_empty() {
        return Ok(());
    }
    writeln!(text, "## Plots\n")?;
    for plot in plots {
        writeln!(text, "![{}](plots/{})\n", plot.title, plot.file)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{run, sections};
    use super::{Plot, slug, write};

    #[test]
    fn anchors_are_those_of_markdown() {
        assert_eq!(slug("Ids, exactly: time against memory"), "ids-exactly-time-against-memory");
        assert_eq!(slug("tallis uv"), "tallis-uv");
        assert_eq!(slug("The append-only log"), "the-append-only-log");
    }

    #[test]
    fn the_head_is_written_word_for_word() {
        let plot =
            Plot { file: "sets.svg".to_owned(), title: "Sets".to_owned(), svg: String::new() };
        let mut text = String::new();
        write(&mut text, &run(sections()), &[plot]).expect("writing to a string cannot fail");
        let lost = "1 of the 3 rows that have a rival, worst first";
        assert!(text.starts_with(&format!("## The rows that we lose\n\n{lost}")), "{text}");
        let line = "\n| [Sets of ids](#sets-of-ids) | add | hashbrown | **x2.00** [x1.98, x2.02] | - |\n\n";
        assert!(text.contains(line), "{text}");
        for sentence in [
            "\nBeside Redis ours takes **x0.25** of the time, the geometric mean of 1 row: sets x0.25.\n",
            "\nBeside the best crate it takes **x0.71** of the time, the geometric mean of 2 rows: strings x0.25, sets x2.00.\n",
            "\nBeside yo-kv it takes **x0.25** of the time, the geometric mean of 1 row: strings x0.25.\n",
            "\n| sets | - | x0.50 (1) | - |\n| all of them | - | x0.50 (1) | - |\n\n",
            "\n**Agreement of a second run.** Of the 3 factors",
        ] {
            assert!(text.contains(sentence), "{sentence}{text}");
        }
        assert!(text.ends_with("\n## Plots\n\n![Sets](plots/sets.svg)\n\n"), "{text}");
    }

    #[test]
    fn missing_measurements_are_reported() {
        let mut text = String::new();
        write(&mut text, &run(Vec::new()), &[]).expect("writing to a string cannot fail");
        assert!(text.contains("0 of the 0 rows"), "{text}");
        assert!(text.contains("\nNothing was measured beside yo-kv.\n"), "{text}");
        assert!(!text.contains("second run") && !text.contains("## Plots"), "{text}");
    }
}
