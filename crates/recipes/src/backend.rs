//! What holds the keys of recipes.

use std::future;

use bytes::Bytes;
use macros::blocking_and_async;
use store::{Error, ErrorKind, Locks, PreparedKey, Store, Tx};

use crate::procedure::{Procedure, on_a_store_only};
use crate::scan::keys_from;

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

/// What holds the keys of recipes: all that a recipe need know of it before it asks anything.
pub trait Keyspace {
    /// Where the keys are.
    fn kind(&self) -> BackendKind {
        BackendKind::Store
    }

    /// A key that many procedures will name, prepared for that: see [`Store::prepare`].
    fn prepare(&self, key: &[u8]) -> PreparedKey;

    /// The store that has the keys, if it is in this process: a few calls of recipes read it in place, or change all of a
    /// bucket in one step.
    fn as_store(&self) -> Option<&Store> {
        None
    }
}

/// What holds keys and runs [procedures](Procedure) on them: the caller's thread waits.
pub trait Backend: Keyspace {
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

    /// SCAN: the keys that begin so, sorted, each once. Those that come or go meanwhile may be among them or not. O(keys of
    /// the backend).
    ///
    /// # Errors
    ///
    /// That of the backend; [`ErrorKind::InvalidArgument`] if it cannot look for keys, which is so unless said otherwise.
    fn keys_from(&self, _start: &[u8]) -> Result<Vec<Bytes>, Error> {
        Err(on_a_store_only("looking for keys"))
    }
}

/// What holds keys and runs [procedures](Procedure) on them, where a future waits and no thread does.
///
/// The calls of a recipe whose names end with `_async` take it. A store has done what it is asked when the future is first
/// polled: code that is asynchronous runs in the process too.
///
/// The futures can be sent to other threads where all that they hold can be, which the compiler finds out of the backend's
/// type: code that is generic in it can not say so.
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
        future::ready(Err(on_a_store_only("looking for keys")))
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

/// A transaction runs procedures on the keys that it has named, as part of itself.
impl Backend for Tx<'_> {
    #[inline]
    fn call<P: Procedure>(&self, procedure: &P) -> Result<P::Output, Error> {
        procedure.run(self)
    }

    fn keys_if_few(&self, start: &[u8], most: u64) -> Result<Option<Vec<Bytes>>, Error> {
        // One that has named its keys has no others.
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

/// Does many procedures, and calls `each` with the number and the output of those that succeed, in any order.
///
/// # Errors
///
/// The error of the first procedure that failed, after all have been done; that of the backend.
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

/// How many steps are done at once: as many as share locks and cache misses on a store, or a round trip on a server.
pub(crate) fn batch(backend: &impl Keyspace) -> usize {
    match backend.kind() {
        BackendKind::Store => 256,
        BackendKind::Server | BackendKind::Cluster => 1 << 16,
    }
}

/// Does many procedures; returns the sum of their outputs, or the greatest number if that does not fit.
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
    fn a_sum_that_does_not_fit_is_the_greatest_number() {
        let counts = [7, u64::MAX, 7].map(|count| step([KeyRef::new(b"")], move |_| Ok(count)));
        assert_eq!(sum_all(&Store::new(), &counts[..1]).unwrap(), 7);
        assert_eq!(sum_all(&Store::new(), &counts).unwrap(), u64::MAX);
    }
}
