//! Many visits in one call.

use jiff::Timestamp;
use macros::blocking_and_async;
use store::{Error, Member, ToMember, ToMembers, each};

use super::UvWindows;
use super::calendar::whole_second;
use super::filling::{self, UvFilling};
use super::procedures;
use super::recent::Minute;
use super::users::Users;
use crate::backend::{AsyncBackend, Backend, BackendKind, batch};
use crate::held::{self, Held};

/// How many visits are processed together, and how many of a minute are one step.
pub(super) const BATCH: usize = 1024;

/// From this number of visits of a minute on, one lookup of each bucket for all of them is faster.
const FEW: usize = 4;

impl<B: Backend> UvWindows<B> {
    /// Counts visits as [`record`](Self::record) does, but faster: consecutive visits of the same minute share locks
    /// and lookups. Returns how many may have changed a count.
    ///
    /// Consecutive visits of the same minute are one atomic step, up to 1,024 of them; the call as a whole is not
    /// atomic.
    ///
    /// # Errors
    ///
    /// As [`record`](Self::record), for the first visit that fails. The visits before it were counted, and those after
    /// it may have been.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::jiff::Timestamp;
    /// use tallis::{Store, UvWindows};
    ///
    /// let windows = UvWindows::new(Store::new(), "uv:");
    /// let now = Timestamp::now();
    /// assert_eq!(windows.record_many([("alice", now), ("bob", now), ("alice", now)])?, 2);
    /// assert_eq!(windows.last_days_now(1)?, 2);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn record_many<U: ToMember, T: Into<Timestamp>>(
        &self,
        visits: impl IntoIterator<Item = (U, T)>,
    ) -> Result<u64, Error> {
        let mut visits = visits.into_iter().map(|(user, at)| (user, whole_second(at.into())));
        let most = batch(&self.backend).max(BATCH);
        let mut new = 0;
        loop {
            let batch: Vec<(U, i64)> = visits.by_ref().take(most).collect();
            if batch.is_empty() {
                return Ok(new);
            }
            new += each(batch.iter().map(|(user, _)| user)).with_members(|users| {
                let seconds: Vec<i64> = batch.iter().map(|&(_, second)| second).collect();
                self.record_users(Users::new(users, &hashes(users)), &seconds)
            })?;
        }
    }

    /// Counts the visits of the first minute: see `record_first_in`.
    fn record_first(&self, users: Users<'_>, seconds: &[i64]) -> Result<(usize, u64), Error> {
        let Some(&second) = seconds.first() else { return Ok((0, 0)) };
        self.with_minute(second, |kept| self.record_first_in(users, seconds, kept))
    }
}

impl<B: AsyncBackend> UvWindows<B> {
    /// The asynchronous form of [`record_many`](Self::record_many): it does not block the thread.
    ///
    /// # Errors
    ///
    /// As [`record_many`](Self::record_many).
    pub async fn record_many_async<U: ToMember, T: Into<Timestamp>>(
        &self,
        visits: impl IntoIterator<Item = (U, T)>,
    ) -> Result<u64, Error> {
        let mut visits = visits.into_iter();
        let most = batch(&self.backend).max(BATCH);
        let mut new = 0;
        loop {
            let (held, seconds): (Vec<Held>, Vec<i64>) = visits
                .by_ref()
                .take(most)
                .map(|(user, at)| (Held::new(user), whole_second(at.into())))
                .unzip();
            if held.is_empty() {
                return Ok(new);
            }
            let users: Vec<Member<'_>> = held::members(&held);
            let hashes = hashes(&users);
            new += self.record_users_async(Users::new(&users, &hashes), &seconds).await?;
        }
    }

    async fn record_first_async(
        &self,
        users: Users<'_>,
        seconds: &[i64],
    ) -> Result<(usize, u64), Error> {
        let Some(&second) = seconds.first() else { return Ok((0, 0)) };
        let kept = self.take_minute(second)?;
        let done = self.record_first_in_async(users, seconds, &kept).await;
        kept.give_back();
        done
    }
}

#[blocking_and_async]
impl<B: Backend> UvWindows<B> {
    async fn record_users(&self, users: Users<'_>, seconds: &[i64]) -> Result<u64, Error> {
        if self.backend.kind() == BackendKind::Store {
            self.record_batch(users, seconds).await
        } else {
            self.record_sent(users, seconds).await
        }
    }

    async fn record_batch(&self, mut users: Users<'_>, mut seconds: &[i64]) -> Result<u64, Error> {
        let mut new = 0;
        while let (Some(user), &[second, ..]) = (users.first(), seconds) {
            let (count, changed) = self.record_first(users, seconds).await?;
            let done = count.max(1);
            new +=
                if count == 0 { u64::from(self.record_one(user, second).await?) } else { changed };
            (users, seconds) = (users.split_at(done).1, &seconds[done..]);
        }
        Ok(new)
    }

    /// Counts the leading visits of the same minute, if they are not few. Returns how many were processed, and how many
    /// of them changed a count.
    async fn record_first_in(
        &self,
        users: Users<'_>,
        seconds: &[i64],
        kept: &Minute,
    ) -> Result<(usize, u64), Error> {
        let minute = &kept.buckets[0].bucket;
        let count = seconds.iter().take_while(|&&second| minute.has(second)).count();
        if count < FEW {
            Ok((0, 0))
        } else {
            self.record_minute(users.split_at(count).0, kept).await
        }
    }

    /// Counts visits of one minute. Returns how many were processed, and how many of them changed a count. If the
    /// minute is not open, none are; its first visit opens it.
    async fn record_minute(&self, users: Users<'_>, kept: &Minute) -> Result<(usize, u64), Error> {
        let (changed, failed) = match self.filling {
            UvFilling::WriteThrough => {
                let add = procedures::add_many_to_all(&kept.buckets, users);
                let (answers, failed) = self.backend.call(&add).await?;
                let second = kept.buckets[0].bucket.start;
                let changed = answers.into_iter().map(|added| filling::changed(added, second));
                (changed.map(|it| it.map(u64::from)).sum::<Result<u64, Error>>()?, failed)
            }
            UvFilling::RollUp => {
                let add = procedures::add_many_if_open(&kept.buckets[0], users);
                let Some(done) = self.backend.call(&add).await? else { return Ok((0, 0)) };
                done
            }
        };
        failed.map_or(Ok((users.len(), changed)), Err)
    }
}

fn hashes(users: &[Member<'_>]) -> Vec<u64> {
    users.iter().map(|user| user.with_bytes(hll::hash)).collect()
}
