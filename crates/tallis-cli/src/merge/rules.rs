//! The rules that the command line chooses.

use clap::ValueEnum;
use tallis::MergeRule;

/// How two numbers are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[non_exhaustive]
pub enum Numbers {
    /// Their sum.
    Sum,
    /// The larger one.
    Max,
    /// The value of the later file.
    Last,
}

impl From<Numbers> for MergeRule {
    fn from(numbers: Numbers) -> Self {
        match numbers {
            Numbers::Sum => Self::Sum,
            Numbers::Max => Self::Max,
            Numbers::Last => Self::Last,
        }
    }
}

/// The value that is kept if two cannot be merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[non_exhaustive]
pub enum Prefer {
    /// The value of the later file.
    Last,
}
