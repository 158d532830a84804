//! The command door: a command as words, a reply as a tree, every text as Redis says it.

mod caller;
mod families;
mod info;
mod rows;
mod table;

use smallvec::SmallVec;

use crate::error::{Error, ErrorKind};
use crate::reply::Reply;
use crate::store::Store;
pub(crate) use caller::Caller;
use table::Command;

/// The words of a command.
pub(crate) type Args<'a> = SmallVec<[&'a [u8]; 8]>;

impl Store {
    /// Runs one command on this handle's database, words in, reply out, as a server would.
    ///
    /// What is remembered from one command to the next, SELECT and MULTI above all, belongs to a
    /// [`session`](Self::session). The reply has the shapes of RESP3; [`Reply::into_resp2`] gives those of RESP2.
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
        run(Caller::Store(self), &args).unwrap_or_else(Reply::from)
    }
}

/// Runs a command.
pub(crate) fn run(caller: Caller<'_, '_>, args: &[&[u8]]) -> Result<Reply, Error> {
    let command = checked(args)?;
    (command.run)(caller, &args[1..])
}

/// The command that words call, if they are right in number.
#[inline]
pub(crate) fn checked(args: &[&[u8]]) -> Result<&'static Command, Error> {
    let Some((name, rest)) = args.split_first() else {
        return Err(Error::new(ErrorKind::Syntax, "ERR empty command"));
    };
    let command = table::find(name).ok_or_else(|| unknown(name, rest))?;
    let info = &command.info;
    if !info.takes(args.len()) {
        return Err(wrong_arity(info.name));
    }
    if let ([_, ..], Some(name)) = (info.subcommands, rest.first()) {
        let sub = info.subcommand(name).ok_or_else(|| unknown_subcommand(info.name, name))?;
        if !sub.takes(args.len()) {
            return Err(wrong_arity(&format!("{}|{}", info.name, sub.name)));
        }
    }
    Ok(command)
}

#[cold]
fn unknown(name: &[u8], args: &[&[u8]]) -> Error {
    // Redis shows so many bytes of the name, and of the arguments until about as many are shown.
    const SHOWN: usize = 128;
    let mut shown = String::new();
    for arg in args {
        let Some(room) = SHOWN.checked_sub(shown.len()).filter(|&room| room > 0) else { break };
        shown.push('\'');
        shown.push_str(&readable(&arg[..arg.len().min(room)]));
        shown.push_str("' ");
    }
    let name = readable(&name[..name.len().min(SHOWN)]);
    Error::new(
        ErrorKind::UnknownCommand,
        format!("ERR unknown command '{name}', with args beginning with: {shown}"),
    )
}

#[cold]
fn unknown_subcommand(name: &str, sub: &[u8]) -> Error {
    let sub = readable(&sub[..sub.len().min(128)]);
    Error::new(
        ErrorKind::UnknownCommand,
        format!("ERR unknown subcommand '{sub}'. Try {} HELP.", name.to_uppercase()),
    )
}

/// A word as an error shows it. To Redis it is a C string, which ends with the first NUL, and an error is one line.
pub(crate) fn readable(word: &[u8]) -> String {
    let end = word.iter().position(|&byte| byte == 0).unwrap_or(word.len());
    String::from_utf8_lossy(&word[..end]).replace(['\r', '\n'], " ")
}

#[cold]
pub(crate) fn wrong_arity(name: &str) -> Error {
    Error::new(ErrorKind::Syntax, format!("ERR wrong number of arguments for '{name}' command"))
}
