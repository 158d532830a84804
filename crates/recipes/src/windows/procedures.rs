//! The atomic steps of windows.
//!
//! A bucket is *open* if it has visits that the larger ones do not have yet. Then its name is a member of the set of
//! open buckets, and its key does not expire; the key of any other bucket does, except those that are kept for ever.

use bytes::Bytes;
use hll::{DecodeError, Encoding, Hll};
use smallvec::SmallVec;
use store::{Error, ErrorKind, HllEntry, KeyRef, Member, PreparedKey, Reply, Tx, each};

use super::bucket::UvBucket;
use super::scripts::{ADD_AND_OPEN, ADD_IF_OPEN, ADD_TO_ALL, COUNT, OPEN_NAMES, ROLL};
use super::users::{User, Users};
use crate::procedure::{Procedure, read, step, unexpected};
use crate::request::Request;
use crate::server_errors;
use crate::text::Text;

/// A bucket with its key, which is prepared if it is used often. Steps need only the key.
#[derive(Debug)]
pub(super) struct BucketKey<K = PreparedKey, B = UvBucket> {
    pub(super) bucket: B,
    pub(super) key: K,
    /// The offset in the key at which the bucket's name begins.
    pub(super) name_at: usize,
    /// When the bucket expires, in milliseconds since the epoch; `None` for never.
    pub(super) expires_at: Option<i64>,
}

impl<K: AsRef<[u8]>, B> BucketKey<K, B> {
    pub(super) fn name(&self) -> &[u8] {
        &self.key.as_ref()[self.name_at..]
    }

    /// Returns the expiry as an argument of a script.
    pub(super) fn until(&self) -> Member<'_> {
        self.expires_at.map_or(Member::Bytes(b""), Member::Int)
    }
}

/// The result of a procedure, if it applied.
// It is as wide as a word, so that a result of it stays in registers. One of `Option<bool>` is assembled from bytes,
// which have to reach memory before they can be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(usize)]
pub(super) enum Answer {
    /// The procedure did not apply.
    None,
    No,
    Yes,
}

impl Answer {
    /// Converts the number that scripts reply with.
    fn of_number(number: i64) -> Result<Self, Error> {
        match number {
            0 => Ok(Self::None),
            1 => Ok(Self::No),
            2 => Ok(Self::Yes),
            other => Err(unexpected(&Reply::Int(other))),
        }
    }
}

impl From<bool> for Answer {
    #[inline]
    fn from(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No }
    }
}

/// Returns the error that a script reports for the first user who was refused.
pub(super) fn refused(text: String) -> Option<Error> {
    (!text.is_empty()).then(|| server_errors::of_text(text))
}

/// Returns the error of PFCOUNT for a value with damaged registers.
#[cold]
pub(super) fn corrupt(_: DecodeError) -> Error {
    Error::new(ErrorKind::InvalidHll, "INVALIDOBJ Corrupted HLL object detected")
}

/// Returns the error of PFADD for a value that is no HyperLogLog.
#[cold]
pub(super) fn not_hll() -> Error {
    let text = "WRONGTYPE Key is not a valid HyperLogLog string value.";
    Error::new(ErrorKind::InvalidHll, text)
}

/// Returns the time of a transaction, in milliseconds since the epoch.
fn now_ms(tx: &Tx<'_>) -> i64 {
    tx.now_us().div_euclid(1000)
}

/// Returns the time, in milliseconds since the epoch.
pub(super) fn now() -> impl Procedure<Output = i64> {
    let none: [KeyRef<'_>; 0] = [];
    step(none, |tx| Ok(now_ms(tx))).on_server_with(
        || Request::command("TIME"),
        |reply| {
            let (seconds, micros): (i64, i64) = reply.convert()?;
            Ok(seconds.saturating_mul(1000).saturating_add(micros / 1000))
        },
    )
}

/// Returns whether a minute has the user. None if it is sparse or does not exist, because then a lookup costs as much
/// as adding; also on a server, for the same reason.
#[inline]
pub(super) fn has_user<'k>(
    minute: &'k BucketKey,
    user: User<'k>,
) -> impl Procedure<Output = Answer> {
    step([minute.key.as_key().read()], move |tx| {
        tx.with_hll_read(&minute.key, |hll| match hll {
            Some(hll) if hll.encoding() == Encoding::Dense => user.is_in(&hll).map(Answer::from),
            _ => Ok(Answer::None),
        })
    })
    .on_a_store_only("reading a bucket")
}

/// The outcome of adding a user to a minute.
#[derive(Clone, Copy, Debug)]
pub(super) struct Added {
    pub(super) changed: bool,
    /// Whether the minute is dense now.
    pub(super) dense: bool,
}

