//! The form of the exact count.

use std::fmt;

use tallis::VisitorsForm;

/// How the sets of the exact count are cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
#[non_exhaustive]
pub enum Form {
    /// As Redis in Action does, into a number of intsets that a forecast fixes
    #[default]
    Book,
    /// The same for a Redis Cluster: the keys of a shard, of which each has a count, lie in one slot
    Tagged,
    /// Intsets that are split as they fill
    Split,
    /// The same, split by the ids' high bits: less memory here, plain intsets in the file
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
