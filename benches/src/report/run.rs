//! A run of the report as JSON: what `--json` writes and `--compare` reads.

use serde::{Deserialize, Serialize};

use super::{Machine, Section};

/// The version of the file's layout. A change that older readers would misread needs a new one.
const LAYOUT: u32 = 1;

/// A section, with the name that selects it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The name.
    pub name: String,
    /// The family in whose mean the section is; `None` if it has no result of ours, or if the run is older than
    /// families.
    #[serde(default)]
    pub family: Option<String>,
    /// The heading, the text and the rows.
    #[serde(flatten)]
    pub section: Section,
}

/// All measurements of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// [`LAYOUT`]. The name of the field identifies the file.
    tallis_report: u32,
    /// The command of the run.
    pub command: String,
    /// The date of the run.
    pub date: String,
    /// The machine of the run.
    pub machine: Machine,
    /// The sections, in the order of the page.
    pub sections: Vec<Measured>,
}

impl Run {
    /// Creates a run of these sections.
    #[must_use]
    pub const fn new(
        machine: Machine,
        command: String,
        date: String,
        sections: Vec<Measured>,
    ) -> Self {
        Self { tallis_report: LAYOUT, command, date, machine, sections }
    }

    /// Returns the run as JSON. Each section and each result begins a line.
    ///
    /// # Panics
    ///
    /// Never: names and numbers can always be serialized.
    #[must_use]
    pub fn to_json(&self) -> String {
        let text = serde_json::to_string(self);
        let mut text = text
            .unwrap_or_else(|error| unreachable!("names and numbers can be serialized: {error}"));
        text = text.replace("{\"name\":\"", "\n{\"name\":\"");
        text.push('\n');
        text
    }

    /// Reads the run that [`to_json`](Self::to_json) wrote.
    ///
    /// # Errors
    ///
    /// A message if the text is not JSON, is not a run, has another layout, or has figures that no run measures.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let run: Self = serde_json::from_str(text)
            .map_err(|error| format!("not a file of `cargo xtask report --json`: {error}"))?;
        if run.tallis_report != LAYOUT {
            return Err(format!(
                "layout {}, but only layout {LAYOUT} can be read",
                run.tallis_report
            ));
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
                        return Err(format!("{name}, {}, {who}: not a valid figure", row.work()));
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
    fn a_run_is_read_from_its_json() {
        let text = run().to_json();
        assert_eq!(Run::from_json(&text), Ok(run()));
    }

    #[test]
    fn a_run_older_than_families_caches_and_bytes_is_read() {
        let text = run().to_json();
        let start = text.find(",\"caches\":[").expect("caches");
        let end = start + text[start..].find(']').expect("the end of the list") + 1;
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
    fn a_text_that_is_not_a_run_is_refused_with_a_reason() {
        let json = run().to_json();
        let layout = json.replace("\"tallis_report\":1", "\"tallis_report\":2");
        let nothing = json.replace("4.25", "0.0");
        let below = json.replace("4.25", "-1");
        for (text, why) in [
            ("", "not a file of `cargo xtask report --json`: EOF"),
            ("# Benchmarks", "not a file of `cargo xtask report --json`: expected value"),
            ("[1, 2]", "not a file of `cargo xtask report --json`: "),
            ("{\"sections\": []}", "missing field `tallis_report`"),
            (&json[..json.len() / 2], "not a file of `cargo xtask report --json`: EOF"),
            (&layout, "layout 2, but only layout 1 can be read"),
            (&nothing, "sets, bytes, tallis: not a valid figure"),
            (&below, "sets, bytes, tallis: not a valid figure"),
        ] {
            let error = Run::from_json(text).expect_err(text);
            assert!(error.contains(why), "{error}");
        }
    }
}
