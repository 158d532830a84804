//! `tallis encodings --advise`: measures each form for the given elements.

mod choice;
mod data;
mod describe;
mod report;

pub use self::data::Data;
pub use self::report::{Advice, Choice};

use super::measure::{Effort, Load, measure, not_interrupted};
use super::server::Live;
use crate::failure::Failure;
use crate::memory::Memory;

/// Measures every form that can hold the data, on this machine.
///
/// # Errors
///
/// A form that cannot be created, an interrupt, or an error of the server.
///
/// # Examples
///
/// ```
/// use tallis_cli::encodings::{Data, advise};
/// use testkit::alloc::Counting;
///
/// #[global_allocator]
/// static ALLOCATOR: Counting = Counting::paused();
///
/// let data = Data::describe("2000 random 60-bit ids").unwrap();
/// let advice = advise(&data, &ALLOCATOR).unwrap();
/// let bytes = |form: &str| advice.choices().iter().find(|choice| choice.form == form).unwrap().bytes;
/// assert!(bytes("shards, compact") < bytes("one set"));
/// ```
pub fn advise(data: &Data, memory: &dyn Memory) -> Result<Advice, Failure> {
    advise_beside(data, memory, None)
}

/// As [`advise`], with the same measurements on a server.
pub(super) fn advise_beside(
    data: &Data,
    memory: &dyn Memory,
    mut live: Option<&mut Live>,
) -> Result<Advice, Failure> {
    let effort = Effort { elements: 1, ..Effort::QUICK };
    let mut choices = Vec::new();
    for form in choice::forms(data) {
        not_interrupted()?;
        let load = Load::of_items(data.items(effort.questions), effort);
        let measured = measure(&form, &load, effort, memory)?;
        let server = live.as_mut().map(|live| live.measure(&form, &load)).transpose()?;
        choices.push(Choice::new(&form, &load, &measured, server.flatten()));
    }
    let server = live.map(|live| live.name().to_owned());
    Ok(Advice::new(data, choices, server))
}
