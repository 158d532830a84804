//! Saving the snapshot of a directory.

use super::Directory;
use super::background::Task;
use crate::error::Result;
use crate::persist::save::{Control, SaveOptions, snapshot_to_file};
use crate::store::Shared;

impl Directory {
    /// Saves the store to the snapshot of the directory. This thread holds no lock of the store.
    pub(crate) fn save(&self, shared: &Shared) -> Result<()> {
        self.background.run(Task::Save, |control| self.try_save(shared, control))
    }

    pub(super) fn try_save(&self, shared: &Shared, control: &Control) -> Result<()> {
        snapshot_to_file(shared, &self.files.dump, SaveOptions::default(), control)
    }
}
