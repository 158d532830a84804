//! Commands on lists.

mod entry;
mod options;
pub(super) mod table;

use bytes::Bytes;

use super::byte_strings::ByteStrings;
use super::check;
use crate::error::{Error, Result};
use crate::key::HashedKey;
use crate::store::scope::{Scope, View};
use crate::store::{Locks, Store};
use crate::text::range;
use crate::to_key::ToKey;
use crate::to_keys::ToKeys;
use crate::to_member::{ToMember, ToMembers};
use crate::value::{Direction, List, Value};
pub use entry::{ListEntry, ListKind};
pub use options::LposOptions;

/// Commands on lists.
///
/// As of 7.2 a list is a listpack as long as it is within `list-max-listpack-size`; a larger list, and any list in
/// [`Profile::Redis70`](crate::Profile::Redis70), is a quicklist. A quicklist that has shrunk to half of the limit
/// becomes a listpack again. Indexes count from 0; -1 is the last element.
impl<L: Locks> Store<L> {
    /// LPUSH: inserts elements at the head, one after the other, so that the last one becomes the first; returns the
    /// new number of elements. O(1) each.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no list; an error if an element exceeds
    /// 512 MiB.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.rpush("queue", ["a", "b", "c"])?;
    /// assert_eq!(store.lpush("queue", "first")?, 4);
    /// assert_eq!(store.lrange("queue", 0, -1)?, ["first", "a", "b", "c"]);
    /// assert_eq!(store.lpop("queue")?.as_deref(), Some(&b"first"[..]));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn lpush(&self, key: impl ToKey, elements: impl ToMembers) -> Result<usize> {
        self.push(key, Direction::Left, elements, false)
    }

    /// RPUSH: appends elements at the tail; returns the new number of elements. O(1) each.
    ///
    /// # Errors
    ///
    /// As [`lpush`](Self::lpush).
    pub fn rpush(&self, key: impl ToKey, elements: impl ToMembers) -> Result<usize> {
        self.push(key, Direction::Right, elements, false)
    }

    /// LPUSHX: as [`lpush`](Self::lpush), only if the list exists; returns 0 if it does not.
    ///
    /// # Errors
    ///
    /// As [`lpush`](Self::lpush).
    pub fn lpush_exists(&self, key: impl ToKey, elements: impl ToMembers) -> Result<usize> {
        self.push(key, Direction::Left, elements, true)
    }

    /// RPUSHX: as [`rpush`](Self::rpush), only if the list exists; returns 0 if it does not.
    ///
    /// # Errors
    ///
    /// As [`lpush`](Self::lpush).
    pub fn rpush_exists(&self, key: impl ToKey, elements: impl ToMembers) -> Result<usize> {
        self.push(key, Direction::Right, elements, true)
    }

    #[inline]
    fn push(
        &self,
        key: impl ToKey,
        end: Direction,
        elements: impl ToMembers,
        only_if_there: bool,
    ) -> Result<usize> {
        elements.with_members(|elements| {
            check(elements)?;
            self.entry(key, |list: &mut ListEntry<'_>| {
                Ok(if only_if_there && !list.exists() { 0 } else { list.push_all(end, elements) })
            })
        })
    }

    /// LPOP: removes and returns the first element, or `None` if the key does not exist. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no list.
    pub fn lpop(&self, key: impl ToKey) -> Result<Option<Bytes>> {
        self.entry(key, |list: &mut ListEntry<'_>| Ok(list.pop(Direction::Left)))
    }

    /// RPOP: removes and returns the last element, or `None` if the key does not exist. O(1).
    ///
    /// # Errors
    ///
    /// As [`lpop`](Self::lpop).
    pub fn rpop(&self, key: impl ToKey) -> Result<Option<Bytes>> {
        self.entry(key, |list: &mut ListEntry<'_>| Ok(list.pop(Direction::Right)))
    }

    /// LPOP with a count: removes and returns that many elements from the head, or all. O(elements removed).
    ///
    /// # Errors
    ///
    /// As [`lpop`](Self::lpop).
    pub fn lpop_multiple(&self, key: impl ToKey, count: usize) -> Result<Vec<Bytes>> {
        self.entry(key, |list: &mut ListEntry<'_>| Ok(list.pop_many(Direction::Left, count)))
    }

    /// RPOP with a count: removes and returns that many elements from the tail, or all, the last one first. O(elements
    /// removed).
    ///
    /// # Errors
    ///
    /// As [`lpop`](Self::lpop).
    pub fn rpop_multiple(&self, key: impl ToKey, count: usize) -> Result<Vec<Bytes>> {
        self.entry(key, |list: &mut ListEntry<'_>| Ok(list.pop_many(Direction::Right, count)))
    }

    /// LLEN: returns the number of elements. O(1).
    ///
    /// # Errors
    ///
    /// As [`lpop`](Self::lpop).
    pub fn llen(&self, key: impl ToKey) -> Result<usize> {
        self.read(key, |view, keys| Ok(list_at(view, keys[0])?.map_or(0, List::len)))
    }

    /// LINDEX: returns the element at an index, or `None` if it is out of range. O(elements / 10,000), O(elements) in a
    /// listpack.
    ///
    /// # Errors
    ///
    /// As [`lpop`](Self::lpop).
    pub fn lindex(&self, key: impl ToKey, index: i64) -> Result<Option<Bytes>> {
        self.read(key, |view, keys| {
            let list = list_at(view, keys[0])?;
            Ok(list.and_then(|list| list.element(index)))
        })
    }

    /// LRANGE: returns the elements from `start` to `stop`, both included. O(elements returned), plus the time of
    /// [`lindex`](Self::lindex).
    ///
    /// # Errors
    ///
    /// As [`lpop`](Self::lpop).
    pub fn lrange(&self, key: impl ToKey, start: i64, stop: i64) -> Result<Vec<Bytes>> {
        self.read(key, |view, keys| {
            let Some(list) = list_at(view, keys[0])? else { return Ok(Vec::new()) };
            let range = range::span(start, stop, list.len());
            let mut elements = ByteStrings::with_capacity(range.len());
            list.for_each(range, Direction::Left, |element| elements.push(element));
            Ok(elements.finish())
        })
    }

    /// LRANGE without a copy: calls `visit` with each of the elements; returns their number. The key is locked
    /// meanwhile. Complexity as [`lrange`](Self::lrange).
    ///
    /// # Errors
    ///
    /// As [`lpop`](Self::lpop).
    pub fn lrange_with(
        &self,
        key: impl ToKey,
        start: i64,
        stop: i64,
        mut visit: impl FnMut(&[u8]),
    ) -> Result<usize> {
        self.read(key, |view, keys| {
            let Some(list) = list_at(view, keys[0])? else { return Ok(0) };
            let range = range::span(start, stop, list.len());
            let _holding = self.holding();
            list.for_each(range.clone(), Direction::Left, |element| {
                element.with_bytes(&mut visit);
            });
            Ok(range.len())
        })
    }

    /// LSET: replaces the element at an index. Complexity as [`lindex`](Self::lindex).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuchKey`](crate::ErrorKind::NoSuchKey) if the key does not exist,
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the index is out of range; otherwise as
    /// [`lpush`](Self::lpush).
    pub fn lset(&self, key: impl ToKey, index: i64, element: impl ToMember) -> Result<()> {
        self.entry(key, |list: &mut ListEntry<'_>| list.set(index, element))
    }

    /// LINSERT BEFORE: inserts an element before the first that equals `pivot`; returns the new number of elements, or
    /// `None` if the key or such an element does not exist. O(elements).
    ///
    /// # Errors
    ///
    /// As [`lpush`](Self::lpush).
    pub fn linsert_before(
        &self,
        key: impl ToKey,
        pivot: impl ToMember,
        element: impl ToMember,
    ) -> Result<Option<usize>> {
        self.entry(key, |list: &mut ListEntry<'_>| list.insert(true, pivot, element))
    }

    /// LINSERT AFTER: as [`linsert_before`](Self::linsert_before), but inserts after `pivot`.
    ///
    /// # Errors
    ///
    /// As [`lpush`](Self::lpush).
    pub fn linsert_after(
        &self,
        key: impl ToKey,
        pivot: impl ToMember,
        element: impl ToMember,
    ) -> Result<Option<usize>> {
        self.entry(key, |list: &mut ListEntry<'_>| list.insert(false, pivot, element))
    }

    /// LREM: removes at most `count` elements that equal `element`: all of them if `count` is 0, the last ones if it is
    /// negative; returns how many were removed. O(elements).
    ///
    /// # Errors
    ///
    /// As [`lpop`](Self::lpop).
    pub fn lrem(&self, key: impl ToKey, count: i64, element: impl ToMember) -> Result<usize> {
        self.entry(key, |list: &mut ListEntry<'_>| Ok(list.remove(count, element)))
    }

    /// LTRIM: keeps the elements from `start` to `stop`, both included, and removes all others. O(elements removed).
    ///
    /// # Errors
    ///
    /// As [`lpop`](Self::lpop).
    pub fn ltrim(&self, key: impl ToKey, start: i64, stop: i64) -> Result<()> {
        self.entry(key, |list: &mut ListEntry<'_>| {
            list.trim(start, stop);
            Ok(())
        })
    }

    /// LPOS: returns the index of the first element that equals `element`. O(elements).
    ///
    /// # Errors
    ///
    /// As [`lpop`](Self::lpop).
    pub fn lpos(&self, key: impl ToKey, element: impl ToMember) -> Result<Option<usize>> {
        Ok(self.lpos_options(key, element, LposOptions::default().count(1))?.pop())
    }

    /// LPOS with options: returns the indexes of the selected elements. O(elements).
    ///
    /// # Errors
    ///
    /// As [`lpop`](Self::lpop).
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{LposOptions, Store};
    ///
    /// let store = Store::new();
    /// store.rpush("l", ["a", "b", "a", "a"])?;
    /// assert_eq!(store.lpos("l", "a")?, Some(0));
    /// let last_two = LposOptions::default().rank(-1).count(2);
    /// assert_eq!(store.lpos_options("l", "a", last_two)?, [3, 2]);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn lpos_options(
        &self,
        key: impl ToKey,
        element: impl ToMember,
        options: LposOptions,
    ) -> Result<Vec<usize>> {
        element.with_member(|element| {
            self.read(key, |view, keys| {
                let Some(list) = list_at(view, keys[0])? else { return Ok(Vec::new()) };
                Ok(options.find(list, element))
            })
        })
    }

    /// LMOVE: moves an element from an end of a list to an end of another, or of the same, and returns it; `None` if
    /// the source does not exist. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if one of the keys holds no list.
    pub fn lmove(
        &self,
        source: impl ToKey,
        destination: impl ToKey,
        from: Direction,
        to: Direction,
    ) -> Result<Option<Bytes>> {
        self.write((source, destination), |scope, keys| {
            move_element(scope, keys[0], keys[1], from, to)
        })
    }

    /// RPOPLPUSH: moves the last element of a list to the head of another and returns it. O(1).
    ///
    /// # Errors
    ///
    /// As [`lmove`](Self::lmove).
    pub fn rpoplpush(&self, source: impl ToKey, destination: impl ToKey) -> Result<Option<Bytes>> {
        self.lmove(source, destination, Direction::Right, Direction::Left)
    }

    /// LMPOP: removes that many elements from an end of the first key that exists; returns the key and the elements.
    /// O(elements removed).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if that key holds no list.
    pub fn lmpop(
        &self,
        keys: impl ToKeys,
        end: Direction,
        count: usize,
    ) -> Result<Option<(Bytes, Vec<Bytes>)>> {
        self.write(keys, |scope, keys| {
            for &key in keys {
                let pop =
                    |list: &mut ListEntry<'_>| Ok(list.exists().then(|| list.pop_many(end, count)));
                if let Some(popped) = scope.with(key, pop)? {
                    return Ok(Some((Bytes::copy_from_slice(key.bytes), popped)));
                }
            }
            Ok(None)
        })
    }
}

/// The list at a key, if it exists.
#[inline]
pub(crate) fn list_at<'v>(view: &'v View<'_>, key: HashedKey<'_>) -> Result<Option<&'v List>> {
    let Some(value) = view.get(key) else { return Ok(None) };
    Value::as_list(value).map(Some).ok_or_else(Error::wrong_type)
}

fn move_element(
    scope: &mut Scope<'_>,
    source: HashedKey<'_>,
    destination: HashedKey<'_>,
    from: Direction,
    to: Direction,
) -> Result<Option<Bytes>> {
    let exists = scope.with(source, |list: &mut ListEntry<'_>| Ok(list.exists()))?;
    // Without a source the type of the target is not checked.
    if !exists {
        return Ok(None);
    }
    scope.with(destination, |_: &mut ListEntry<'_>| Ok(()))?;
    if source.bytes == destination.bytes {
        return scope.with(source, |list: &mut ListEntry<'_>| Ok(list.turn(from, to)));
    }
    let popped = scope.with(source, |list: &mut ListEntry<'_>| Ok(list.pop(from)))?;
    if let Some(element) = &popped {
        scope.with(destination, |list: &mut ListEntry<'_>| list.push(to, element))?;
    }
    Ok(popped)
}