/// Adds a user to a minute if its hour, and so every larger bucket, has the user; `None` if it has not. On a server it
/// does nothing, because [`add_to_all`] detects this by itself.
#[inline]
pub(super) fn add_if_in_hour<'k>(
    minute: &'k BucketKey,
    hour: &'k BucketKey,
    user: User<'k>,
) -> impl Procedure<Output = Option<Added>> {
    step([hour.key.as_key().read(), minute.key.as_key()], move |tx| {
        let is_in = |hll: Option<Hll<'_>>| hll.map_or(Ok(false), |hll| user.is_in(&hll));
        if !tx.with_hll_read(&hour.key, is_in)? {
            return Ok(None);
        }
        tx.with_hll(&minute.key, |hll| {
            let changed = user.add_to(hll, minute.expires_at)? == Answer::Yes;
            let dense = hll.view()?.is_some_and(|hll| hll.encoding() == Encoding::Dense);
            Ok(Some(Added { changed, dense }))
        })
    })
    .on_a_store_only("reading a bucket")
}

/// Adds a user to each of these buckets that is kept, and sets the expiry of those that it creates. Returns whether any
/// changed; none if none is kept.
///
/// The buckets are a minute, its hour and so on: a user in one of them is in all after it.
#[inline]
pub(super) fn add_to_all<'k, const N: usize, B>(
    buckets: &'k [BucketKey<PreparedKey, B>; N],
    user: User<'k>,
) -> impl Procedure<Output = Answer> {
    step(buckets.each_ref().map(|bucket| bucket.key.as_key()), move |tx| {
        // An error of the first bucket is detected by adding to it, before anything has changed.
        let rest = buckets.iter().enumerate().skip(1);
        let mut lacking = buckets.as_slice();
        for (at, bucket) in rest {
            if !tx.with_hll_read(&bucket.key, |hll| user.is_missing_in(tx, hll))? {
                lacking = &buckets[..at];
                break;
            }
        }
        let mut added = if lacking.len() < N { Answer::No } else { Answer::None };
        for bucket in lacking {
            let add = |hll: &mut HllEntry<'_>| user.add_to(hll, bucket.expires_at);
            added = added.max(tx.with_hll(&bucket.key, add)?);
        }
        Ok(added)
    })
    .on_server_with(
        move || add_request(buckets, &[user.name]),
        |reply| {
            let (answers, _): (Vec<i64>, String) = reply.convert()?;
            answers.first().map_or(Ok(Answer::None), |&answer| Answer::of_number(answer))
        },
    )
}

/// Returns the request for [`add_to_all`] to a server.
fn add_request<B>(buckets: &[BucketKey<PreparedKey, B>], users: &[Member<'_>]) -> Request {
    let request = Request::script(&ADD_TO_ALL).keys(buckets.iter().map(|bucket| &bucket.key));
    request.args(buckets.iter().map(BucketKey::until)).args(users.iter().copied())
}

/// Adds users to a minute, its hour and so on, as [`add_to_all`] does for each of them, but with two lookups per bucket
/// for any number of users. Returns the result for each, and the error of the first user who could not be added to the
/// minute: the results end before that user.
///
/// # Errors
///
/// The error of one of the buckets. Nothing has changed then.
pub(super) fn add_many_to_all<'k, const N: usize, B>(
    buckets: &'k [BucketKey<PreparedKey, B>; N],
    users: Users<'k>,
) -> impl Procedure<Output = (Vec<Answer>, Option<Error>)> {
    step(buckets.each_ref().map(|bucket| bucket.key.as_key()), move |tx| {
        let Some((minute, larger)) = buckets.split_first() else {
            return Ok((vec![Answer::None; users.len()], None));
        };
        // The number of larger buckets that lack the user, who is in all buckets that are larger than those.
        let mut lacking = vec![0; users.len()];
        for (at, bucket) in larger.iter().enumerate() {
            if !lacking.contains(&at) {
                break;
            }
            tx.with_hll_read(&bucket.key, |hll| {
                for (user, lacking) in users.iter().zip(&mut lacking) {
                    if *lacking == at && user.is_missing_in(tx, hll)? {
                        *lacking += 1;
                    }
                }
                Ok(())
            })?;
        }
        let (mut answers, failed) = tx.with_hll(&minute.key, |hll| {
            let (answers, added) = users.add_to(hll, minute.expires_at);
            match added {
                Err(error) if answers.is_empty() => Err(error),
                added => Ok((answers, added.err())),
            }
        })?;
        for (answer, &lacking) in answers.iter_mut().zip(&lacking) {
            if lacking < larger.len() {
                *answer = (*answer).max(Answer::No);
            }
        }
        for (at, bucket) in larger.iter().enumerate() {
            let of_bucket = (0..answers.len()).filter(|&user| lacking[user] > at);
            let of_bucket: Vec<usize> = of_bucket.collect();
            if of_bucket.is_empty() {
                break;
            }
            let names: Vec<_> = of_bucket.iter().map(|&user| users.names[user]).collect();
            let hashes: Vec<_> = of_bucket.iter().map(|&user| users.hashes[user]).collect();
            let added = tx.with_hll(&bucket.key, |hll| {
                let (added, done) = Users::new(&names, &hashes).add_to(hll, bucket.expires_at);
                done.map(|()| added)
            })?;
            for (user, added) in of_bucket.into_iter().zip(added) {
                answers[user] = answers[user].max(added);
            }
        }
        Ok((answers, failed))
    })
    .on_server_with(
        move || add_request(buckets, users.names),
        |reply| {
            let (answers, text): (Vec<i64>, String) = reply.convert()?;
            let answers = answers.into_iter().map(Answer::of_number);
            Ok((answers.collect::<Result<_, Error>>()?, refused(text)))
        },
    )
}

