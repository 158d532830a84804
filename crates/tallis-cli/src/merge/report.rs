//! The report of a merge, as a table or as JSON.

use std::fmt;

use serde::{Serialize, Serializer};
use tallis::Merged;

use super::file::Format;
use crate::output;

/// The result of a merge.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Report {
    pub(super) files: Vec<Row>,
    /// The number of keys of the result.
    pub(super) keys: u64,
    /// The number of keys that were merged by each rule, over all files.
    #[serde(serialize_with = "by_rule")]
    pub(super) merged: Merged,
    pub(super) saved: Option<String>,
}

/// A file.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Row {
    pub(super) file: String,
    pub(super) format: Format,
    pub(super) keys: u64,
    /// All keys of the first file are taken.
    #[serde(serialize_with = "by_rule")]
    pub(super) merged: Merged,
}

fn by_rule<S: Serializer>(merged: &Merged, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(merged.iter())
}

impl output::Report for Report {
    fn saved_to(&mut self, file: String) {
        self.saved = Some(file);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.files {
            writeln!(f, "{}: {} keys{}", row.file, row.keys, Rules(&row.merged))?;
        }
        match &self.saved {
            Some(file) => writeln!(f, "{file}: {} keys{}", self.keys, Rules(&self.merged)),
            None => writeln!(f, "not written: {} keys", self.keys),
        }
    }
}

/// The rules that were used.
struct Rules<'r>(&'r Merged);

impl fmt::Display for Rules<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut before = ": ";
        for (rule, keys) in self.0.iter().filter(|&(_, keys)| keys > 0) {
            write!(f, "{before}{} {keys}", rule.replace('_', " "))?;
            before = ", ";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_names_the_rules_that_were_used() {
        let mut merged = Merged::default();
        (merged.taken, merged.sorted_sets) = (3, 1);
        let row = Row { file: "a.rdb".to_owned(), format: Format::Rdb, keys: 4, merged };
        let report = Report {
            files: vec![row],
            keys: 9,
            merged: Merged::default(),
            saved: Some("b.rdb".to_owned()),
        };
        let text = "a.rdb: 4 keys: taken 3, sorted sets 1\nb.rdb: 9 keys\n";
        assert_eq!(report.to_string(), text);
    }
}
