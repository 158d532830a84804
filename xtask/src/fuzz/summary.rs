//! The summary of the runs.

use std::fmt::Write;

use super::session::Progress;

/// The result of a target.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) target: String,
    pub(super) progress: Progress,
    /// The number of inputs in the corpus before the run, and after it was minimised.
    pub(super) corpus: [usize; 2],
    /// The number of seeds that were kept, if requested.
    pub(super) seeds: Option<usize>,
}

impl Row {
    /// Returns whether the run had a finding, in words.
    fn verdict(&self) -> &'static str {
        if self.progress.clean { "none" } else { "FAILED" }
    }
}

/// Returns a table with a line for each target.
pub(super) fn table(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.target.len()).chain([6]).max().unwrap_or_default();
    let mut text = format!(
        "{:width$}  {:>12}  {:>7}  {:>7}  {:>15}  {:>5}  findings\n",
        "target", "executions", "cov", "ft", "corpus", "seeds"
    );
    for row in rows {
        let Row { target, progress, corpus: [before, after], seeds } = row;
        let Progress { executions, edges, features, .. } = progress;
        let corpus = format!("{before} -> {after}");
        let seeds = seeds.map_or_else(|| "-".to_owned(), |seeds| seeds.to_string());
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{target:width$}  {executions:>12}  {edges:>7}  {features:>7}  {corpus:>15}  {seeds:>5}  {}",
            row.verdict()
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Progress, Row, table};

    #[test]
    fn a_line_has_all_figures() {
        let progress = Progress { executions: 1_234, edges: 56, features: 78, clean: false };
        let row = Row { target: "wire".to_owned(), progress, corpus: [9, 4], seeds: Some(3) };
        let text = table(&[row]);
        let words: Vec<&str> =
            text.lines().nth(1).expect("a line").split_ascii_whitespace().collect();
        assert_eq!(words, ["wire", "1234", "56", "78", "9", "->", "4", "3", "FAILED"]);
        assert!(text.starts_with("target"));
    }
}
