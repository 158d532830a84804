//! Stripes that are locked.

use std::marker::PhantomData;
use std::mem;
use std::ops::{Deref, Range};

use smallvec::SmallVec;

use super::garbage::Garbage;
use super::shared::Shared;
use super::stripe::Stripe;
use crate::key::HashedKey;
use crate::sync::{RwLockReadGuard, RwLockWriteGuard};

/// The access that is needed to a stripe, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mark {
    Free,
    Read,
    Write,
}

/// The guard of a stripe's lock, and the stripe's number.
#[derive(Debug)]
pub(super) enum Guard<'s> {
    Read(usize, RwLockReadGuard<'s, Stripe>),
    Write(usize, RwLockWriteGuard<'s, Stripe>),
    /// No guard: the stripe is that of the key before.
    Again(usize),
    /// No guard: no key is in the stripe.
    Free(usize),
}

impl Guard<'_> {
    #[inline]
    fn stripe(&mut self) -> LockedStripe<'_> {
        match self {
            Self::Read(number, guard) => LockedStripe::Read(*number, guard),
            Self::Write(number, guard) => LockedStripe::Write(*number, guard),
            Self::Again(number) => LockedStripe::Again(*number),
            Self::Free(number) => LockedStripe::Free(*number),
        }
    }

    #[inline]
    fn has_garbage(&self) -> bool {
        match self {
            Self::Write(_, stripe) => stripe.has_garbage(),
            Self::Read(..) | Self::Again(_) | Self::Free(_) => false,
        }
    }
}

/// Unlocks stripes, and then frees what has left them.
#[expect(clippy::inline_always, reason = "a call would be a few percent of a short command")]
#[inline(always)]
fn unlock<'s>(guards: impl AsRef<[Guard<'s>]> + Into<Vec<Guard<'s>>>) {
    if guards.as_ref().iter().any(Guard::has_garbage) {
        unlock_and_free(guards.into());
    }
}

// By value: if it borrowed them, the compiler would no longer know which of the guards are locked for writing.
#[cold]
fn unlock_and_free(mut guards: Vec<Guard<'_>>) {
    let mut garbage = Garbage::new();
    for guard in &mut guards {
        if let Guard::Write(_, stripe) = guard {
            stripe.move_garbage(&mut garbage);
        }
    }
    drop(guards);
    drop(garbage);
}

/// The most keys whose guards fit into an array.
const FEW: usize = 4;

/// The locks of several stripes, in the order of their numbers.
#[derive(Debug)]
pub(super) struct Guards<'s>(Vec<Guard<'s>>);

impl<'s> Guards<'s> {
    /// Calls `work` with the stripes, unlocks them, and frees what has left them.
    #[inline]
    pub(super) fn lend<R>(mut self, work: impl for<'g> FnOnce(Locked<'g, 's>) -> R) -> R {
        let result = work(Locked::new(&mut self.stripes()));
        unlock(self.0);
        result
    }

    fn stripes(&mut self) -> Vec<LockedStripe<'_>> {
        self.0.iter_mut().map(Guard::stripe).collect()
    }
}

/// A locked stripe, and its number. Unlike the guard it can be moved at no cost, since it has no destructor.
#[derive(Debug)]
pub(super) enum LockedStripe<'g> {
    Read(usize, &'g Stripe),
    Write(usize, &'g mut Stripe),
    /// The stripe with that number comes before this one.
    Again(usize),
    /// The stripe with that number is not locked: it fills a position, so that the index of each other one is its number.
    Free(usize),
}

impl LockedStripe<'_> {
    #[inline]
    const fn number(&self) -> usize {
        match *self {
            Self::Read(number, _)
            | Self::Write(number, _)
            | Self::Again(number)
            | Self::Free(number) => number,
        }
    }

    /// Returns whether its lock is held.
    #[inline]
    pub(super) const fn is_held(&self) -> bool {
        matches!(self, Self::Read(..) | Self::Write(..))
    }

    /// Returns the same stripe, for reading.
    pub(super) fn to_read(&self) -> LockedStripe<'_> {
        LockedStripe::Read(self.number(), self)
    }

    /// Returns the same stripe for a shorter lifetime.
    #[inline]
    fn reborrow(&mut self) -> LockedStripe<'_> {
        match self {
            Self::Read(number, stripe) => LockedStripe::Read(*number, stripe),
            Self::Write(number, stripe) => LockedStripe::Write(*number, stripe),
            Self::Again(number) => LockedStripe::Again(*number),
            Self::Free(number) => LockedStripe::Free(*number),
        }
    }

    /// Returns the stripe for writing: a scope that may write a key has locked its stripe for that.
    #[inline]
    pub(super) fn as_mut(&mut self) -> &mut Stripe {
        match self {
            Self::Write(_, stripe) => stripe,
            Self::Read(..) | Self::Again(_) | Self::Free(_) => {
                unreachable!("the stripe of a key to be written is locked for writing")
            }
        }
    }
}

