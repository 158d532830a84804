//! Many transactions in one call.

use std::ops::Range;

use super::held::{Allowed, Held, Located};
use super::holding::{Holding, check_free};
use super::locked::{Guards, LockedStripe, lend};
use super::locks::Striped;
use super::scope::{Firsts, locate_firsts, prefetch};
use super::shared::{Logged, Shared};
use super::time::CommandTime;
use super::{Store, Tx};
use crate::error::Error;
use crate::member::Member;
use crate::to_key::KeyRef;
use crate::to_keys::ToKeys;
use crate::value::AT_ONCE;

/// How many transactions are sorted by stripe at once: each key takes two words meanwhile.
const CHUNK: usize = 1024;

/// How many transactions run under the locks of all of their keys, if the keys of one are in several stripes.
const SPREAD: usize = 256;

impl Store {
    /// Runs many transactions with fewer lock operations: calls `work` once for each element of `keys`, with its index
    /// and a handle on those keys, as [`transaction`](Self::transaction) does.
    ///
    /// Transactions whose keys are all in one stripe are grouped by stripe: each lock is taken once for up to 1,024 of
    /// them. Before the first of a few dozen runs, all of their keys are looked up, so that the cache misses overlap.
    /// If the keys of one transaction are in several stripes, up to 256 transactions run in order under the locks of
    /// all of their keys. **Each transaction is atomic, all of them together are not**: commands of other threads may
    /// run in between. Transactions that share a key run in their order, others in any order.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Locked`](crate::ErrorKind::Locked) inside a transaction of this store, before any of them has run;
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if the store's log cannot be written. Errors of a single transaction
    /// stay in `work`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// let pages = ["/", "/about", "/"];
    /// let mut visits = [0; 3];
    /// store.transaction_many(&pages, |at, tx| {
    ///     visits[at] = tx.incr(pages[at], 1).unwrap_or(0);
    /// })?;
    /// assert_eq!(visits, [1, 1, 2]);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn transaction_many<K: ToKeys>(
        &self,
        keys: &[K],
        work: impl FnMut(usize, &Tx<'_>),
    ) -> Result<(), Error> {
        self.transaction_many_on(keys, |_| None, work)
    }

    /// As [`transaction_many`](Self::transaction_many), for transactions that each look up one member in the set at
    /// their last key: `member` returns it for the index of a transaction. These look-ups are prefetched too; the
    /// result is the same.
    ///
    /// # Errors
    ///
    /// As [`transaction_many`](Self::transaction_many).
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{Member, Store};
    ///
    /// let store = Store::new();
    /// let visits = [("/", 7), ("/about", 7), ("/", 8), ("/", 7)];
    /// let pages = visits.map(|(page, _)| page);
    /// let mut new = 0;
    /// store.transaction_many_on(&pages, |at| Some(Member::Int(visits[at].1)), |at, tx| {
    ///     new += tx.sadd(pages[at], [visits[at].1]).unwrap_or(0);
    /// })?;
    /// assert_eq!(new, 3);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn transaction_many_on<'m, K: ToKeys>(
        &self,
        keys: &[K],
        member: impl Fn(usize) -> Option<Member<'m>>,
        mut work: impl FnMut(usize, &Tx<'_>),
    ) -> Result<(), Error> {
        let Striped { shared, db, .. } = &self.locks;
        check_free(shared)?;
        let mut logged = Logged::NOTHING;
        let mut from = 0;
        for keys in keys.chunks(CHUNK) {
            let chunk = Chunk::new(shared, keys)?;
            let result = chunk.check_writable(shared);
            if result.is_err() {
                return shared.acknowledge((result, logged));
            }
            for window in chunk.windows() {
                let run = |locked: &mut [LockedStripe<'_>]| {
                    let items = &chunk.order[window.clone()];
                    let member = |at| member(from + at);
                    chunk.run(shared, *db, locked, items, member, |at, tx| work(from + at, tx))
                };
                logged = logged.max(chunk.lock(shared, &chunk.order[window.clone()], run));
            }
            from += keys.len();
        }
        shared.acknowledge((Ok(()), logged))
    }
}

/// A group of transactions: the order in which they run, and the hashes of their keys.
#[derive(Debug)]
struct Chunk {
    order: Vec<Item>,
    /// The keys of all of them, in that order.
    located: Vec<Located>,
    /// Whether the keys of each are in one stripe, so that they run in the order of the stripes.
    by_stripe: bool,
}

/// One transaction.
#[derive(Clone, Copy, Debug, Default)]
struct Item {
    at: usize,
    /// The index of its first key among all keys.
    first: usize,
    count: usize,
    /// The stripe of its first key; 0 if it has none.
    stripe: usize,
}

impl Item {
    const fn range(self) -> Range<usize> {
        self.first..self.first + self.count
    }
}