/// Adds a user to a minute that exists and does not expire; returns whether it changed, or none if there is no such
/// minute.
#[inline]
pub(super) fn add_if_open<'k, B>(
    minute: &'k BucketKey<PreparedKey, B>,
    user: User<'k>,
) -> impl Procedure<Output = Answer> {
    step([&minute.key], move |tx| {
        tx.with_hll(&minute.key, |hll| {
            if !hll.exists() || hll.expires_at_ms().is_some() {
                return Ok(Answer::None);
            }
            hll.add_hashed(user.name, user.hash).map(Answer::from)
        })
    })
    .on_server_with(
        move || Request::script(&ADD_IF_OPEN).key(&minute.key).arg(user.name),
        |reply| {
            let done: Option<(i64, String)> = reply.convert()?;
            Ok(done.map_or(Answer::None, |(changed, _)| Answer::from(changed > 0)))
        },
    )
}

/// Adds users to a minute that exists and does not expire. Returns how many changed it, and the error of the first who
/// could not be added; none if there is no such minute.
pub(super) fn add_many_if_open<'k, B>(
    minute: &'k BucketKey<PreparedKey, B>,
    users: Users<'k>,
) -> impl Procedure<Output = Option<(u64, Option<Error>)>> {
    step([&minute.key], move |tx| {
        tx.with_hll(&minute.key, |hll| {
            if !hll.exists() || hll.expires_at_ms().is_some() {
                return Ok(None);
            }
            let (answers, added) = users.add_to(hll, None);
            match added {
                Err(error) if answers.is_empty() => Err(error),
                added => {
                    let changed = answers.iter().filter(|&&answer| answer == Answer::Yes).count();
                    Ok(Some((changed as u64, added.err())))
                }
            }
        })
    })
    .on_server_with(
        move || Request::script(&ADD_IF_OPEN).key(&minute.key).args(users.names.iter().copied()),
        |reply| {
            let done: Option<(u64, String)> = reply.convert()?;
            Ok(done.map(|(changed, text)| (changed, refused(text))))
        },
    )
}

/// Adds users to a bucket; if one of them changes it, the bucket is open from then on. Returns how many changed it, and
/// the error of the first who could not be added.
///
/// # Errors
///
/// The error of the first user. Nothing has changed then.
pub(super) fn add_and_open<'k, B>(
    open: &'k [u8],
    bucket: &'k BucketKey<Vec<u8>, B>,
    users: Users<'k>,
) -> impl Procedure<Output = (u64, Option<Error>)> {
    step([open, &bucket.key], move |tx| {
        // A key of another type is refused before users are added.
        let is_open = tx.sismember(open, bucket.name())?;
        let (changed, failed) = tx.with_hll(&bucket.key, |hll| users.add_and_persist(hll))?;
        if changed > 0 && !is_open {
            tx.sadd(open, [bucket.name()])?;
        }
        Ok((changed, failed))
    })
    .on_server_with(
        move || {
            let request = Request::script(&ADD_AND_OPEN).key(open).key(&bucket.key);
            request.arg(bucket.name()).args(users.names.iter().copied())
        },
        |reply| {
            let (changed, text): (u64, String) = reply.convert()?;
            Ok((changed, refused(text)))
        },
    )
}

/// Returns the time in milliseconds since the epoch, and the names of the open buckets, sorted.
pub(super) fn open_names(open: &[u8]) -> impl Procedure<Output = (i64, Vec<Bytes>)> {
    let sorted = |mut names: Vec<Bytes>| {
        names.sort_unstable();
        names
    };
    step([read(open)], move |tx| Ok((now_ms(tx), sorted(tx.smembers(open)?)))).on_server_with(
        move || Request::script(&OPEN_NAMES).key(open),
        move |reply| {
            let (now, names): (i64, Vec<Bytes>) = reply.convert()?;
            Ok((now, sorted(names)))
        },
    )
}

