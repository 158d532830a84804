//! Values of types that nobody here looks into.

use super::{
    kind::ValueType,
    module::{self, ModuleId},
    walk::walk,
};
use crate::{error::Error, source::Source};

/// A value as it came: its type, and the bytes behind the type byte, unchanged.
///
/// The bytes follow the grammar of their type, compressed strings included, so they can be written
/// to another file or payload as they are. What packed blobs hold is not looked at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RawValue {
    kind: ValueType,
    body: Box<[u8]>,
}

impl RawValue {
    /// The caller has walked the body.
    pub(crate) fn walked(kind: ValueType, body: Vec<u8>) -> Self {
        Self { kind, body: body.into_boxed_slice() }
    }

    /// Takes bytes from elsewhere, if they are one value of that type and nothing more.
    ///
    /// # Errors
    /// What is wrong, with an offset from the start of the body.
    ///
    /// ```
    /// use rdb::{RawValue, ValueType};
    /// assert!(RawValue::new(ValueType::List, b"\x02\x01a\x01b".to_vec()).is_ok());
    /// assert!(RawValue::new(ValueType::List, b"\x03\x01a\x01b".to_vec()).is_err());
    /// ```
    pub fn new(kind: ValueType, body: Vec<u8>) -> Result<Self, Error> {
        let mut source = Source::new(body.as_slice(), Some(body.len() as u64), false);
        walk(&mut source, kind)?;
        source.check_end()?;
        Ok(Self::walked(kind, body))
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> ValueType {
        self.kind
    }

    /// The bytes behind the type byte.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// The bytes behind the type byte.
    #[must_use]
    pub fn into_body(self) -> Box<[u8]> {
        self.body
    }

    /// The id of the module's type, for a value of a module.
    #[must_use]
    pub fn module(&self) -> Option<ModuleId> {
        if self.kind != ValueType::Module {
            return None;
        }
        module::read_id(&mut Source::new(&*self.body, Some(self.body.len() as u64), false)).ok()
    }
}
