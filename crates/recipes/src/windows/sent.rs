//! Sends visits to a server in as few round trips as possible.

use macros::blocking_and_async;
use store::Error;

use super::UvWindows;
use super::bucket::UvBucket;
use super::filling::{self, UvFilling};
use super::level::UvLevel;
use super::many::BATCH;
use super::procedures::{self, Answer};
use super::recent::Minute;
use super::spread;
use super::users::Users;
use crate::backend::{AsyncBackend, Backend, Keyspace};

/// Consecutive visits of one minute.
struct Run<'a> {
    minute: Minute,
    second: i64,
    users: Users<'a>,
}

/// The outcome of visits.
#[derive(Default)]
struct Sent {
    /// How many of them changed a bucket.
    changed: u64,
    /// The index of the first run with a refused visit, and the error.
    failed: Option<(usize, Error)>,
}

impl Sent {
    fn fail(&mut self, run: usize, error: Error) {
        if self.failed.as_ref().is_none_or(|&(before, _)| run < before) {
            self.failed = Some((run, error));
        }
    }

    /// Adds the outcome of one run: how many of its visits changed a bucket, and why another was refused.
    fn add(&mut self, run: usize, outcome: Result<(u64, Option<Error>), Error>) {
        match outcome {
            Ok((changed, refused)) => {
                self.changed += changed;
                if let Some(error) = refused {
                    self.fail(run, error);
                }
            }
            Err(error) => self.fail(run, error),
        }
    }

    /// Adds the results for the users of one run.
    fn add_answers(&mut self, number: usize, run: &Run<'_>, answers: &[Answer]) {
        for &answer in answers {
            let changed = filling::changed(answer, run.second).map(|yes| (u64::from(yes), None));
            self.add(number, changed);
        }
    }
}

#[blocking_and_async]
impl<B: Backend> UvWindows<B> {
    /// Counts visits on a server; returns how many changed a bucket.
    pub(super) async fn record_sent(
        &self,
        mut users: Users<'_>,
        mut seconds: &[i64],
    ) -> Result<u64, Error> {
        let (mut runs, mut invalid) = (Vec::new(), None);
        while let &[second, ..] = seconds {
            match self.minute(second) {
                Ok(minute) => {
                    let bucket = minute.buckets[0].bucket;
                    let of_minute = seconds.iter().take_while(|&&second| bucket.has(second));
                    let count = of_minute.take(BATCH).count();
                    let (of_run, others) = users.split_at(count);
                    runs.push(Run { minute, second, users: of_run });
                    (users, seconds) = (others, &seconds[count..]);
                }
                Err(error) => {
                    invalid = Some(error);
                    break;
                }
            }
        }
        let sent = match self.filling {
            _ if runs.is_empty() => Sent::default(),
            UvFilling::WriteThrough if self.is_spread() => self.send_to_each(&runs).await?,
            UvFilling::WriteThrough => self.send_to_all(&runs).await?,
            UvFilling::RollUp => self.send_to_minutes(&runs).await?,
        };
        match sent.failed.map(|(_, error)| error).or(invalid) {
            Some(error) => Err(error),
            None => Ok(sent.changed),
        }
    }

