//! What a recipe asks of the backend that holds its keys, and what that is.

use store::{Error, PreparedKey, Store, ToKeys, Tx};

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

    /// Does it, with the keys locked.
    ///
    /// # Errors
    ///
    /// Why it is refused; then nothing has changed.
    fn run(&self, tx: &Tx<'_>) -> Result<Self::Output, Error>;
}

/// What holds keys and runs [procedures](Procedure) on them.
pub trait Backend {
    /// Does a procedure.
    ///
    /// # Errors
    ///
    /// That of the procedure.
    fn call<P: Procedure>(&self, procedure: &P) -> Result<P::Output, Error>;

    /// A key that many procedures will name, prepared for that: see [`Store::prepare`].
    fn prepare(&self, key: &[u8]) -> PreparedKey;
}

impl Backend for Store {
    #[inline]
    fn call<P: Procedure>(&self, procedure: &P) -> Result<P::Output, Error> {
        self.transaction(procedure.keys(), |tx| procedure.run(tx))
    }

    fn prepare(&self, key: &[u8]) -> PreparedKey {
        Self::prepare(self, key)
    }
}
