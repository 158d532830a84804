//! Serde: a set is the bytes of a listpack of all members and scores, whatever the size, which are validated when read.
//! A set that is read has the encoding that the default [`Limits`] require.

use core::hash::BuildHasher;

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_bytes::ByteBuf;

use crate::{Limits, ScoreText, ZSet};

/// Limits that leave any set a listpack.
const NONE: Limits = Limits { entries: usize::MAX, value: usize::MAX, text: ScoreText::Shortest };

impl<S: BuildHasher + Clone + Default> Serialize for ZSet<S> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        if let Some(list) = self.as_listpack() {
            return serializer.serialize_bytes(list.as_bytes());
        }
        let mut small = self.clone();
        small.fit(&NONE).map_err(W::Error::custom)?;
        match small.as_listpack() {
            Some(list) => serializer.serialize_bytes(list.as_bytes()),
            None => Err(W::Error::custom("the sorted set is too large for a listpack")),
        }
    }
}

impl<'de, S: BuildHasher + Default> Deserialize<'de> for ZSet<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = ByteBuf::deserialize(deserializer)?.into_vec();
        let mut set = Self::from_bytes(bytes).map_err(D::Error::custom)?;
        set.fit(&Limits::default()).map_err(D::Error::custom)?;
        Ok(set)
    }
}