impl Deref for LockedStripe<'_> {
    type Target = Stripe;

    #[inline]
    fn deref(&self) -> &Stripe {
        match self {
            Self::Read(_, stripe) => stripe,
            Self::Write(_, stripe) => stripe,
            Self::Again(_) | Self::Free(_) => {
                unreachable!(
                    "the stripe of each key is locked, and the first of those with a number is found"
                )
            }
        }
    }
}

/// Returns the first position of a stripe among stripes in the order of their numbers, if it is one of them. Its number
/// is not computed if there is only one.
#[inline]
fn position(stripes: &[LockedStripe<'_>], number: impl FnOnce() -> usize) -> usize {
    match stripes {
        [_] => 0,
        [first, _] => usize::from(first.number() != number()),
        _ => {
            let number = number();
            // Many keys are mostly in all stripes, and then the position of each stripe is its number.
            let is_own = |at: usize| stripes.get(at).is_some_and(|stripe| stripe.number() == at);
            if is_own(number) && (number == 0 || is_own(number - 1)) {
                return number;
            }
            stripes.partition_point(|stripe| stripe.number() < number)
        }
    }
}

/// Returns the stripe of a hash, if it is one of these.
pub(super) fn find<'v>(
    shared: &Shared,
    stripes: &'v [LockedStripe<'_>],
    hash: u64,
) -> Option<&'v Stripe> {
    let number = shared.stripe_of(hash);
    let stripe = stripes.get(position(stripes, || number))?;
    (stripe.number() == number && stripe.is_held()).then(|| &**stripe)
}

/// Calls `work` with the stripe of that number if it is one of these, or else with all of them.
#[inline]
pub(super) fn lend<'s, R>(
    stripes: &mut [LockedStripe<'_>],
    only: Option<usize>,
    work: impl for<'g> FnOnce(Locked<'g, 's>) -> R,
) -> R {
    if let Some(number) = only
        && let Some(stripe) = stripes.get_mut(position(stripes, || number))
        && stripe.number() == number
    {
        return work(Locked::new(&mut [stripe.reborrow()]));
    }
    let mut lent: Vec<_> = stripes.iter_mut().map(LockedStripe::reborrow).collect();
    work(Locked::new(&mut lent))
}

/// Returns whether these are all stripes of the store.
pub(super) fn are_all(shared: &Shared, stripes: &[LockedStripe<'_>]) -> bool {
    let held = stripes.iter().filter(|stripe| stripe.is_held());
    held.map(LockedStripe::number).eq(0..shared.stripe_count())
}

/// Returns the stripe of a hash, which is one of these.
#[inline]
pub(super) fn get<'v>(shared: &Shared, stripes: &'v [LockedStripe<'_>], hash: u64) -> &'v Stripe {
    &stripes[position(stripes, || shared.stripe_of(hash))]
}

/// As [`get`], for a stripe that is locked for writing.
#[inline]
pub(super) fn get_mut<'v>(
    shared: &Shared,
    stripes: &'v mut [LockedStripe<'_>],
    hash: u64,
) -> &'v mut Stripe {
    stripes[position(stripes, || shared.stripe_of(hash))].as_mut()
}

/// The stripes that are locked while an operation runs: for `'g`, which is within the `'s` for which the store and the
/// keys are borrowed.
#[derive(Debug)]
pub(super) struct Locked<'g, 's: 'g> {
    pub(super) stripes: &'g mut [LockedStripe<'g>],
    within: PhantomData<&'s ()>,
}

impl<'g> Locked<'g, '_> {
    #[inline]
    const fn new(stripes: &'g mut [LockedStripe<'g>]) -> Self {
        Self { stripes, within: PhantomData }
    }
}

