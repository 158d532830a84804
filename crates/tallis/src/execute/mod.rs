//! The command door: a command as words, a reply as a tree, every text as Redis says it.

mod families;
mod table;

use smallvec::SmallVec;

use crate::error::{Error, ErrorKind};
use crate::reply::Reply;
use crate::store::Store;
use crate::store::door::Door;
use table::Command;

/// The words of a command.
pub(crate) type Args<'a> = SmallVec<[&'a [u8]; 8]>;

impl Store {
    /// Runs one command on this handle's database, words in, reply out, as a server would.
    ///
    /// What is remembered from one command to the next, SELECT above all, belongs to a
    /// [`session`](Self::session).
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::{Reply, Store};
    ///
    /// let store = Store::new();
    /// assert_eq!(store.execute(&["SADD", "s", "1", "2"]), Reply::Int(2));
    /// assert_eq!(
    ///     store.execute(&["GET", "s"]),
    ///     Reply::Error("WRONGTYPE Operation against a key holding the wrong kind of value".into()),
    /// );
    /// ```
    pub fn execute<A: AsRef<[u8]>>(&self, args: &[A]) -> Reply {
        let args: Args<'_> = args.iter().map(AsRef::as_ref).collect();
        run(self, &args).unwrap_or_else(|error| Reply::Error(error.to_string()))
    }
}

/// Runs a command on anything that has the typed calls.
pub(crate) fn run<D: Door + 'static>(door: &D, args: &[&[u8]]) -> Result<Reply, Error> {
    let Some((name, rest)) = args.split_first() else {
        return Err(Error::new(ErrorKind::Syntax, "ERR empty command"));
    };
    let command = Command::<D>::find(name).ok_or_else(|| unknown(name, rest))?;
    command.check_arity(args.len())?;
    (command.run)(door, rest)
}

#[cold]
fn unknown(name: &[u8], args: &[&[u8]]) -> Error {
    // Redis shows so many bytes of the name, and of the arguments until about as many are shown.
    const SHOWN: usize = 128;
    let mut shown = String::new();
    for arg in args {
        let Some(room) = SHOWN.checked_sub(shown.len()).filter(|&room| room > 0) else { break };
        shown.push('\'');
        shown.push_str(&String::from_utf8_lossy(&arg[..arg.len().min(room)]));
        shown.push_str("' ");
    }
    let name = String::from_utf8_lossy(&name[..name.len().min(SHOWN)]);
    Error::new(
        ErrorKind::UnknownCommand,
        format!("ERR unknown command '{name}', with args beginning with: {shown}"),
    )
}

#[cold]
pub(crate) fn wrong_arity(name: &str) -> Error {
    Error::new(ErrorKind::Syntax, format!("ERR wrong number of arguments for '{name}' command"))
}
