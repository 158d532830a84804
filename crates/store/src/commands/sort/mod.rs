//! SORT: the elements of a list, a set or a sorted set in another order.

mod element;
mod options;
mod order;
mod pattern;
pub(super) mod table;

use bytes::Bytes;

use super::byte_strings::ByteStrings;
use crate::error::{Error, Result};
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::scope::Scope;
use crate::store::slot::{BY_COMMAND, Expires, Outcome};
use crate::store::{Locks, Store};
use crate::text::double;
use crate::to_key::{AsKey, ToKey};
use crate::value::{Direction, Loading, Value};
use element::Element;
pub use options::SortOptions;
use pattern::Pattern;

/// Sorting lists, sets and sorted sets.
///
/// With a pattern the whole store is locked, otherwise only the key and the destination. As in Redis, a sorted set that
/// is a listpack becomes a skip list.
impl<L: Locks> Store<L> {
    /// SORT, `SORT_RO`: returns the elements in order; or for each of them what the patterns of [`SortOptions::get`]
    /// find, `None` if nothing. O(elements + results log results), plus the look-ups of keys.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no list, set or sorted set;
    /// [`ErrorKind::NotInteger`](crate::ErrorKind::NotInteger) if a sort key is not a number and [`SortOptions::alpha`]
    /// is not set; [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) for a pattern in a transaction of named
    /// keys.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{SortOptions, Store};
    ///
    /// let store = Store::new();
    /// store.rpush("ids", [3, 1, 2])?;
    /// assert_eq!(store.sort_as::<Vec<u8>>("ids", &SortOptions::default())?, [1, 2, 3]);
    ///
    /// store.mset(&[("age:1", 30), ("age:2", 50), ("age:3", 40)])?;
    /// store.hset("user:2", "name", "ann")?;
    /// let oldest = SortOptions::default().by("age:*").desc().limit(0, 2).get("#").get("user:*->name");
    /// let oldest: Vec<(u8, Option<String>)> = store.sort_as("ids", &oldest)?;
    /// assert_eq!(oldest, [(2, Some("ann".to_owned())), (3, None)]);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn sort(&self, key: impl ToKey, options: &SortOptions) -> Result<Vec<Option<Bytes>>> {
        if options.looks_up() {
            let key = key.held();
            return self.write_all(|scope| sorted(scope, of(scope, &key), options, false));
        }
        self.write(key, |scope, keys| sorted(scope, keys[0], options, false))
    }

    /// SORT STORE: stores the result of [`sort`](Self::sort) at another key as a list, with an empty string where a
    /// pattern found nothing; returns its number of elements. An empty result removes the key. Complexity as
    /// [`sort`](Self::sort).
    ///
    /// # Errors
    ///
    /// As [`sort`](Self::sort).
    pub fn sort_store(
        &self,
        key: impl ToKey,
        destination: impl ToKey,
        options: &SortOptions,
    ) -> Result<usize> {
        if options.looks_up() {
            let (key, destination) = (key.held(), destination.held());
            return self.write_all(|scope| {
                store(scope, of(scope, &key), of(scope, &destination), options)
            });
        }
        self.write((key, destination), |scope, keys| store(scope, keys[0], keys[1], options))
    }
}

/// Hashes a key that may be any.
fn of<'k>(scope: &Scope<'_>, key: &'k impl AsKey) -> HashedKey<'k> {
    let bytes = key.as_key().bytes;
    HashedKey::new(scope.shared().hash(bytes), bytes)
}

fn store(
    scope: &mut Scope<'_>,
    key: HashedKey<'_>,
    destination: HashedKey<'_>,
    options: &SortOptions,
) -> Result<usize> {
    let found = sorted(scope, key, options, true)?;
    let policy = scope.policy();
    let settings = policy.profile.sort_keeps_to_settings();
    let mut list = if settings { Loading::new(policy) } else { Loading::sorted(policy) };
    for element in &found {
        list.element(element.as_deref().unwrap_or_default());
    }
    let Some(list) = list.finish() else {
        scope.slot(destination).delete();
        return Ok(0);
    };
    scope.slot(destination).put(Value::List(list), Expires::Never, BY_COMMAND);
    scope.effect(|| {
        let words = [&b"SORT"[..], key.bytes].map(Bytes::copy_from_slice).into_iter();
        let to = [&b"STORE"[..], destination.bytes].map(Bytes::copy_from_slice);
        words.chain(options.words()).chain(to).collect()
    });
    Ok(found.len())
}

/// The elements to return or to store.
fn sorted(
    scope: &mut Scope<'_>,
    key: HashedKey<'_>,
    options: &SortOptions,
    stores: bool,
) -> Result<Vec<Option<Bytes>>> {
    let rows = rows(scope, key, options, stores)?;
    if options.get.is_empty() {
        return Ok(rows.into_iter().map(Some).collect());
    }
    let patterns: Vec<Pattern<'_>> = options.get.iter().map(|text| Pattern::parse(text)).collect();
    let mut found = Vec::with_capacity(rows.len() * patterns.len());
    for element in &rows {
        for pattern in &patterns {
            found.push(pattern.find(scope, element, Bytes::copy_from_slice));
        }
    }
    Ok(found)
}

