//! The atomic steps of [`Locations`](super::Locations).

use std::ops::Range;

use bitpack::packed::Record;
use bytes::Bytes;
use store::{Error, ErrorKind, KeyRef, Member, Reply, SortedSetAddOptions, Tx, UpdateCheck};

use super::scripts::{CODE, SET};
use super::{USERS_PER_SHARD, index};
use crate::procedure::{Procedure, read, step, unexpected};
use crate::request::Request;

/// The suffix of the key of the sorted set with the largest user id, and its member.
pub(super) const MAX: &str = "max";

/// The codes of users of one shard. For a user that occurs several times the last one is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfShard<'p, R> {
    pub(super) shard: &'p [u8],
    pub(super) codes: &'p [(u64, R)],
}

impl<R: Record> OfShard<'_, R> {
    #[inline]
    fn set_ranges(&self, tx: &Tx<'_>) -> Result<(), Error> {
        tx.with_string(self.shard, |string| {
            let len = match string.get() {
                Some(Member::Bytes(bytes)) => bytes.len(),
                Some(number) => text_len(number),
                None => 0,
            };
            check::<R>(self.shard, len)?;
            for (user, code) in self.codes {
                string.set_range(index(*user) * R::WIDTH, code.as_ref())?;
            }
            Ok(())
        })
    }

    /// The largest user.
    #[inline]
    pub(super) fn largest(&self) -> u64 {
        self.codes.iter().map(|&(user, _)| user).max().unwrap_or(0)
    }

    /// Returns the script that sets the codes; `largest` is a second key for it.
    fn request(&self, largest: Option<&[u8]>) -> Request {
        let request = Request::script(&SET).key(self.shard).keys(largest);
        let request = request.arg(arg(R::WIDTH)).arg(self.largest().cast_signed());
        self.codes.iter().fold(request, |request, (user, code)| {
            request.arg(arg(index(*user))).arg(code.as_ref())
        })
    }
}

/// Returns the score of a user.
#[inline]
fn score(user: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "ids have at most 53 bits")]
    let score = user as f64;
    score
}

/// Converts an index in a shard to an argument: it has at most 24 bits.
const fn arg(number: usize) -> i64 {
    number.cast_signed() as i64
}

/// Returns the length of a string with the integer encoding, which cannot result from codes.
#[cold]
fn text_len(number: Member<'_>) -> usize {
    number.byte_len()
}

/// Returns whether codes of this width can give a string of this length.
#[inline]
pub(super) const fn fits(len: usize, width: usize) -> bool {
    len.is_multiple_of(width) && len as u64 <= USERS_PER_SHARD * width as u64
}

/// Refuses a string whose length is impossible for codes of this width; most likely it has codes of another width.
#[inline]
fn check<R: Record>(shard: &[u8], len: usize) -> Result<(), Error> {
    if fits(len, R::WIDTH) { Ok(()) } else { Err(other_width(shard, len, R::WIDTH)) }
}

/// Checks the reply of a script about a shard, which is the length of the string if it refused it.
fn checked<R: Record>(shard: &[u8], reply: Reply) -> Result<Reply, Error> {
    let Reply::Int(len) = reply else { return Ok(reply) };
    let len = usize::try_from(len).map_err(|_| unexpected(&reply))?;
    Err(other_width(shard, len, R::WIDTH))
}

#[cold]
fn other_width(shard: &[u8], len: usize, width: usize) -> Error {
    let (shard, s) = (shard.escape_ascii(), if width == 1 { "" } else { "s" });
    let text =
        format!("ERR the {len} bytes at '{shard}' are not locations of {width} byte{s} each");
    Error::new(ErrorKind::WrongType, text)
}

/// SETRANGE of the code of each user, if the largest id is at least that of each; returns whether it is.
///
/// The key of the largest id is locked for reading only, so that users of different shards do not block each other.
#[inline]
pub(super) fn set<'k, R: Record>(
    users: OfShard<'k, R>,
    largest: KeyRef<'k>,
) -> impl Procedure<Output = bool> {
    step([largest.read(), KeyRef::new(users.shard)], move |tx| {
        let covers =
            tx.zscore(largest, MAX)?.is_some_and(|largest| largest >= score(users.largest()));
        if covers {
            users.set_ranges(tx)?;
        }
        Ok(covers)
    })
    .on_a_store_only("reading the largest id first")
}

