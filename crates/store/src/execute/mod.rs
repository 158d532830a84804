//! The dispatcher: takes a command as words, and returns a reply with Redis's texts.
//!
//! Each command is declared next to the typed methods of its family, in a `table` of [`commands`](crate::commands); the
//! dispatcher looks it up and checks its arity, and COMMAND describes it.

mod command;
mod introspect;
mod newer;
mod notation;
mod table;
mod words;

use std::borrow::Cow;

use smallvec::SmallVec;

use crate::error::{Error, ErrorKind, Result};
use crate::profile::Profile;
use crate::reply::Reply;
use crate::store::{Locks, Store, Tx};
pub(crate) use command::{Command, Run, command, container, declared, family};
pub(crate) use introspect::{COMMAND, help, help_of};
pub(crate) use table::find;
pub(crate) use words::{
    argument, c_string, end, flags, int, int32, is, next, notation, one_of, plain, rest, size,
    take, take_with,
};

/// The result of a command.
pub(crate) type Answer = Result<Reply>;

/// The words of a command.
pub(crate) type Args<'a> = SmallVec<[&'a [u8]; 8]>;

impl Store {
    /// Runs one command on this handle's database, as a server does: takes words and returns a reply.
    ///
    /// Commands on the state of a connection, such as SELECT and MULTI, need a [`session`](Self::session). The reply
    /// has RESP3 types; [`Reply::into_resp2`] converts it to RESP2 types.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{ErrorKind, Reply, Store};
    ///
    /// let store = Store::new();
    /// assert_eq!(store.execute(&["SADD", "s", "1", "2"]), Reply::Int(2));
    ///
    /// let wrong = store.execute(&["GET", "s"]).into_result().unwrap_err();
    /// assert_eq!(wrong.kind(), ErrorKind::WrongType);
    /// assert_eq!(
    ///     wrong.to_string(),
    ///     "WRONGTYPE Operation against a key holding the wrong kind of value"
    /// );
    /// ```
    pub fn execute<A: AsRef<[u8]>>(&self, args: &[A]) -> Reply {
        with_words(args, |words| run(self, words)).unwrap_or_else(Reply::from)
    }
}

/// Passes on the words of a command as slices. Almost all commands have few, which need no allocation.
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
fn run(store: &Store, args: &[&[u8]]) -> Answer {
    checked(args, store.shared().profile())?.on(store)
}

/// A command or subcommand, and the words of the call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Called<'w, 'a> {
    pub(crate) command: &'static Command,
    /// All words, including the names.
    pub(crate) args: &'w [&'a [u8]],
    /// The number of words that are names.
    names: usize,
}

impl<'w, 'a> Called<'w, 'a> {
    /// The words after the names.
    #[inline]
    pub(crate) fn words(&self) -> &'w [&'a [u8]] {
        &self.args[self.names..]
    }

    /// Runs the command on a store.
    #[inline]
    pub(crate) fn on(&self, store: &Store) -> Answer {
        match self.command.run {
            Run::Words { store: run, .. } => self.run(run, store),
            Run::Session(_) | Run::AtOnce(_) => Err(needs_session(self.command.name)),
        }
    }

    /// Runs the command in a transaction.
    #[inline]
    pub(crate) fn within(&self, tx: &Tx<'_>) -> Answer {
        match self.command.run {
            Run::Words { tx: run, .. } => self.run(run, tx),
            Run::Session(_) | Run::AtOnce(_) => Err(needs_session(self.command.name)),
        }
    }

    #[inline]
    fn run<L: Locks>(&self, run: fn(&Store<L>, &[&[u8]]) -> Answer, store: &Store<L>) -> Answer {
        run(store, self.words()).map_err(|error| error.about(self.args[0]))
    }
}

/// Returns the command with that name, in any case, if servers of the profile have it.
#[inline]
pub(crate) fn known(name: &[u8], profile: Profile) -> Option<&'static Command> {
    find(name).filter(|command| profile.knows(command.since))
}

/// Looks up the command of these words and checks its arity.
#[inline]
pub(crate) fn checked<'w, 'a>(args: &'w [&'a [u8]], profile: Profile) -> Result<Called<'w, 'a>> {
    let Some((name, rest)) = args.split_first() else {
        return Err(Error::new(ErrorKind::Syntax, "ERR empty command"));
    };
    let command = known(name, profile).ok_or_else(|| unknown(name, rest))?;
    if !command.takes(args.len(), profile) {
        return Err(wrong_arity(command.name));
    }
    if let ([_, ..], Some(name)) = (command.subcommands, rest.first()) {
        let sub = command.subcommand(name, profile);
        let sub = sub.ok_or_else(|| unknown_subcommand(command.name, name))?;
        if !sub.takes(args.len(), profile) {
            return Err(wrong_arity(sub.name));
        }
        return Ok(Called { command: sub, args, names: 2 });
    }
    Ok(Called { command, args, names: 1 })
}

/// A word as Redis shows it in an error: up to a NUL, and at most `most` bytes.
pub(crate) fn shown(word: &[u8], most: usize) -> &[u8] {
    let word = c_string(word);
    &word[..word.len().min(most)]
}

/// How many bytes of the name of a command, and about how many of its arguments, Redis shows.
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
fn needs_session(name: &str) -> Error {
    Error::new(
        ErrorKind::Syntax,
        format!("ERR '{name}' requires a session: it uses the state of a connection"),
    )
}

/// An error with this text.
#[cold]
pub(crate) fn refused(text: impl Into<Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::Syntax, text)
}

#[cold]
pub(crate) fn wrong_arity(name: &str) -> Error {
    Error::new(ErrorKind::Syntax, format!("ERR wrong number of arguments for '{name}' command"))
}
