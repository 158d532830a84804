//! The grammar of streams, in its four layouts.

use std::io::Read;

use crate::{error::Error, length, source::Source, string};

/// What each layout adds to the previous one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Layout {
    /// Redis 5.
    First,
    /// Redis 7.0: first id, highest deleted id, entries added; entries read by each group.
    Second,
    /// Redis 7.2: when each consumer was last active.
    Third,
    /// Redis 8.6: what each producer has added, so that what it sends twice is added once.
    Fourth,
}

/// Bytes of an entry's id where it is not written as lengths.
const ID: usize = 16;
/// Bytes of a time.
const TIME: usize = 8;

/// Skips a stream: its nodes, its counters, and its consumer groups. Returns the number of its entries.
pub(crate) fn scan<R: Read, E: From<Error>>(
    source: &mut Source<R>,
    layout: Layout,
    pause: &mut impl FnMut(&mut Source<R>) -> Result<(), E>,
) -> Result<u64, E> {
    for _ in 0..length::read(source)? {
        string::scan(source)?; // id of the node's first entry
        string::scan_with(source, pause)?; // listpack
    }
    let entries = length::read(source)?;
    scan_id(source)?; // last
    if layout >= Layout::Second {
        scan_id(source)?; // first
        scan_id(source)?; // highest deleted
        length::read(source)?; // entries ever added
    }
    for _ in 0..length::read(source)? {
        scan_group(source, layout)?;
        pause(source)?;
    }
    if layout >= Layout::Fourth {
        scan_producers(source, pause)?;
    }
    Ok(entries)
}

fn scan_group<R: Read>(source: &mut Source<R>, layout: Layout) -> Result<(), Error> {
    string::scan(source)?; // name
    scan_id(source)?; // last delivered
    if layout >= Layout::Second {
        length::read(source)?; // entries read
    }
    for _ in 0..length::read(source)? {
        source.array::<ID>()?;
        source.array::<TIME>()?; // delivered
        length::read(source)?; // how often
    }
    for _ in 0..length::read(source)? {
        string::scan(source)?; // name
        source.array::<TIME>()?; // seen
        if layout >= Layout::Third {
            source.array::<TIME>()?; // active
        }
        for _ in 0..length::read(source)? {
            source.array::<ID>()?; // pending
        }
    }
    Ok(())
}

/// What producers have added: for how long and how many of each it is kept, by producer, and two counters.
fn scan_producers<R: Read, E: From<Error>>(
    source: &mut Source<R>,
    pause: &mut impl FnMut(&mut Source<R>) -> Result<(), E>,
) -> Result<(), E> {
    length::read(source)?; // how long
    length::read(source)?; // how many
    for _ in 0..length::read(source)? {
        string::scan(source)?; // name
        for _ in 0..length::read(source)? {
            string::scan(source)?; // what the producer calls the entry
            scan_id(source)?;
        }
        pause(source)?;
    }
    length::read(source)?; // added
    length::read(source)?; // sent twice
    Ok(())
}

/// An id as two lengths: milliseconds and sequence.
fn scan_id<R: Read>(source: &mut Source<R>) -> Result<(), Error> {
    length::read(source)?;
    length::read(source)?;
    Ok(())
}
