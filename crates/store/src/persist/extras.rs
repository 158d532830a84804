//! Data of a file other than keys that the store does not use: kept to be written back.

use std::collections::HashMap;
use std::io::Write;

use rdb::{Attributes, Record, Target, ValueType, WriteError, Writer};

/// Functions, data of modules other than values, cluster hints, and access statistics, as in the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extras {
    functions: Vec<Vec<u8>>,
    /// Data of modules that come before the keys, and after them.
    modules_before: Vec<Vec<u8>>,
    modules_after: Vec<Vec<u8>>,
    slots: Vec<Slot>,
    slot_imports: Vec<Vec<u8>>,
    /// Whether a database has begun: what follows comes after keys.
    in_keys: bool,
    /// Whether the file had idle times.
    idle_times: bool,
    /// Access frequencies, by the hash of each key and its database.
    frequencies: HashMap<(u32, u64), u8>,
    /// Data of modules for keys, by database and name.
    metadata: HashMap<(u32, Vec<u8>), Vec<u8>>,
    /// The types of values that are stored unchanged, and that the default version does not have.
    newer: Vec<ValueType>,
}

/// The number of keys of a cluster slot.
#[derive(Clone, Copy, Debug)]
struct Slot {
    db: u32,
    number: u64,
    keys: u64,
    expires: u64,
}

/// The name of a library of functions, from its first line: `#!lua name=mylib`.
fn library_name(code: &[u8]) -> Option<&[u8]> {
    let line = code.split(|&byte| byte == b'\n').next()?.strip_prefix(b"#!")?;
    let mut words = line.split(u8::is_ascii_whitespace);
    words.find_map(|word| word.strip_prefix(b"name="))
}

impl Extras {
    /// Adds a record of a file, if it is one of these.
    pub(super) fn take(&mut self, db: u32, record: Record) {
        match record {
            Record::SelectDb(_) => self.in_keys = true,
            Record::Function { code } => self.functions.push(code),
            Record::ModuleAux { body, .. } if self.in_keys => self.modules_after.push(body),
            Record::ModuleAux { body, .. } => self.modules_before.push(body),
            Record::SlotInfo { slot, keys, expires } => {
                self.slots.push(Slot { db, number: slot, keys, expires });
            }
            Record::SlotImport { body } => self.slot_imports.push(body),
            // Facts about the file, and hints that are computed for each file.
            Record::Aux { .. } | Record::ResizeDb { .. } | Record::Key { .. } => {}
        }
    }

    /// Adds a library of functions, replacing one with the same name.
    pub(super) fn put_function(&mut self, code: Vec<u8>) {
        if let Some(name) = library_name(&code) {
            self.remove_function(name);
        }
        self.functions.push(code);
    }

    pub(super) fn remove_function(&mut self, name: &[u8]) {
        self.functions.retain(|code| {
            library_name(code).is_none_or(|other| !other.eq_ignore_ascii_case(name))
        });
    }

    pub(super) fn clear_functions(&mut self) {
        self.functions.clear();
    }

    /// Adds the access statistics of a key.
    pub(super) fn take_use(&mut self, db: u32, hash: u64, attributes: Attributes) {
        self.idle_times |= attributes.idle_s.is_some();
        if let Some(frequency) = attributes.freq {
            self.frequencies.insert((db, hash), frequency);
        }
    }

    /// Adds the data of modules for a key.
    pub(super) fn take_metadata(&mut self, db: u32, key: &[u8], metadata: Vec<u8>) {
        if !metadata.is_empty() {
            self.metadata.insert((db, key.to_vec()), metadata);
        }
    }

    /// Notes the type of a value that is stored unchanged.
    pub(super) fn take_kind(&mut self, kind: ValueType) {
        if !Target::default().has(kind) && !self.newer.contains(&kind) {
            self.newer.push(kind);
        }
    }

    /// Adds what another thread has collected.
    pub(super) fn merge(&mut self, other: Self) {
        self.idle_times |= other.idle_times;
        other.newer.into_iter().for_each(|kind| self.take_kind(kind));
        self.frequencies.extend(other.frequencies);
        self.metadata.extend(other.metadata);
    }

    /// Returns whether there are access statistics.
    pub(super) fn has_use(&self) -> bool {
        self.idle_times || !self.frequencies.is_empty()
    }

    pub(super) fn has_idle_times(&self) -> bool {
        self.idle_times
    }

    /// The access frequency of a key when the file was written.
    pub(super) fn frequency(&self, db: u32, hash: u64) -> Option<u8> {
        self.frequencies.get(&(db, hash)).copied()
    }

    /// The data of modules for a key, which belong to its name; empty for most keys.
    pub(super) fn metadata(&self, db: u32, key: &[u8]) -> &[u8] {
        if self.metadata.is_empty() {
            return &[];
        }
        self.metadata.get(&(db, key.to_vec())).map_or(&[], Vec::as_slice)
    }

    /// Returns whether there may be data that the default version does not have.
    pub(super) fn has_newer(&self) -> bool {
        !self.newer.is_empty() || self.has_metadata()
    }

    /// The types of values that may exist, and that the default version does not have.
    pub(crate) fn newer_kinds(&self) -> &[ValueType] {
        &self.newer
    }

    /// Returns whether modules have data for keys.
    pub(super) fn has_metadata(&self) -> bool {
        !self.metadata.is_empty()
    }

    /// Writes what comes before all keys.
    pub(super) fn write_before<W: Write>(&self, writer: &mut Writer<W>) -> Result<(), WriteError> {
        self.modules_before.iter().try_for_each(|body| writer.module_aux(body))?;
        self.functions.iter().try_for_each(|code| writer.function(code))
    }

    /// Writes what comes before the keys of a database. Hints are omitted in versions without them.
    pub(super) fn write_db<W: Write>(
        &self,
        writer: &mut Writer<W>,
        db: u32,
        target: Target,
    ) -> Result<(), WriteError> {
        if !target.has_slot_info() {
            return Ok(());
        }
        let of_db = self.slots.iter().filter(|slot| slot.db == db);
        of_db.copied().try_for_each(|Slot { number, keys, expires, .. }| {
            writer.slot_info(number, keys, expires)
        })
    }

    /// Writes what comes after all keys. A handover of slots exists only in Valkey's clusters.
    pub(super) fn write_after<W: Write>(
        &self,
        writer: &mut Writer<W>,
        target: Target,
    ) -> Result<(), WriteError> {
        if target == Target::Valkey80 {
            self.slot_imports.iter().try_for_each(|body| writer.slot_import(body))?;
        }
        self.modules_after.iter().try_for_each(|body| writer.module_aux(body))
    }
}
