//! The value in a DUMP payload, without what may differ between two correct ones.

use listpack::{ListPack, Validation};
use rdb::{Blob, StringValue, ValueType};

use super::quoted;
use crate::kept::Kept;

/// A value and its type, decompressed, and with the members of a set or a hash table in a fixed order.
#[derive(Clone, PartialEq, Eq)]
pub struct Payload {
    kind: ValueType,
    content: Content,
}

#[derive(Clone, PartialEq, Eq)]
enum Content {
    /// The value of a module: its id and its parts.
    Module(String, Vec<Vec<u8>>),
    /// The members of a listpack, and its length in bytes. One that was converted from a hash table has them in any
    /// order.
    Members(usize, Vec<Vec<u8>>),
    /// Any other value.
    Value(Kept),
}

impl Payload {
    /// Reads a payload.
    ///
    /// # Errors
    /// [`rdb::Error`] if the bytes are malformed.
    pub fn read(payload: &[u8]) -> Result<Self, rdb::Error> {
        let mut payload = rdb::dump::decode(payload)?;
        let kind = payload.kind();
        let value = Kept::read(payload.value()?)?.with_string_as_bytes().in_order();
        let content = if let Kept::Raw(raw) = &value
            && let Some((id, parts)) = raw.module_parts()
        {
            let parts: Result<_, _> = parts.map(|part| part.map(flat)).collect();
            Content::Module(format!("{id:?}"), parts?)
        } else if let Kept::Blob(Blob::SetListpack, blob) = &value
            && let Ok(list) = ListPack::from_bytes(blob.as_slice(), Validation::Deep)
        {
            let mut members: Vec<Vec<u8>> =
                list.iter().map(|entry| format!("{entry:?}").into()).collect();
            members.sort_unstable();
            Content::Members(blob.len(), members)
        } else {
            Content::Value(value)
        };
        Ok(Self { kind, content })
    }

    /// The name of the encoding, more detailed than OBJECT ENCODING if the bytes show more.
    pub(super) fn form(&self, encoding: &str) -> String {
        match &self.content {
            Content::Module(id, parts) => format!("{id} of {} parts", parts.len()),
            Content::Value(Kept::String(StringValue::Bytes(bytes))) => match bytes.get(..5) {
                Some(b"HYLL\x00") => "hll-dense".to_owned(),
                Some(b"HYLL\x01") => "hll-sparse".to_owned(),
                _ => encoding.to_owned(),
            },
            Content::Value(Kept::Blob(Blob::IntSet, blob)) => {
                format!("intset-{}", blob.first().unwrap_or(&0) * 8)
            }
            Content::Members(..) | Content::Value(_) => {
                format!("{}-{encoding}", self.kind.type_name())
            }
        }
    }

    /// Whether RESTORE may choose another encoding: a hash table of few integers is restored as an intset, a short skip
    /// list as a listpack.
    pub(super) fn may_be_recoded(&self) -> bool {
        use ValueType as T;
        let of_sets = [T::Set, T::SetIntset, T::SetListpack, T::ZSet, T::ZSetListpack];
        let of_hashes = [T::Hash, T::HashListpack, T::HashTtl, T::HashTtlListpack];
        of_sets.contains(&self.kind) || of_hashes.contains(&self.kind)
    }
}

/// The content of a part: the bytes of a string, the text of a number.
fn flat(part: rdb::ModulePart<Vec<u8>>) -> Vec<u8> {
    if let rdb::ModulePart::Bytes(bytes) = part {
        [&b"bytes "[..], &bytes].concat()
    } else {
        format!("{part:?}").into()
    }
}

impl std::fmt::Debug for Payload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const SHOWN: usize = 2_000;
        let mut text = match &self.content {
            Content::Module(id, parts) => {
                let all: Vec<String> = parts.iter().map(|part| quoted(part)).collect();
                format!("{id} {}", all.join(" "))
            }
            Content::Members(len, members) => {
                let all: Vec<String> = members.iter().map(|member| quoted(member)).collect();
                format!("{len} bytes: {}", all.join(" "))
            }
            Content::Value(value) => format!("{value:?}"),
        };
        if text.len() > SHOWN {
            text.truncate(SHOWN);
            text.push_str("...");
        }
        f.write_str(&text)
    }
}
