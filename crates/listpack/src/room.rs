//! The position of the blob in its capacity: at the front, or after room that is reserved for entries to be inserted at
//! the front.
//!
//! Inserting or deleting an entry at the front would move all others: some kilobytes for each element of a list that is
//! pushed to and popped from the left. So a long blob may start later in its capacity, and then only its header, six
//! bytes, moves. This is not visible outside: the blob is the same.
//!
//! The capacity then begins with [`MARK`], where a blob would have its length, and with the offset of the blob. No blob
//! is so short.

use alloc::vec::Vec;

use crate::codec::{EMPTY, LEAST};
use crate::list::Layout;
use crate::{ListPack, growth};

/// The mark, at the position of a blob's length.
const MARK: [u8; 4] = [0; 4];

/// The mark and an offset: the least room.
const MARKED: usize = MARK.len() + size_of::<u32>();

// The mark is a length of zero, which no blob has.
const _: () = assert!(LEAST >= MARK.len());

/// Compared as a number: as an array, it is compared byte by byte.
#[inline(always)]
fn is_mark(first: [u8; MARK.len()]) -> bool {
    u32::from_le_bytes(first) == u32::from_le_bytes(MARK)
}

impl ListPack {
    /// The offset of the blob.
    #[inline(always)]
    pub(crate) fn front(&self) -> usize {
        match self.room.first_chunk() {
            Some(&first) if is_mark(first) => self.marked_front(),
            _ => 0,
        }
    }

    #[inline(always)]
    fn marked_front(&self) -> usize {
        let Some(&[_, _, _, _, a, b, c, d]) = self.room.first_chunk::<MARKED>() else { return 0 };
        u32::from_le_bytes([a, b, c, d]) as usize
    }

    /// The blob and the capacity behind it, or the empty blob.
    #[inline(always)]
    pub(crate) fn held(&self) -> &[u8] {
        match self.room.first_chunk() {
            None => &EMPTY,
            Some(&first) if is_mark(first) => {
                self.room.get(self.marked_front()..).unwrap_or(&EMPTY)
            }
            Some(_) => &self.room,
        }
    }

    /// The same, to be changed. Nothing where no memory is held.
    #[inline(always)]
    pub(crate) fn held_mut(&mut self) -> &mut [u8] {
        match self.front() {
            0 => &mut self.room,
            front => self.room.get_mut(front..).unwrap_or_default(),
        }
    }

    /// Moves the front of the blob, so that it takes `grown` bytes, and returns the new offset: its header is to be
    /// written there. Makes room if it grows and there is none. Returns `None`, and does nothing, if there would be less
    /// room than a mark needs.
    #[inline]
    pub(crate) fn move_front(&mut self, layout: Layout, grown: usize) -> Option<usize> {
        let mut behind = layout.front + layout.used;
        if grown > behind {
            self.open_front(grown);
            behind = self.heap_bytes();
        }
        let front = behind - grown;
        if front > 0 && front < MARKED {
            return None;
        }
        self.set_front(front);
        Some(front)
    }

    /// Moves the blob to the end of a capacity for `grown` bytes and a mark; its new offset is to be noted.
    #[cold]
    fn open_front(&mut self, grown: usize) {
        let used = self.used();
        if grown + MARKED > self.heap_bytes() {
            let capacity = growth::capacity_for(grown + MARKED);
            let mut room = Vec::with_capacity(capacity);
            room.resize(capacity - used, 0);
            room.extend_from_slice(self.as_bytes());
            self.room = room.into_boxed_slice();
        } else {
            let front = self.front();
            self.room.copy_within(front..front + used, self.heap_bytes() - used);
        }
    }

    /// Moves the blob to the front.
    #[inline]
    pub(crate) fn close_front(&mut self) {
        let front = self.front();
        if front > 0 {
            let used = self.used();
            self.room.copy_within(front..front + used, 0);
        }
    }

    /// Notes where the blob begins.
    fn set_front(&mut self, front: usize) {
        if front == 0 {
            // Anything but the mark: the length is written over it.
            if let Some(length) = self.room.first_mut() {
                *length = 1;
            }
        } else if let Some((mark, rest)) = self.room.split_first_chunk_mut::<{ MARK.len() }>()
            && let Some(at) = rest.first_chunk_mut()
        {
            *mark = MARK;
            *at = u32::try_from(front).unwrap_or(u32::MAX).to_le_bytes();
        }
    }
}
