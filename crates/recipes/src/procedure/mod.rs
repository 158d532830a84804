//! Procedures: the atomic steps of recipes.

mod step;

use smallvec::SmallVec;
use store::{Error, ErrorKind, FromReply, KeyRef, Member, Reply, ToKeys, Tx};

use crate::errors::invalid;
use crate::request::Request;
pub(crate) use step::{Step, StoreOnly, step, step_on};

/// An atomic step on named keys, of which recipes consist.
///
/// A procedure describes the step; a [`Backend`](crate::Backend) runs it. It is applied as a whole or not at all, and
/// no other caller sees an intermediate state: **all errors must be detected before the first change**.
///
/// # Examples
///
/// A visit of a page that counts once per visitor:
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
    /// The type of its result.
    type Output;
    /// Its keys: a few that it borrows, as an array.
    type Keys<'p>: ToKeys
    where
        Self: 'p;

    /// Returns the keys that it accesses. A key that it only reads is a [`KeyRef::read`](store::KeyRef::read).
    fn keys(&self) -> Self::Keys<'_>;

    /// Returns the member that [`run`](Self::run) looks up in the set at its last key, if it does: a store prefetches
    /// the memory of many such lookups (see [`call_many`](crate::Backend::call_many)). `None` by default.
    fn member(&self) -> Option<Member<'_>> {
        None
    }

    /// Runs the step, with the keys locked.
    ///
    /// # Errors
    ///
    /// Why it is refused; then nothing may have changed.
    fn run(&self, tx: &Tx<'_>) -> Result<Self::Output, Error>;

    /// Returns the request that is equivalent on a server. By default there is none, and a server refuses the
    /// procedure.
    ///
    /// # Errors
    ///
    /// Why there is no such request; then nothing is sent.
    fn request(&self) -> Result<Request, Error> {
        Err(on_a_store_only("this step"))
    }

    /// Converts a server's reply to the [`request`](Self::request).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Conversion`] for a reply of another type.
    fn output(&self, reply: Reply) -> Result<Self::Output, Error> {
        Err(unexpected(&reply))
    }
}

/// Returns the error of a procedure that a server cannot run.
#[cold]
pub(crate) fn on_a_store_only(what: &str) -> Error {
    invalid(format!("ERR not supported on a server: {what}"))
}

/// Converts a reply that is an array of this length.
///
/// # Errors
///
/// [`ErrorKind::Conversion`] if it is of another type or length.
pub(crate) fn parts<T>(reply: Reply, count: usize) -> Result<Vec<T>, Error>
where
    Vec<T>: FromReply,
{
    let parts: Vec<T> = reply.convert()?;
    if parts.len() == count {
        return Ok(parts);
    }
    let text = format!("ERR the reply has {} parts, expected {count}", parts.len());
    Err(Error::new(ErrorKind::Conversion, text))
}

/// Returns the error of an unexpected reply.
#[cold]
pub(crate) fn unexpected(reply: &Reply) -> Error {
    Error::new(ErrorKind::Conversion, format!("ERR unexpected reply {reply:?}"))
}

/// Returns a key for reading only.
#[inline]
pub(crate) const fn read(key: &[u8]) -> KeyRef<'_> {
    KeyRef::new(key).read()
}

/// Any number of keys.
pub(crate) type Keys<'k> = SmallVec<[KeyRef<'k>; 4]>;

/// Returns keys for reading only.
pub(crate) fn all_read<'k>(keys: &[&'k [u8]]) -> Keys<'k> {
    keys.iter().map(|key| read(key)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_has_the_expected_number_of_parts() {
        let reply = || Reply::Array(vec![Reply::Int(7), Reply::Nil]);
        assert_eq!(parts::<Option<i64>>(reply(), 2).unwrap(), [Some(7), None]);
        for count in [0, 1, 3] {
            let error = parts::<Option<i64>>(reply(), count).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Conversion);
        }
        assert!(parts::<i64>(Reply::Int(7), 1).is_err());
    }
}
