//! Visitors, and how they are added to a bucket.

use hll::{Encoding, Hll};
use store::{Error, HllEntry, Member, Tx};

use super::procedures::{Answer, corrupt};

/// A visitor, with the hash of the name.
#[derive(Clone, Copy, Debug)]
pub(super) struct User<'a> {
    pub(super) name: Member<'a>,
    pub(super) hash: u64,
}

impl<'a> User<'a> {
    #[inline]
    pub(super) fn new(name: Member<'a>) -> Self {
        Self { name, hash: name.with_bytes(hll::hash) }
    }

    /// Returns this visitor as a slice of one.
    pub(super) const fn alone(&self) -> Users<'_> {
        Users { names: std::slice::from_ref(&self.name), hashes: std::slice::from_ref(&self.hash) }
    }

    /// Returns whether the register of the user is already as high.
    #[inline]
    pub(super) fn is_in(self, hll: &Hll<'_>) -> Result<bool, Error> {
        let (register, rank) = hll::register_and_rank(self.hash);
        let stored = hll.register(register).map_err(corrupt)?;
        Ok(stored.is_some_and(|stored| stored >= rank))
    }

    /// Returns whether a bucket lacks the user; an error if the user cannot be added to it.
    #[inline]
    pub(super) fn is_missing_in(self, tx: &Tx<'_>, hll: Option<Hll<'_>>) -> Result<bool, Error> {
        let Some(hll) = hll else { return Ok(true) };
        let max_bytes = match hll.encoding() {
            Encoding::Dense => 0,
            Encoding::Sparse => tx.limits().hll_sparse_max_bytes,
        };
        hll.would_add(self.hash, max_bytes).map_err(corrupt)
    }

    /// Adds the user to a bucket, which is created if it does not exist and is kept. Returns whether it changed; none
    /// if it is not kept.
    #[inline]
    pub(super) fn add_to(
        self,
        hll: &mut HllEntry<'_>,
        expires_at: Option<i64>,
    ) -> Result<Answer, Error> {
        let added = add_if_kept(hll, expires_at, |hll| hll.add_hashed(self.name, self.hash));
        added.map_or(Ok(Answer::None), |added| added.map(Answer::from))
    }
}

/// Adds to a bucket that exists, or creates it with an expiry if it is kept; `None` if neither.
#[inline]
fn add_if_kept<R>(
    hll: &mut HllEntry<'_>,
    expires_at: Option<i64>,
    add: impl FnOnce(&mut HllEntry<'_>) -> R,
) -> Option<R> {
    if hll.exists() {
        return Some(add(hll));
    }
    if expires_at.is_some_and(|at| at <= hll.now_us().div_euclid(1000)) {
        return None;
    }
    let added = add(hll);
    if let Some(at) = expires_at {
        hll.expire_at_ms(at);
    }
    Some(added)
}

/// Visitors, with the hashes of their names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Users<'a> {
    pub(super) names: &'a [Member<'a>],
    pub(super) hashes: &'a [u64],
}

impl<'a> Users<'a> {
    /// Creates it from names and their [hashes](hll::hash).
    pub(super) fn new(names: &'a [Member<'a>], hashes: &'a [u64]) -> Self {
        debug_assert_eq!(names.len(), hashes.len());
        Self { names, hashes }
    }

    pub(super) fn names(self) -> impl Iterator<Item = Member<'a>> {
        self.names.iter().copied()
    }

    pub(super) const fn len(self) -> usize {
        self.names.len()
    }

    pub(super) fn first(self) -> Option<User<'a>> {
        self.iter().next()
    }

    /// Splits at an index.
    pub(super) fn split_at(self, count: usize) -> (Self, Self) {
        let (names, other_names) = self.names.split_at(count);
        let (hashes, other_hashes) = self.hashes.split_at(count);
        (Self { names, hashes }, Self { names: other_names, hashes: other_hashes })
    }

    pub(super) fn iter(self) -> impl Iterator<Item = User<'a>> {
        self.names.iter().zip(self.hashes).map(|(&name, &hash)| User { name, hash })
    }

    /// Adds the users to a bucket, and removes its expiry if one of them changes it. Returns how many changed it, and
    /// the error of the first who could not be added, unless it is the first user, whose error is returned as such.
    pub(super) fn add_and_persist(
        self,
        hll: &mut HllEntry<'_>,
    ) -> Result<(u64, Option<Error>), Error> {
        let (answers, added) = self.add_to(hll, None);
        let changed = answers.iter().filter(|&&answer| answer == Answer::Yes).count();
        if changed > 0 {
            hll.persist();
        }
        match added {
            Err(error) if answers.is_empty() => Err(error),
            added => Ok((changed as u64, added.err())),
        }
    }

    /// Adds the users to a bucket, as [`User::add_to`] does for each. Returns the results for those before the first
    /// that fails.
    pub(super) fn add_to(
        self,
        hll: &mut HllEntry<'_>,
        expires_at: Option<i64>,
    ) -> (Vec<Answer>, Result<(), Error>) {
        let mut changed = Vec::new();
        let add =
            |hll: &mut HllEntry<'_>| hll.add_many_hashed(self.names, self.hashes, &mut changed);
        let Some(added) = add_if_kept(hll, expires_at, add) else {
            return (vec![Answer::None; self.len()], Ok(()));
        };
        (changed.into_iter().map(Answer::from).collect(), added)
    }
}
