//! What a file holds beside its keys and what nothing here works on: kept to be written back.

use std::io::Write;

use rdb::{Record, Target, WriteError, Writer};

/// Functions, what modules store beside their values, and a cluster's hints, as a file had them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extras {
    functions: Vec<Vec<u8>>,
    /// What modules want to see before the keys, and after them.
    modules_before: Vec<Vec<u8>>,
    modules_after: Vec<Vec<u8>>,
    slots: Vec<Slot>,
    /// Whether a database has begun: what comes now stands behind keys.
    in_keys: bool,
}

/// How many keys a slot of a cluster had.
#[derive(Clone, Copy, Debug)]
struct Slot {
    db: u32,
    number: u64,
    keys: u64,
    expires: u64,
}

impl Extras {
    /// Takes a record of a file, if it is one of these.
    pub(super) fn take(&mut self, db: u32, record: Record) {
        match record {
            Record::SelectDb(_) => self.in_keys = true,
            Record::Function { code } => self.functions.push(code),
            Record::ModuleAux { body, .. } if self.in_keys => self.modules_after.push(body),
            Record::ModuleAux { body, .. } => self.modules_before.push(body),
            Record::SlotInfo { slot, keys, expires } => {
                self.slots.push(Slot { db, number: slot, keys, expires });
            }
            // Facts about the file and hints that are made anew for each file.
            Record::Aux { .. } | Record::ResizeDb { .. } | Record::Key { .. } => {}
        }
    }

    /// What stands before all keys.
    pub(super) fn write_before<W: Write>(&self, writer: &mut Writer<W>) -> Result<(), WriteError> {
        self.modules_before.iter().try_for_each(|body| writer.module_aux(body))?;
        self.functions.iter().try_for_each(|code| writer.function(code))
    }

    /// What stands before the keys of a database. Versions that have no such hints do without.
    pub(super) fn write_db<W: Write>(
        &self,
        writer: &mut Writer<W>,
        db: u32,
        target: Target,
    ) -> Result<(), WriteError> {
        if target < Target::V12 {
            return Ok(());
        }
        let of_db = self.slots.iter().filter(|slot| slot.db == db);
        of_db.copied().try_for_each(|Slot { number, keys, expires, .. }| {
            writer.slot_info(number, keys, expires)
        })
    }

    /// What stands behind all keys.
    pub(super) fn write_after<W: Write>(&self, writer: &mut Writer<W>) -> Result<(), WriteError> {
        self.modules_after.iter().try_for_each(|body| writer.module_aux(body))
    }
}
