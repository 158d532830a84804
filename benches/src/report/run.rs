//! A run of the report as JSON: what `--json` writes and `--compare` reads.

use serde::{Deserialize, Serialize};

use super::{Machine, Section};

/// The layout of the file. A change that older readers would misread takes another number.
const LAYOUT: u32 = 1;

/// A section under the name by which it is selected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The name.
    pub name: String,
    /// With which others it is summed up; none if it has no result of ours, or if the run is of a time before families.
    #[serde(default)]
    pub family: Option<String>,
    /// Its rows.
    #[serde(flatten)]
    pub section: Section,
}

/// All that one run measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// [`LAYOUT`], in a field that no other file has.
    tallis_report: u32,
    /// How it was made.
    pub command: String,
    /// When.
    pub date: String,
    /// Where.
    pub machine: Machine,
    /// What was measured, in the order of the page.
    pub sections: Vec<Measured>,
}

impl Run {
    /// A run of these sections.
    #[must_use]
    pub const fn new(
        machine: Machine,
        command: String,
        date: String,
        sections: Vec<Measured>,
    ) -> Self {
        Self { tallis_report: LAYOUT, command, date, machine, sections }
    }

    /// The run as JSON; each section and each result begins a line.
    ///
    /// # Panics
    ///
    /// Never: all of it can be written.
    #[must_use]
    pub fn to_json(&self) -> String {
        let text = serde_json::to_string(self);
        let mut text = text.unwrap_or_else(|error| unreachable!("names and numbers: {error}"));
        text = text.replace("{\"name\":\"", "\n{\"name\":\"");
        text.push('\n');
        text
    }

    /// The run that [`to_json`](Self::to_json) wrote.
    ///
    /// # Errors
    ///
    /// What is wrong with the text: it is no JSON, no run, of another layout, or it has figures that no run measures.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let run: Self = serde_json::from_str(text)
            .map_err(|error| format!("not what `cargo xtask report --json` writes: {error}"))?;
        if run.tallis_report != LAYOUT {
            return Err(format!("layout {}, where {LAYOUT} is read", run.tallis_report));
        }
        for Measured { name, section, .. } in &run.sections {
            for row in section.rows() {
                if row.results().is_empty() {
                    return Err(format!("{name}, {}: a row without results", row.work()));
                }
                for result in row.results() {
                    let figures = result.sample.figures();
                    let mut all = figures.iter().chain(&result.rounds);
                    if !all.all(|figure| figure.is_normal() && *figure > 0.0) {
                        let who = &result.name;
                        return Err(format!("{name}, {}, {who}: no such figure", row.work()));
                    }
                }
            }
        }
        Ok(run)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Machine, Place, Result, Row, Sample, Section, Touched, Unit};
    use super::{Measured, Run};

    fn run() -> Run {
        let rounds = vec![9.0, 1.0 / 3.0, 8.5, 1e9];
        let ours = Result::of("tallis", false, rounds.clone());
        let rival = Result::of("a \"rival\" | {", true, rounds);
        let bytes = Result::new("tallis", Sample::exact(4.25));
        let section = Section::new("Sets", "Random ids.\nAll of them.")
            .row(
                Row::new("contains", Unit::Nanos, Touched::bytes(9), vec![ours, rival])
                    .at_size("contains", 512)
                    .beside("redis-server", [1.0, 3.0])
                    .factor("a \"rival\" | {", 2.0)
                    .note("a note"),
            )
            .row(Row::new("bytes", Unit::Bytes, Touched::NOTHING, vec![bytes]).target(4.0));
        let family = Some("sets".to_owned());
        let sections = vec![Measured { name: "sets".to_owned(), family, section }];
        Run::new(Machine::here(), "a command".to_owned(), "2025-03-12".to_owned(), sections)
    }

    #[test]
    fn a_run_comes_back_from_its_json() {
        let text = run().to_json();
        assert_eq!(Run::from_json(&text), Ok(run()));
    }

    #[test]
    fn a_run_of_a_time_before_families_caches_and_bytes_is_read() {
        let text = run().to_json();
        let start = text.find(",\"caches\":[").expect("caches");
        let end = start + text[start..].find(']').expect("their end") + 1;
        let old = text.replace(&text[start..end], "").replace(",\"family\":\"sets\"", "");
        let old = old.replace(",\"touched\":9,\"curve\":[\"contains\",512.0]", "");
        let old = old.replace(",\"touched\":0,\"curve\":null", "");
        for field in ["caches", "family", "touched", "curve"] {
            assert!(!old.contains(&format!("\"{field}\"")), "{field}: {old}");
        }
        let read = Run::from_json(&old).expect("a run");
        let now = run();
        assert_eq!(read.sections[0].family, None);
        let row = &read.sections[0].section.rows()[0];
        assert_eq!(read.machine.caches.place(row.touched()), Place::Unknown);
        assert_eq!(row.results(), now.sections[0].section.rows()[0].results());
        assert!(read.machine.is_like(&now.machine));
    }

    #[test]
    fn what_is_no_run_is_refused_with_a_reason() {
        let json = run().to_json();
        let layout = json.replace("\"tallis_report\":1", "\"tallis_report\":2");
        let nothing = json.replace("4.25", "0.0");
        let below = json.replace("4.25", "-1");
        for (text, why) in [
            ("", "not what `cargo xtask report --json` writes: EOF"),
            ("# Benchmarks", "not what `cargo xtask report --json` writes: expected value"),
            ("[1, 2]", "not what `cargo xtask report --json` writes: "),
            ("{\"sections\": []}", "missing field `tallis_report`"),
            (&json[..json.len() / 2], "not what `cargo xtask report --json` writes: EOF"),
            (&layout, "layout 2, where 1 is read"),
            (&nothing, "sets, bytes, tallis: no such figure"),
            (&below, "sets, bytes, tallis: no such figure"),
        ] {
            let error = Run::from_json(text).expect_err(text);
            assert!(error.contains(why), "{error}");
        }
    }
}
