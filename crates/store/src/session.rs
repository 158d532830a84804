//! Sessions: the state of a client between commands.

mod connection;
mod table;
mod watches;

use std::ops::Range;

use bytes::Bytes;
use resp::Protocol;

use crate::error::{Error, ErrorKind, Result};
use crate::execute::{
    Answer, Args, Called, Command, Run, checked, find, int32, refused, shown, with_words,
};
use crate::key::HashedKey;
use crate::reply::Reply;
use crate::store::locks::Access;
use crate::store::scope::{Scope, View};
use crate::store::{Holding, Locks, Shared, Store, Tx};
use crate::to_key::KeyRef;
use crate::to_keys::HashKey;
use crate::value::parse_int;
use connection::{Connection, valid_name};
pub(crate) use table::{CLIENT, SESSIONS, TRANSACTIONS};
use watches::Watches;

/// The state of one client: its database, its transaction, its watched keys, the protocol of its replies, and what
/// CLIENT returns: its id, its name and its library.
///
/// It has the typed commands too, on the selected database.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use tallis::{Reply, Store};
///
/// let store = Store::new();
/// let mut session = store.session();
/// session.execute(&["SELECT", "2"]);
/// session.execute(&["SET", "k", "v"]);
/// assert_eq!(store.db(2).dbsize()?, 1);
/// assert_eq!(store.dbsize()?, 0);
///
/// session.execute(&["WATCH", "k"]);
/// session.execute(&["MULTI"]);
/// assert_eq!(session.execute(&["APPEND", "k", "!"]), Reply::Status("QUEUED".into()));
/// store.db(2).set("k", "other")?;
/// assert_eq!(session.execute(&["EXEC"]), Reply::NullArray);
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Debug)]
pub struct Client {
    store: Store,
    protocol: Protocol,
    queue: Option<Queue>,
    /// The number of commands that EXEC is running.
    executing: Option<usize>,
    watches: Watches,
    connection: Connection,
}

/// The commands between MULTI and EXEC.
#[derive(Debug, Default)]
struct Queue {
    commands: Vec<Vec<Bytes>>,
    /// Whether one of them was refused, so that EXEC will fail.
    refused: bool,
}

impl Store {
    /// Starts a session on this handle's database, with RESP2 replies. HELLO 3 selects RESP3.
    #[must_use]
    pub fn session(&self) -> Session {
        let watches = Watches::new(self);
        Store::on(Client {
            store: self.clone(),
            protocol: Protocol::Resp2,
            queue: None,
            executing: None,
            watches,
            connection: Connection::new(self.shared()),
        })
    }
}

/// A [`Store`] with the state of a server's client: see [`Client`].
pub type Session = Store<Client>;

/// # Sessions
impl Session {
    /// Runs one command, or queues it between MULTI and EXEC.
    pub fn execute<A: AsRef<[u8]>>(&mut self, args: &[A]) -> Reply {
        let client = &mut self.locks;
        let answer = with_words(args, |words| client.answer(words));
        client.shaped(answer)
    }

    /// Returns whether a transaction is open, between MULTI and EXEC or DISCARD.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// let mut session = tallis::Store::new().session();
    /// session.execute(&["MULTI"]);
    /// assert!(session.is_in_transaction());
    /// session.execute(&["DISCARD"]);
    /// assert!(!session.is_in_transaction());
    /// ```
    #[must_use]
    pub const fn is_in_transaction(&self) -> bool {
        self.locks.queue.is_some()
    }

    /// Returns the protocol of the replies, with which to [write](Reply::write) them.
    #[must_use]
    pub const fn protocol(&self) -> Protocol {
        self.locks.protocol
    }

    /// Selects the protocol, as HELLO does.
    #[cfg(any(feature = "redis", feature = "redis2"))]
    pub(crate) const fn set_protocol(&mut self, protocol: Protocol) {
        self.locks.protocol = protocol;
    }
}

