//! Values of types that are not decoded here.

use super::{
    kind::ValueType,
    module::{self, ModuleId, ModuleParts},
    scan::scan,
};
use crate::{error::Error, source::Source, string};

/// A value that is not decoded: its type, and the bytes after the type byte.
///
/// The bytes follow the grammar of their type, compressed strings included, so they can be written unchanged to another
/// file or payload. Packed blobs are not validated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RawValue {
    kind: ValueType,
    body: Box<[u8]>,
}

impl RawValue {
    /// The caller has scanned the body.
    pub(crate) fn scanned(kind: ValueType, body: Vec<u8>) -> Self {
        Self { kind, body: body.into_boxed_slice() }
    }

    /// Creates a value from bytes, after validating that they are exactly one value of that type. O(bytes).
    ///
    /// # Errors
    /// [`Error`], with an offset from the start of the body.
    ///
    /// ```
    /// use rdb::{RawValue, ValueType};
    /// assert!(RawValue::new(ValueType::List, b"\x02\x01a\x01b".to_vec()).is_ok());
    /// assert!(RawValue::new(ValueType::List, b"\x03\x01a\x01b".to_vec()).is_err());
    /// ```
    pub fn new(kind: ValueType, body: Vec<u8>) -> Result<Self, Error> {
        let mut source = Source::new(body.as_slice(), Some(body.len() as u64), false);
        scan(&mut source, kind)?;
        source.check_end()?;
        Ok(Self::scanned(kind, body))
    }

    /// The type of the value.
    #[must_use]
    pub fn kind(&self) -> ValueType {
        self.kind
    }

    /// The bytes after the type byte.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// The bytes after the type byte.
    #[must_use]
    pub fn into_body(self) -> Box<[u8]> {
        self.body
    }

    /// The id of the module's type; `None` for any other value.
    #[must_use]
    pub fn module(&self) -> Option<ModuleId> {
        if self.kind != ValueType::Module {
            return None;
        }
        module::read_id(&mut Source::new(&*self.body, Some(self.body.len() as u64), false)).ok()
    }

    /// The listpack of a hash whose fields can expire, with field, value and expiry in turn; `None` for any other
    /// value.
    #[must_use]
    pub fn expiring_fields(&self) -> Option<Vec<u8>> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "no other type has such a listpack")]
        let blob = match self.kind {
            ValueType::HashTtlListpackPreRelease => &*self.body,
            // Behind the earliest expiry.
            ValueType::HashTtlListpack => self.body.get(8..)?,
            _ => return None,
        };
        string::read(&mut Source::new(blob, Some(blob.len() as u64), false)).ok()
    }

    /// The id and the parts of a module's value; `None` for any other value.
    ///
    /// ```
    /// use rdb::{ModuleId, ModulePart, RawValue, ValueType};
    ///
    /// // The version 0 of a type of this name, two parts, the end.
    /// let mut body = b"\x81\0\0\0\0\0\0\0\0\x02\x07\x05\x02hi\0".to_vec();
    /// let id = ModuleId::new(*b"my-module", 0).unwrap();
    /// body[1..9].copy_from_slice(&id.bits().to_be_bytes());
    /// let value = RawValue::new(ValueType::Module, body)?;
    /// let (found, parts) = value.module_parts().unwrap();
    /// let parts: Result<Vec<_>, _> = parts.collect();
    /// assert_eq!((found, parts?), (id, vec![ModulePart::Unsigned(7), ModulePart::Bytes(b"hi".to_vec())]));
    /// # Ok::<(), rdb::Error>(())
    /// ```
    #[must_use]
    pub fn module_parts(&self) -> Option<(ModuleId, ModuleParts<'_>)> {
        if self.kind != ValueType::Module {
            return None;
        }
        ModuleParts::of(&self.body).ok()
    }
}
