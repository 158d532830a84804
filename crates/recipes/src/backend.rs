//! Backends, which hold the keys of recipes.

use std::future;

use bytes::Bytes;
use macros::blocking_and_async;
use store::{Error, ErrorKind, Locks, PreparedKey, Store, Tx};

use crate::procedure::{Procedure, on_a_store_only};
use crate::scan::keys_from;

/// The kind of a backend, which decides which keys one step may access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BackendKind {
    /// A store in this process: a step may access any keys.
    Store,
    /// One server: a command or script may access any keys.
    Server,
    /// A cluster: a step may access the keys of one [slot](crate::key_slot).
    Cluster,
}

/// Properties of a backend that a recipe needs before it sends anything.
pub trait Keyspace {
    /// Returns the kind of the backend.
    fn kind(&self) -> BackendKind {
        BackendKind::Store
    }

    /// Prepares a key that many procedures will use: see [`Store::prepare`].
    fn prepare(&self, key: &[u8]) -> PreparedKey;

    /// Returns the store that has the keys, if it is in this process: some calls of recipes read it in place, or change
    /// a whole bucket in one step.
    fn as_store(&self) -> Option<&Store> {
        None
    }
}

/// Holds keys and runs [procedures](Procedure) on them. Calls block the thread.
pub trait Backend: Keyspace {
    /// Runs a procedure.
    ///
    /// # Errors
    ///
    /// The error of the procedure.
    fn call<P: Procedure>(&self, procedure: &P) -> Result<P::Output, Error>;

    /// Runs many procedures, and calls `answer` with the index and the outcome of each, in any order.
    ///
    /// Each procedure is atomic, the call as a whole is not. Procedures that share a key run in their order.
    ///
    /// On a store they share locks and cache misses: see [`Store::transaction_many`].
    ///
    /// # Errors
    ///
    /// The error of the backend, if it cannot run procedures at all; which of them have run is unknown then. The error
    /// of a single procedure is its outcome.
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

    /// Returns the keys that start with this prefix, if the backend has fewer than `most` keys in all; `None` if it has
    /// more, or cannot determine it.
    ///
    /// Recipes call it if a key claims that there are many others, which may be wrong.
    ///
    /// # Errors
    ///
    /// The error of the backend.
    fn keys_if_few(&self, _start: &[u8], _most: u64) -> Result<Option<Vec<Bytes>>, Error> {
        Ok(None)
    }

    /// Returns the keys that start with this prefix, sorted and without duplicates, as SCAN finds them. Keys that are
    /// created or deleted meanwhile may be included or not. O(keys of the backend).
    ///
    /// # Errors
    ///
    /// The error of the backend; [`ErrorKind::InvalidArgument`] if it cannot scan keys, which is the default
    /// implementation.
    fn keys_from(&self, _start: &[u8]) -> Result<Vec<Bytes>, Error> {
        Err(on_a_store_only("scanning keys"))
    }
}

/// Holds keys and runs [procedures](Procedure) on them. Calls return futures and do not block the thread.
///
/// It is for the calls of recipes whose names end with `_async`. A store runs a procedure when its future is first
/// polled, so asynchronous code runs in the process too.
///
/// A future is `Send` if all that it holds is, which the compiler derives from the type of the backend; code that is
/// generic over the backend cannot require it.
pub trait AsyncBackend: Keyspace {
    /// As [`Backend::call`].
    ///
    /// # Errors
    ///
    /// As [`Backend::call`].
    fn call_async<P: Procedure>(
        &self,
        procedure: &P,
    ) -> impl Future<Output = Result<P::Output, Error>>;

    /// As [`Backend::call_many`].
    ///
    /// # Errors
    ///
    /// As [`Backend::call_many`].
    fn call_many_async<P: Procedure>(
        &self,
        procedures: &[P],
        answer: impl FnMut(usize, Result<P::Output, Error>),
    ) -> impl Future<Output = Result<(), Error>>;

    /// As [`Backend::keys_if_few`].
    ///
    /// # Errors
    ///
    /// As [`Backend::keys_if_few`].
    fn keys_if_few_async(
        &self,
        _start: &[u8],
        _most: u64,
    ) -> impl Future<Output = Result<Option<Vec<Bytes>>, Error>> {
        future::ready(Ok(None))
    }

    /// As [`Backend::keys_from`].
    ///
    /// # Errors
    ///
    /// As [`Backend::keys_from`].
    fn keys_from_async(&self, _start: &[u8]) -> impl Future<Output = Result<Vec<Bytes>, Error>> {
        future::ready(Err(on_a_store_only("scanning keys")))
    }
}

/// Returns the keys of a store that start with this prefix, if it has fewer than `most` keys in all.
fn few_keys<L: Locks>(
    store: &Store<L>,
    start: &[u8],
    most: u64,
) -> Result<Option<Vec<Bytes>>, Error> {
    if (store.dbsize()? as u64) < most { keys_from(store, start).map(Some) } else { Ok(None) }
}

impl Keyspace for Store {
    fn prepare(&self, key: &[u8]) -> PreparedKey {
        Self::prepare(self, key)
    }

    fn as_store(&self) -> Option<&Store> {
        Some(self)
    }
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

    fn keys_if_few(&self, start: &[u8], most: u64) -> Result<Option<Vec<Bytes>>, Error> {
        few_keys(self, start, most)
    }

