//! Scripts that a store runs without a Lua interpreter.

use std::fmt::{self, Write};
use std::sync::OnceLock;

use sha1::{Digest as _, Sha1};

use crate::error::{Error, ErrorKind, Result};
use crate::member::Member;
use crate::reply::Reply;
use crate::store::Tx;

/// A Lua script for servers, with a Rust function that has the same effect on a store.
///
/// A server runs the [`text`](Self::text), and identifies it by its [`digest`](Self::digest). A store has no Lua
/// interpreter: if the script is registered ([`Store::add_scripts`](crate::Store::add_scripts)), EVAL and EVALSHA call
/// the function.
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

/// The Rust function of a script.
type Run = fn(&Tx<'_>, &ScriptCall<'_>) -> Result<Reply>;

impl Script {
    /// Creates a script from its text and the function, which runs with the keys locked.
    #[must_use]
    pub const fn new(
        text: &'static str,
        run: fn(&Tx<'_>, &ScriptCall<'_>) -> Result<Reply, Error>,
    ) -> Self {
        Self { text, digest: OnceLock::new(), run }
    }

    /// Returns the text, in Lua.
    #[must_use]
    pub const fn text(&self) -> &'static str {
        self.text
    }

    /// Returns the digest for EVALSHA: the SHA-1 of the text, in hexadecimal.
    #[must_use]
    pub fn digest(&self) -> &str {
        self.digest.get_or_init(|| digest_of(self.text.as_bytes()))
    }

    /// Runs the function, as part of a transaction that has named its keys.
    ///
    /// # Errors
    ///
    /// The errors of the script; [`ErrorKind::Syntax`] if it does not accept these keys or arguments.
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

/// The keys and arguments of a call of a [`Script`].
#[derive(Clone, Copy, Debug)]
pub struct ScriptCall<'c> {
    /// The keys.
    pub keys: &'c [&'c [u8]],
    /// The arguments after the keys.
    pub args: &'c [&'c [u8]],
}

impl<'c> ScriptCall<'c> {
    /// Returns the keys, which must be exactly `N`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Syntax`] if there are more or fewer.
    pub fn keys<const N: usize>(&self) -> Result<[&'c [u8]; N], Error> {
        self.keys.try_into().map_err(|_| Self::wrong())
    }

    /// Returns the argument at an index, from 0.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Syntax`] if there is none.
    pub fn arg(&self, at: usize) -> Result<&'c [u8], Error> {
        self.args.get(at).copied().ok_or_else(Self::wrong)
    }

    /// Returns the argument at an index, parsed as a decimal integer.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Syntax`] if it is not an integer.
    pub fn int(&self, at: usize) -> Result<i64, Error> {
        int(self.arg(at)?)
    }

    /// Returns the arguments from an index on, parsed as decimal integers.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Syntax`] if one is not an integer.
    pub fn ints_from(&self, at: usize) -> Result<Vec<i64>, Error> {
        self.args.iter().skip(at).map(|arg| int(arg)).collect()
    }

    /// Creates the error for keys or arguments that the script does not accept.
    #[cold]
    #[must_use]
    pub fn wrong() -> Error {
        let text = "ERR wrong keys or arguments for the script";
        Error::new(ErrorKind::Syntax, text)
    }
}

fn int(arg: &[u8]) -> Result<i64> {
    Member::Bytes(arg).as_int().ok_or_else(ScriptCall::wrong)
}
