//! What a client remembers between commands.

use std::ops::Range;

use bytes::Bytes;

use crate::error::{Error, ErrorKind};
use crate::execute::{Args, checked, run, shown, with_words};
use crate::key::HashedKey;
use crate::reply::Reply;
use crate::store::locks::{Access, Dispatch};
use crate::store::scope::{Scope, View};
use crate::store::{Locks, Shared, Store, Tx};
use crate::text::number;
use crate::to_key::KeyRef;
use crate::value::parse_int;

/// One client's side of the command door: its database, its transaction, the keys that it watches, and the version of
/// the protocol whose shapes its replies have.
///
/// It has the typed commands too, on the database that was selected last.
///
/// # Examples
///
/// ```
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
/// assert_eq!(session.execute(&["EXEC"]), Reply::Nil);
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Debug)]
pub struct Client {
    store: Store,
    protocol: Protocol,
    queue: Option<Queue>,
    watched: Vec<Watched>,
}

/// Whose shapes the replies have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    Resp2,
    Resp3,
}

/// The commands between MULTI and EXEC.
#[derive(Debug, Default)]
struct Queue {
    commands: Vec<Vec<Bytes>>,
    /// Whether one of them was refused, so that EXEC will be.
    refused: bool,
}

/// A watched key and its version when that began.
#[derive(Debug)]
struct Watched {
    db: u32,
    key: Box<[u8]>,
    version: u64,
}

impl Store {
    /// A session that begins on this handle's database, with replies in the shapes of RESP2; HELLO 3 changes them.
    #[must_use]
    pub fn session(&self) -> Session {
        let watched = Vec::new();
        Store::on(Client { store: self.clone(), protocol: Protocol::Resp2, queue: None, watched })
    }
}

/// A [`Store`] that remembers what a client of a server would: see [`Client`].
pub type Session = Store<Client>;

/// # Sessions
impl Session {
    /// Runs one command, or queues it between MULTI and EXEC.
    pub fn execute<A: AsRef<[u8]>>(&mut self, args: &[A]) -> Reply {
        let client = &mut self.locks;
        let reply = with_words(args, |words| client.answer(words)).unwrap_or_else(Reply::from);
        match client.protocol {
            Protocol::Resp2 => reply.into_resp2(),
            Protocol::Resp3 => reply,
        }
    }
}

impl Client {
    fn answer(&mut self, args: &[&[u8]]) -> Result<Reply, Error> {
        let command = args.first().and_then(|name| Own::named(name));
        if (command.is_some() || self.queue.is_some())
            && let Err(error) = checked(args, self.store.shared().profile())
        {
            if command == Some(Own::Exec) {
                // Redis takes it for an EXEC that fails, MULTI or not.
                self.queue = None;
                self.unwatch();
                let text = error.to_string();
                let why = text.strip_prefix("ERR ").unwrap_or(&text);
                return Err(Error::new(
                    ErrorKind::Syntax,
                    format!("EXECABORT Transaction discarded because of: {why}"),
                ));
            }
            if let Some(queue) = &mut self.queue {
                queue.refused = true;
            }
            return Err(error);
        }
        match command {
            Some(Own::Multi) => self.multi(),
            Some(Own::Exec) => self.exec(),
            Some(Own::Discard) => self.discard(),
            Some(Own::Watch) => self.watch(&args[1..]),
            Some(Own::Reset) => Ok(self.reset()),
            Some(Own::Quit) => Ok(self.quit()),
            _ if self.queue.is_some() => Ok(self.enqueue(args)),
            Some(Own::Select) => {
                self.store = self.store.db(database(self.store.shared(), args[1])?);
                Ok(Reply::OK)
            }
            Some(Own::Hello) => self.hello(&args[1..]),
            Some(Own::Unwatch) => Ok(self.unwatch()),
            None => run(Store::on(Dispatch::Store(&self.store.locks)), args),
        }
    }

    fn multi(&mut self) -> Result<Reply, Error> {
        if self.queue.is_some() {
            return Err(syntax("ERR MULTI calls can not be nested"));
        }
        self.queue = Some(Queue::default());
        Ok(Reply::OK)
    }

    fn enqueue(&mut self, args: &[&[u8]]) -> Reply {
        let words = args.iter().map(|word| Bytes::copy_from_slice(word)).collect();
        self.queue.get_or_insert_default().commands.push(words);
        Reply::Status("QUEUED".into())
    }