impl Client {
    fn answer(&mut self, args: &[&[u8]]) -> Answer {
        let called = checked(args, self.store.shared().profile());
        let called = called.map_err(|error| self.refuse(args, error))?;
        if let Err(error) = self.store.shared().check_writable()
            && self.would_write(&called)
        {
            return Err(self.refuse(args, error));
        }
        match called.command.run {
            Run::AtOnce(run) => run(self, called.words()),
            _ if self.queue.is_some() && called.command.has_flag("no_multi") => {
                let error = refused("ERR Command not allowed inside a transaction");
                Err(self.refuse(args, error))
            }
            _ if self.queue.is_some() => Ok(self.enqueue(args)),
            Run::Session(run) => run(self, called.words()),
            Run::Words { .. } if self.connection.no_touch => self.untouched(called),
            Run::Words { .. } => called.on(&self.store),
        }
    }

    /// Runs a command as a transaction, which does not change the access times of its keys.
    #[cold]
    fn untouched(&self, called: Called<'_, '_>) -> Answer {
        let keys = called.command.keys_of(called.args);
        if keys.is_empty() {
            return called.on(&self.store);
        }
        let keys = (!called.command.whole).then_some(&*keys);
        self.store.with_locks(keys, |tx| self.step_untouched(tx, &called))
    }

    /// Runs one command of a transaction, which does not change the access times of its keys.
    fn step_untouched(&self, tx: &Tx<'_>, called: &Called<'_, '_>) -> Answer {
        if self.connection.no_touch {
            tx.locks.untouched(&untouched_keys(called), || called.within(tx))
        } else {
            called.within(tx)
        }
    }

    /// Returns whether a command writes, or is an EXEC of one that does.
    #[cold]
    fn would_write(&self, called: &Called<'_, '_>) -> bool {
        let writes = |command: &Command| command.has_flag("write");
        let queued = self.queue.iter().flat_map(|queue| &queue.commands);
        let mut queued = queued.filter_map(|words| find(words.first()?));
        writes(called.command) || (called.command.name == "exec" && queued.any(writes))
    }

    /// Handles an unknown command, or one with a wrong number of words, in a transaction.
    #[cold]
    fn refuse(&mut self, args: &[&[u8]], error: Error) -> Error {
        if args.first().is_some_and(|name| name.eq_ignore_ascii_case(b"exec")) {
            // Redis treats it as a failed EXEC, with or without MULTI.
            self.queue = None;
            self.unwatch();
            let text = error.to_string();
            let why = text.strip_prefix("ERR ").unwrap_or(&text);
            let text = format!("EXECABORT Transaction discarded because of: {why}");
            return refused(text);
        }
        if let Some(queue) = &mut self.queue {
            queue.refused = true;
        }
        error
    }

    fn multi(&mut self) -> Answer {
        self.outside("multi", "ERR MULTI calls can not be nested")?;
        self.queue = Some(Queue::default());
        Ok(Reply::OK)
    }

    /// The reply of a command that is not allowed in a transaction.
    fn outside(&mut self, name: &str, error: &'static str) -> Result<(), Error> {
        let refuses = self.store.shared().profile().transactions_refuse();
        let Some(queue) = &mut self.queue else { return Ok(()) };
        queue.refused |= refuses;
        let text = || format!("ERR Command '{name}' not allowed inside a transaction");
        Err(if refuses { refused(text()) } else { refused(error) })
    }

    fn enqueue(&mut self, args: &[&[u8]]) -> Reply {
        let words = args.iter().map(|word| Bytes::copy_from_slice(word)).collect();
        self.queue.get_or_insert_default().commands.push(words);
        Reply::Status("QUEUED".into())
    }