    /// Writes each visit to all of its buckets in one step.
    async fn send_to_all(&self, runs: &[Run<'_>]) -> Result<Sent, Error> {
        let mut sent = Sent::default();
        let adds: Vec<_> = runs
            .iter()
            .map(|run| procedures::add_many_to_all(&run.minute.buckets, run.users))
            .collect();
        self.backend
            .call_many(&adds, |number, outcome| match outcome {
                Ok((answers, refused)) => {
                    sent.add_answers(number, &runs[number], &answers);
                    sent.add(number, Ok((0, refused)));
                }
                Err(error) => sent.fail(number, error),
            })
            .await?;
        Ok(sent)
    }

    /// Writes each visit to each of its buckets, which are in different slots.
    async fn send_to_each(&self, runs: &[Run<'_>]) -> Result<Sent, Error> {
        const LEVELS: usize = UvLevel::ALL.len();
        let mut sent = Sent::default();
        let mut answers: Vec<Vec<Answer>> =
            runs.iter().map(|run| vec![Answer::None; run.users.len()]).collect();
        let adds: Vec<_> = runs
            .iter()
            .flat_map(|run| run.minute.buckets.iter().map(move |bucket| (bucket, run.users)))
            .map(|(bucket, users)| procedures::add_many_to_all(std::array::from_ref(bucket), users))
            .collect();
        self.backend
            .call_many(&adds, |at, outcome| {
                let number = at / LEVELS;
                match outcome {
                    Ok((of_bucket, refused)) => {
                        for (answer, added) in answers[number].iter_mut().zip(of_bucket) {
                            *answer = (*answer).max(added);
                        }
                        sent.add(number, Ok((0, refused)));
                    }
                    Err(error) => sent.fail(number, error),
                }
            })
            .await?;
        for (number, run) in runs.iter().enumerate() {
            if sent.failed.as_ref().is_none_or(|&(failed, _)| failed != number) {
                sent.add_answers(number, run, &answers[number]);
            }
        }
        Ok(sent)
    }

    /// Writes each visit to its minute, or to the smallest bucket that is kept, which it opens.
    async fn send_to_minutes(&self, runs: &[Run<'_>]) -> Result<Sent, Error> {
        let (mut sent, mut closed, mut written) = (Sent::default(), Vec::new(), Vec::new());
        let mut take = |number: usize, outcome: Result<Option<_>, Error>| match outcome {
            Ok(Some(done)) => {
                sent.add(number, Ok(done));
                written.push(runs[number].minute.buckets[0].name().to_vec());
            }
            Ok(None) => closed.push(number),
            Err(error) => sent.fail(number, error),
        };
        let minutes = runs.iter().map(|run| (&run.minute.buckets[0], run.users));
        if self.is_spread() {
            let adds = minutes.map(|(minute, users)| spread::add_alone(minute, users));
            self.backend.call_many(&adds.collect::<Vec<_>>(), &mut take).await?;
        } else {
            let adds = minutes.map(|(minute, users)| procedures::add_many_if_open(minute, users));
            self.backend.call_many(&adds.collect::<Vec<_>>(), &mut take).await?;
        }
        if !closed.is_empty() {
            closed.sort_unstable();
            self.send_to_kept(runs, &closed, &mut sent, &mut written).await?;
        }
        if self.is_spread() && !written.is_empty() {
            written.sort_unstable();
            written.dedup();
            let names: Vec<&[u8]> = written.iter().map(|name| &name[..]).collect();
            if self.backend.call(&spread::open(&self.open_key, &names)).await? > 0 {
                self.roll_if_begun(runs).await;
            }
        }
        Ok(sent)
    }

    /// Writes the visits of runs whose minutes are not open to the smallest buckets that are kept. On a cluster adds
    /// their names to `written`, to be opened.
    async fn send_to_kept(
        &self,
        runs: &[Run<'_>],
        closed: &[usize],
        sent: &mut Sent,
        written: &mut Vec<Vec<u8>>,
    ) -> Result<(), Error> {
        let now = self.backend.call(&procedures::now()).await?;
        let (mut months, mut smaller) = (Vec::new(), Vec::new());
        for &number in closed {
            let second = runs[number].second;
            match self.smallest_kept(second, now)? {
                Some(bucket) if bucket.level() == UvLevel::Month => {
                    months.push((number, self.prepared(bucket)));
                }
                Some(bucket) => smaller.push((number, bucket)),
                None => sent.fail(number, filling::too_late(second)),
            }
        }
        let adds: Vec<_> = months
            .iter()
            .map(|(number, month)| {
                procedures::add_many_to_all(std::array::from_ref(month), runs[*number].users)
            })
            .collect();
        self.backend
            .call_many(&adds, |at, outcome| {
                let number = months[at].0;
                match outcome {
                    Ok((answers, refused)) => {
                        sent.add_answers(number, &runs[number], &answers);
                        sent.add(number, Ok((0, refused)));
                    }
                    Err(error) => sent.fail(number, error),
                }
            })
            .await?;
        if self.is_spread() {
            self.send_to_spread(runs, &smaller, sent, written).await
        } else {
            self.send_and_open(runs, &smaller, now, sent).await
        }
    }

    /// Writes the visits of runs to buckets, and opens each in the same step.
    async fn send_and_open(
        &self,
        runs: &[Run<'_>],
        buckets: &[(usize, UvBucket)],
        now: i64,
        sent: &mut Sent,
    ) -> Result<(), Error> {
        let keys: Vec<_> = buckets.iter().map(|&(_, bucket)| self.bucket_key(bucket)).collect();
        let adds = keys.iter().zip(buckets).map(|(key, &(number, _))| {
            procedures::add_and_open(&self.open_key, key, runs[number].users)
        });
        let mut begun = false;
        self.backend
            .call_many(&adds.collect::<Vec<_>>(), |at, outcome| {
                let (number, bucket) = buckets[at];
                begun |= outcome.as_ref().is_ok_and(|&(changed, _)| changed > 0)
                    && bucket.has(now.div_euclid(1000));
                sent.add(number, outcome);
            })
            .await?;
        if begun {
            // As on a store, the visit is counted even if the merge fails.
            let _merged = self.roll_up().await;
        }
        Ok(())
    }

    /// Writes the visits of runs to buckets that the caller opens.
    async fn send_to_spread(
        &self,
        runs: &[Run<'_>],
        buckets: &[(usize, UvBucket)],
        sent: &mut Sent,
        written: &mut Vec<Vec<u8>>,
    ) -> Result<(), Error> {
        let keys: Vec<_> = buckets.iter().map(|&(_, bucket)| self.prepared(bucket)).collect();
        let adds = keys
            .iter()
            .zip(buckets)
            .map(|(key, &(number, _))| spread::add_alone(key, runs[number].users));
        self.backend
            .call_many(&adds.collect::<Vec<_>>(), |at, outcome| {
                let number = buckets[at].0;
                match outcome {
                    Ok(Some(done)) => {
                        sent.add(number, Ok(done));
                        written.push(keys[at].name().to_vec());
                    }
                    Ok(None) => sent.fail(number, filling::too_late(runs[number].second)),
                    Err(error) => sent.fail(number, error),
                }
            })
            .await
    }

    /// Merges earlier minutes, if one of the runs is of the current minute, which has just begun. The visits are
    /// counted even if that fails.
    async fn roll_if_begun(&self, runs: &[Run<'_>]) {
        let Ok(now) = self.backend.call(&procedures::now()).await else { return };
        let second = now.div_euclid(1000);
        if runs.iter().any(|run| run.minute.buckets[0].bucket.has(second)) {
            let _merged = self.roll_up().await;
        }
    }
}

impl<B: Keyspace> UvWindows<B> {
    /// Returns the smallest bucket of a second that is kept.
    fn smallest_kept(&self, second: i64, now: i64) -> Result<Option<UvBucket>, Error> {
        for level in UvLevel::ALL {
            let bucket = self.calendar.bucket_of(level, second)?;
            if !self.expired(&bucket, now) {
                return Ok(Some(bucket));
            }
        }
        Ok(None)
    }
}
