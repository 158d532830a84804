//! What a recipe asks of the backend that holds its keys, and what that is.

mod step;

use bytes::Bytes;
use smallvec::SmallVec;
use store::{Error, ErrorKind, KeyRef, Locks, Member, PreparedKey, Reply, Store, ToKeys, Tx};

use crate::errors::invalid;
use crate::request::Request;
use crate::scan::keys_from;
pub(crate) use step::{Step, StoreOnly, step, step_on};

/// One atomic step on keys that it names: what recipes are made of.
///
/// A procedure says what is to be done; a [`Backend`] does it. All of it happens or nothing, and no caller sees it half
/// done: **what a procedure refuses, it refuses before it changes anything**.
///
/// # Examples
///
/// A visit of a page counts once for each visitor:
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::{Backend, Error, KeyRef, Procedure, Store, Tx};
///
/// struct Visit<'a> {
///     visitors: &'a str,
///     count: &'a str,
///     visitor: i64,
/// }
///
/// impl Procedure for Visit<'_> {
///     type Output = i64;
///     type Keys<'p> = [&'p str; 2] where Self: 'p;
///
///     fn keys(&self) -> Self::Keys<'_> {
///         [self.visitors, self.count]
///     }
///
///     fn run(&self, tx: &Tx<'_>) -> Result<i64, Error> {
///         // What can fail comes first.
///         let count = tx.get_int(self.count)?.unwrap_or(0);
///         if tx.sadd(self.visitors, [self.visitor])? == 0 {
///             return Ok(count);
///         }
///         tx.incr(self.count, 1)
///     }
/// }
///
/// let store = Store::new();
/// let visit = |visitor| Visit { visitors: "page:visitors", count: "page:count", visitor };
/// assert_eq!(store.call(&visit(7))?, 1);
/// assert_eq!(store.call(&visit(7))?, 1);
/// assert_eq!(store.call(&visit(8))?, 2);
/// # Ok::<(), Error>(())
/// ```
pub trait Procedure {
    /// What it returns.
    type Output;
    /// Its keys: a few that it borrows, as an array.
    type Keys<'p>: ToKeys
    where
        Self: 'p;

    /// The keys that it touches. One that it only reads is a [`KeyRef::read`](store::KeyRef::read).
    fn keys(&self) -> Self::Keys<'_>;

    /// The member that [`run`](Self::run) looks for in the set at its last key, if it does that: a store asks for the
    /// memory of many such look-ups ahead (see [`call_many`](Backend::call_many)). None if not said otherwise.
    fn member(&self) -> Option<Member<'_>> {
        None
    }

    /// Does it, with the keys locked.
    ///
    /// # Errors
    ///
    /// Why it is refused; then nothing has changed.
    fn run(&self, tx: &Tx<'_>) -> Result<Self::Output, Error>;

    /// What does the same on a server. If not said otherwise the procedure is for a store alone, and a server refuses it.
    ///
    /// # Errors
    ///
    /// Why there is nothing that does: then no server is asked.
    fn request(&self) -> Result<Request, Error> {
        Err(on_a_store_only("this step"))
    }

    /// What a server's reply to the [`request`](Self::request) says.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Conversion`] for a reply that has another shape.
    fn output(&self, reply: Reply) -> Result<Self::Output, Error> {
        Err(unexpected(&reply))
    }
}

/// The error of what a server cannot do.
#[cold]
pub(crate) fn on_a_store_only(what: &str) -> Error {
    invalid(format!("ERR a server cannot do what a store does: {what}"))
}

/// The error of a reply that is not what a request is answered with.
#[cold]
pub(crate) fn unexpected(reply: &Reply) -> Error {
    Error::new(ErrorKind::Conversion, format!("ERR unexpected reply {reply:?}"))
}

/// Where a backend has its keys, and so what one step may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BackendKind {
    /// In a store of this process: any keys.
    Store,
    /// On one server: any keys, in commands and scripts.
    Server,
    /// On the nodes of a cluster: keys of one [slot](crate::key_slot).
    Cluster,
}

/// What holds keys and runs [procedures](Procedure) on them.
pub trait Backend {
    /// Where it has its keys.
    fn kind(&self) -> BackendKind {
        BackendKind::Store
    }

    /// Does a procedure.
    ///
    /// # Errors
    ///
    /// That of the procedure.
    fn call<P: Procedure>(&self, procedure: &P) -> Result<P::Output, Error>;

    /// Does many procedures, and calls `answer` with the number and the outcome of each, in any order.
    ///
    /// Each of them is atomic, all of them together are not. Those that share a key are done in their order.
    ///
    /// On a store they share locks and cache misses: see [`Store::transaction_many`].
    ///
    /// # Errors
    ///
    /// That of the backend, if it cannot do procedures at all; what has been done then is unknown. The error of a
    /// procedure is its outcome.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{Backend, Error, Procedure, Store, Tx};
    ///
    /// struct Visit<'a>(&'a str);
    ///
    /// impl Procedure for Visit<'_> {
    ///     type Output = i64;
    ///     type Keys<'p> = [&'p str; 1] where Self: 'p;
    ///
    ///     fn keys(&self) -> Self::Keys<'_> {
    ///         [self.0]
    ///     }
    ///
    ///     fn run(&self, tx: &Tx<'_>) -> Result<i64, Error> {
    ///         tx.incr(self.0, 1)
    ///     }
    /// }
    ///
    /// let store = Store::new();
    /// store.set("/broken", "text")?;
    /// let mut visits = [0; 4];
    /// store.call_many(&["/", "/about", "/broken", "/"].map(Visit), |at, visit| {
    ///     visits[at] = visit.unwrap_or(-1);
    /// })?;
    /// assert_eq!(visits, [1, 1, -1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    fn call_many<P: Procedure>(
        &self,
        procedures: &[P],
        mut answer: impl FnMut(usize, Result<P::Output, Error>),
    ) -> Result<(), Error> {
        for (at, procedure) in procedures.iter().enumerate() {
            answer(at, self.call(procedure));
        }
        Ok(())
    }

    /// A key that many procedures will name, prepared for that: see [`Store::prepare`].
    fn prepare(&self, key: &[u8]) -> PreparedKey;

    /// The keys that begin so, if the backend has fewer than `most` in all; `None` if there are more, or if it cannot
    /// say.
    ///
    /// Recipes ask it where a key says that there are many others, which need not be so.
    ///
    /// # Errors
    ///
    /// That of the backend.
    fn keys_if_few(&self, _start: &[u8], _most: u64) -> Result<Option<Vec<Bytes>>, Error> {
        Ok(None)
    }
}

