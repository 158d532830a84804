//! Serde: a list is its limits and nodes, which are validated when read.

use listpack::{ListPack, Validation};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_bytes::{ByteBuf, Bytes};

use crate::{Limits, QuickList};

impl Serialize for QuickList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let nodes: Vec<_> = self.nodes().map(|node| (node.is_plain(), node.bytes())).collect();
        let nodes: Vec<_> = nodes.iter().map(|(plain, bytes)| (plain, Bytes::new(bytes))).collect();
        (self.limits(), nodes).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for QuickList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (limits, nodes) = <(Limits, Vec<(bool, ByteBuf)>)>::deserialize(deserializer)?;
        let mut list = Self::new(limits);
        for (plain, bytes) in nodes {
            let bytes = bytes.into_vec();
            if plain {
                list.append_plain(bytes);
            } else {
                let node = ListPack::from_bytes(bytes, Validation::Deep);
                list.append_listpack(node.map_err(D::Error::custom)?);
            }
        }
        Ok(list)
    }
}
