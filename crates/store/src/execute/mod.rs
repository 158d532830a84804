//! The command door: a command as words, a reply as a tree, every text as Redis says it.

mod caller;
mod families;
mod info;
mod rows;
mod table;

use smallvec::SmallVec;

use crate::error::{Error, ErrorKind};
use crate::profile::Profile;
use crate::reply::Reply;
use crate::store::Store;
use crate::store::locks::Dispatch;
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
        with_words(args, |words| run(Store::on(Dispatch::Store(&self.locks)), words))
            .unwrap_or_else(Reply::from)
    }
}

/// Hands over the words of a command as slices. Almost all commands have few, which need no allocation.
#[inline]
pub(crate) fn with_words<A: AsRef<[u8]>, R>(args: &[A], run: impl FnOnce(&[&[u8]]) -> R) -> R {
    const FEW: usize = 8;
    if args.len() > FEW {
        return run(&args.iter().map(AsRef::as_ref).collect::<Vec<_>>());
    }
    let mut words: [&[u8]; FEW] = [&[]; FEW];
    for (word, arg) in words.iter_mut().zip(args) {
        *word = arg.as_ref();
    }
    run(&words[..args.len()])
}

/// Runs a command.
pub(crate) fn run(caller: Caller<'_, '_>, args: &[&[u8]]) -> Result<Reply, Error> {
    let command = checked(args, caller.shared().profile())?;
    (command.run)(caller, &args[1..]).map_err(|error| error.about(args[0]))
}

/// The command that words call, if they are right in number.
#[inline]
pub(crate) fn checked(args: &[&[u8]], profile: Profile) -> Result<&'static Command, Error> {
    let Some((name, rest)) = args.split_first() else {
        return Err(Error::new(ErrorKind::Syntax, "ERR empty command"));
    };
    let command = table::find(name).ok_or_else(|| unknown(name, rest))?;
    let info = &command.info;
    if !info.takes(args.len(), profile) {
        return Err(wrong_arity(info.name));
    }
    if let ([_, ..], Some(name)) = (info.subcommands, rest.first()) {
        let sub = info.subcommand(name).ok_or_else(|| unknown_subcommand(info.name, name))?;
        if !sub.takes(args.len(), profile) {
            return Err(wrong_arity(&format!("{}|{}", info.name, sub.name)));
        }
    }
    Ok(command)
}

/// A word as Redis shows it in an error, `most` bytes of it: up to a NUL.
pub(crate) fn shown(word: &[u8], most: usize) -> &[u8] {
    let word = word.split(|&byte| byte == 0).next().unwrap_or_default();
    &word[..word.len().min(most)]
}

/// How much Redis shows of the name of a command, and about how much of its arguments.
pub(crate) const SHOWN: usize = 128;

#[cold]
fn unknown(name: &[u8], args: &[&[u8]]) -> Error {
    let mut text = Vec::new();
    for arg in args {
        let Some(room) = SHOWN.checked_sub(text.len()).filter(|&room| room > 0) else { break };
        text.push(b'\'');
        text.extend_from_slice(shown(arg, room));
        text.extend_from_slice(b"' ");
    }
    let name = shown(name, SHOWN);
    Error::showing(
        ErrorKind::UnknownCommand,
        &[b"ERR unknown command '", name, b"', with args beginning with: ", &text],
    )
}

#[cold]
fn unknown_subcommand(name: &str, sub: &[u8]) -> Error {
    let name = name.to_uppercase();
    Error::showing(
        ErrorKind::UnknownCommand,
        &[b"ERR unknown subcommand '", shown(sub, SHOWN), b"'. Try ", name.as_bytes(), b" HELP."],
    )
}

#[cold]
pub(crate) fn wrong_arity(name: &str) -> Error {
    Error::new(ErrorKind::Syntax, format!("ERR wrong number of arguments for '{name}' command"))
}
