//! Members and scores in the order of the set, from either end.

use core::fmt;
use core::iter::FusedIterator;
use core::ops::Range;

use listpack::Entry;

use crate::large::Large;
use crate::score;
use crate::small::Small;
use crate::tower::Cursor;

/// Some members and their scores, lowest first. Made by [`ZSet::iter`](crate::ZSet::iter) and
/// [`ZSet::range`](crate::ZSet::range); `rev()` goes from the highest on.
///
/// Either end is sought when it is first asked for, in O(log n).
pub struct Iter<'z, S> {
    source: Source<'z, S>,
    /// The ranks that are left.
    left: Range<usize>,
}

enum Source<'z, S> {
    Small { set: &'z Small, front: Option<listpack::Iter<'z>>, back: Option<listpack::Iter<'z>> },
    Large { set: &'z Large<S>, front: Option<Cursor>, back: Option<Cursor> },
}

impl<'z, S> Iter<'z, S> {
    pub(crate) const fn small(set: &'z Small, ranks: Range<usize>) -> Self {
        Self { source: Source::Small { set, front: None, back: None }, left: ranks }
    }

    pub(crate) const fn large(set: &'z Large<S>, ranks: Range<usize>) -> Self {
        Self { source: Source::Large { set, front: None, back: None }, left: ranks }
    }
}

impl<S: core::hash::BuildHasher> Large<S> {
    fn cursor(&self, rank: usize) -> Cursor {
        let path = self.order().path_to_rank(u32::try_from(rank).unwrap_or(u32::MAX));
        Cursor { block: path.block, at: rank - path.rank as usize }
    }
}

impl<'z, S: core::hash::BuildHasher> Iterator for Iter<'z, S> {
    type Item = (Entry<'z>, f64);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let rank = self.left.next()?;
        match &mut self.source {
            Source::Small { set, front, .. } => {
                let entries = front.get_or_insert_with(|| {
                    let list = set.list();
                    list.iter_from(list.seek(2 * rank).unwrap_or(list.end()))
                });
                let member = entries.next()?;
                Some((member, score::of_entry(entries.next()?)?))
            }
            Source::Large { set, front, .. } => {
                let set: &'z Large<S> = set;
                let cursor = front.get_or_insert_with(|| set.cursor(rank));
                let mut block = set.order().block(cursor.block);
                if cursor.at == block.len() {
                    *cursor = Cursor { block: block.next, at: 0 };
                    block = set.order().block(cursor.block);
                }
                let (member, score) = set.get(block.record(cursor.at));
                cursor.at += 1;
                Some((Entry::Str(member), score))
            }
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        if n > 0 {
            self.left.nth(n - 1)?;
            match &mut self.source {
                Source::Small { front, .. } => *front = None,
                Source::Large { front, .. } => *front = None,
            }
        }
        self.next()
    }
}

impl<'z, S: core::hash::BuildHasher> DoubleEndedIterator for Iter<'z, S> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let rank = self.left.next_back()?;
        match &mut self.source {
            Source::Small { set, back, .. } => {
                let entries = back.get_or_insert_with(|| {
                    let list = set.list();
                    let mut entries = list.iter();
                    for _ in 2 * (rank + 1)..list.len() {
                        entries.next_back();
                    }
                    entries
                });
                let score = score::of_entry(entries.next_back()?)?;
                Some((entries.next_back()?, score))
            }
            Source::Large { set, back, .. } => {
                let set: &'z Large<S> = set;
                let cursor = back.get_or_insert_with(|| {
                    let mut cursor = set.cursor(rank);
                    cursor.at += 1;
                    cursor
                });
                let mut block = set.order().block(cursor.block);
                if cursor.at == 0 {
                    let previous = block.previous;
                    block = set.order().block(previous);
                    *cursor = Cursor { block: previous, at: block.len() };
                }
                cursor.at -= 1;
                let (member, score) = set.get(block.record(cursor.at));
                Some((Entry::Str(member), score))
            }
        }
    }

    #[inline]
    fn nth_back(&mut self, n: usize) -> Option<Self::Item> {
        if n > 0 {
            self.left.nth_back(n - 1)?;
            match &mut self.source {
                Source::Small { back, .. } => *back = None,
                Source::Large { back, .. } => *back = None,
            }
        }
        self.next_back()
    }
}

impl<S: core::hash::BuildHasher> ExactSizeIterator for Iter<'_, S> {}
impl<S: core::hash::BuildHasher> FusedIterator for Iter<'_, S> {}

impl<S> Clone for Iter<'_, S> {
    fn clone(&self) -> Self {
        let source = match &self.source {
            Source::Small { set, front, back } => {
                Source::Small { set, front: front.clone(), back: back.clone() }
            }
            Source::Large { set, front, back } => Source::Large { set, front: *front, back: *back },
        };
        Self { source, left: self.left.clone() }
    }
}

impl<S: core::hash::BuildHasher> fmt::Debug for Iter<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
