//! The command itself: forms and sizes in, figures out.

use super::form::{FORMS, Family, Form};
use super::measure::{Effort, Load, measure};
use super::memory::Memory;
use super::page;
use super::report::{Report, Row};
use super::server::Live;
use crate::args::EncodingsArgs;
use crate::failure::Failure;
use crate::interrupt::{interrupted, watch};
use crate::output::deliver_as;
use crate::progress::Progress;
use crate::target::check_target;

/// The sizes of a full run, and of a quick one.
const SIZES: [usize; 8] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000];
const QUICK_SIZES: [usize; 5] = [1, 10, 100, 1000, 10_000];

/// Runs `tallis encodings`. `memory` is what the program's allocator says.
///
/// # Errors
///
/// A size at which nothing is measured, a page that cannot be saved, no server to compare with, an interrupt.
pub fn run(args: &EncodingsArgs, memory: &dyn Memory) -> Result<(), Failure> {
    if let Some(file) = &args.html {
        check_target(file)?;
    }
    let chosen = chosen(args)?;
    watch()?;
    let mut live = if args.vs.is_some() { Some(Live::start()?) } else { None };
    let effort = if args.quick { Effort::QUICK } else { Effort::FULL };
    let progress = Progress::of_items(chosen.len() as u64);
    let mut rows = Vec::with_capacity(chosen.len());
    for (form, size) in chosen {
        if interrupted() {
            return Err(Failure::Interrupted("interrupted: nothing is shown".to_owned()));
        }
        let load = Load::of(form, size, effort);
        let measured = measure(form, &load, effort, memory)?;
        let server = live.as_mut().map(|live| live.measure(form, &load)).transpose()?;
        rows.push(Row::new(form, &load, &measured, server.flatten()));
        progress.items(1);
    }
    drop(progress);
    let server = live.as_ref().map(|live| live.name().to_owned());
    let mut report = Report { version: 1, server, rows, saved: None };
    let page = args.html.as_ref().map(|_| page::page(&report)).transpose()?.unwrap_or_default();
    deliver_as(&mut report, args.html.as_deref(), |file| page::write(file, &page), args.json)
}

/// The forms and sizes that are asked for.
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
        return Err(Failure::Usage("no form that is asked for has one of these sizes".to_owned()));
    }
    Ok(chosen)
}
