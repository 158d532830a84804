//! Iteration over the elements of a list.

use std::ops::Range;

use listpack::Entry;

use super::{Direction, List};
use crate::member::Member;

impl List {
    /// Calls `visit` with the elements at these indexes, from the left or from the right.
    pub(crate) fn for_each(
        &self,
        range: Range<usize>,
        from: Direction,
        mut visit: impl FnMut(Member<'_>),
    ) {
        match (self, from) {
            (Self::ListPack(list), Direction::Left) => {
                let Some(first) = list.seek(range.start) else { return };
                list.iter_from(first).take(range.len()).for_each(|entry| visit(entry.into()));
            }
            (Self::ListPack(list), Direction::Right) => {
                let behind = list.len().saturating_sub(range.end);
                let elements = list.iter().rev().skip(behind).take(range.len());
                elements.for_each(|entry| visit(entry.into()));
            }
            (Self::Quick(list), Direction::Left) => {
                list.range(range).for_each_entry(|entry| visit(entry.into()));
            }
            (Self::Quick(list), Direction::Right) => {
                list.range(range).rev().for_each(|element| visit(element.entry().into()));
            }
        }
    }

    /// The indexes of elements that equal one, from the left or from the right, among the first `most` that are
    /// compared: after skipping some matches, up to a number of matches.
    pub(crate) fn positions(
        &self,
        element: Member<'_>,
        from: Direction,
        looked_at: usize,
        skip: usize,
        count: usize,
    ) -> Vec<usize> {
        let len = self.len();
        let range = match from {
            Direction::Left => 0..len.min(looked_at),
            Direction::Right => len.saturating_sub(looked_at)..len,
        };
        let needle = Entry::from(element).canonical();
        match (self, from) {
            (Self::ListPack(list), Direction::Left) => {
                let all = list.iter().take(range.end).enumerate();
                let found = all.filter(|(_, entry)| *entry == needle).map(|(index, _)| index);
                found.skip(skip).take(count).collect()
            }
            (Self::ListPack(list), Direction::Right) => {
                let all = list.iter().rev().take(range.len()).enumerate();
                let found = all.filter(|(_, entry)| *entry == needle);
                found.map(|(index, _)| len - 1 - index).skip(skip).take(count).collect()
            }
            (Self::Quick(list), Direction::Left) => {
                list.positions(needle, range).skip(skip).take(count).collect()
            }
            (Self::Quick(list), Direction::Right) => {
                list.positions_back(needle, range).skip(skip).take(count).collect()
            }
        }
    }
}
