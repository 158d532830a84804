//! Commands that increment and decrement strings.

use super::StringEntry;
use crate::error::{Error, Result};
use crate::store::{Locks, Store};
use crate::to_key::ToKey;

/// Commands that increment and decrement.
impl<L: Locks> Store<L> {
    /// INCRBY: adds an integer of any width to the integer at the key, or to 0 if the key does not exist, and returns
    /// the sum. The expiry is kept. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no string;
    /// [`ErrorKind::NotInteger`](crate::ErrorKind::NotInteger) if the string is not an integer, or the increment or the
    /// sum does not fit `i64`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// assert_eq!(store.incr("n", 5)?, 5);
    /// assert_eq!(store.incr("n", 7u64)?, 12);
    /// assert_eq!(store.decr("n", 14)?, -2);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn incr(&self, key: impl ToKey, increment: impl TryInto<i64>) -> Result<i64> {
        let increment = increment.try_into().map_err(|_| Error::not_integer())?;
        self.entry(key, |entry: &mut StringEntry<'_>| entry.incr(increment))
    }

    /// DECRBY: subtracts an integer; otherwise as [`incr`](Self::incr).
    ///
    /// # Errors
    ///
    /// As [`incr`](Self::incr); `i64::MIN` cannot be subtracted.
    pub fn decr(&self, key: impl ToKey, decrement: impl TryInto<i64>) -> Result<i64> {
        let decrement = decrement.try_into().map_err(|_| Error::not_integer())?;
        self.incr(key, decrement.checked_neg().ok_or_else(Error::decr_overflow)?)
    }

    /// INCRBYFLOAT: adds a number to the number at the key, or to 0 if the key does not exist, and returns the sum. The
    /// expiry is kept. O(digits).
    ///
    /// Numbers are added in 80-bit precision and stored as decimal text, as Redis does on x86-64. The returned sum is
    /// rounded to 64 bits; [`get`](Self::get) returns the text.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no string;
    /// [`ErrorKind::NotInteger`](crate::ErrorKind::NotInteger) if the string is not a number, the increment is NaN, or
    /// the sum is not finite.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.set("n", "0.1")?;
    /// assert_eq!(store.incr_float("n", 0.2)?, 0.3);
    /// assert_eq!(store.get_as::<String>("n")?, "0.3");
    /// assert_eq!(store.incr_float("n", 2)?, 2.3);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn incr_float(&self, key: impl ToKey, increment: impl Into<f64>) -> Result<f64> {
        let increment = increment.into().to_string();
        let sum =
            self.entry(key, |entry: &mut StringEntry<'_>| entry.incr_float(increment.as_bytes()))?;
        let sum = str::from_utf8(&sum).ok().and_then(|text| text.parse().ok());
        sum.ok_or_else(Error::not_integer)
    }
}
