//! The grammar of every type: how to get from the first byte of a value's body past its last.
//!
//! Each step of a loop consumes a byte or fails, so a count that lies ends with the input.

use std::io::Read;

use super::{
    kind::ValueType,
    module,
    score::{self, ScoreForm},
    stream::{self, Layout},
};
use crate::error::{Error, ErrorKind};
use crate::{length, source::Source, string};

/// Passes over the body of a value.
pub(crate) fn scan<R: Read>(source: &mut Source<R>, kind: ValueType) -> Result<(), Error> {
    match kind {
        ValueType::String
        | ValueType::HashZipmap
        | ValueType::ListZiplist
        | ValueType::SetIntset
        | ValueType::ZSetZiplist
        | ValueType::HashZiplist
        | ValueType::HashListpack
        | ValueType::ZSetListpack
        | ValueType::SetListpack
        | ValueType::HashTtlListpackPreRelease => string::scan(source),
        ValueType::List | ValueType::Set | ValueType::ListQuicklist => repeat(source, string::scan),
        ValueType::ListQuicklist2 => repeat(source, quicklist_node),
        ValueType::Hash => repeat(source, pair),
        ValueType::ZSetText => repeat(source, |source| member_and_score(source, ScoreForm::Text)),
        ValueType::ZSet => repeat(source, |source| member_and_score(source, ScoreForm::Double)),
        ValueType::HashTtlPreRelease => repeat(source, ttl_and_pair),
        ValueType::HashTtl => {
            source.array::<8>()?; // earliest expiry
            repeat(source, ttl_and_pair)
        }
        ValueType::HashTtlListpack => {
            source.array::<8>()?; // earliest expiry
            string::scan(source)
        }
        ValueType::ValkeyHashTtl => repeat(source, pair_and_time),
        ValueType::Module => {
            module::read_id(source)?;
            module::scan_parts(source)
        }
        ValueType::Stream1 => stream::scan(source, Layout::First),
        ValueType::Stream2 => stream::scan(source, Layout::Second),
        ValueType::Stream3 => stream::scan(source, Layout::Third),
    }
}

/// A count, and as many items.
fn repeat<R: Read>(
    source: &mut Source<R>,
    item: impl Fn(&mut Source<R>) -> Result<(), Error>,
) -> Result<(), Error> {
    for _ in 0..length::read(source)? {
        item(source)?;
    }
    Ok(())
}

/// The containers of nodes, as `quicklist.h` numbers them.
pub(super) const PLAIN: u64 = 1;
pub(super) const PACKED: u64 = 2;

/// The node's container (plain or packed), and its bytes.
pub(super) fn quicklist_node<R: Read>(source: &mut Source<R>) -> Result<(), Error> {
    is_plain(source)?;
    string::scan(source)
}

/// Reads the container of a node: whether it is a plain one.
pub(super) fn is_plain<R: Read>(source: &mut Source<R>) -> Result<bool, Error> {
    let at = source.offset();
    match length::read(source)? {
        PLAIN => Ok(true),
        PACKED => Ok(false),
        other => Err(Error::new(at, ErrorKind::BadNode(other))),
    }
}

fn pair<R: Read>(source: &mut Source<R>) -> Result<(), Error> {
    string::scan(source)?;
    string::scan(source)
}

fn member_and_score<R: Read>(source: &mut Source<R>, form: ScoreForm) -> Result<(), Error> {
    string::scan(source)?;
    score::scan(source, form)
}

fn ttl_and_pair<R: Read>(source: &mut Source<R>) -> Result<(), Error> {
    length::read(source)?;
    pair(source)
}

fn pair_and_time<R: Read>(source: &mut Source<R>) -> Result<(), Error> {
    pair(source)?;
    source.array::<8>().map(drop)
}