/// Merges those of the buckets that are still open into another one, which then is open or expires; removes their
/// names, and sets their expiries. Without a bucket to merge them into, they are deleted. Returns how many there were.
pub(super) fn roll<'k, B>(keys: &'k RollKeys<'k, B>) -> impl Procedure<Output = u64> {
    let &RollKeys { open, buckets, into, stays_open, .. } = keys;
    step(&*keys.all, move |tx| {
        // Another handle may have merged them already.
        let is_open = tx.smismember(open, each(buckets.iter().map(BucketKey::name)))?;
        let rolled = buckets.iter().zip(is_open).filter_map(|(one, open)| open.then_some(one));
        let rolled: SmallVec<[&BucketKey<Vec<u8>, B>; 4]> = rolled.collect();
        if rolled.is_empty() {
            return Ok(0);
        }
        if let Some(into) = into {
            // No step after this one can fail.
            tx.pfmerge(&into.key, each(rolled.iter().map(|bucket| &bucket.key)))?;
            if stays_open {
                tx.persist(&into.key)?;
                tx.sadd(open, [into.name()])?;
            } else if let Some(at) = into.expires_at {
                tx.pexpire_at(&into.key, at)?;
            }
        }
        tx.srem(open, each(rolled.iter().map(|bucket| bucket.name())))?;
        for bucket in &rolled {
            if let Some(at) = bucket.expires_at {
                tx.pexpire_at(&bucket.key, at)?;
            }
        }
        Ok(rolled.len() as u64)
    })
    .on_server(move || {
        let name_at = buckets.first().map_or(0, |bucket| bucket.name_at);
        let name_at = i64::try_from(name_at).unwrap_or(i64::MAX);
        let request = Request::script(&ROLL).keys(keys.all.iter());
        let request = request.arg(i64::from(into.is_some())).arg(i64::from(stays_open));
        request.arg(name_at).args(buckets.iter().chain(into).map(BucketKey::until))
    })
}

/// The keys of a merge.
#[derive(Debug)]
pub(super) struct RollKeys<'k, B = UvBucket> {
    open: &'k [u8],
    buckets: &'k [BucketKey<Vec<u8>, B>],
    into: Option<&'k BucketKey<Vec<u8>, B>>,
    stays_open: bool,
    all: Vec<KeyRef<'k>>,
}

impl<'k, B> RollKeys<'k, B> {
    /// Returns the keys of merging buckets, at most as many as a script accepts, into another one, which then is open
    /// or expires.
    pub(super) fn new(
        open: &'k [u8],
        buckets: &'k [BucketKey<Vec<u8>, B>],
        into: Option<&'k BucketKey<Vec<u8>, B>>,
        stays_open: bool,
    ) -> Self {
        let of_buckets = buckets.iter().chain(into).map(|bucket| KeyRef::new(&bucket.key));
        let all = [KeyRef::new(open)].into_iter().chain(of_buckets).collect();
        Self { open, buckets, into, stays_open, all }
    }
}

/// Estimates how many users some buckets have together, each named once, and returns the time in milliseconds since the
/// epoch; `None` if the open buckets are no longer those of the names. No key is written.
pub(super) fn count<'k>(keys: &'k CountKeys<'k>) -> impl Procedure<Output = Option<(u64, i64)>> {
    let &CountKeys { open, names, buckets, .. } = keys;
    step(&*keys.all, move |tx| {
        let is_open = tx.smismember(open, names)?;
        if tx.scard(open)? != names.len() || is_open.contains(&false) {
            return Ok(None);
        }
        let count = match buckets {
            // Its cached count is used if it is valid; it is not written.
            [key] => tx.with_hll_read(&**key, |hll| {
                let Some(hll) = hll else { return Ok(0) };
                hll.cached().map_or_else(|| hll.count().map_err(corrupt), Ok)
            })?,
            keys => tx.pfcount(each(keys.iter().map(|key| &**key)))?,
        };
        Ok(Some((count, now_ms(tx))))
    })
    .on_server(move || Request::script(&COUNT).keys(keys.all.iter()).args(names))
}

/// The keys of a count.
#[derive(Debug)]
pub(super) struct CountKeys<'k> {
    open: &'k [u8],
    names: &'k [Bytes],
    buckets: &'k [Text],
    all: Vec<KeyRef<'k>>,
}

impl<'k> CountKeys<'k> {
    /// Returns the keys of counting some buckets, while those of the names are open.
    pub(super) fn new(open: &'k [u8], names: &'k [Bytes], buckets: &'k [Text]) -> Self {
        let of_buckets = buckets.iter().map(|key| read(key));
        let all = [read(open)].into_iter().chain(of_buckets).collect();
        Self { open, names, buckets, all }
    }
}
