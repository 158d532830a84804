//! The form of the exact count.

use std::fmt;

use tallis::VisitorsForm;

/// How the sets of the exact count are split into shards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
#[non_exhaustive]
pub enum Form {
    /// As in Redis in Action, into a number of intsets that a forecast determines
    #[default]
    Book,
    /// As book, for a Redis Cluster: each shard has a count, and the keys of a shard are in one slot
    Tagged,
    /// Into intsets that are split as they grow
    Split,
    /// As split, but by the high bits of the ids: less memory in the program, plain intsets in the file
    Compact,
}

impl From<Form> for VisitorsForm {
    fn from(form: Form) -> Self {
        match form {
            Form::Book => Self::Forecast,
            Form::Tagged => Self::Tagged,
            Form::Split => Self::Splitting,
            Form::Compact => Self::Compact,
        }
    }
}

/// As on the command line.
impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Book => "book",
            Self::Tagged => "tagged",
            Self::Split => "split",
            Self::Compact => "compact",
        })
    }
}
