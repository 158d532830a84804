//! The type and the encoding of a value without commands.

use std::borrow::Cow;

use rdb::{RawValue, ValueType};

/// The type, as returned by TYPE: a module's value has the name of the module's own type.
pub(super) fn type_name(value: &RawValue) -> Cow<'static, str> {
    match value.module() {
        Some(id) => String::from_utf8_lossy(&id.name()).into_owned().into(),
        None => value.kind().type_name().into(),
    }
}

/// The encoding that a server gives the value when it loads it, as returned by OBJECT ENCODING.
pub(super) fn encoding(value: &RawValue) -> &'static str {
    use ValueType as T;
    #[expect(clippy::wildcard_enum_match_arm, reason = "values of other types are not opaque")]
    match value.kind() {
        T::HashTtl | T::HashTtlPreRelease | T::ValkeyHashTtl => "hashtable",
        T::HashTtlListpack | T::HashTtlListpackPreRelease => "listpackex",
        T::Stream1 | T::Stream2 | T::Stream3 | T::Stream4 => "stream",
        // A value of a module.
        _ => "raw",
    }
}
