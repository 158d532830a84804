//! The grammar of every type: how to find the end of a value's body.
//!
//! Each step of a loop consumes a byte or fails, so a loop with a false count ends with the input.

use std::io::Read;

use super::{
    expiring::{self, ExpiryForm},
    kind::ValueType,
    module,
    score::{self, ScoreForm},
    stream::{self, Layout},
};
use crate::error::{Error, ErrorKind};
use crate::{length, source::Source, string};

/// Skips the body of a value.
pub(crate) fn scan<R: Read>(source: &mut Source<R>, kind: ValueType) -> Result<(), Error> {
    scan_with(source, kind, &mut |_| Ok::<(), Error>(())).map(drop)
}

/// As [`scan`], with a pause after each string and each chunk of a long one.
///
/// Returns the stored size of the value: the bytes of a string or a blob, the items of a collection, the entries of a
/// stream; 0 for a value of a module.
pub(crate) fn scan_with<R: Read, E: From<Error>>(
    source: &mut Source<R>,
    kind: ValueType,
    pause: &mut impl FnMut(&mut Source<R>) -> Result<(), E>,
) -> Result<u64, E> {
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
        | ValueType::HashTtlListpackPreRelease => string::scan_with(source, pause),
        ValueType::List | ValueType::Set | ValueType::ListQuicklist => {
            repeat(source, |source| string::scan_with(source, pause).map(drop))
        }
        ValueType::ListQuicklist2 => repeat(source, |source| {
            is_plain(source)?;
            string::scan_with(source, pause).map(drop)
        }),
        ValueType::Hash => repeat(source, |source| pair(source, pause)),
        ValueType::ZSetText => {
            repeat(source, |source| member_and_score(source, ScoreForm::Text, pause))
        }
        ValueType::ZSet => {
            repeat(source, |source| member_and_score(source, ScoreForm::Double, pause))
        }
        ValueType::HashTtlPreRelease | ValueType::HashTtl | ValueType::ValkeyHashTtl => {
            let form = ExpiryForm::read(source, kind)?;
            repeat(source, |source| expiring::scan_with(source, form, pause))
        }
        ValueType::HashTtlListpack => {
            source.array::<8>()?; // earliest expiry
            string::scan_with(source, pause)
        }
        ValueType::Module => {
            module::read_id(source)?;
            module::scan_parts(source, pause)?;
            Ok(0)
        }
        ValueType::Stream1 => stream::scan(source, Layout::First, pause),
        ValueType::Stream2 => stream::scan(source, Layout::Second, pause),
        ValueType::Stream3 => stream::scan(source, Layout::Third, pause),
        ValueType::Stream4 => stream::scan(source, Layout::Fourth, pause),
    }
}

/// A count, and as many items. Returns the count.
fn repeat<R: Read, E: From<Error>>(
    source: &mut Source<R>,
    mut item: impl FnMut(&mut Source<R>) -> Result<(), E>,
) -> Result<u64, E> {
    let count = length::read(source)?;
    for _ in 0..count {
        item(source)?;
    }
    Ok(count)
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

fn pair<R: Read, E: From<Error>>(
    source: &mut Source<R>,
    pause: &mut impl FnMut(&mut Source<R>) -> Result<(), E>,
) -> Result<(), E> {
    string::scan_with(source, pause)?;
    string::scan_with(source, pause).map(drop)
}

fn member_and_score<R: Read, E: From<Error>>(
    source: &mut Source<R>,
    form: ScoreForm,
    pause: &mut impl FnMut(&mut Source<R>) -> Result<(), E>,
) -> Result<(), E> {
    string::scan_with(source, pause)?;
    Ok(score::scan(source, form)?)
}
