//! A set and the counter of its members, changed atomically.

use store::{Error, ErrorKind, KeyRef, Tx};

/// Makes a change and adds `by` to the counter, or does neither; returns the count, or `None` if nothing changed.
///
/// `would` returns whether there is anything to change. It is called only if the counter cannot be incremented, which
/// is no error if nothing is counted.
#[inline]
pub(crate) fn change_and_count(
    tx: &Tx<'_>,
    counter: KeyRef<'_>,
    by: i64,
    would: impl FnOnce() -> Result<bool, Error>,
    change: impl FnOnce() -> Result<bool, Error>,
) -> Result<Option<i64>, Error> {
    if let Err(error) = check_counter(tx, counter, by) {
        return if would()? { Err(error) } else { Ok(None) };
    }
    if change()? { tx.incr(counter, by).map(Some) } else { Ok(None) }
}

/// Checks that INCRBY of the key will succeed.
#[inline]
pub(crate) fn check_counter(tx: &Tx<'_>, key: KeyRef<'_>, by: i64) -> Result<(), Error> {
    match tx.get_int(key)?.unwrap_or(0).checked_add(by) {
        Some(_) => Ok(()),
        None => Err(overflow()),
    }
}

#[cold]
fn overflow() -> Error {
    Error::new(ErrorKind::NotInteger, "ERR increment or decrement would overflow")
}
