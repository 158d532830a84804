//! The command line of `tallis bloom`.

use std::path::PathBuf;

use clap::Subcommand;

use crate::number::{count, share};

/// `tallis bloom`.
#[derive(Clone, Debug, clap::Args)]
pub struct BloomArgs {
    /// The subcommand.
    #[command(subcommand)]
    pub command: BloomCommand,
}

/// The subcommands of `tallis bloom`.
#[derive(Clone, Debug, Subcommand)]
#[non_exhaustive]
pub enum BloomCommand {
    /// Compute the size of a filter from two of: items, error rate, bits
    Plan(PlanArgs),
}

const PLAN_EXAMPLES: &str = "\
Examples:
  tallis bloom plan -n 10000000 -p 0.01
  tallis bloom plan -m 1G -p 1e-4 --json
  tallis bloom plan -n 10M -m 64M
  tallis bloom plan -n 1M -p 0.01 --measure --plot error.svg

Two of -n, -p and -m are required; the third is computed. The plan is for a single filter that does not
grow, as created by BF.RESERVE with NONSCALING. The filter consists of 64-bit words, so -m is rounded up
to a multiple of 64. The number of hashes is rounded up to an integer, which raises the error rate by up
to 3 % of its value. In a filter that grows, the first link has half the error rate.

Numbers can be written as 1000000, 1_000_000, 1000k, 1M, 1G or 1e6. --measure fills such a filter with up
to three times its items and, at each of six stages, tests at least a million items that were not added.
It supports filters of at most 2147483648 bits (256 MiB) and at most 268435456 items.

Exit status: 0 on success, 1 if a file cannot be written, 2 for a usage error.";

/// `tallis bloom plan`.
#[derive(Clone, Debug, clap::Args)]
#[command(
    after_help = PLAN_EXAMPLES,
    override_usage = "tallis bloom plan [OPTIONS] <two of -n <N>, -p <P> and -m <M>>"
)]
pub struct PlanArgs {
    /// Number of items that the filter is sized for
    #[arg(short = 'n', long, value_name = "N", value_parser = count, allow_hyphen_values = true)]
    pub items: Option<u64>,

    /// False positive rate of the full filter, above 0 and below 1
    #[arg(short = 'p', long, value_name = "P", value_parser = share, allow_hyphen_values = true)]
    pub error: Option<f64>,

    /// Size of the filter in bits, rounded up to a multiple of 64
    #[arg(short = 'm', long, value_name = "M", value_parser = count, allow_hyphen_values = true)]
    pub bits: Option<u64>,

    /// Fill a filter of this size and count its false positives
    #[arg(long)]
    pub measure: bool,

    /// Plot the error rate against the fill ratio, and any measured rates, to this file
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,

    /// Print one JSON object instead of the tables
    #[arg(long)]
    pub json: bool,
}