/// What a pattern finds for an element, and the element.
type Found = (Option<Bytes>, Bytes);

/// The requested elements, in order.
fn rows(
    scope: &mut Scope<'_>,
    key: HashedKey<'_>,
    options: &SortOptions,
    stores: bool,
) -> Result<Vec<Bytes>> {
    make_skip_list(scope, key);
    let Some(value) = scope.get(key) else { return Ok(Vec::new()) };
    let pattern = options.by.as_deref().map(Pattern::parse);
    let by = pattern.filter(|pattern| pattern.varies());
    let unsorted = pattern.is_some() && by.is_none();
    // The order of a stored set must be deterministic, or replicas would differ.
    if unsorted && !(stores && value.as_set().is_some()) {
        return texts(value, Some(options));
    }
    if !unsorted && !options.alpha {
        let mut elements = Vec::new();
        each(value, None, |element| elements.push(Element::from(element)))?;
        return Ok(order::by_number(&numbers(scope, &elements, by)?, &elements, options));
    }
    let is_list = value.as_list().is_some();
    let mut elements = texts(value, None)?;
    // Where the order says nothing, elements of a list stay as they are, and those of other values go by their bytes.
    if !is_list {
        elements.sort_unstable();
    }
    let sorted = match by {
        None => order::by_text(elements, |element| Some(element), options, stores),
        Some(pattern) => {
            let find =
                |element: Bytes| (pattern.find(scope, &element, Bytes::copy_from_slice), element);
            let rows = elements.into_iter().map(find).collect();
            let found = order::by_text(rows, |(text, _): &Found| text.as_ref(), options, stores);
            found.into_iter().map(|(_, element)| element).collect()
        }
    };
    if options.limit.is_none() {
        return Ok(sorted);
    }
    // A few elements must not keep the buffer of all.
    Ok(ByteStrings::of(sorted.iter().map(Member::from)).finish())
}

/// The numbers to sort elements by: their own, or those that a pattern finds.
fn numbers(
    scope: &mut Scope<'_>,
    elements: &[Element],
    by: Option<Pattern<'_>>,
) -> Result<Vec<f64>> {
    let weights = scope.policy().profile.sort_weights();
    let parse = |text: &[u8]| double::parse_weight(text, weights).ok_or_else(Error::not_a_weight);
    let number = |element: &Element| match by {
        None => element.number(parse),
        Some(pattern) => {
            element.with_bytes(|bytes| pattern.find(scope, bytes, parse)).unwrap_or(Ok(0.0))
        }
    };
    elements.iter().map(number).collect()
}

/// Converts a sorted set to a skip list, as Redis does to sort it.
fn make_skip_list(scope: &mut Scope<'_>, key: HashedKey<'_>) {
    let policy = scope.policy();
    let mut slot = scope.slot(key);
    let packed = |value: &Value| value.as_zset().is_some_and(|set| set.as_listpack().is_some());
    if !slot.value().is_some_and(packed) {
        return;
    }
    slot.edit(
        |value| {
            if let Some(set) = value.as_zset_mut() {
                policy.make_skip_list(set);
            }
            ((), Outcome::Reformed)
        },
        |()| {
            let words = ["BY", "nosort", "LIMIT", "0", "0"];
            ("SORT_RO", words.map(|word| Bytes::from_static(word.as_bytes())).into())
        },
    );
}

/// The elements of a value, in its own order and as far as the options request them, or all of them.
fn texts(value: &Value, in_place: Option<&SortOptions>) -> Result<Vec<Bytes>> {
    let mut texts = ByteStrings::with_capacity(0);
    each(value, in_place, |element| texts.push(element))?;
    Ok(texts.finish())
}

/// Calls `visit` with the elements of a value, in its own order and as far as the options request them, or with all.
fn each(
    value: &Value,
    in_place: Option<&SortOptions>,
    mut visit: impl FnMut(Member<'_>),
) -> Result<()> {
    let descends = in_place.is_some_and(|options| options.desc);
    let window = |len: usize| in_place.map_or(0..len, |options| options.window(len));
    // Indexes from the end.
    let span = |len: usize| {
        let span = window(len);
        if descends { len - span.end..len - span.start } else { span }
    };
    if let Some(list) = value.as_list() {
        let from = if descends { Direction::Right } else { Direction::Left };
        list.for_each(span(list.len()), from, visit);
    } else if let Some(set) = value.as_set() {
        let window = window(set.len());
        let mut index = 0;
        set.for_each(|member| {
            if window.contains(&index) {
                visit(member);
            }
            index += 1;
        });
    } else if let Some(set) = value.as_zset() {
        let members = set.range(span(set.len())).map(|(member, _)| Member::from(member));
        if descends {
            members.rev().for_each(visit);
        } else {
            members.for_each(visit);
        }
    } else {
        return Err(Error::wrong_type());
    }
    Ok(())
}
