//! Pipelines: several commands in one call.

mod calls;

use smallvec::SmallVec;

use crate::error::Result;
use crate::execute::{Called, Run, checked};
use crate::reply::{FromReply, Reply};
use crate::store::Store;
use crate::to_key::{AsKey, KeyRef, ToKey};
use crate::to_keys::ToKeys;
use crate::to_member::{ToMember, ToMembers};

/// Commands that run in one call, and whose replies are returned together: see [`Store::pipeline`].
#[derive(Clone, Debug)]
pub struct Pipeline<'s> {
    store: &'s Store,
    /// The words of all commands, one after the other.
    bytes: Vec<u8>,
    /// The end of each word.
    ends: Vec<usize>,
    commands: Vec<Queued>,
    atomic: bool,
}

/// A queued command.
#[derive(Clone, Copy, Debug)]
struct Queued {
    /// The index of its first word.
    first: usize,
    /// Whether its reply is not returned.
    ignored: bool,
}

impl Store {
    /// Creates an empty pipeline, which runs several commands in one call.
    ///
    /// Add commands as words ([`cmd`](Pipeline::cmd), [`arg`](Pipeline::arg)) or by the names of the typed methods, as
    /// in the `redis` crate; [`query`](Pipeline::query) runs them and returns the replies as a tuple or a list.
    ///
    /// Commands that share a key run in their order. **Each is atomic, all of them together are not**, unless
    /// [`atomic`](Pipeline::atomic) is set: commands on keys of one stripe run together, with one lock acquisition and
    /// overlapping cache misses (see [`transaction_many`](Store::transaction_many)); commands of other threads may run
    /// in between.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// let (count, name, known): (i64, Option<String>, bool) = store
    ///     .pipeline()
    ///     .incr("visits", 1)
    ///     .set("name", "Tallis")
    ///     .ignore()
    ///     .get("name")
    ///     .cmd("SISMEMBER")
    ///     .arg("known")
    ///     .arg(7)
    ///     .query()?;
    /// assert_eq!((count, name.as_deref(), known), (1, Some("Tallis"), false));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[must_use]
    pub const fn pipeline(&self) -> Pipeline<'_> {
        Pipeline {
            store: self,
            bytes: Vec::new(),
            ends: Vec::new(),
            commands: Vec::new(),
            atomic: false,
        }
    }
}

/// # Adding commands
impl Pipeline<'_> {
    /// Starts a command with its name.
    pub fn cmd(&mut self, name: &str) -> &mut Self {
        self.commands.push(Queued { first: self.ends.len(), ignored: false });
        self.word(name.as_bytes())
    }

    /// Adds an argument to the last command: bytes, a string or a number.
    ///
    /// # Panics
    ///
    /// If no command was started.
    pub fn arg(&mut self, arg: impl ToMember) -> &mut Self {
        assert!(!self.commands.is_empty(), "an argument needs a command before it");
        arg.with_member(|arg| arg.with_bytes(|bytes| self.word(bytes)))
    }

    /// Adds arguments to the last command.
    ///
    /// # Panics
    ///
    /// If no command was started.
    pub fn args(&mut self, args: impl ToMembers) -> &mut Self {
        args.with_members(|args| {
            for arg in args {
                self.arg(*arg);
            }
        });
        self
    }

    /// Excludes the reply of the last command from the result. Its error is still returned.
    pub fn ignore(&mut self) -> &mut Self {
        if let Some(last) = self.commands.last_mut() {
            last.ignored = true;
        }
        self
    }

    /// Runs all commands atomically, as EXEC does: other threads see the effects of all of them or of none.
    pub const fn atomic(&mut self) -> &mut Self {
        self.atomic = true;
        self
    }

    /// Returns the number of commands.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.commands.len()
    }

    /// Returns whether there are no commands.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// Removes all commands, so that the pipeline can be reused.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.commands.clear();
    }

    fn word(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len());
        self
    }

    fn key(&mut self, key: impl ToKey) -> &mut Self {
        self.word(key.held().as_key().bytes)
    }

    fn keys(&mut self, keys: impl ToKeys) -> &mut Self {
        let hash = |_: KeyRef<'_>| Ok(0);
        let added = keys.located(&hash, |keys| {
            for key in keys {
                self.word(key.bytes);
            }
            Ok(())
        });
        debug_assert!(added.is_ok(), "nothing is refused");
        self
    }
}

