//! Serde: a filter is the header of a dump, then the bit array of each link. They are validated when read.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_bytes::{ByteBuf, Bytes};

use crate::{BloomFilter, Loader};

impl Serialize for BloomFilter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let arrays = self.links().map(|link| Bytes::new(link.as_bytes()));
        let arrays: Vec<&Bytes> = arrays.collect();
        (Bytes::new(&self.header()), arrays).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for BloomFilter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (header, arrays) = <(ByteBuf, Vec<ByteBuf>)>::deserialize(deserializer)?;
        let mut loader = Loader::new(&header).map_err(D::Error::custom)?;
        // The cursor beside a chunk is one more than the bytes up to its end.
        let mut cursor = 1;
        for array in arrays {
            cursor += array.len() as u64;
            loader.load(cursor, &array).map_err(D::Error::custom)?;
        }
        loader.finish().map_err(D::Error::custom)
    }
}
