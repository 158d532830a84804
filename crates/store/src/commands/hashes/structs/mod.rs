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
/// With the feature `serde`. A struct or a map is stored as a hash: each of its fields is a field of the hash, and its
/// value is text: a number in decimal, a `bool` as `1` or `0`, a string or bytes unchanged, a unit variant by its name.
/// `None` is stored as a missing field.
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
    /// HSET and HDEL of a struct: sets its fields and removes those that are `None`, atomically; returns the number of
    /// new fields. Other fields of the hash are kept. O(1) each in a hash table, O(fields) in a listpack.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Conversion`] if the value is not a struct or a map, or a field is neither text nor a number;
    /// otherwise as [`hset`](Self::hset).
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
            // Fields are set first, since a hash that loses its last field is removed.
            let new = hash.set_all(&some);
            if !none.is_empty() {
                hash.remove_all(&none);
            }
            Ok(new)
        })
    }

    /// HGETALL as a struct or a map: returns it, or `None` if the key does not exist. Fields that the struct does not
    /// have are ignored. O(fields).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Conversion`] if a field is missing or has another type; otherwise as [`hget`](Self::hget).
    pub fn hget_struct<T: DeserializeOwned>(&self, key: impl ToKey) -> Result<Option<T>> {
        let fields = self.hgetall(key)?;
        if fields.is_empty() {
            return Ok(None);
        }
        read::fields(&fields).map(Some).map_err(Mismatch::into_error)
    }
}

/// Why a value cannot be converted from or to a hash.
#[derive(Debug)]
struct Mismatch(String);

impl Mismatch {
    /// The error for a type with more than one part in a field.
    fn no_text(what: &str) -> Self {
        Self(format!("the value of a field must be a string or a number, not {what}"))
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