impl Chunk {
    /// Hashes all keys.
    fn new(shared: &Shared, keys: &[impl ToKeys]) -> Result<Self, Error> {
        let mut located = Vec::with_capacity(keys.len());
        let mut order = Vec::with_capacity(keys.len());
        let mut by_stripe = true;
        for (at, keys) in keys.iter().enumerate() {
            let first = located.len();
            keys.located(&|key: KeyRef<'_>| Ok(shared.hash_of(key)), |keys| {
                located.extend(keys.iter().map(Located::of));
                Ok(())
            })?;
            let own = &located[first..];
            let stripe = own.first().map_or(0, |key| shared.stripe_of(key.hash));
            by_stripe &= own.iter().all(|key| shared.stripe_of(key.hash) == stripe);
            order.push(Item { at, first, count: own.len(), stripe });
        }
        let mut chunk = Self { order, located, by_stripe };
        if by_stripe {
            chunk.sort(shared.stripe_count());
        }
        Ok(chunk)
    }

    /// Sorts the transactions by stripe, stably.
    fn sort(&mut self, stripes: usize) {
        let mut places = vec![0; stripes];
        for item in &self.order {
            places[item.stripe] += 1;
        }
        let mut from = 0;
        for place in &mut places {
            from += std::mem::replace(place, from);
        }
        let mut order = vec![Item::default(); self.order.len()];
        for &item in &self.order {
            let place = &mut places[item.stripe];
            order[*place] = item;
            *place += 1;
        }
        let mut located = Vec::with_capacity(self.located.len());
        for item in &mut order {
            let range = item.range();
            item.first = located.len();
            located.extend_from_slice(&self.located[range]);
        }
        (self.order, self.located) = (order, located);
    }

    /// Returns an error if a key is to be written and writes are refused.
    fn check_writable(&self, shared: &Shared) -> Result<(), Error> {
        if self.located.iter().all(|key| key.reads) { Ok(()) } else { shared.check_writable() }
    }

    /// Iterates over the ranges of transactions that run under one set of locks.
    fn windows(&self) -> impl Iterator<Item = Range<usize>> {
        let mut from = 0;
        std::iter::from_fn(move || {
            let rest = self.order.get(from..).filter(|rest| !rest.is_empty())?;
            let most = if self.by_stripe { AT_ONCE } else { SPREAD };
            let mut count = rest.len().min(most);
            if self.by_stripe {
                // To the end of a stripe, so that no lock is taken twice.
                let last = rest[count - 1].stripe;
                count += rest[count..].iter().take_while(|item| item.stripe == last).count();
            }
            from += count;
            Some(from - count..from)
        })
    }

    /// The keys of consecutive items.
    fn keys_of(&self, items: &[Item]) -> &[Located] {
        let (Some(first), Some(last)) = (items.first(), items.last()) else { return &[] };
        &self.located[first.first..last.range().end]
    }

    /// Runs `work` with the stripes of all keys of these items locked.
    fn lock<R>(
        &self,
        shared: &Shared,
        items: &[Item],
        work: impl FnOnce(&mut [LockedStripe<'_>]) -> R,
    ) -> R {
        self.guards(shared, items).lend(|locked| work(locked.stripes))
    }

    fn guards<'s>(&self, shared: &'s Shared, items: &[Item]) -> Guards<'s> {
        let keys = self.keys_of(items).iter();
        shared.guards(keys.map(|key| (shared.stripe_of(key.hash), key.reads)))
    }

    /// Runs these items, whose stripes are locked.
    fn run<'m>(
        &self,
        shared: &Shared,
        db: u32,
        stripes: &mut [LockedStripe<'_>],
        items: &[Item],
        member: impl Fn(usize) -> Option<Member<'m>>,
        mut work: impl FnMut(usize, &Tx<'_>),
    ) -> Logged {
        for items in items.chunks(AT_ONCE) {
            self.prefetch(shared, db, stripes, items, &member);
        }
        // Declared first, so that it is dropped after the locks, whose release calls the sinks.
        let _holding = Holding::new(shared);
        // The time is read at most once for all of them.
        let time = CommandTime::new(shared.time());
        let mut logged = Logged::NOTHING;
        // With one stripe, no search for the stripe of a key is needed.
        let together = |a: &Item, b: &Item| !self.by_stripe || a.stripe == b.stripe;
        for items in items.chunk_by(together) {
            let only = self.by_stripe.then_some(items[0].stripe);
            lend(stripes, only, |lent| {
                let none = Allowed::Hashed(&[]);
                let tx = Store::on(Held::at(shared, db, lent.stripes, none, time.clone()));
                for item in items {
                    tx.locks.begin(&self.located[item.range()]);
                    work(item.at, &tx);
                    logged = logged.max(tx.locks.commit());
                }
                tx.locks.lend_time(&time);
            });
        }
        logged
    }

    /// Prefetches what these items will read first. Their stripes are locked.
    fn prefetch<'m>(
        &self,
        shared: &Shared,
        db: u32,
        stripes: &[LockedStripe<'_>],
        items: &[Item],
        member: impl Fn(usize) -> Option<Member<'m>>,
    ) {
        let hashes = self.keys_of(items).iter().map(|key| key.hash);
        if items.first().is_none_or(|item| member(item.at).is_none()) {
            return prefetch(shared, db, stripes, hashes);
        }
        let mut firsts = Firsts::new();
        locate_firsts(shared, db, stripes, hashes, &mut firsts);
        let mut from = 0;
        for item in items {
            from += item.count;
            let last = firsts[..from].last().copied().flatten();
            if let (Some(last), Some(member)) = (last, member(item.at)) {
                last.prefetch_member(member);
            }
        }
    }
}
