//! The command line of `tallis bloom`.

use std::path::PathBuf;

use clap::Subcommand;

use crate::number::{count, share};

/// `tallis bloom`.
#[derive(Clone, Debug, clap::Args)]
pub struct BloomArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: BloomCommand,
}

/// What can be done with Bloom filters.
#[derive(Clone, Debug, Subcommand)]
#[non_exhaustive]
pub enum BloomCommand {
    /// Compute the size of a filter from two of items, error rate and bits
    Plan(PlanArgs),
}

const PLAN_EXAMPLES: &str = "\
Examples:
  tallis bloom plan -n 10000000 -p 0.01
  tallis bloom plan -m 1G -p 1e-4 --json
  tallis bloom plan -n 10M -m 64M
  tallis bloom plan -n 1M -p 0.01 --measure --plot error.svg

Two of -n, -p and -m are needed: the third follows. The plan is of one filter that does not grow,
as BF.RESERVE makes it with NONSCALING: m is whole words of 64 bits, so -m is rounded up to a
multiple of 64; the hashes are rounded up to an integer, which costs up to 3 % of the error rate.
A filter that grows has half of the error rate in its first link.

Numbers may be written as 1000000, 1_000_000, 1000k, 1M, 1G or 1e6. --measure fills such a filter
with up to three times its items, and asks it for a million others or more at each of six stages;
it takes filters of at most 2147483648 bits (256 MiB) for at most 268435456 items.

Exit status: 0, 1 if a file cannot be written, 2 for a wrong command line.";

/// `tallis bloom plan`.
#[derive(Clone, Debug, clap::Args)]
#[command(
    after_help = PLAN_EXAMPLES,
    override_usage = "tallis bloom plan [OPTIONS] <two of -n <N>, -p <P> and -m <M>>"
)]
pub struct PlanArgs {
    /// Items that the filter is made for
    #[arg(short = 'n', long, value_name = "N", value_parser = count, allow_hyphen_values = true)]
    pub items: Option<u64>,

    /// False positive rate of the filter when it is full: above 0 and below 1
    #[arg(short = 'p', long, value_name = "P", value_parser = share, allow_hyphen_values = true)]
    pub error: Option<f64>,

    /// Bits of the filter, rounded up to a multiple of 64
    #[arg(short = 'm', long, value_name = "M", value_parser = count, allow_hyphen_values = true)]
    pub bits: Option<u64>,

    /// Fill a filter of this plan, and count how often it is wrong
    #[arg(long)]
    pub measure: bool,

    /// Draw the error against the fill, and what was measured, to this file
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,

    /// Print one JSON object instead of the tables
    #[arg(long)]
    pub json: bool,
}
