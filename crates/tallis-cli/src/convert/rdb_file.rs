//! Output as an RDB file of another version.

use std::io::Write;

use tallis::Target;
use tallis::file::{Rewrite, has_form};
use tallis::rdb::{Dialect, ModuleId, Record, ValueType, WriteError, WriteOptions, Writer};

use super::pass::{Output, Stop, passes};
use crate::files::{Damage, Filter, Key, Scan};

/// Writes an RDB file from another one.
#[derive(Debug)]
pub(super) struct RdbFile<'a, W> {
    writer: Writer<W>,
    target: Target,
    rewrite: Rewrite,
    filter: Filter<'a>,
    /// The current database of the output, and that of the keys.
    written_db: Option<u32>,
    db: u32,
}

impl<'a, W: Write> RdbFile<'a, W> {
    pub(super) fn new(
        output: W,
        options: WriteOptions,
        filter: Filter<'a>,
    ) -> Result<Self, WriteError> {
        let writer = Writer::new(output, options)?;
        let rewrite = Rewrite::new().reencode(!options.compression);
        let target = options.target;
        Ok(Self { writer, target, rewrite, filter, written_db: None, db: 0 })
    }

    /// Writes the end, and returns the writer.
    pub(super) fn finish(self) -> Result<W, WriteError> {
        self.writer.finish()
    }

    /// Writes the number of the database, if it changes.
    fn select(&mut self) -> Result<(), WriteError> {
        if self.written_db != Some(self.db) {
            self.writer.select_db(self.db)?;
            self.written_db = Some(self.db);
        }
        Ok(())
    }

    fn write_other(&mut self, record: Record) -> Result<(), WriteError> {
        match record {
            Record::SelectDb(number) => self.db = number,
            Record::Aux { key, value } => self.writer.aux(&key, &value)?,
            Record::Function { code } => self.writer.function(&code)?,
            Record::ModuleAux { body, .. } => self.writer.module_aux(&body)?,
            // The counts are correct only for all keys.
            Record::ResizeDb { keys, expires } if self.filter.is_open() => {
                self.select()?;
                self.writer.resize_db(keys, expires)?;
            }
            Record::SlotInfo { slot, keys, expires }
                if self.filter.is_open() && self.target.has_slot_info() =>
            {
                self.select()?;
                self.writer.slot_info(slot, keys, expires)?;
            }
            Record::SlotImport { body } if self.target == Target::Valkey80 => {
                self.writer.slot_import(&body)?;
            }
            Record::SlotImport { .. }
            | Record::ResizeDb { .. }
            | Record::SlotInfo { .. }
            | Record::Key { .. } => {}
        }
        Ok(())
    }
}

/// Returns the error of the writer that concerns no key.
pub(super) fn stop(error: WriteError, at: u64) -> Stop {
    if let WriteError::Io(error) = error {
        return Stop::Output(error);
    }
    Stop::NoForm(Damage { reason: error.to_string(), offset: at })
}

impl<W: Write> Output for RdbFile<'_, W> {
    fn key(&mut self, key: &Key, scan: &mut Scan) -> Result<(), Stop> {
        let failed = |error| Stop::rewriting(error, key);
        if key.kind == ValueType::Module && !self.filter.is_open() {
            let raw = scan.reader().raw_value().map_err(|error| failed(error.into()))?;
            if passes(self.filter, key, raw.module().map(ModuleId::name)) {
                self.select().map_err(|error| failed(error.into()))?;
                let writer = self.writer.key(&key.name, key.attributes).metadata(&key.metadata);
                writer.raw(&raw).map_err(|error| failed(error.into()))?;
            }
            return Ok(());
        }
        self.select().map_err(|error| failed(error.into()))?;
        let writer = self.writer.key(&key.name, key.attributes).metadata(&key.metadata);
        self.rewrite.value(scan.reader(), key.kind, writer).map_err(failed)
    }

    fn other(&mut self, record: Record, at: u64) -> Result<(), Stop> {
        self.write_other(record).map_err(|error| stop(error, at))
    }
}

/// The lowest version from 10 on that can represent every value of a file.
#[derive(Clone, Debug)]
pub(super) struct Lowest {
    /// The candidates, the lowest first. There is at least one: writing then reports which value it cannot represent.
    candidates: Vec<Target>,
}

impl Lowest {
    pub(super) fn new() -> Self {
        let candidates = Target::ALL.into_iter().filter(|&target| target != Target::V9).collect();
        Self { candidates }
    }

    pub(super) fn target(&self) -> Target {
        self.candidates.first().copied().unwrap_or_default()
    }
}

impl Output for Lowest {
    fn key(&mut self, key: &Key, scan: &mut Scan) -> Result<(), Stop> {
        let passed = scan.reader().pass_value();
        passed.map_err(|error| Stop::of_value(key, &error.into()))?;
        let has = |target: Target| {
            // Values of Valkey are written for Valkey.
            let in_line = key.kind.dialect() == Dialect::Redis || target.has(key.kind);
            has_form(key.kind, target)
                && in_line
                && (key.metadata.is_empty() || target.has_key_metadata())
        };
        if self.candidates.iter().any(|&target| has(target)) {
            self.candidates.retain(|&target| has(target));
        }
        Ok(())
    }

    fn other(&mut self, _: Record, _: u64) -> Result<(), Stop> {
        Ok(())
    }
}