/// SETRANGE of the code of each user, and ZADD GT of the largest id.
///
/// On a store it is called rarely, and takes the key as bytes so that [`set`] has a ZSCORE of its own, which the
/// compiler inlines.
pub(super) fn set_largest<'k, R: Record>(
    users: OfShard<'k, R>,
    largest: &'k [u8],
) -> impl Procedure<Output = ()> {
    step([users.shard, largest], move |tx| {
        // A key of another type is refused before the string changes.
        tx.zscore(largest, MAX)?;
        users.set_ranges(tx)?;
        let higher = SortedSetAddOptions::add_or_update(Some(UpdateCheck::GT));
        tx.zadd_options(largest, MAX, score(users.largest()), higher).map(drop)
    })
    .on_server_with(
        move || users.request(Some(largest)),
        move |reply| checked::<R>(users.shard, reply).map(drop),
    )
}

/// SETRANGE of the code of each user, if the largest id is in another slot: [`raise`] is called before.
pub(super) fn set_alone<R: Record>(users: OfShard<'_, R>) -> impl Procedure<Output = ()> {
    step([users.shard], move |tx| users.set_ranges(tx)).on_server_with(
        move || users.request(None),
        move |reply| checked::<R>(users.shard, reply).map(drop),
    )
}

/// ZADD GT of the largest id.
pub(super) fn raise(largest: &[u8], user: u64) -> impl Procedure<Output = ()> {
    step([largest], move |tx| {
        let higher = SortedSetAddOptions::add_or_update(Some(UpdateCheck::GT));
        tx.zadd_options(largest, MAX, score(user), higher).map(drop)
    })
    .on_server(move || {
        Request::command("ZADD").key(largest).arg("GT").arg(user.cast_signed()).arg(MAX)
    })
}

/// ZSCORE of the largest id.
pub(super) fn largest(key: &[u8]) -> impl Procedure<Output = Option<f64>> {
    step([read(key)], move |tx| tx.zscore(key, MAX))
        .on_server(move || Request::command("ZSCORE").key(key).arg(MAX))
}

/// Returns the code at an index of a shard; zeros beyond its end.
#[inline]
pub(super) fn code<R: Record>(shard: &[u8], place: usize) -> impl Procedure<Output = R> {
    step([read(shard)], move |tx| {
        tx.get_with(shard, |string| {
            let string = string.unwrap_or_default();
            check::<R>(shard, string.len())?;
            Ok(R::records(string).get(place).copied().unwrap_or_default())
        })?
    })
    .on_server_with(
        move || Request::script(&CODE).key(shard).arg(arg(R::WIDTH)).arg(arg(place)),
        move |reply| {
            let code: Bytes = checked::<R>(shard, reply)?.convert()?;
            Ok(R::records(&code).first().copied().unwrap_or_default())
        },
    )
}

/// STRLEN of a shard, in codes.
pub(super) fn len<R: Record>(shard: &[u8]) -> impl Procedure<Output = usize> {
    let codes = move |len| check::<R>(shard, len).map(|()| len / R::WIDTH);
    step([read(shard)], move |tx| codes(tx.strlen(shard)?)).on_server_with(
        move || Request::command("STRLEN").key(shard),
        move |reply| codes(reply.convert()?),
    )
}

/// GETRANGE of the codes at a non-empty range of indexes of a shard, up to its end.
pub(super) fn range<R: Record>(
    shard: &[u8],
    places: Range<usize>,
) -> impl Procedure<Output = Bytes> {
    let [from, end] = [places.start, places.end].map(|place| arg(place * R::WIDTH));
    step([read(shard)], move |tx| tx.getrange(shard, from, end - 1))
        .on_server(move || Request::command("GETRANGE").key(shard).arg(from).arg(end - 1))
}

/// GET of a shard, whose codes are passed to `look` in place; there are none without a string.
#[inline]
pub(super) fn look_at<R: Record, T>(
    shard: &[u8],
    look: impl Fn(&[u8]) -> T,
) -> impl Procedure<Output = T> {
    step([read(shard)], move |tx| {
        tx.get_with(shard, |string| {
            let string = string.unwrap_or_default();
            check::<R>(shard, string.len())?;
            Ok(look(string))
        })?
    })
    .on_a_store_only("reading a string in place")
}