    fn discard(&mut self) -> Result<Reply, Error> {
        if self.queue.take().is_none() {
            return Err(syntax("ERR DISCARD without MULTI"));
        }
        Ok(self.unwatch())
    }

    /// Runs what was queued, all of it under the locks of all its keys, unless a watched key has changed.
    fn exec(&mut self) -> Result<Reply, Error> {
        let Some(queue) = self.queue.take() else { return Err(syntax("ERR EXEC without MULTI")) };
        if queue.refused {
            self.unwatch();
            return Err(Error::new(
                ErrorKind::Syntax,
                "EXECABORT Transaction discarded because of previous errors.",
            ));
        }
        let commands: Vec<Args<'_>> =
            queue.commands.iter().map(|words| words.iter().map(|word| &**word).collect()).collect();
        let mut keys: Vec<&[u8]> = self.watched.iter().map(|watched| &*watched.key).collect();
        let mut whole = false;
        for words in &commands {
            let info = &checked(words, self.store.shared().profile())?.info;
            whole |= info.whole;
            let named = words.get(1).and_then(|name| info.subcommand(name)).unwrap_or(info);
            keys.extend(named.keys_of(words));
        }
        let watched = &self.watched;
        let mut protocol = self.protocol;
        let locked = if whole { None } else { Some(&keys[..]) };
        let (replies, store) = self.store.with_locks(locked, |tx| {
            let mut store = self.store.clone();
            // Each of them, so that all that have expired are dropped.
            let unchanged = watched
                .iter()
                .filter(|one| tx.locks.version(one.db, &one.key) == Some(one.version))
                .count();
            if unchanged < watched.len() {
                return Ok((None, store));
            }
            let replies = commands
                .iter()
                .map(|words| {
                    let reply = step(tx, &mut store, &mut protocol, words);
                    if protocol == Protocol::Resp2 { reply.into_resp2() } else { reply }
                })
                .collect();
            Ok((Some(replies), store))
        })?;
        self.store = store;
        self.unwatch();
        self.protocol = protocol;
        Ok(replies.map_or(Reply::Nil, Reply::Array))
    }

    fn watch(&mut self, keys: &[&[u8]]) -> Result<Reply, Error> {
        if self.queue.is_some() {
            return Err(syntax("ERR WATCH inside MULTI is not allowed"));
        }
        let db = self.store.db_number();
        for &key in keys {
            if !self.watched.iter().any(|watched| watched.db == db && *watched.key == *key) {
                let version = self.store.shared().watch(db, key);
                self.watched.push(Watched { db, key: key.into(), version });
            }
        }
        Ok(Reply::OK)
    }

    fn unwatch(&mut self) -> Reply {
        for watched in self.watched.drain(..) {
            self.store.shared().unwatch(watched.db, &watched.key);
        }
        Reply::OK
    }

    fn reset(&mut self) -> Reply {
        self.queue = None;
        self.unwatch();
        self.store = self.store.db(0);
        self.protocol = Protocol::Resp2;
        Reply::Status("RESET".into())
    }

    /// A server would close the connection, and with it forget what the session has begun.
    fn quit(&mut self) -> Reply {
        self.queue = None;
        self.unwatch()
    }

    fn hello(&mut self, args: &[&[u8]]) -> Result<Reply, Error> {
        hello(args, &mut self.protocol)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.unwatch();
    }
}

/// The commands that a session answers itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Own {
    Discard,
    Exec,
    Hello,
    Multi,
    Quit,
    Reset,
    Select,
    Unwatch,
    Watch,
}

impl Own {
    #[inline]
    fn named(name: &[u8]) -> Option<Self> {
        let (own, is) = match (name.first()?.to_ascii_lowercase(), name.len()) {
            (b'd', 7) => (Self::Discard, "discard"),
            (b'e', 4) => (Self::Exec, "exec"),
            (b'h', 5) => (Self::Hello, "hello"),
            (b'm', 5) => (Self::Multi, "multi"),
            (b'q', 4) => (Self::Quit, "quit"),
            (b'r', 5) => (Self::Reset, "reset"),
            (b's', 6) => (Self::Select, "select"),
            (b'u', 7) => (Self::Unwatch, "unwatch"),
            (b'w', 5) => (Self::Watch, "watch"),
            _ => return None,
        };
        name.eq_ignore_ascii_case(is.as_bytes()).then_some(own)
    }
}