    /// Runs the queued commands under the locks of all their keys, unless a watched key has changed.
    fn exec(&mut self) -> Answer {
        let Some(queue) = self.queue.take() else { return Err(refused("ERR EXEC without MULTI")) };
        // The watches end when this returns. UNWATCH has nothing to unlock below, where the locks are held.
        let watches = std::mem::replace(&mut self.watches, Watches::new(&self.store));
        if queue.refused {
            return Err(refused("EXECABORT Transaction discarded because of previous errors."));
        }
        let profile = self.store.shared().profile();
        let commands: Vec<Args<'_>> =
            queue.commands.iter().map(|words| words.iter().map(|word| &**word).collect()).collect();
        let calls = commands.iter().map(|words| checked(words, profile));
        let calls = calls.collect::<Result<Vec<_>, Error>>()?;
        let mut keys: Vec<&[u8]> = watches.keys.iter().map(|watched| &*watched.key).collect();
        keys.extend(calls.iter().flat_map(|call| call.command.keys_of(call.args)));
        let whole = calls.iter().any(|call| call.command.whole);
        let store = self.store.clone();
        self.executing = Some(calls.len());
        let answer = store.with_locks((!whole).then_some(&keys), |tx| {
            // All of them are checked, so that all expired ones are dropped.
            let unchanged = watches.keys.iter().filter(|one| one.is_unchanged(tx)).count();
            if unchanged < watches.keys.len() {
                return Ok(Reply::NullArray);
            }
            Ok(Reply::Array(calls.into_iter().map(|call| self.step(tx, call)).collect()))
        });
        self.executing = None;
        answer
    }

    /// Runs one command of a transaction; SELECT switches the database for the following ones.
    fn step(&mut self, tx: &Tx<'_>, call: Called<'_, '_>) -> Reply {
        let answer = match call.command.run {
            Run::Words { .. } => self.step_untouched(tx, &call),
            Run::Session(run) | Run::AtOnce(run) => {
                let answer = run(self, call.words());
                tx.locks.select(self.store.db_number());
                answer
            }
        };
        self.shaped(answer)
    }

    /// Converts a reply to the protocol of the session.
    fn shaped(&self, answer: Answer) -> Reply {
        let reply = answer.unwrap_or_else(Reply::from);
        match self.protocol {
            Protocol::Resp2 => reply.into_resp2(self.store.profile()),
            Protocol::Resp3 => reply,
        }
    }

    fn discard(&mut self) -> Answer {
        if self.queue.take().is_none() {
            return Err(refused("ERR DISCARD without MULTI"));
        }
        Ok(self.unwatch())
    }

    fn watch(&mut self, keys: &[&[u8]]) -> Answer {
        self.outside("watch", "ERR WATCH inside MULTI is not allowed")?;
        let db = self.store.db_number();
        for key in keys {
            self.watches.add(db, key);
        }
        Ok(Reply::OK)
    }

    fn unwatch(&mut self) -> Reply {
        self.watches.clear();
        Reply::OK
    }

    /// SELECT.
    fn select(&mut self, words: &[&[u8]]) -> Answer {
        let number = int32(words[0])?;
        let db = self.store.shared().database(number);
        self.store = self.store.db(db.ok_or_else(|| refused("ERR DB index is out of range"))?);
        Ok(Reply::OK)
    }

    fn reset(&mut self) -> Reply {
        self.queue = None;
        self.watches.clear();
        self.store = self.store.db(0);
        self.protocol = Protocol::Resp2;
        self.connection.reset(self.store.shared().profile());
        Reply::Status("RESET".into())
    }

    /// A server would close the connection, and with it discard the state of the session.
    fn quit(&mut self) -> Reply {
        self.queue = None;
        self.unwatch()
    }