    fn keys_from(&self, start: &[u8]) -> Result<Vec<Bytes>, Error> {
        keys_from(self, start)
    }
}

impl AsyncBackend for Store {
    async fn call_async<P: Procedure>(&self, procedure: &P) -> Result<P::Output, Error> {
        self.call(procedure)
    }

    async fn call_many_async<P: Procedure>(
        &self,
        procedures: &[P],
        answer: impl FnMut(usize, Result<P::Output, Error>),
    ) -> Result<(), Error> {
        self.call_many(procedures, answer)
    }

    async fn keys_if_few_async(
        &self,
        start: &[u8],
        most: u64,
    ) -> Result<Option<Vec<Bytes>>, Error> {
        few_keys(self, start, most)
    }

    async fn keys_from_async(&self, start: &[u8]) -> Result<Vec<Bytes>, Error> {
        keys_from(self, start)
    }
}

impl Keyspace for Tx<'_> {
    fn prepare(&self, key: &[u8]) -> PreparedKey {
        Store::prepare(self, key)
    }
}

/// A transaction runs procedures on the keys that it has locked, as part of itself.
impl Backend for Tx<'_> {
    #[inline]
    fn call<P: Procedure>(&self, procedure: &P) -> Result<P::Output, Error> {
        procedure.run(self)
    }

    fn keys_if_few(&self, start: &[u8], most: u64) -> Result<Option<Vec<Bytes>>, Error> {
        // A transaction over named keys can access no others.
        few_keys(self, start, most).or_else(|error| {
            if error.kind() == ErrorKind::KeyNotNamed { Ok(None) } else { Err(error) }
        })
    }

    fn keys_from(&self, start: &[u8]) -> Result<Vec<Bytes>, Error> {
        keys_from(self, start)
    }
}

impl<B: Keyspace> Keyspace for &B {
    #[inline]
    fn kind(&self) -> BackendKind {
        (**self).kind()
    }

    fn prepare(&self, key: &[u8]) -> PreparedKey {
        (**self).prepare(key)
    }

    fn as_store(&self) -> Option<&Store> {
        (**self).as_store()
    }
}

impl<B: Backend> Backend for &B {
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

    fn keys_if_few(&self, start: &[u8], most: u64) -> Result<Option<Vec<Bytes>>, Error> {
        (**self).keys_if_few(start, most)
    }

    fn keys_from(&self, start: &[u8]) -> Result<Vec<Bytes>, Error> {
        (**self).keys_from(start)
    }
}

impl<B: AsyncBackend> AsyncBackend for &B {
    async fn call_async<P: Procedure>(&self, procedure: &P) -> Result<P::Output, Error> {
        (**self).call_async(procedure).await
    }

    async fn call_many_async<P: Procedure>(
        &self,
        procedures: &[P],
        answer: impl FnMut(usize, Result<P::Output, Error>),
    ) -> Result<(), Error> {
        (**self).call_many_async(procedures, answer).await
    }

    async fn keys_if_few_async(
        &self,
        start: &[u8],
        most: u64,
    ) -> Result<Option<Vec<Bytes>>, Error> {
        (**self).keys_if_few_async(start, most).await
    }

    async fn keys_from_async(&self, start: &[u8]) -> Result<Vec<Bytes>, Error> {
        (**self).keys_from_async(start).await
    }
}

/// Runs many procedures, and calls `each` with the index and the output of those that succeed, in any order.
///
/// # Errors
///
/// The error of the first procedure that failed, after all have run; the error of the backend.
#[blocking_and_async]
pub(crate) async fn call_all<P: Procedure>(
    backend: &impl Backend,
    procedures: &[P],
    mut each: impl FnMut(usize, P::Output),
) -> Result<(), Error> {
    let mut first: Option<(usize, Error)> = None;
    backend
        .call_many(procedures, |at, outcome| match outcome {
            Ok(output) => each(at, output),
            Err(error) => {
                if first.as_ref().is_none_or(|&(before, _)| at < before) {
                    first = Some((at, error));
                }
            }
        })
        .await?;
    first.map_or(Ok(()), |(_, error)| Err(error))
}

/// Returns how many steps to run at once: as many as share locks and cache misses on a store, or a round trip on a
/// server.
pub(crate) fn batch(backend: &impl Keyspace) -> usize {
    match backend.kind() {
        BackendKind::Store => 256,
        BackendKind::Server | BackendKind::Cluster => 1 << 16,
    }
}

/// Runs many procedures; returns the saturated sum of their outputs.
///
/// # Errors
///
/// As [`call_all`].
#[blocking_and_async]
pub(crate) async fn sum_all<P: Procedure<Output = u64>>(
    backend: &impl Backend,
    procedures: &[P],
) -> Result<u64, Error> {
    let mut sum = 0_u64;
    call_all(backend, procedures, |_, output| sum = sum.saturating_add(output)).await?;
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use store::KeyRef;

    use super::*;
    use crate::procedure::step;

    #[test]
    fn a_sum_that_does_not_fit_is_the_maximum() {
        let counts = [7, u64::MAX, 7].map(|count| step([KeyRef::new(b"")], move |_| Ok(count)));
        assert_eq!(sum_all(&Store::new(), &counts[..1]).unwrap(), 7);
        assert_eq!(sum_all(&Store::new(), &counts).unwrap(), u64::MAX);
    }
}
