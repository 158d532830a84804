//! A per-thread cache of the keys of the last minute.
//!
//! Visits arrive in order of time, thousands per minute, and formatting and hashing the keys of a minute costs as much
//! as the visit itself. So each thread caches the last keys of some windows. Keys that are not cached are built again.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use store::Error;

use super::UvWindows;
use super::level::UvLevel;
use super::procedures::BucketKey;
use crate::backend::Keyspace;
use crate::sync::thread_local;

/// The number of windows whose keys a thread caches.
const SIDE_BY_SIDE: usize = 8;

thread_local! {
    static RECENT: [RefCell<Option<Minute>>; SIDE_BY_SIDE] =
        const { [const { RefCell::new(None) }; SIDE_BY_SIDE] };
}

/// An id that windows share only if they have the same keys and expiries, in the same backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Owner(u64);

impl Owner {
    /// Returns a new id.
    pub(super) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    fn slot(self) -> usize {
        usize::try_from(self.0 % SIDE_BY_SIDE as u64).unwrap_or(0)
    }
}

/// A minute and its larger buckets.
#[derive(Debug)]
pub(super) struct Minute {
    owner: Owner,
    /// The bucket of each level, the smallest first.
    pub(super) buckets: [BucketKey; UvLevel::ALL.len()],
    /// Whether the minute's key was dense when it was last used: only then is a lookup before adding worthwhile. An
    /// atomic, because a future that holds a minute may move between threads.
    dense: AtomicBool,
}

impl Minute {
    #[inline]
    fn is(&self, owner: Owner, second: i64) -> bool {
        self.owner == owner && self.buckets[0].bucket.has(second)
    }

    #[inline]
    pub(super) fn is_dense(&self) -> bool {
        self.dense.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn set_dense(&self, dense: bool) {
        self.dense.store(dense, Ordering::Relaxed);
    }

    /// Caches the minute for the next call of this thread, unless the cache is in use.
    pub(super) fn give_back(self) {
        // When the thread ends, nothing is cached.
        let _kept = RECENT.try_with(|recent| {
            if let Ok(mut recent) = recent[self.owner.slot()].try_borrow_mut() {
                *recent = Some(self);
            }
        });
    }
}

impl<B: Keyspace> UvWindows<B> {
    /// Passes the buckets of a second to a function.
    #[inline]
    pub(super) fn with_minute<R>(
        &self,
        second: i64,
        work: impl Fn(&Minute) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let done = RECENT.try_with(|recent| {
            let recent = &recent[self.owner.slot()];
            let kept = match recent.try_borrow() {
                Ok(kept) if kept.as_ref().is_some_and(|kept| kept.is(self.owner, second)) => kept,
                other => {
                    drop(other);
                    self.renew(second, recent);
                    recent.try_borrow().ok()?
                }
            };
            kept.as_ref().filter(|kept| kept.is(self.owner, second)).map(&work)
        });
        match done {
            Ok(Some(done)) => done,
            Ok(None) | Err(_) => work(&self.minute(second)?),
        }
    }

    /// Takes the buckets of a second out of the cache, because a future cannot borrow from a thread-local.
    /// [`Minute::give_back`] returns them to the cache of the thread that the future ends on.
    pub(super) fn take_minute(&self, second: i64) -> Result<Minute, Error> {
        let taken = RECENT.try_with(|recent| {
            let mut recent = recent[self.owner.slot()].try_borrow_mut().ok()?;
            recent.take_if(|kept| kept.is(self.owner, second))
        });
        taken.ok().flatten().map_or_else(|| self.minute(second), Ok)
    }

    /// Replaces the cached minute by that of another second. It does nothing if the minute is unchanged or does not
    /// exist, or if the cache is in use: then this call comes from a sink or a clock.
    #[inline(never)]
    fn renew(&self, second: i64, recent: &RefCell<Option<Minute>>) {
        let Ok(mut recent) = recent.try_borrow_mut() else { return };
        match &mut *recent {
            Some(minute) if minute.owner == self.owner => {
                let mut others = [None; UvLevel::ALL.len()];
                for ((other, kept), level) in
                    others.iter_mut().zip(&minute.buckets).zip(UvLevel::ALL)
                {
                    if !kept.bucket.has(second) {
                        let Ok(bucket) = self.calendar.bucket_of(level, second) else { return };
                        *other = Some(bucket);
                    }
                }
                for (kept, other) in minute.buckets.iter_mut().zip(others) {
                    if let Some(other) = other {
                        *kept = self.prepared(other);
                    }
                }
                minute.set_dense(true);
            }
            other => *other = self.minute(second).ok(),
        }
    }

    #[cold]
    pub(super) fn minute(&self, second: i64) -> Result<Minute, Error> {
        let [minute, hour, day, month] = UvLevel::ALL;
        let key = |level| self.calendar.bucket_of(level, second).map(|one| self.prepared(one));
        let buckets = [key(minute)?, key(hour)?, key(day)?, key(month)?];
        Ok(Minute { owner: self.owner, buckets, dense: AtomicBool::new(true) })
    }
}
