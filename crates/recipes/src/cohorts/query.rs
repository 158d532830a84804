//! Queries of a cohort.

use bitpack::bits;
use macros::blocking_and_async;
use store::{Error, Store};

use super::cohort::Cohort;
use super::procedures;
use super::program::{Program, Sources};
use super::{Cohorts, bit_of};
use crate::backend::{AsyncBackend, Backend, BackendKind, Keyspace};

/// A query of a [`Cohort`] on a backend. Creating it reads nothing; each call reads all keys of the cohort in one
/// atomic step.
///
/// The store is locked during a call: O(bytes of all its bitmaps), at some gigabytes per second. Intermediate results
/// take some kilobytes, for bitmaps of any length.
///
/// Each call has an asynchronous form, whose name ends with `_async`, for an [`AsyncBackend`](crate::AsyncBackend).
///
/// # Errors
///
/// All calls fail with [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if one of the keys holds no string.
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::jiff::civil::date;
/// use tallis::{Cohort, Cohorts, Period, Store};
///
/// let cohorts = Cohorts::new(Store::new());
/// let (may, june) = (date(2015, 5, 17), date(2015, 6, 3));
/// for (user, day) in [(1, may), (2, may), (2, june), (3, june)] {
///     cohorts.mark("active", user, day)?;
/// }
/// let [may, june] = [may, june].map(|day| Cohort::of("active", Period::month(day)));
/// let stayed = cohorts.query(may.clone() & june.clone());
/// assert_eq!((stayed.count()?, stayed.has(2)?), (1, true));
/// assert_eq!(cohorts.query(may | june).users()?, [1, 2, 3]);
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Query<'c, B = Store> {
    cohorts: &'c Cohorts<B>,
    cohort: Cohort,
}

impl<'c, B: Keyspace> Query<'c, B> {
    pub(super) const fn new(cohorts: &'c Cohorts<B>, cohort: Cohort) -> Self {
        Self { cohorts, cohort }
    }

    fn compiled(&self) -> (Sources<'c>, Program) {
        let mut sources = Sources::new(&self.cohorts.names);
        let program = sources.program(&self.cohort);
        (sources, program)
    }
}

#[blocking_and_async]
impl<B: Backend> Query<'_, B> {
    /// Returns the number of users in the cohort.
    ///
    /// # Errors
    ///
    /// See [`Query`].
    pub async fn count(&self) -> Result<u64, Error> {
        let backend = &self.cohorts.backend;
        if backend.kind() != BackendKind::Store {
            let (sources, program) = self.compiled();
            let keys = sources.keys();
            if let Some(key) = program.as_source().and_then(|source| keys.get(source)) {
                return backend.call(&procedures::count_bits(key)).await;
            }
        }
        self.read(|program, strings| {
            let mut count = 0;
            program.each_block(strings, |_, block| count += bits::count(block));
            count
        })
        .await
    }

    /// Returns the ids of the users in the cohort, ascending. They take 8 bytes each; [`bitmap`](Self::bitmap) returns
    /// them in a smaller form.
    ///
    /// # Errors
    ///
    /// See [`Query`].
    pub async fn users(&self) -> Result<Vec<u64>, Error> {
        self.read(|program, strings| {
            let mut users = Vec::new();
            program.each_block(strings, |start, block| {
                let first = start as u64 * 8;
                users.extend(bits::ones(block).map(|bit| first + bit));
            });
            users
        })
        .await
    }

    /// Returns whether a user is in the cohort. O(keys).
    ///
    /// # Errors
    ///
    /// See [`Query`]; also for an id that is too large (see [`Cohorts`](Cohorts#limits)).
    pub async fn has(&self, user: u64) -> Result<bool, Error> {
        let bit = bit_of(user)?;
        let backend = &self.cohorts.backend;
        if backend.kind() == BackendKind::Store {
            return self.read(|program, strings| program.bit(strings, bit)).await;
        }
        let (sources, program) = self.compiled();
        let question = |bytes: &[&[u8]]| program.bit_of_byte(bytes, bit);
        procedures::ask_byte(backend, &sources.keys(), bit / 8, question).await
    }

    /// Returns the bitmap of the cohort: byte for byte the string that BITOP would write. The first user is the high
    /// bit of the first byte.
    ///
    /// # Errors
    ///
    /// See [`Query`].
    pub async fn bitmap(&self) -> Result<Vec<u8>, Error> {
        self.read(Program::bitmap).await
    }

    /// Stores the bitmap of the cohort at a key of any type, in the same atomic step that reads the cohort's keys;
    /// returns its length in bytes. As with BITOP, an empty bitmap deletes the key, and an expiry is removed.
    ///
    /// The key can be one of the cohort's own. [`Cohort::key`] makes a cohort of it later.
    ///
    /// # Errors
    ///
    /// See [`Query`].
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::jiff::civil::date;
    /// use tallis::{Cohort, Cohorts, Period, Store};
    ///
    /// let cohorts = Cohorts::new(Store::new());
    /// let day = date(2015, 5, 17);
    /// cohorts.mark("active", 9, day)?;
    /// assert_eq!(cohorts.query(Cohort::of("active", Period::day(day))).store("kept")?, 2);
    /// assert_eq!(cohorts.query(Cohort::key("kept")).users()?, [9]);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub async fn store(&self, target: impl AsRef<[u8]>) -> Result<u64, Error> {
        let (sources, program) = self.compiled();
        procedures::store(&self.cohorts.backend, target.as_ref(), &sources.keys(), &program).await
    }

    async fn read<R>(&self, ask: impl Fn(&Program, &[&[u8]]) -> R) -> Result<R, Error> {
        let (sources, program) = self.compiled();
        let question = |strings: &[&[u8]]| ask(&program, strings);
        procedures::ask(&self.cohorts.backend, &sources.keys(), question).await
    }
}
