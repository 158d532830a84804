//! The keys of the minute that a thread wrote to last.
//!
//! Visits come in the order of time, thousands to a minute, and the keys of a minute cost as much to write out and to hash as the
//! visit itself. So each thread keeps the last ones of some windows. It is a memo and no more: whatever it lacks is made anew.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

use super::UvWindows;
use super::bucket::{Key, UvBucket};
use super::level::UvLevel;
use super::steps::{UvHashed, UvSteps};
use crate::error::Error;

/// The longest key of a minute that is kept.
const LONGEST: usize = 128;

/// Windows whose keys a thread keeps side by side.
const SIDE_BY_SIDE: usize = 8;

const LEVELS: usize = UvLevel::ALL.len();

thread_local! {
    static RECENT: [RefCell<Recent>; SIDE_BY_SIDE] =
        const { [const { RefCell::new(Recent::NONE) }; SIDE_BY_SIDE] };
}

/// A number that windows share with those only that give the same keys to the same steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Owner(u64);

impl Owner {
    /// One that nobody has.
    pub(super) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    fn place(self) -> usize {
        usize::try_from(self.0 % SIDE_BY_SIDE as u64).unwrap_or(0)
    }
}

/// A minute and its keys.
struct Recent {
    owner: Owner,
    /// Its first second, and the first one after it.
    start: i64,
    end: i64,
    /// The key of the minute, with which those of the hour, the day and the month begin.
    key: [u8; LONGEST],
    len: usize,
    /// What the steps make of each level's key.
    hashes: [u64; LEVELS],
}

impl Recent {
    const NONE: Self =
        Self { owner: Owner(0), start: 0, end: 0, key: [0; LONGEST], len: 0, hashes: [0; LEVELS] };

    #[inline]
    fn is(&self, owner: Owner, second: i64) -> bool {
        self.owner == owner && self.start <= second && second < self.end
    }

    /// The keys of so many levels, the smallest first.
    #[inline]
    fn keys<const N: usize>(&self) -> [UvHashed<'_>; N] {
        let minute = &self.key[..self.len];
        std::array::from_fn(|at| UvHashed {
            key: key_of_level(minute, UvLevel::ALL[at]),
            hash: self.hashes[at],
        })
    }

    /// Takes the keys of another minute over; what has not changed is not hashed again.
    fn take(&mut self, owner: Owner, minute: &UvBucket, key: &[u8], hash: impl Fn(&[u8]) -> u64) {
        let known = &self.key[..self.len];
        let same =
            |level| self.owner == owner && key_of_level(key, level) == key_of_level(known, level);
        let hashes = UvLevel::ALL.map(|level| {
            if same(level) { self.hashes[level as usize] } else { hash(key_of_level(key, level)) }
        });
        self.key[..key.len()].copy_from_slice(key);
        *self = Self {
            owner,
            start: minute.start,
            end: minute.end,
            key: self.key,
            len: key.len(),
            hashes,
        };
    }
}

/// The beginning of a minute's key that is the key of its hour, day or month.
#[inline]
fn key_of_level(minute: &[u8], level: UvLevel) -> &[u8] {
    &minute[..(minute.len() + level.digits()).saturating_sub(UvLevel::Minute.digits())]
}

impl<S: UvSteps> UvWindows<S> {
    /// Hands over the keys of the buckets in which a second lies, of so many levels from the minute on.
    #[inline]
    pub(super) fn with_keys<const N: usize, R>(
        &self,
        second: i64,
        work: impl FnOnce(&[UvHashed<'_>; N]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        RECENT.with(|recent| {
            let recent = &recent[self.owner.place()];
            if let Ok(kept) = recent.try_borrow()
                && kept.is(self.owner, second)
            {
                return work(&kept.keys());
            }
            self.with_new_keys(second, recent, work)
        })
    }

    #[inline(never)]
    fn with_new_keys<const N: usize, R>(
        &self,
        second: i64,
        recent: &RefCell<Recent>,
        work: impl FnOnce(&[UvHashed<'_>; N]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let span = self.calendar.span(second)?;
        let minute = self.calendar.bucket_of(UvLevel::Minute, second)?;
        // Names in an hour that the clock has shown before have something behind them, each at another place.
        let alike = UvLevel::Hour.floor(second + span.offset) >= span.reached;
        let key = self.key_of(&minute);
        if alike
            && key.len() <= LONGEST
            // Whoever works with it in this thread just now comes from a sink or a clock.
            && let Ok(mut kept) = recent.try_borrow_mut()
        {
            kept.take(self.owner, &minute, &key, |key| self.steps.hash_key(key));
            drop(kept);
            if let Ok(kept) = recent.try_borrow() {
                return work(&kept.keys());
            }
        }
        let mut keys: [Key; N] = std::array::from_fn(|_| Key::new());
        for (key, level) in keys.iter_mut().zip(UvLevel::ALL) {
            *key = self.key_of(&self.calendar.bucket_of(level, second)?);
        }
        work(&keys.each_ref().map(|key| UvHashed { key, hash: self.steps.hash_key(key) }))
    }
}