impl Shared {
    /// Locks the stripes of keys while `work` runs, each once and in the order of their numbers: for reading if all of
    /// its keys are only read, else for writing. Large values that leave their keys are freed afterwards.
    // Code that does not depend on `work` is in functions of its own, so it is compiled once and not for each command.
    #[inline]
    pub(super) fn lock<'s, R>(
        &'s self,
        keys: &'s [HashedKey<'s>],
        reads: fn(&HashedKey<'_>) -> bool,
        work: impl for<'g> FnOnce(Locked<'g, 's>) -> R,
    ) -> R {
        // Most commands have one key, and many transactions two.
        match keys {
            [key] => {
                let mut guard = [self.guard((self.stripe_of(key.hash), reads(key)))];
                let result = work(Locked::new(&mut guard.each_mut().map(Guard::stripe)));
                unlock(guard);
                result
            }
            [a, b] => {
                let mut guards = self.lock_two([a, b], reads);
                let result = work(Locked::new(&mut guards.each_mut().map(Guard::stripe)));
                unlock(guards);
                result
            }
            _ if keys.len() <= FEW => {
                let mut guards = [const { Guard::Free(0) }; FEW];
                self.lock_few(keys, reads, &mut guards);
                let mut stripes = guards.each_mut().map(Guard::stripe);
                let result = work(Locked::new(&mut stripes[..keys.len()]));
                unlock(guards);
                result
            }
            _ => self.lock_many(keys, reads).lend(work),
        }
    }

    fn lock_two(
        &self,
        keys: [&HashedKey<'_>; 2],
        reads: fn(&HashedKey<'_>) -> bool,
    ) -> [Guard<'_>; 2] {
        let [mut first, mut second] = keys.map(|key| (self.stripe_of(key.hash), reads(key)));
        // Of one stripe, a key that is written comes first.
        if second < first {
            mem::swap(&mut first, &mut second);
        }
        let guard = self.guard(first);
        [guard, if second.0 == first.0 { Guard::Again(second.0) } else { self.guard(second) }]
    }

    // In place: to move guards that were just written takes longer than to lock.
    fn lock_few<'s>(
        &'s self,
        keys: &[HashedKey<'_>],
        reads: fn(&HashedKey<'_>) -> bool,
        guards: &mut [Guard<'s>; FEW],
    ) {
        let mut wanted = [(0, false); FEW];
        let wanted = &mut wanted[..keys.len()];
        for (wanted, key) in wanted.iter_mut().zip(keys) {
            *wanted = (self.stripe_of(key.hash), reads(key));
        }
        // Of one stripe, a key that is written comes first.
        wanted.sort_unstable();
        let mut before = None;
        for (guard, &mut (number, reads)) in guards.iter_mut().zip(wanted) {
            let again = before.replace(number) == Some(number);
            *guard = if again { Guard::Again(number) } else { self.guard((number, reads)) };
        }
    }

    fn lock_many(&self, keys: &[HashedKey<'_>], reads: fn(&HashedKey<'_>) -> bool) -> Guards<'_> {
        self.guards(keys.iter().map(|key| (self.stripe_of(key.hash), reads(key))))
    }

    /// Locks the stripes with these numbers, each for reading only or not.
    pub(super) fn guards(&self, wanted: impl Iterator<Item = (usize, bool)>) -> Guards<'_> {
        // One mark per stripe: sorting hundreds of keys takes longer than looking them up.
        let mut marks = SmallVec::<[Mark; 64]>::from_elem(Mark::Free, self.stripes.len());
        for (number, reads) in wanted {
            marks[number] = marks[number].max(if reads { Mark::Read } else { Mark::Write });
        }
        self.guards_of(&marks)
    }

    fn guards_of(&self, marks: &[Mark]) -> Guards<'_> {
        let held = marks.iter().filter(|mark| **mark != Mark::Free).count();
        // If most are locked, the others get a position too: then a stripe is found by its number without a search.
        let sparse = held * 2 < marks.len();
        let kept = marks.iter().enumerate().filter(|(_, mark)| !sparse || **mark != Mark::Free);
        let guards = kept.map(|(number, &mark)| match mark {
            Mark::Free => Guard::Free(number),
            Mark::Read | Mark::Write => self.guard((number, mark == Mark::Read)),
        });
        Guards(guards.collect())
    }

    /// Locks the stripes of a range, for reading or for writing.
    pub(super) fn guards_in(&self, stripes: Range<usize>, reads: bool) -> Guards<'_> {
        self.guards(stripes.map(|number| (number, reads)))
    }

    /// As [`lock`](Self::lock), for every stripe.
    pub(super) fn lock_all<'s, R>(&'s self, work: impl for<'g> FnOnce(Locked<'g, 's>) -> R) -> R {
        self.guards_in(0..self.stripes.len(), false).lend(work)
    }

    #[inline]
    fn guard(&self, (number, reads): (usize, bool)) -> Guard<'_> {
        let stripe = &self.stripes[number];
        if reads {
            Guard::Read(number, stripe.read())
        } else {
            Guard::Write(number, stripe.write())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LockedStripe, are_all, find, get, get_mut, position};
    use crate::key::HashedKey;
    use crate::store::Store;

    /// Of several keys in one stripe only the first has its lock.
    #[test]
    fn the_stripe_of_each_key_is_found_among_any_others() {
        let store = Store::builder().stripes(8).build();
        let shared = store.shared();
        // One key in each stripe.
        let mut keys: Vec<Vec<u8>> = vec![Vec::new(); 8];
        for n in 0..1000 {
            let key = format!("key:{n}").into_bytes();
            keys[shared.stripe_of(shared.hash(&key))].clone_from(&key);
        }
        let located = |number: usize| HashedKey::new(shared.hash(&keys[number]), &keys[number]);
        for chosen in 0..4_usize.pow(5) {
            let numbers: Vec<_> = (0..5).map(|at| chosen / 4_usize.pow(at) % 4).collect();
            for count in 1..=5 {
                let of: Vec<_> = numbers[..count].iter().map(|&number| located(number)).collect();
                shared.lock(
                    &of,
                    |_| false,
                    |locked| {
                        for key in &of {
                            let number = locked.stripes
                                [position(locked.stripes, || shared.stripe_of(key.hash))]
                            .number();
                            assert_eq!(number, shared.stripe_of(key.hash), "{numbers:?}");
                            // It can be read and written.
                            assert_eq!(
                                get(shared, locked.stripes, key.hash).databases().count(),
                                0
                            );
                            get_mut(shared, locked.stripes, key.hash);
                        }
                    },
                );
            }
        }
    }

    /// Two threads that lock the same stripes in different orders would wait for each other.
    #[test]
    fn stripes_are_locked_in_the_order_of_their_numbers_and_for_writing_if_one_key_is_written() {
        let store = Store::builder().stripes(8).build();
        let shared = store.shared();
        // One hash for each stripe.
        let mut hashes = [0; 4];
        for n in 0..1000 {
            let hash = shared.hash(format!("key:{n}").as_bytes());
            if let Some(slot) = hashes.get_mut(shared.stripe_of(hash)) {
                *slot = hash;
            }
        }
        for count in 1..=5 {
            for chosen in 0..8_usize.pow(count) {
                // The stripe of each key, and whether it is only read.
                let keys: Vec<_> = (0..count)
                    .map(|at| chosen / 8_usize.pow(at) % 8)
                    .map(|it| HashedKey {
                        reads: it % 2 == 1,
                        ..HashedKey::new(hashes[it / 2], b"")
                    })
                    .collect();
                shared.lock(
                    &keys,
                    |key| key.reads,
                    |locked| {
                        let held = locked.stripes.iter().filter(|stripe| stripe.is_held());
                        let held: Vec<_> = held.collect();
                        let numbers = held.iter().map(|stripe| stripe.number());
                        assert!(numbers.is_sorted_by(|one, next| one < next), "{keys:?}");
                        for stripe in held {
                            let of = |key: &&HashedKey<'_>| {
                                shared.stripe_of(key.hash) == stripe.number()
                            };
                            let reads = keys.iter().filter(of).all(|key| key.reads);
                            assert!(keys.iter().any(|key| of(&key)), "{keys:?}");
                            assert_eq!(matches!(stripe, LockedStripe::Read(..)), reads, "{keys:?}");
                        }
                    },
                );
            }
        }
    }

    #[test]
    fn the_stripes_that_are_locked_are_found_and_no_others() {
        let store = Store::builder().stripes(8).build();
        let shared = store.shared();
        let hashes = || (0..100).map(|key| shared.hash(format!("key:{key}").as_bytes()));
        for locked_ones in [vec![2], vec![2, 5], vec![0, 1, 2, 5, 7]] {
            let wanted = locked_ones.iter().map(|&number| (number, number == 5));
            shared.guards(wanted).lend(|locked| {
                for hash in hashes() {
                    let found = find(shared, locked.stripes, hash).is_some();
                    assert_eq!(found, locked_ones.contains(&shared.stripe_of(hash)));
                }
                assert!(!are_all(shared, locked.stripes));
            });
        }
        shared.lock_all(|locked| assert!(are_all(shared, locked.stripes)));
    }
}
