//! A complete file.

use std::io::Read;

use rdb::{Attributes, Error, Reader, Record, WriteError, WriteOptions, Writer};

use super::Kept;

/// A record of a file, read completely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A key.
    Key {
        /// Its name.
        key: Vec<u8>,
        /// Its attributes.
        attributes: Attributes,
        /// The metadata that modules store with it.
        metadata: Vec<u8>,
        /// Its value.
        value: Kept,
    },
    /// Any other record.
    Other(Record),
}

/// Reads all records of a file; `read` reads each value.
///
/// # Errors
/// [`Error`] if the bytes are malformed, and the errors of `read`.
pub fn read_file<R: Read>(
    mut reader: Reader<R>,
    mut read: impl FnMut(&mut Reader<R>) -> Result<Kept, Error>,
) -> Result<Vec<Item>, Error> {
    let mut items = Vec::new();
    while let Some(record) = reader.next_record()? {
        items.push(match record {
            Record::Key { key, attributes, metadata, .. } => {
                Item::Key { key, attributes, metadata, value: read(&mut reader)? }
            }
            other @ (Record::Aux { .. }
            | Record::SelectDb(_)
            | Record::ResizeDb { .. }
            | Record::SlotInfo { .. }
            | Record::SlotImport { .. }
            | Record::Function { .. }
            | Record::ModuleAux { .. }) => Item::Other(other),
        });
    }
    Ok(items)
}

/// Writes records, in order, as a file.
///
/// # Errors
/// [`WriteError`].
///
/// # Panics
/// If the record of a key is not an [`Item::Key`].
pub fn write_file(items: &[Item], options: WriteOptions) -> Result<Vec<u8>, WriteError> {
    let mut writer = Writer::new(Vec::new(), options)?;
    for item in items {
        match item {
            Item::Key { key, attributes, metadata, value } => {
                value.write(writer.key(key, *attributes).metadata(metadata))?;
            }
            Item::Other(Record::Aux { key, value }) => writer.aux(key, value)?,
            Item::Other(Record::SelectDb(number)) => writer.select_db(*number)?,
            Item::Other(Record::ResizeDb { keys, expires }) => writer.resize_db(*keys, *expires)?,
            Item::Other(Record::SlotInfo { slot, keys, expires }) => {
                writer.slot_info(*slot, *keys, *expires)?;
            }
            Item::Other(Record::SlotImport { body }) => writer.slot_import(body)?,
            Item::Other(Record::Function { code }) => writer.function(code)?,
            Item::Other(Record::ModuleAux { body, .. }) => writer.module_aux(body)?,
            Item::Other(record @ Record::Key { .. }) => panic!("{record:?} is an item of its own"),
        }
    }
    writer.finish()
}
