//! The records of a file.

use crate::value::{ModuleId, ValueType};

/// The attributes of a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Attributes {
    /// The expiry, in milliseconds since 1970.
    pub expire_at_ms: Option<i64>,
    /// The time since its last access in seconds, if the server evicts by LRU.
    pub idle_s: Option<u64>,
    /// The logarithmic access counter, if the server evicts by LFU.
    pub freq: Option<u8>,
}

/// A record of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// An auxiliary field about the file. Servers ignore unknown ones.
    Aux {
        /// Its name, such as `redis-ver`.
        key: Vec<u8>,
        /// Its value, as text.
        value: Vec<u8>,
    },
    /// The keys that follow belong to this database.
    SelectDb(u32),
    /// The number of keys that follow in this database. It is a hint and may be wrong: see
    /// [`Reader::plausible`](crate::Reader::plausible).
    ResizeDb {
        /// Keys.
        keys: u64,
        /// The number of these that have an expiry.
        expires: u64,
    },
    /// The number of keys that follow in this slot of a cluster. It is a hint.
    SlotInfo {
        /// Slot.
        slot: u64,
        /// Keys.
        keys: u64,
        /// The number of these that have an expiry.
        expires: u64,
    },
    /// Slots that another node of a Valkey cluster is migrating, not decoded.
    SlotImport {
        /// The bytes after the opcode: the name of the job, and ranges of slots.
        body: Vec<u8>,
    },
    /// A library of functions.
    Function {
        /// The source text.
        code: Vec<u8>,
    },
    /// Data that a module stores apart from the keys.
    ModuleAux {
        /// The module's type.
        id: ModuleId,
        /// The bytes after the opcode, id included.
        body: Vec<u8>,
    },
    /// A key, whose value is next: [`Reader::value`](crate::Reader::value).
    Key {
        /// Its name.
        key: Vec<u8>,
        /// Its attributes.
        attributes: Attributes,
        /// The metadata that modules store with it, not decoded: the bytes after the opcode; empty for most keys.
        metadata: Vec<u8>,
        /// The type of its value.
        kind: ValueType,
    },
}