    /// HELLO: selects the protocol, unless another option is refused.
    fn hello(&mut self, args: &[&[u8]]) -> Answer {
        if let Some((version, mut options)) = args.split_first() {
            let chosen = match parse_int(version) {
                Some(2) => Protocol::Resp2,
                Some(3) => Protocol::Resp3,
                Some(_) => {
                    return Err(refused("NOPROTO unsupported protocol version"));
                }
                None => {
                    return Err(refused("ERR Protocol version is not an integer or out of range"));
                }
            };
            let profile = self.store.shared().profile();
            let mut chosen_name = None;
            while let Some(option) = options.first() {
                options = match (&option.to_ascii_lowercase()[..], options) {
                    (b"auth", [_, user, _, rest @ ..]) => {
                        log_in(user)?;
                        rest
                    }
                    (b"setname", [_, name, rest @ ..]) => {
                        let name = valid_name(name, profile)?;
                        if profile.hello_names_at_once() {
                            self.connection.set_name(name);
                        } else {
                            chosen_name = Some(name);
                        }
                        rest
                    }
                    _ => {
                        let option = shown(option, usize::MAX);
                        return Err(Error::showing(
                            ErrorKind::Syntax,
                            &[b"ERR Syntax error in HELLO option '", option, b"'"],
                        ));
                    }
                };
            }
            self.protocol = chosen;
            if let Some(name) = chosen_name {
                self.connection.set_name(name);
            }
        }
        Ok(self.hello_reply())
    }

    fn hello_reply(&self) -> Reply {
        let number = match self.protocol {
            Protocol::Resp2 => 2,
            Protocol::Resp3 => 3,
        };
        Reply::Map(vec![
            (Reply::text("server"), Reply::text("tallis")),
            (Reply::text("version"), Reply::text(env!("CARGO_PKG_VERSION"))),
            (Reply::text("proto"), Reply::Int(number)),
            (Reply::text("id"), self.connection.id()),
            (Reply::text("mode"), Reply::text("embedded")),
            (Reply::text("role"), Reply::text("master")),
            (Reply::text("modules"), Reply::Array(Vec::new())),
        ])
    }
}

/// The keys of a command whose access times do not change under CLIENT NO-TOUCH: not those that it replaces, nor those
/// whose access time it sets.
fn untouched_keys<'a>(called: &Called<'_, 'a>) -> Vec<&'a [u8]> {
    let mut keys = called.command.keys_of(called.args);
    match called.command.name {
        "rename" | "restore" | "touch" => keys.clear(),
        "copy" => keys.truncate(1),
        _ => {}
    }
    keys
}

/// There is one user, the default user of a server, without a password: any password is accepted.
fn log_in(user: &[u8]) -> Result<(), Error> {
    if user == b"default" {
        return Ok(());
    }
    Err(refused("WRONGPASS invalid username-password pair or user is disabled."))
}

impl HashKey for Client {
    fn hash(&self, key: KeyRef<'_>) -> Result<u64> {
        self.store.locks.hash(key)
    }
}

impl Locks for Client {}

impl Access for Client {
    fn shared(&self) -> &Shared {
        self.store.locks.shared()
    }

    fn db(&self) -> u32 {
        self.store.locks.db()
    }

    fn holding(&self) -> Option<Holding> {
        self.store.locks.holding()
    }

    fn read<R>(
        &self,
        keys: &[HashedKey<'_>],
        operation: impl FnOnce(&View<'_>) -> Result<R>,
    ) -> Result<R> {
        self.store.locks.read(keys, operation)
    }

    fn write<R>(
        &self,
        keys: &[HashedKey<'_>],
        operation: impl FnOnce(&mut Scope<'_>) -> Result<R>,
    ) -> Result<R> {
        self.store.locks.write(keys, operation)
    }

    fn with_keys<R>(
        &self,
        keys: &[KeyRef<'_>],
        work: impl FnOnce(&Tx<'_>) -> Result<R>,
    ) -> Result<R> {
        self.store.locks.with_keys(keys, work)
    }

    fn read_stripes<R>(
        &self,
        stripes: Range<usize>,
        operation: impl FnOnce(&View<'_>) -> Result<R>,
    ) -> Result<R> {
        self.store.locks.read_stripes(stripes, operation)
    }

    fn write_all<R>(&self, operation: impl FnOnce(&mut Scope<'_>) -> Result<R>) -> Result<R> {
        self.store.locks.write_all(operation)
    }
}