/// Runs one command of a transaction; SELECT leads to another database from there on.
fn step(tx: &Tx<'_>, store: &mut Store, protocol: &mut Protocol, words: &[&[u8]]) -> Reply {
    let answer = match Own::named(words[0]) {
        Some(Own::Select) => database(store.shared(), words[1]).map(|db| {
            *store = store.db(db);
            tx.locks.select(db);
            Reply::OK
        }),
        Some(Own::Hello) => hello(&words[1..], protocol),
        Some(Own::Unwatch) => Ok(Reply::OK),
        _ => run(Store::on(Dispatch::Tx(&tx.locks)), words),
    };
    answer.unwrap_or_else(Reply::from)
}

/// The database that SELECT asks for.
fn database(shared: &Shared, number: &[u8]) -> Result<u32, Error> {
    let number = number::within(number, i64::from(i32::MIN)..=i64::from(i32::MAX))?;
    shared.database(number).ok_or_else(|| syntax("ERR DB index is out of range"))
}

/// HELLO: chooses the protocol, unless something else that is asked for is not possible.
fn hello(args: &[&[u8]], protocol: &mut Protocol) -> Result<Reply, Error> {
    if let Some((version, mut options)) = args.split_first() {
        let chosen = match parse_int(version) {
            Some(2) => Protocol::Resp2,
            Some(3) => Protocol::Resp3,
            Some(_) => {
                return Err(Error::new(ErrorKind::Syntax, "NOPROTO unsupported protocol version"));
            }
            None => return Err(syntax("ERR Protocol version is not an integer or out of range")),
        };
        while let Some(option) = options.first() {
            options = match (&option.to_ascii_lowercase()[..], options) {
                (b"auth", [_, user, _, rest @ ..]) => {
                    log_in(user)?;
                    rest
                }
                (b"setname", [_, name, rest @ ..]) => {
                    set_name(name)?;
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
        *protocol = chosen;
    }
    Ok(hello_reply(*protocol))
}

/// There is one user, the one that a server has at first: any password is right.
fn log_in(user: &[u8]) -> Result<(), Error> {
    if user == b"default" {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Syntax,
        "WRONGPASS invalid username-password pair or user is disabled.",
    ))
}

/// Nobody sees the names of sessions, so that a right one is taken and forgotten.
fn set_name(name: &[u8]) -> Result<(), Error> {
    if name.iter().all(u8::is_ascii_graphic) {
        return Ok(());
    }
    Err(syntax("ERR Client names cannot contain spaces, newlines or special characters."))
}

fn hello_reply(protocol: Protocol) -> Reply {
    let number = match protocol {
        Protocol::Resp2 => 2,
        Protocol::Resp3 => 3,
    };
    Reply::Map(vec![
        (Reply::text("server"), Reply::text("tallis")),
        (Reply::text("version"), Reply::text(env!("CARGO_PKG_VERSION"))),
        (Reply::text("proto"), Reply::Int(number)),
        (Reply::text("id"), Reply::Int(1)),
        (Reply::text("mode"), Reply::text("embedded")),
        (Reply::text("role"), Reply::text("master")),
        (Reply::text("modules"), Reply::Array(Vec::new())),
    ])
}

#[cold]
fn syntax(text: &'static str) -> Error {
    Error::new(ErrorKind::Syntax, text)
}

impl Locks for Client {}

impl Access for Client {
    fn shared(&self) -> &Shared {
        self.store.locks.shared()
    }

    fn db(&self) -> u32 {
        self.store.locks.db()
    }

    fn locate<'k>(&self, key: KeyRef<'k>) -> Result<HashedKey<'k>, Error> {
        self.store.locks.locate(key)
    }

    fn read<R>(
        &self,
        keys: &[HashedKey<'_>],
        operation: impl FnOnce(&View<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.store.locks.read(keys, operation)
    }

    fn write<R>(
        &self,
        keys: &[HashedKey<'_>],
        operation: impl FnOnce(&mut Scope<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.store.locks.write(keys, operation)
    }

    fn read_stripes<R>(
        &self,
        stripes: Range<usize>,
        operation: impl FnOnce(&View<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.store.locks.read_stripes(stripes, operation)
    }

    fn write_all<R>(
        &self,
        operation: impl FnOnce(&mut Scope<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.store.locks.write_all(operation)
    }
}
