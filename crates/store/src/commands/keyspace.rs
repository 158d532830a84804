//! Commands on all keys of a database.

use std::num::NonZeroUsize;

use bytes::Bytes;

use crate::commands::byte_strings::ByteStrings;
use crate::error::Result;
use crate::member::Member;
use crate::store::scope::View;
use crate::store::{Locks, Store};
use crate::table::keys::{Entry, KeyBucket};
use crate::text::glob::Glob;
use crate::value::Value;
use extendible::scan;

/// Commands on all keys of a database.
///
/// # Errors
///
/// In a transaction on named keys, all of them fail, since it has not locked the whole database.
impl<L: Locks> Store<L> {
    /// DBSIZE: returns the number of keys of the database. Expired keys that were not accessed since are included, as
    /// in Redis. O(stripes).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction on named keys.
    pub fn dbsize(&self) -> Result<usize> {
        self.read_stripes(0..self.shared().stripe_count(), |view| {
            Ok(view.keyspaces().map(|keyspace| keyspace.len()).sum())
        })
    }

    /// KEYS: returns the names of all keys that match a glob pattern (`*`, `?`, `[a-z]`, `\`), in no order. O(keys),
    /// with the whole database locked: prefer [`scan`](Self::scan).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction on named keys.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.set("visits:1", 10)?;
    /// store.set("other", 20)?;
    /// assert_eq!(store.keys("visits:*")?, ["visits:1"]);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn keys(&self, pattern: impl AsRef<[u8]>) -> Result<Vec<Bytes>> {
        let glob = Glob::new(pattern.as_ref());
        if let Some(name) = glob.exact() {
            // The pattern has no wildcard: look up this name.
            return self.read(name, |view, keys| {
                let there = view.find(keys[0]).is_some();
                Ok(if there { vec![Bytes::copy_from_slice(name)] } else { Vec::new() })
            });
        }
        self.read_stripes(0..self.shared().stripe_count(), |view| {
            let names = view.entries().map(|entry| entry.key.as_bytes());
            let mut matching = ByteStrings::with_capacity(0);
            names
                .filter(|name| glob.matches_all() || glob.matches(name))
                .for_each(|name| matching.push(Member::Bytes(name)));
            Ok(matching.finish())
        })
    }

    /// SCAN with a cursor: returns some of the keys, and the next cursor. Start with cursor 0; the returned cursor is 0
    /// at the end. Keys that exist during the whole iteration are returned at least once, even if other keys are added
    /// and removed meanwhile. O(keys returned), plus a few hundred at most.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction on named keys.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{ScanOptions, Store};
    ///
    /// let store = Store::new();
    /// for n in 0..1000 {
    ///     store.set(format!("key:{n}"), n)?;
    /// }
    /// let (mut cursor, mut found) = (0, Vec::new());
    /// loop {
    ///     let options = ScanOptions::default().with_pattern("key:*7").with_count(100);
    ///     let (next, keys) = store.scan_cursor(cursor, &options)?;
    ///     found.extend(keys);
    ///     cursor = next;
    ///     if cursor == 0 {
    ///         break;
    ///     }
    /// }
    /// assert_eq!(found.len(), 100);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn scan_cursor(&self, cursor: u64, options: &ScanOptions) -> Result<(u64, Vec<Bytes>)> {
        let mut found = ByteStrings::with_capacity(0);
        let glob = options.glob();
        let keeps_others = self.shared().profile().scan_keeps_other_types();
        let mut next = scan::from_cursor(cursor);
        let mut budget =
            Budget { keys: options.count(), steps: options.count().saturating_mul(10) };
        // One stripe at a time, so that no lock is held longer than the scan reads its stripe.
        while let Some(position) = next
            && budget.keys > 0
            && budget.steps > 0
        {
            let stripe = self.shared().stripe_of(position);
            let mut gone = Vec::new();
            next = self.read_stripes(stripe..stripe + 1, |view| {
                Ok(scan_stripe(view, position, &mut budget, |entry, expired| {
                    let wanted = options.wants(glob.as_ref(), entry);
                    let name = entry.key.as_bytes();
                    if !expired {
                        if wanted {
                            found.push(Member::Bytes(name));
                        }
                    } else if wanted || !keeps_others && is_named(glob.as_ref(), entry) {
                        gone.push(Bytes::copy_from_slice(name));
                    }
                }))
            })?;
            self.drop_expired(&gone)?;
        }
        Ok((scan::to_cursor(next), found.finish()))
    }

    /// Drops expired keys that a search has visited, as servers do.
    fn drop_expired(&self, names: &[Bytes]) -> Result<()> {
        if names.is_empty() {
            return Ok(());
        }
        self.write(names, |scope, keys| {
            for &key in keys {
                scope.drop_expired(key);
            }
            Ok(())
        })
    }

    /// RANDOMKEY: returns the name of a key, chosen uniformly at random, or `None` if the database is empty. O(stripes)
    /// on average.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction on named keys.
    pub fn randomkey(&self) -> Result<Option<Bytes>> {
        self.read_stripes(0..self.shared().stripe_count(), |view| {
            let name = random_entry(view).map(|entry| entry.key.as_bytes());
            Ok(name.map(Bytes::copy_from_slice))
        })
    }

    /// FLUSHDB: deletes every key of the database; returns how many there were. O(keys).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction on named keys.
    pub fn flushdb(&self) -> Result<usize> {
        self.write_all(|scope| {
            let dropped = scope.flush(Some(scope.db()));
            scope.effect(|| vec![Bytes::from_static(b"FLUSHDB")]);
            Ok(dropped)
        })
    }

    /// FLUSHALL: deletes every key of every database; returns how many there were. O(keys).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction on named keys.
    pub fn flushall(&self) -> Result<usize> {
        self.write_all(|scope| {
            let dropped = scope.flush(None);
            scope.effect(|| vec![Bytes::from_static(b"FLUSHALL")]);
            Ok(dropped)
        })
    }

    /// SWAPDB: swaps the contents of two databases. O(stripes).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction on named keys.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.set("k", "v")?;
    /// store.swapdb(0, 1)?;
    /// assert_eq!((store.dbsize()?, store.db(1).dbsize()?), (0, 1));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn swapdb(&self, a: u32, b: u32) -> Result<()> {
        self.write_all(|scope| {
            if a != b {
                scope.swap(a, b);
                scope.effect(|| {
                    let numbers = [a, b].map(|db| Bytes::from(db.to_string()));
                    std::iter::once(Bytes::from_static(b"SWAPDB")).chain(numbers).collect()
                });
            }
            Ok(())
        })
    }
}

