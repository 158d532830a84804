//! Few records are counted as a list.
#![expect(
    unnameable_types,
    reason = "this type belongs to the sealed trait of records, so other crates do not need it"
)]

use alloc::vec::Vec;

use super::counts::Counts;

/// The most records of the list, 8 or 12 KiB. A list of so many takes an eighth of the time of the tables for two bytes,
/// which are cleared and read as a whole.
const MOST: usize = 4096;

/// A list of records, and the counters of a table instead once there are more than [`MOST`].
///
/// Such tables have a counter for every possible record, and so are large for a few records.
#[derive(Clone, Debug)]
pub struct FewFirst<R, C> {
    /// Empty if there is a table.
    few: Vec<R>,
    table: Option<C>,
}

impl<R, C> Default for FewFirst<R, C> {
    fn default() -> Self {
        Self { few: Vec::new(), table: None }
    }
}

impl<R: Copy + Ord, C: Counts<R>> FewFirst<R, C> {
    /// Returns the table, which has counted the list.
    fn table(&mut self) -> &mut C {
        let table = self.table.get_or_insert_default();
        if !self.few.is_empty() {
            table.add(&self.few);
            self.few = Vec::new();
        }
        table
    }
}

impl<R: Copy + Ord, C: Counts<R>> Counts<R> for FewFirst<R, C> {
    fn add(&mut self, records: &[R]) {
        if self.table.is_none() && self.few.len() + records.len() <= MOST {
            self.few.extend_from_slice(records);
        } else {
            self.table().add(records);
        }
    }

    fn merge(&mut self, other: &Self) {
        match &other.table {
            Some(other) => self.table().merge(other),
            None => self.add(&other.few),
        }
    }

    fn of(&self, record: R) -> u64 {
        match &self.table {
            Some(table) => table.of(record),
            None => self.few.iter().filter(|&&other| other == record).count() as u64,
        }
    }

    fn all(&self) -> Vec<(R, u64)> {
        if let Some(table) = &self.table {
            return table.all();
        }
        let mut few = self.few.clone();
        few.sort_unstable();
        few.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).collect()
    }
}
