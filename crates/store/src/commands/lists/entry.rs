//! The entry of a list.

use bytes::Bytes;

use crate::commands::byte_strings::ByteStrings;
use crate::commands::{checked, entry_of};
use crate::error::{Error, Result};
use crate::member::Member;
use crate::store::slot::{Entry, Outcome, args_of};
use crate::text::range;
use crate::to_member::{ToMember, ToMembers};
use crate::value::{Direction, List, Value};

/// The list at a key, with one look-up and one type check: see [`Store::with_list`](crate::Store::with_list).
///
/// A key that does not exist is an empty list, and the key is removed with the last element. Indexes and ranges are
/// Redis's: -1 is the last element.
pub type ListEntry<'e> = Entry<'e, ListKind>;

entry_of!(ListEntry, ListKind, with_list, "list", |value| value.as_list().is_some());

impl ListEntry<'_> {
    #[inline]
    fn value_ref(&self) -> Option<&List> {
        self.value().and_then(Value::as_list)
    }

    /// Returns the number of elements. O(1).
    #[must_use]
    pub fn len(&self) -> usize {
        self.value_ref().map_or(0, List::len)
    }

    /// Returns whether there are no elements. O(1).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the element at an index. O(nodes / 64).
    #[must_use]
    pub fn get(&self, index: i64) -> Option<Bytes> {
        self.value_ref()?.element(index)
    }

    /// Calls `visit` with each element from `start` to `stop`, both included. O(elements).
    pub fn for_each(&self, start: i64, stop: i64, visit: impl FnMut(Member<'_>)) {
        if let Some(list) = self.value_ref() {
            list.for_each(range::span(start, stop, list.len()), Direction::Left, visit);
        }
    }

    /// Pushes elements to an end, in order; returns the new number of elements. O(1) each.
    ///
    /// # Errors
    ///
    /// An element exceeds 512 MiB.
    pub fn push(&mut self, end: Direction, elements: impl ToMembers) -> Result<usize> {
        elements.with_members(|elements| {
            super::check(elements)?;
            Ok(self.push_all(end, elements))
        })
    }

    #[inline]
    pub(super) fn push_all(&mut self, end: Direction, elements: &[Member<'_>]) -> usize {
        if elements.is_empty() {
            return self.len();
        }
        let policy = &self.policy();
        self.announce_end(end, 0);
        let len = self.edit_or_make(
            || Value::List(List::new(policy)),
            |value| {
                let Some(list) = value.as_list_mut() else { return (0, Outcome::Same) };
                list.expect(elements, policy);
                for &element in elements {
                    list.push(end, element);
                }
                (list.len(), Outcome::Changed)
            },
            |_| (["LPUSH", "RPUSH"][end as usize], words(elements)),
        );
        len.unwrap_or(0)
    }

    /// Removes and returns the element at an end. O(1).
    pub fn pop(&mut self, end: Direction) -> Option<Bytes> {
        let policy = &self.policy();
        self.announce_end(end, 1);
        let popped = self.edit(
            |value| {
                let Some(list) = value.as_list_mut() else { return (None, Outcome::Same) };
                let element = list.pop(end);
                list.shrunk(policy);
                let popped = usize::from(element.is_some());
                (element, outcome(popped, list.len()))
            },
            |_| (["LPOP", "RPOP"][end as usize], Vec::new()),
        );
        popped.flatten()
    }

    /// Removes and returns that many elements from an end, or all, in order. O(elements).
    pub fn pop_many(&mut self, end: Direction, count: usize) -> Vec<Bytes> {
        let policy = &self.policy();
        self.announce_end(end, count);
        let popped = self.edit(
            |value| {
                let Some(list) = value.as_list_mut().filter(|_| count > 0) else {
                    return (Vec::new(), Outcome::Same);
                };
                let len = list.len();
                let count = count.min(len);
                let range = match end {
                    Direction::Left => 0..count,
                    Direction::Right => len - count..len,
                };
                let mut popped = ByteStrings::with_capacity(count);
                list.for_each(range.clone(), end, |element| popped.push(element));
                list.delete(range);
                list.shrunk(policy);
                (popped.finish(), outcome(count, list.len()))
            },
            |popped| {
                let count = Bytes::from(popped.len().to_string());
                (["LPOP", "RPOP"][end as usize], vec![count])
            },
        );
        popped.unwrap_or_default()
    }

    /// LMOVE within the list: moves an element from one end to the other, or to the same. O(1).
    pub(super) fn turn(&mut self, from: Direction, to: Direction) -> Option<Bytes> {
        let (key, policy) = (self.key(), &self.policy());
        let turned = self.edit(
            |value| {
                let Some(list) = value.as_list_mut() else { return (None, Outcome::Same) };
                let Some(element) = list.pop(from) else { return (None, Outcome::Same) };
                let member = Member::from(&element);
                list.expect(&[member], policy);
                list.push(to, member);
                list.shrunk(policy);
                (Some(element), Outcome::Changed)
            },
            |_| {
                let ends = [from, to]
                    .map(|end| Bytes::from_static([&b"LEFT"[..], b"RIGHT"][end as usize]));
                let key = Bytes::copy_from_slice(key);
                ("LMOVE", std::iter::once(key).chain(ends).collect())
            },
        );
        turned.flatten()
    }

    /// Replaces the element at an index. O(nodes / 64).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuchKey`](crate::ErrorKind::NoSuchKey) if the key does not exist,
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the index is out of range; an error if the
    /// element exceeds 512 MiB.
    pub fn set(&mut self, index: i64, element: impl ToMember) -> Result<()> {
        element.with_member(|element| {
            checked(element)?;
            let policy = &self.policy();
            let set = self.edit(
                |value| {
                    let Some(list) = value.as_list_mut() else { return (false, Outcome::Same) };
                    list.expect(&[element], policy);
                    let set = list.set(index, element);
                    if set {
                        list.shrunk(policy);
                    }
                    (set, Outcome::changed(set))
                },
                |_| ("LSET", vec![index.to_string().into(), element.to_bytes()]),
            );
            match set {
                None => Err(Error::no_such_key()),
                Some(false) => Err(Error::index_out_of_range()),
                Some(true) => Ok(()),
            }
        })
    }

    /// Inserts an element before or after the first that equals `pivot`; returns the new number of elements, or `None`
    /// if there is no such element. O(elements).
    ///
    /// # Errors
    ///
    /// The element exceeds 512 MiB.
    pub fn insert(
        &mut self,
        before: bool,
        pivot: impl ToMember,
        element: impl ToMember,
    ) -> Result<Option<usize>> {
        pivot.with_member(|pivot| {
            element.with_member(|element| {
                checked(element)?;
                let policy = &self.policy();
                let len = self.edit(
                    |value| {
                        let Some(list) = value.as_list_mut() else { return (None, Outcome::Same) };
                        list.expect(&[element], policy);
                        let inserted = list.insert(pivot, element, before);
                        (inserted.then(|| list.len()), Outcome::changed(inserted))
                    },
                    |_| {
                        let side = Bytes::from_static(if before { b"BEFORE" } else { b"AFTER" });
                        ("LINSERT", vec![side, pivot.to_bytes(), element.to_bytes()])
                    },
                );
                Ok(len.flatten())
            })
        })
    }

    /// Removes at most `count` elements that equal `element`: all of them if `count` is 0, the last ones if it is
    /// negative; returns how many were removed. O(elements).
    pub fn remove(&mut self, count: i64, element: impl ToMember) -> usize {
        element.with_member(|element| {
            let policy = &self.policy();
            let from = if count < 0 { Direction::Right } else { Direction::Left };
            let most = match usize::try_from(count.unsigned_abs()) {
                Ok(0) | Err(_) => usize::MAX,
                Ok(most) => most,
            };
            let removed = self.edit(
                |value| {
                    let Some(list) = value.as_list_mut() else { return (0, Outcome::Same) };
                    let removed = list.remove(element, most, from);
                    if removed > 0 {
                        list.shrunk(policy);
                    }
                    (removed, outcome(removed, list.len()))
                },
                |_| ("LREM", vec![count.to_string().into(), element.to_bytes()]),
            );
            removed.unwrap_or(0)
        })
    }

    /// Keeps the elements from `start` to `stop`, both included, and removes all others. O(elements removed).
    pub fn trim(&mut self, start: i64, stop: i64) {
        let policy = &self.policy();
        self.edit(
            |value| {
                let Some(list) = value.as_list_mut() else { return ((), Outcome::Same) };
                let before = list.len();
                list.trim(range::span(start, stop, before));
                list.shrunk(policy);
                let removed = before - list.len();
                // Redis counts a change even if nothing was removed.
                let least = usize::from(policy.profile.ltrim_always_changes());
                ((), outcome(removed.max(least), list.len()))
            },
            |()| ("LTRIM", vec![start.to_string().into(), stop.to_string().into()]),
        );
    }
}

/// The outcome of removing that many elements from a list that has so many left.
const fn outcome(removed: usize, left: usize) -> Outcome {
    if left == 0 { Outcome::Emptied } else { Outcome::changed(removed > 0) }
}

fn words(elements: &[Member<'_>]) -> Vec<Bytes> {
    args_of(elements.iter().map(|element| element.to_bytes()))
}