/// The options of SCAN and SSCAN: which keys or members, and how many per call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ScanOptions {
    pattern: Option<Box<[u8]>>,
    count: NonZeroUsize,
    type_name: Option<Box<[u8]>>,
}

impl Default for ScanOptions {
    fn default() -> Self {
        Self { pattern: None, count: NonZeroUsize::MIN.saturating_add(9), type_name: None }
    }
}

impl ScanOptions {
    /// MATCH: returns only keys, or members, that match this glob pattern.
    pub fn with_pattern(mut self, pattern: impl AsRef<[u8]>) -> Self {
        self.pattern = Some(pattern.as_ref().into());
        self
    }

    /// COUNT: sets about how many keys or members one call visits; the pattern is applied to these. Default: 10, as in
    /// Redis; 0 counts as 1.
    pub fn with_count(mut self, count: usize) -> Self {
        self.count = NonZeroUsize::new(count).unwrap_or(NonZeroUsize::MIN);
        self
    }

    /// TYPE: returns only keys with this [type](crate::Store::key_type). SSCAN has no such option.
    pub fn with_type(mut self, name: impl AsRef<[u8]>) -> Self {
        self.type_name = Some(name.as_ref().into());
        self
    }

    /// How many keys or members one call visits.
    pub(crate) const fn count(&self) -> usize {
        self.count.get()
    }

    /// The pattern; `None` if everything matches.
    pub(crate) fn glob(&self) -> Option<Glob<'_>> {
        self.pattern.as_deref().map(Glob::new).filter(|glob| !glob.matches_all())
    }

    fn wants(&self, glob: Option<&Glob<'_>>, entry: &Entry) -> bool {
        is_named(glob, entry)
            && self.type_name.as_deref().is_none_or(|name| is_of_type(&entry.value, name))
    }
}

/// Whether the name of a key matches.
fn is_named(glob: Option<&Glob<'_>>, entry: &Entry) -> bool {
    glob.is_none_or(|glob| glob.matches(entry.key.as_bytes()))
}

fn is_of_type(value: &Value, name: &[u8]) -> bool {
    value.type_name().as_bytes().eq_ignore_ascii_case(name)
}

/// The remaining work of a call.
#[derive(Debug)]
struct Budget {
    keys: usize,
    /// Buckets to visit, including empty ones.
    steps: usize,
}

/// Continues in one stripe; returns the position after what was visited.
fn scan_stripe(
    view: &View<'_>,
    mut position: u64,
    budget: &mut Budget,
    mut visit: impl FnMut(&Entry, bool),
) -> Option<u64> {
    let shared = view.shared();
    let stripe = shared.stripe_of(position);
    let Some(keyspace) = view.keyspaces().next() else { return shared.after_stripe(stripe) };
    while budget.keys > 0 && budget.steps > 0 {
        let step = keyspace.step(position, budget.keys);
        budget.steps -= 1;
        for (entry, expires) in step.bucket.into_iter().flat_map(KeyBucket::iter) {
            if step.covers(shared.hash(entry.key.as_bytes())) {
                budget.keys = budget.keys.saturating_sub(1);
                visit(entry, view.expired(expires));
            }
        }
        position = step.next()?;
        if shared.stripe_of(position) != stripe {
            break;
        }
    }
    Some(position)
}

/// A random entry that has not expired.
fn random_entry<'v>(view: &'v View<'_>) -> Option<&'v Entry> {
    /// The number of tries of Redis if all keys may have expired.
    const TRIES: usize = 100;
    let shared = view.shared();
    let mut random = || shared.random().bits();
    let keys: usize = view.keyspaces().map(|keyspace| keyspace.len()).sum();
    for _ in 0..TRIES {
        let mut number = shared.random().below(keys);
        let keyspace = view.keyspaces().find(|keyspace| {
            let here = number < keyspace.len();
            if !here {
                number -= keyspace.len();
            }
            here
        })?;
        let (entry, expires) = keyspace.random(&mut random, |bucket, place| {
            let place = bucket.nth(place)?;
            Some((bucket.entry(place), bucket.expires_at(place)))
        })?;
        if !view.expired(expires) {
            return Some(entry);
        }
    }
    view.entries().next()
}
