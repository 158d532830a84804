//! Scripts that a store runs without Lua.

use std::fmt::{self, Write};
use std::sync::OnceLock;

use sha1::{Digest as _, Sha1};

use crate::error::{Error, ErrorKind, Result};
use crate::member::Member;
use crate::reply::Reply;
use crate::store::Tx;

/// A Lua script for a server, with the function that does the same on a store.
///
/// A server runs the [`text`](Self::text), and finds it again by its [`digest`](Self::digest). A store has no Lua: one
/// that knows the script ([`Store::add_scripts`](crate::Store::add_scripts)) calls the function when EVAL or EVALSHA
/// names it.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use tallis::{Reply, Script, Store};
///
/// static TWICE: Script = Script::new(
///     "return redis.call('INCRBY', KEYS[1], ARGV[1] * 2)",
///     |tx, call| {
///         let ([key], by) = (call.keys()?, call.int(0)?);
///         tx.incr(key, 2 * by).map(Reply::Int)
///     },
/// );
///
/// let store = Store::new();
/// store.add_scripts([&TWICE]);
/// let reply = store.execute(&["EVALSHA", TWICE.digest(), "1", "count", "21"]);
/// assert_eq!(reply, Reply::Int(42));
/// ```
pub struct Script {
    text: &'static str,
    digest: OnceLock<String>,
    run: Run,
}

/// What does the same as a script.
type Run = fn(&Tx<'_>, &ScriptCall<'_>) -> Result<Reply>;

impl Script {
    /// The script of that text, and what does the same with the keys locked.
    #[must_use]
    pub const fn new(
        text: &'static str,
        run: fn(&Tx<'_>, &ScriptCall<'_>) -> Result<Reply, Error>,
    ) -> Self {
        Self { text, digest: OnceLock::new(), run }
    }

    /// The text, in Lua.
    #[must_use]
    pub const fn text(&self) -> &'static str {
        self.text
    }

    /// The digest by which EVALSHA names it: SHA-1 of the text, in hexadecimal.
    #[must_use]
    pub fn digest(&self) -> &str {
        self.digest.get_or_init(|| digest_of(self.text.as_bytes()))
    }

    /// Does it, as part of a transaction that has named its keys.
    ///
    /// # Errors
    ///
    /// Those of the script; [`ErrorKind::Syntax`] for a call with keys or arguments that it does not take.
    pub fn run(&self, tx: &Tx<'_>, call: &ScriptCall<'_>) -> Result<Reply, Error> {
        (self.run)(tx, call)
    }
}

/// The length of a digest.
pub(crate) const DIGEST_LEN: usize = 40;

/// The digest of a text.
pub(crate) fn digest_of(text: &[u8]) -> String {
    let mut digest = String::with_capacity(DIGEST_LEN);
    for byte in Sha1::digest(text) {
        // Writing to a string cannot fail.
        let _ = write!(digest, "{byte:02x}");
    }
    digest
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Script").field(&self.digest()).finish()
    }
}

/// The keys and arguments that a [`Script`] is called with.
#[derive(Clone, Copy, Debug)]
pub struct ScriptCall<'c> {
    /// The keys.
    pub keys: &'c [&'c [u8]],
    /// The arguments behind them.
    pub args: &'c [&'c [u8]],
}

impl<'c> ScriptCall<'c> {
    /// The keys, where so many are asked for.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Syntax`] if there are more or fewer.
    pub fn keys<const N: usize>(&self) -> Result<[&'c [u8]; N], Error> {
        self.keys.try_into().map_err(|_| Self::wrong())
    }

    /// The argument of that number, from 0.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Syntax`] without one.
    pub fn arg(&self, at: usize) -> Result<&'c [u8], Error> {
        self.args.get(at).copied().ok_or_else(Self::wrong)
    }

    /// The argument of that number, an integer in decimal.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Syntax`] if it is none.
    pub fn int(&self, at: usize) -> Result<i64, Error> {
        int(self.arg(at)?)
    }

    /// The arguments from that number on, integers in decimal.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Syntax`] if one is none.
    pub fn ints_from(&self, at: usize) -> Result<Vec<i64>, Error> {
        self.args.iter().skip(at).map(|arg| int(arg)).collect()
    }

    /// The error of a call with keys or arguments that the script does not take.
    #[cold]
    #[must_use]
    pub fn wrong() -> Error {
        let text = "ERR the script is called with other keys or arguments than it takes";
        Error::new(ErrorKind::Syntax, text)
    }
}

fn int(arg: &[u8]) -> Result<i64> {
    Member::Bytes(arg).as_int().ok_or_else(ScriptCall::wrong)
}
