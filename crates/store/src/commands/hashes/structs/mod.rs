//! Structs as hashes, by serde.

mod read;
mod write;

use std::fmt;

use serde::de::DeserializeOwned;
use serde::ser::Serialize;

use super::HashEntry;
use crate::commands::check;
use crate::error::{Error, ErrorKind, Result};
use crate::member::Member;
use crate::store::{Locks, Store};
use crate::to_key::ToKey;
use crate::value::Pair;

/// # Structs
///
/// With the feature `serde`. A struct, or a map, is a hash: each of its fields is a field, and the value is a text: a number
/// in decimal, a `bool` as `1` or `0`, a text or bytes as they are, a unit variant as its name. `None` is no field.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use serde::{Deserialize, Serialize};
/// use tallis::Store;
///
/// #[derive(Serialize, Deserialize, Debug, PartialEq)]
/// struct User {
///     name: String,
///     visits: u64,
///     city: Option<String>,
/// }
///
/// let store = Store::new();
/// let ann = User { name: "ann".into(), visits: 7, city: None };
/// store.hset_struct("user:1", &ann)?;
/// assert_eq!(store.hincr("user:1", "visits", 1)?, 8);
/// assert_eq!(store.hget_struct("user:1")?, Some(User { visits: 8, ..ann }));
/// assert_eq!(store.hget_struct::<User>("user:2")?, None);
/// # Ok::<(), tallis::Error>(())
/// ```
impl<L: Locks> Store<L> {
    /// HSET of the fields of a struct, and HDEL of those that are `None`, in one step; returns how many fields are new.
    /// Other fields of the hash stay. O(1) each in a hash table, O(fields) in a listpack.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Conversion`] for what is no struct and no map, or has a field that is neither a text nor a number;
    /// as [`hset`](Self::hset).
    pub fn hset_struct<T: Serialize + ?Sized>(&self, key: impl ToKey, of: &T) -> Result<usize> {
        let fields = of.serialize(write::Fields::default()).map_err(Mismatch::into_error)?;
        let none = fields.iter().filter(|(_, value)| value.is_none());
        let none: Vec<Member<'_>> = none.map(|(field, _)| Member::Bytes(field)).collect();
        let some = fields.iter().filter_map(|(field, value)| {
            Some((Member::Bytes(field), Member::Bytes(value.as_ref()?)))
        });
        let some: Vec<Pair<'_>> = some.collect();
        for (field, value) in &some {
            check(&[*field, *value])?;
        }
        self.entry(key, |hash: &mut HashEntry<'_>| {
            // First what is set: a hash that loses its last field is no key any more.
            let new = hash.set_all(&some);
            if !none.is_empty() {
                hash.remove_all(&none);
            }
            Ok(new)
        })
    }

    /// HGETALL as a struct, or a map; `None` if there is no such key. Fields that the struct does not have are passed
    /// over. O(fields).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Conversion`] if a field is missing or holds something else; as [`hget`](Self::hget).
    pub fn hget_struct<T: DeserializeOwned>(&self, key: impl ToKey) -> Result<Option<T>> {
        let fields = self.hgetall(key)?;
        if fields.is_empty() {
            return Ok(None);
        }
        read::fields(&fields).map(Some).map_err(Mismatch::into_error)
    }
}

/// Why a type and a hash do not go together.
#[derive(Debug)]
struct Mismatch(String);

impl Mismatch {
    /// A type that has more parts than the value of a field.
    fn no_text(what: &str) -> Self {
        Self(format!("the value of a field is a text or a number, and not {what}"))
    }

    fn into_error(self) -> Error {
        Error::new(ErrorKind::Conversion, format!("ERR {self}"))
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Mismatch {}

impl serde::ser::Error for Mismatch {
    fn custom<T: fmt::Display>(what: T) -> Self {
        Self(what.to_string())
    }
}

impl serde::de::Error for Mismatch {
    fn custom<T: fmt::Display>(what: T) -> Self {
        Self(what.to_string())
    }
}