/// The keys of a store that begin so, if it has fewer than `most` in all.
fn few_keys<L: Locks>(
    store: &Store<L>,
    start: &[u8],
    most: u64,
) -> Result<Option<Vec<Bytes>>, Error> {
    if (store.dbsize()? as u64) < most { keys_from(store, start).map(Some) } else { Ok(None) }
}

impl Backend for Store {
    #[inline]
    fn call<P: Procedure>(&self, procedure: &P) -> Result<P::Output, Error> {
        self.transaction(procedure.keys(), |tx| procedure.run(tx))
    }

    fn call_many<P: Procedure>(
        &self,
        procedures: &[P],
        mut answer: impl FnMut(usize, Result<P::Output, Error>),
    ) -> Result<(), Error> {
        let keys: Vec<P::Keys<'_>> = procedures.iter().map(Procedure::keys).collect();
        let member = |at: usize| procedures[at].member();
        self.transaction_many_on(&keys, member, |at, tx| answer(at, procedures[at].run(tx)))
    }

    fn prepare(&self, key: &[u8]) -> PreparedKey {
        Self::prepare(self, key)
    }

    fn keys_if_few(&self, start: &[u8], most: u64) -> Result<Option<Vec<Bytes>>, Error> {
        few_keys(self, start, most)
    }
}

/// A transaction runs procedures on the keys that it has named, as part of itself.
impl Backend for Tx<'_> {
    #[inline]
    fn call<P: Procedure>(&self, procedure: &P) -> Result<P::Output, Error> {
        procedure.run(self)
    }

    fn prepare(&self, key: &[u8]) -> PreparedKey {
        Store::prepare(self, key)
    }

    fn keys_if_few(&self, start: &[u8], most: u64) -> Result<Option<Vec<Bytes>>, Error> {
        // One that has named its keys has no others.
        few_keys(self, start, most).or_else(|error| {
            if error.kind() == ErrorKind::KeyNotNamed { Ok(None) } else { Err(error) }
        })
    }
}

impl<B: Backend> Backend for &B {
    #[inline]
    fn kind(&self) -> BackendKind {
        (**self).kind()
    }

    #[inline]
    fn call<P: Procedure>(&self, procedure: &P) -> Result<P::Output, Error> {
        (**self).call(procedure)
    }

    fn call_many<P: Procedure>(
        &self,
        procedures: &[P],
        answer: impl FnMut(usize, Result<P::Output, Error>),
    ) -> Result<(), Error> {
        (**self).call_many(procedures, answer)
    }

    fn prepare(&self, key: &[u8]) -> PreparedKey {
        (**self).prepare(key)
    }

    fn keys_if_few(&self, start: &[u8], most: u64) -> Result<Option<Vec<Bytes>>, Error> {
        (**self).keys_if_few(start, most)
    }
}

/// Does many procedures, and calls `each` with the number and the output of those that succeed, in any order.
///
/// # Errors
///
/// The error of the first procedure that failed, after all have been done; that of the backend.
pub(crate) fn call_all<P: Procedure>(
    backend: &impl Backend,
    procedures: &[P],
    mut each: impl FnMut(usize, P::Output),
) -> Result<(), Error> {
    let mut first: Option<(usize, Error)> = None;
    backend.call_many(procedures, |at, outcome| match outcome {
        Ok(output) => each(at, output),
        Err(error) => {
            if first.as_ref().is_none_or(|&(before, _)| at < before) {
                first = Some((at, error));
            }
        }
    })?;
    first.map_or(Ok(()), |(_, error)| Err(error))
}

/// How many steps are done at once: as many as share locks and cache misses on a store, or a round trip on a server.
pub(crate) fn batch(backend: &impl Backend) -> usize {
    match backend.kind() {
        BackendKind::Store => 256,
        BackendKind::Server | BackendKind::Cluster => 1 << 16,
    }
}

/// Does many procedures; returns the sum of their outputs.
///
/// # Errors
///
/// As [`call_all`].
pub(crate) fn sum_all<P: Procedure<Output = u64>>(
    backend: &impl Backend,
    procedures: &[P],
) -> Result<u64, Error> {
    let mut sum = 0;
    call_all(backend, procedures, |_, output| sum += output)?;
    Ok(sum)
}

/// A key that is only read.
#[inline]
pub(crate) const fn read(key: &[u8]) -> KeyRef<'_> {
    KeyRef::new(key).read()
}

/// Any number of keys.
pub(crate) type Keys<'k> = SmallVec<[KeyRef<'k>; 4]>;

/// Keys that are only read.
pub(crate) fn all_read<'k>(keys: &[&'k [u8]]) -> Keys<'k> {
    keys.iter().map(|key| read(key)).collect()
}
