//! Payloads of DUMP and RESTORE.

use std::sync::Arc;

use rdb::{Target, ValueType, WriteOptions};

use super::save::has_form;
use super::value::{self, Loaded};
use crate::error::{Error, ErrorKind, Result};
use crate::profile::Profile;
use crate::store::{CommandTime, Shared};
use crate::value::Value;

/// The payload of a value.
pub(crate) fn dump(value: &Value, profile: Profile) -> Result<Vec<u8>> {
    let mut target = profile.dump_version();
    if let Some(kind) = value.newer_kind()
        && !has_form(target, kind)
    {
        // What only newer servers have is written in one of their versions.
        let mut others = Target::ALL.into_iter();
        target = others.find(|&other| has_form(other, kind)).unwrap_or(target);
    }
    rdb::dump::encode(WriteOptions { target, ..WriteOptions::default() }, |writer| {
        value::write(value, writer)
    })
    .map_err(|error| Error::caused(ErrorKind::Io, format!("ERR cannot dump: {error}"), error))
}

/// Notes that the store may have values of a type, for the version of the next file.
fn note_kind(shared: &Shared, kind: ValueType) {
    if !Target::default().has(kind) && !shared.extras().read().newer_kinds().contains(&kind) {
        Arc::make_mut(&mut shared.extras().write()).take_kind(kind);
    }
}

/// Notes that the store may have hashes with fields that expire.
pub(crate) fn note_field_expiry(shared: &Shared) {
    let of_valkey = shared.profile().dump_version().has(ValueType::ValkeyHashTtl);
    note_kind(shared, if of_valkey { ValueType::ValkeyHashTtl } else { ValueType::HashTtl });
}

/// The number of bytes of a value in a file, without its type and key.
pub(crate) fn body_len(value: &Value) -> Result<u64> {
    if let Value::Opaque(value) = value {
        return Ok(value.body().len() as u64);
    }
    // The newest version can represent every value.
    let options = WriteOptions { target: Target::V13, ..WriteOptions::default() };
    rdb::dump::body_len(options, |writer| value::write(value, writer)).map_err(|error| {
        Error::caused(ErrorKind::Io, format!("ERR cannot measure: {error}"), error)
    })
}

/// The value of a payload: of any version that can be read, or of those that the profile's servers accept.
pub(crate) fn restore(payload: &[u8], shared: &Shared, any_version: bool) -> Result<Value> {
    // What is in a log was accepted by the server that wrote it.
    let any_version = any_version || shared.is_replaying();
    let taken = if any_version { [[0, u16::MAX]; 2] } else { shared.profile().restored_versions() };
    // The version and the checksum at the end.
    let version =
        payload.last_chunk::<10>().map(|&[low, high, ..]| u16::from_le_bytes([low, high]));
    let takes = |version| taken.iter().any(|[first, last]| (*first..=*last).contains(&version));
    if !version.is_some_and(takes) {
        return Err(Error::wrong_footer());
    }
    let mut payload = rdb::dump::decode(payload).map_err(|error| {
        let in_footer = matches!(
            error.kind(),
            rdb::ErrorKind::UnsupportedVersion(_) | rdb::ErrorKind::Checksum { .. }
        );
        if in_footer { Error::wrong_footer() } else { Error::bad_format() }
    })?;
    // A type that is newer than the profile's servers, with any footer: they do not have it, and would not accept what
    // DUMP returns for it.
    if payload.kind().since() > taken[1][1] {
        return Err(Error::bad_format());
    }
    let read = payload.value().map_err(|_| Error::bad_format())?;
    // Expired fields are loaded too, as on servers, until they are swept.
    match value::load(read, shared, &CommandTime::before_all(shared.time())) {
        Ok(Loaded::Value(value)) => {
            if let Some(kind) = value.newer_kind() {
                note_kind(shared, kind);
            }
            Ok(value)
        }
        Ok(Loaded::Empty) | Err(_) => Err(Error::bad_format()),
    }
}
