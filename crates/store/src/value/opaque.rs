//! The type and the encoding of a value that the store has no commands for.

use std::borrow::Cow;

use rdb::{RawValue, ValueType};

use crate::profile::Profile;

/// The type, as TYPE answers it: a module's value has the name of the module's own type.
pub(super) fn type_name(value: &RawValue) -> Cow<'static, str> {
    match value.module() {
        Some(id) => String::from_utf8_lossy(&id.name()).into_owned().into(),
        None => value.kind().type_name().into(),
    }
}

/// The encoding that a server of that release series gives the value when it loads it, as OBJECT ENCODING answers it.
///
/// It goes by the type byte. A server with other limits may choose another one.
pub(super) fn encoding(value: &RawValue, profile: Profile) -> &'static str {
    use ValueType as T;
    match value.kind() {
        T::Set | T::Hash | T::HashTtl | T::HashTtlPreRelease | T::ValkeyHashTtl => "hashtable",
        T::SetIntset => "intset",
        T::HashTtlListpack | T::HashTtlListpackPreRelease => "listpackex",
        T::SetListpack
        | T::HashZipmap
        | T::HashZiplist
        | T::HashListpack
        | T::ZSetZiplist
        | T::ZSetListpack => "listpack",
        T::ZSetText | T::ZSet => "skiplist",
        T::List | T::ListZiplist | T::ListQuicklist | T::ListQuicklist2 => {
            if profile.list_listpacks() && is_one_node(value) { "listpack" } else { "quicklist" }
        }
        T::Stream1 | T::Stream2 | T::Stream3 => "stream",
        T::String | T::Module => "raw",
    }
}

/// Whether a list is a single packed node, which servers from 7.2 on keep as a listpack.
fn is_one_node(value: &RawValue) -> bool {
    /// A count of one, then the mark of a packed node where nodes have marks.
    const PACKED: [u8; 2] = [1, 2];
    let kind = value.kind();
    kind == ValueType::ListZiplist
        || kind == ValueType::ListQuicklist && value.body().first() == Some(&1)
        || kind == ValueType::ListQuicklist2 && value.body().starts_with(&PACKED)
}
