//! Runs the command.

use super::chart::chart;
use super::measure::measure;
use super::plan::Plan;
use super::report::Report;
use crate::args::{BloomArgs, BloomCommand, PlanArgs};
use crate::failure::Failure;
use crate::output::deliver_as;
use crate::plot;
use crate::target::check_target;

/// The seed of the keys of a measurement.
const SEED: u64 = 0x7a11_15b1_0030_0001;

/// Runs `tallis bloom`.
///
/// # Errors
///
/// Invalid sizes, a filter too large to be measured, a plot that cannot be saved.
pub fn run(args: &BloomArgs) -> Result<(), Failure> {
    match &args.command {
        BloomCommand::Plan(args) => run_plan(args),
    }
}

fn run_plan(args: &PlanArgs) -> Result<(), Failure> {
    let plan = Plan::new(args.items, args.error, args.bits)
        .map_err(|error| Failure::Usage(error.to_string()))?;
    if let Some(file) = &args.plot {
        check_target(file)?;
    }
    let mut report = Report::new(plan);
    if args.measure {
        report.measured = Some(measure(&plan, SEED)?);
    }
    let chart = chart(&plan, report.measured.as_deref());
    deliver_as(&mut report, args.plot.as_deref(), |file| plot::write(file, &chart), args.json)
}
