//! Joining and splitting lists. Entries keep their encodings.

use crate::codec::{HEADER, LEAST, UNKNOWN};
use crate::{ListPack, MAX_BYTES, Refused};

impl ListPack {
    /// Appends the entries of another list, with their encodings. O(bytes of the other list) amortized.
    ///
    /// The header has the count if both headers have it.
    ///
    /// # Errors
    ///
    /// [`Refused::TooLarge`]; the list is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = listpack::ListPack::new();
    /// for number in 0..6 {
    ///     list.push_back(number)?;
    /// }
    /// let behind = list.split_off(4);
    /// assert_eq!(format!("{list:?} {behind:?}"), "[0, 1, 2, 3] [4, 5]");
    /// list.append(&behind)?;
    /// assert_eq!(list.len(), 6);
    /// # Ok::<(), listpack::Refused>(())
    /// ```
    pub fn append(&mut self, other: &Self) -> Result<(), Refused> {
        let entries = other.as_bytes().get(HEADER..other.end_at()).unwrap_or_default();
        if entries.is_empty() {
            return Ok(());
        }
        let need = self.used() as u64 + entries.len() as u64;
        if need > MAX_BYTES as u64 {
            return Err(Refused::TooLarge { need });
        }
        let count = match (self.header().1, other.header().1) {
            (UNKNOWN, _) | (_, UNKNOWN) => UNKNOWN,
            (ours, theirs) => ours.saturating_add(theirs),
        };
        self.extend(entries, need, count);
        Ok(())
    }

    /// Splits the list: removes the entries from `index` on and returns them as a list, with their encodings. O(n).
    ///
    /// Both headers have the count if the header had it.
    #[must_use = "the entries that are split off are no longer in the list"]
    pub fn split_off(&mut self, index: usize) -> Self {
        let mut behind = Self::new();
        let Some(at) = self.seek(index) else { return behind };
        let (at, end) = (at.offset(), self.end_at());
        let (_, count) = self.header();
        let moved = usize::from(count).saturating_sub(index);
        if let Some(entries) = self.as_bytes().get(at..end) {
            let moved = if count == UNKNOWN { UNKNOWN } else { count_of(moved) };
            behind.reserve(entries.len() + LEAST);
            behind.extend(entries, (entries.len() + LEAST) as u64, moved);
        }
        self.cut(self.layout(), at, end, moved);
        behind
    }

    /// Writes encoded entries behind the last one, so that the blob takes `need` bytes.
    fn extend(&mut self, entries: &[u8], need: u64, count: u16) {
        let layout = self.layout();
        let end = layout.used.saturating_sub(1);
        if let Some(gap) = self.splice(layout, end, end, need, count).get_mut(..entries.len()) {
            gap.copy_from_slice(entries);
        }
    }
}

/// What a header counts for so many entries.
fn count_of(entries: usize) -> u16 {
    u16::try_from(entries).unwrap_or(UNKNOWN)
}