/// # Running
impl Pipeline<'_> {
    /// Runs the commands and returns their replies as a tuple, an array or a vector: one for each command that is not
    /// [ignored](Self::ignore). The pipeline can be run again.
    ///
    /// # Errors
    ///
    /// The first error that a command returns; the other commands have run.
    /// [`ErrorKind::Conversion`](crate::ErrorKind::Conversion) if a reply cannot be converted to the requested type.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{ErrorKind, Store};
    ///
    /// let store = Store::new();
    /// let mut pipeline = store.pipeline();
    /// pipeline.set("a", "text").ignore().incr("a", 1).incr("b", 1);
    /// let error = pipeline.query::<(i64, i64)>().unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::NotInteger);
    /// assert_eq!(store.get_as::<i64>("b")?, 1);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn query<T: FromReply>(&self) -> Result<T> {
        let mut kept = Vec::with_capacity(self.len());
        for (queued, reply) in self.commands.iter().zip(self.replies()?) {
            let reply = reply.into_result()?;
            if !queued.ignored {
                kept.push(reply);
            }
        }
        Reply::Array(kept).convert()
    }

    /// Runs the commands and discards their replies.
    ///
    /// # Errors
    ///
    /// As [`query`](Self::query).
    pub fn exec(&self) -> Result<()> {
        self.replies()?.into_iter().try_for_each(|reply| reply.into_result().map(drop))
    }

    /// Runs the commands and returns the reply of each, including errors and ignored ones, as RESP3 types.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Locked`](crate::ErrorKind::Locked) inside a transaction of the store;
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if the log of the store cannot be written.
    pub fn replies(&self) -> Result<Vec<Reply>> {
        let words = self.words();
        let profile = self.store.shared().profile();
        let calls: Vec<Result<Called<'_, '_>>> =
            self.each_words(&words).map(|words| checked(words, profile)).collect();
        if self.atomic {
            return self.replies_at_once(&calls);
        }
        let mut replies = Vec::with_capacity(calls.len());
        while let Some(call) = calls.get(replies.len()) {
            // Commands that name all of their keys can share locks.
            let rest = &calls[replies.len()..];
            let count = rest.iter().take_while(|call| has_keys(call)).count();
            match (count, call) {
                (0, Ok(call)) => replies.push(call.on(self.store).unwrap_or_else(Reply::from)),
                (0, Err(error)) => replies.push(error.clone().into()),
                _ => self.run_together(&rest[..count], &mut replies)?,
            }
        }
        Ok(replies)
    }

    fn words(&self) -> Vec<&[u8]> {
        let mut from = 0;
        let word = |&end: &usize| &self.bytes[std::mem::replace(&mut from, end)..end];
        self.ends.iter().map(word).collect()
    }

    /// Iterates over the words of each command.
    fn each_words<'w, 'b>(&self, words: &'w [&'b [u8]]) -> impl Iterator<Item = &'w [&'b [u8]]> {
        let ends = self.commands.iter().skip(1).map(|queued| queued.first).chain([words.len()]);
        self.commands.iter().zip(ends).map(|(queued, end)| &words[queued.first..end])
    }

    /// Runs commands that name their keys.
    fn run_together(
        &self,
        calls: &[Result<Called<'_, '_>>],
        replies: &mut Vec<Reply>,
    ) -> Result<()> {
        let calls: Vec<&Called<'_, '_>> = calls.iter().flatten().collect();
        // Most commands have one key, which needs no list.
        if let Some(keys) = calls.iter().map(|call| only_key(call)).collect::<Option<Vec<_>>>() {
            self.run_on(&calls, &keys, replies)
        } else {
            let keys: Vec<_> = calls.iter().map(|call| keys_of(call)).collect();
            self.run_on(&calls, &keys, replies)
        }
    }

    /// Runs commands, given the keys of each.
    fn run_on(
        &self,
        calls: &[&Called<'_, '_>],
        keys: &[impl ToKeys],
        replies: &mut Vec<Reply>,
    ) -> Result<()> {
        let from = replies.len();
        replies.resize(from + calls.len(), Reply::Nil);
        self.store.transaction_many(keys, |at, tx| {
            replies[from + at] = calls[at].within(tx).unwrap_or_else(Reply::from);
        })
    }

    /// Runs all commands atomically.
    fn replies_at_once(&self, calls: &[Result<Called<'_, '_>>]) -> Result<Vec<Reply>> {
        let known = || calls.iter().flatten();
        if known().any(|call| call.command.has_flag("write")) {
            self.store.shared().check_writable()?;
        }
        let keys: Vec<&[u8]> = known().flat_map(|call| call.command.keys_of(call.args)).collect();
        let whole = known().any(|call| call.command.whole);
        self.store.with_locks((!whole).then_some(&keys), |tx| {
            let reply = |call: &Result<Called<'_, '_>>| match call {
                Ok(call) => call.within(tx).unwrap_or_else(Reply::from),
                Err(error) => error.clone().into(),
            };
            Ok(calls.iter().map(reply).collect())
        })
    }
}

/// Returns whether a command names all keys that it accesses, and at least one.
fn has_keys(call: &Result<Called<'_, '_>>) -> bool {
    let Ok(Called { command, .. }) = call else { return false };
    let named = command.keys.iter().any(Option::is_some) && !command.whole;
    named && matches!(command.run, Run::Words { .. })
}

/// The key of a command that has exactly one by its declaration.
fn only_key<'a>(call: &Called<'_, 'a>) -> Option<[KeyRef<'a>; 1]> {
    let [Some(spec), None, None] = call.command.keys else { return None };
    let key = KeyRef::new(call.args.get(spec.only()?)?);
    Some([if spec.flags.starts_with("RO") { key.read() } else { key }])
}

/// The keys of a command, marked as read-only if its declaration says so for all of them.
fn keys_of<'a>(call: &Called<'_, 'a>) -> SmallVec<[KeyRef<'a>; 4]> {
    let reads = call.command.keys.iter().flatten().all(|spec| spec.flags.starts_with("RO"));
    let keys = call.command.keys_of(call.args).into_iter().map(KeyRef::new);
    keys.map(|key| if reads { key.read() } else { key }).collect()
}
