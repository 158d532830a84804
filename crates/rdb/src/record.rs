//! What a file is a row of.

use crate::value::{ModuleId, ValueType};

/// What a key carries beside its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Attributes {
    /// When it expires, in milliseconds since 1970.
    pub expire_at_ms: Option<i64>,
    /// Seconds since it was last used, where the server evicts by that.
    pub idle_s: Option<u64>,
    /// The logarithmic counter of its use, where the server evicts by that.
    pub freq: Option<u8>,
}

/// One part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// A fact about the file. Servers ignore those they do not know.
    Aux {
        /// Its name, such as `redis-ver`.
        key: Vec<u8>,
        /// Its value, as text.
        value: Vec<u8>,
    },
    /// The keys that follow belong to this database.
    SelectDb(u32),
    /// How many keys follow in this database. A hint, not a promise: see
    /// [`Reader::plausible`](crate::Reader::plausible).
    ResizeDb {
        /// Keys.
        keys: u64,
        /// Keys among them that expire.
        expires: u64,
    },
    /// How many keys follow in this slot of a cluster. A hint.
    SlotInfo {
        /// Slot.
        slot: u64,
        /// Keys.
        keys: u64,
        /// Keys among them that expire.
        expires: u64,
    },
    /// Slots that another node of a Valkey cluster is handing over, as they came.
    SlotImport {
        /// All behind the opcode: the name of the job, and ranges of slots.
        body: Vec<u8>,
    },
    /// A library of functions.
    Function {
        /// Its source text.
        code: Vec<u8>,
    },
    /// What a module stores beside the keys.
    ModuleAux {
        /// The module's type.
        id: ModuleId,
        /// All behind the opcode, id included, as it came.
        body: Vec<u8>,
    },
    /// A key, whose value is next: [`Reader::value`](crate::Reader::value).
    Key {
        /// Its name.
        key: Vec<u8>,
        /// What it carries.
        attributes: Attributes,
        /// What modules store with it, as it came: all behind the opcode, and empty for most keys.
        metadata: Vec<u8>,
        /// What its value is.
        kind: ValueType,
    },
}
