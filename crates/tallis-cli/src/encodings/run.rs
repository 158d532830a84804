//! Runs the command.

use super::advice::{Data, advise_beside};
use super::form::{FORMS, Family, Form};
use super::measure::{Effort, Load, measure, not_interrupted};
use super::page;
use super::printed;
use super::report::{Report, Row};
use super::server::Live;
use super::shape::Extent;
use crate::args::EncodingsArgs;
use crate::failure::Failure;
use crate::interrupt::watch;
use crate::memory::Memory;
use crate::output::deliver_as;
use crate::progress::Progress;
use crate::target::check_target;

/// The sizes of a full run, and of a quick one.
const SIZES: [usize; 8] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000];
const QUICK_SIZES: [usize; 5] = [1, 10, 100, 1000, 10_000];

/// Runs `tallis encodings`. `memory` measures what the program's allocator holds.
///
/// # Errors
///
/// A size at which nothing is measured, a page that cannot be saved, no server to compare with, an interrupt.
pub fn run(args: &EncodingsArgs, memory: &dyn Memory) -> Result<(), Failure> {
    if args.printed {
        return printed::run(memory, args.json);
    }
    if let Some(file) = &args.html {
        check_target(file)?;
    }
    if let Some(data) = data(args)? {
        watch()?;
        let mut live = live(args)?;
        let mut advice = advise_beside(&data, memory, live.as_mut())?;
        return deliver_as(&mut advice, None, |_| Ok(()), args.json);
    }
    let chosen = chosen(args)?;
    watch()?;
    let mut live = live(args)?;
    let effort = if args.quick { Effort::QUICK } else { Effort::FULL };
    let elements = |form, size| Extent::of(form, size, effort).total() as u64;
    let progress =
        Progress::of_items(chosen.iter().map(|&(form, size)| elements(form, size)).sum());
    let mut rows = Vec::with_capacity(chosen.len());
    for (form, size) in chosen {
        not_interrupted()?;
        let load = Load::of(form, size, effort);
        let measured = measure(form, &load, effort, memory)?;
        let server = live.as_mut().map(|live| live.measure(form, &load)).transpose()?;
        rows.push(Row::new(form, &load, &measured, server.flatten()));
        progress.items(elements(form, size));
    }
    drop(progress);
    let server = live.as_ref().map(|live| live.name().to_owned());
    let mut report = Report::new(rows, server);
    let page = args.html.as_ref().map(|_| page::page(&report)).transpose()?.unwrap_or_default();
    deliver_as(&mut report, args.html.as_deref(), |file| page::write(file, &page), args.json)
}

/// Starts the server, if requested.
fn live(args: &EncodingsArgs) -> Result<Option<Live>, Failure> {
    args.vs.map(|_| Live::start()).transpose()
}

/// Reads the elements for which advice is requested.
fn data(args: &EncodingsArgs) -> Result<Option<Data>, Failure> {
    if let Some(file) = &args.from {
        return Data::read(file).map(Some);
    }
    args.advise.as_deref().map(Data::describe).transpose().map_err(Failure::Usage)
}

/// Returns the requested forms and sizes.
fn chosen(args: &EncodingsArgs) -> Result<Vec<(&'static Form, usize)>, Failure> {
    let sizes: Vec<usize> = if args.sizes.is_empty() {
        if args.quick { QUICK_SIZES.to_vec() } else { SIZES.to_vec() }
    } else {
        args.sizes.iter().filter_map(|&size| usize::try_from(size).ok()).collect()
    };
    let is_asked = |family: Family| args.only.is_empty() || args.only.contains(&family);
    let forms = FORMS.iter().filter(|form| is_asked(form.family));
    let chosen: Vec<_> = forms
        .flat_map(|form| sizes.iter().map(move |&size| (form, size)))
        .filter(|&(form, size)| form.takes(size))
        .collect();
    if chosen.is_empty() {
        return Err(Failure::Usage(
            "none of the selected forms supports one of these sizes".to_owned(),
        ));
    }
    Ok(chosen)
}
