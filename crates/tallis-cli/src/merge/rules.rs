//! The rules that the command line chooses.

use clap::ValueEnum;
use tallis::MergeRule;

/// What becomes of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[non_exhaustive]
pub enum Numbers {
    /// Their sum.
    Sum,
    /// The larger one.
    Max,
    /// The later file's.
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

/// Whose value stays where two cannot be merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[non_exhaustive]
pub enum Prefer {
    /// The later file's.
    Last,
}
