//! What a recipe asks of the backend that holds its keys.

mod step;

use smallvec::SmallVec;
use store::{Error, ErrorKind, FromReply, KeyRef, Member, Reply, ToKeys, Tx};

use crate::errors::invalid;
use crate::request::Request;
pub(crate) use step::{Step, StoreOnly, step, step_on};

/// One atomic step on keys that it names: what recipes are made of.
///
/// A procedure says what is to be done; a [`Backend`](crate::Backend) does it. All of it happens or nothing, and no caller sees it half
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
    /// memory of many such look-ups ahead (see [`call_many`](crate::Backend::call_many)). None if not said otherwise.
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

/// A reply that has so many parts.
///
/// # Errors
///
/// [`ErrorKind::Conversion`] if it has others.
pub(crate) fn parts<T>(reply: Reply, count: usize) -> Result<Vec<T>, Error>
where
    Vec<T>: FromReply,
{
    let parts: Vec<T> = reply.convert()?;
    if parts.len() == count {
        return Ok(parts);
    }
    let text = format!("ERR a reply of {} parts in place of {count}", parts.len());
    Err(Error::new(ErrorKind::Conversion, text))
}

/// The error of a reply that is not what a request is answered with.
#[cold]
pub(crate) fn unexpected(reply: &Reply) -> Error {
    Error::new(ErrorKind::Conversion, format!("ERR unexpected reply {reply:?}"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_has_as_many_parts_as_were_asked_for() {
        let reply = || Reply::Array(vec![Reply::Int(7), Reply::Nil]);
        assert_eq!(parts::<Option<i64>>(reply(), 2).unwrap(), [Some(7), None]);
        for count in [0, 1, 3] {
            let error = parts::<Option<i64>>(reply(), count).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Conversion);
        }
        assert!(parts::<i64>(Reply::Int(7), 1).is_err());
    }
}
