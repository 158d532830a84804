//! Replaying the commands of a log.

use std::sync::Arc;

use bytes::Bytes;

use crate::error::{Error, ErrorKind, Result};
use crate::execute::{Called, Run, checked, find};
use crate::store::Store;
use crate::value::{Value, parse_int};

/// Replays the commands of a log on a store that has no other handle.
///
/// Errors that the server would have returned too are ignored. Errors that say that the store does not support a
/// command, an option or a type are not: the state would differ from the server's.
#[derive(Debug)]
pub(super) struct Replay {
    /// A handle on the selected database.
    store: Store,
    /// The commands since MULTI.
    queue: Option<Vec<Queued>>,
    commands: u64,
}

/// A command that waits for EXEC.
#[derive(Debug)]
struct Queued {
    words: Vec<Bytes>,
    offset: u64,
}

impl Replay {
    pub(super) const fn new(store: Store) -> Self {
        Self { store, queue: None, commands: 0 }
    }

    /// The number of commands that were run.
    pub(super) const fn commands(&self) -> u64 {
        self.commands
    }

    /// Starts a new file: on database 0, outside transactions.
    pub(super) fn begin_file(&mut self) {
        self.store = self.store.db(0);
        self.queue = None;
    }

    /// Runs a command, or queues it until EXEC.
    pub(super) fn command(&mut self, words: &[&[u8]], offset: u64) -> Result<()> {
        if self.queue.is_none() {
            return self.run(words).map_err(|error| refused(words, offset, &error));
        }
        if words.first().is_some_and(|name| name.eq_ignore_ascii_case(b"exec")) {
            for Queued { words, offset } in self.queue.take().unwrap_or_default() {
                let words: Vec<&[u8]> = words.iter().map(|word| &**word).collect();
                self.run(&words).map_err(|error| refused(&words, offset, &error))?;
            }
            return Ok(());
        }
        let words = words.iter().map(|word| Bytes::copy_from_slice(word)).collect();
        self.queue.get_or_insert_default().push(Queued { words, offset });
        Ok(())
    }

    fn run(&mut self, words: &[&[u8]]) -> Result<()> {
        let called = match checked(words, self.store.profile()) {
            Ok(called) => called,
            Err(_) if words.first().is_some_and(|name| name.eq_ignore_ascii_case(b"function")) => {
                return self.function(words.get(1..).unwrap_or_default());
            }
            Err(error) => return Err(error),
        };
        self.commands += 1;
        if called.command.name == "script|load" {
            // Servers before 7.0 log it. It changes no key, and a missing script is detected when it is run.
            return Ok(());
        }
        match called.command.run {
            Run::Words { .. } => {
                if is_admin(&called) {
                    return Err(Error::new(
                        ErrorKind::Syntax,
                        "the command is not allowed in a log",
                    ));
                }
                match called.on(&self.store) {
                    Ok(_) => Ok(()),
                    Err(error) => self.judge(&called, error),
                }
            }
            Run::Session(_) | Run::AtOnce(_) => self.of_session(&called),
        }
    }

    fn of_session(&mut self, called: &Called<'_, '_>) -> Result<()> {
        match (called.command.name, called.words()) {
            ("select", [number]) => {
                let number = parse_int(number).and_then(|number| u32::try_from(number).ok());
                self.store = self.store.db(number.ok_or_else(Error::not_integer)?);
            }
            ("multi", _) => self.queue = Some(Vec::new()),
            ("exec", _) => {
                return Err(Error::new(ErrorKind::Syntax, "EXEC without MULTI"));
            }
            // The state of a connection does not change keys.
            _ => {}
        }
        Ok(())
    }

    /// Returns an error unless the server would have returned it too.
    fn judge(&self, called: &Called<'_, '_>, error: Error) -> Result<()> {
        match error.kind() {
            ErrorKind::WrongType => {
                let keys = called.command.keys_of(called.args);
                let opaque = self.store.read(&keys[..], |view, keys| {
                    let mut values = keys.iter().filter_map(|&key| view.peek(key));
                    Ok(values.find_map(opaque_type))
                })?;
                opaque.map_or(Ok(()), |name| {
                    let text = format!("the store has no commands for values of type {name}");
                    Err(Error::new(ErrorKind::WrongType, text))
                })
            }
            ErrorKind::InvalidHll
            | ErrorKind::NotInteger
            | ErrorKind::NoSuchKey
            | ErrorKind::KeyExists
            | ErrorKind::InvalidArgument
            | ErrorKind::FilterFull => Ok(()),
            ErrorKind::Syntax
            | ErrorKind::UnknownCommand
            | ErrorKind::NoScript
            | ErrorKind::KeyNotNamed
            | ErrorKind::Locked
            | ErrorKind::NotKept
            | ErrorKind::OutOfMemory
            | ErrorKind::Corrupt
            | ErrorKind::Io
            | ErrorKind::Server
            | ErrorKind::Conversion => Err(error),
        }
    }

    /// FUNCTION: libraries are kept by name, and are not executed.
    fn function(&mut self, words: &[&[u8]]) -> Result<()> {
        self.commands += 1;
        let mut extras = self.store.shared().extras().write();
        let extras = Arc::make_mut(&mut extras);
        let is = |word: &[u8], name: &str| word.eq_ignore_ascii_case(name.as_bytes());
        match words {
            [load, .., code] if is(load, "load") => extras.put_function(code.to_vec()),
            [delete, name] if is(delete, "delete") => extras.remove_function(name),
            [flush, ..] if is(flush, "flush") => extras.clear_functions(),
            [restore, payload, policy @ ..] if is(restore, "restore") => {
                let libraries = libraries(payload)?;
                if policy.first().is_some_and(|policy| is(policy, "flush")) {
                    extras.clear_functions();
                }
                for code in libraries {
                    extras.put_function(code);
                }
            }
            _ => return Err(Error::new(ErrorKind::UnknownCommand, "unknown command")),
        }
        Ok(())
    }
}

/// Returns whether a command concerns the server instead of keys.
fn is_admin(called: &Called<'_, '_>) -> bool {
    // Commands that write have that flag first.
    !called.command.flags.starts_with("write") && called.command.has_flag("admin")
}

fn opaque_type(value: &Value) -> Option<std::borrow::Cow<'static, str>> {
    matches!(value, Value::Opaque(_)).then(|| value.type_name())
}

/// The libraries of a payload of FUNCTION DUMP.
fn libraries(payload: &[u8]) -> Result<Vec<Vec<u8>>> {
    /// The end of a file, and a checksum of zero, which means none.
    const END: [u8; 9] = [0xff, 0, 0, 0, 0, 0, 0, 0, 0];
    // After the libraries come the version and the checksum of both, as in a file.
    let (rest, crc) = payload.split_last_chunk::<8>().ok_or_else(Error::wrong_footer)?;
    let (body, version) = rest.split_last_chunk::<2>().ok_or_else(Error::wrong_footer)?;
    let sum = u64::from_le_bytes(*crc);
    if sum != 0 && sum != rdb::crc64(rest) {
        return Err(Error::wrong_footer());
    }
    let head = format!("REDIS{:04}", u16::from_le_bytes(*version));
    let file = [head.as_bytes(), body, &END].concat();
    let mut reader = rdb::Reader::new(&file[..]).map_err(|_| Error::wrong_footer())?;
    let mut libraries = Vec::new();
    while let Some(record) = reader.next_record().map_err(|_| Error::bad_format())? {
        if let rdb::Record::Function { code } = record {
            libraries.push(code);
        }
    }
    Ok(libraries)
}

/// The error for a command that cannot be run, with its key and offset.
#[cold]
fn refused(words: &[&[u8]], offset: u64, error: &Error) -> Error {
    const SHOWN: usize = 128;
    let shown = |word: &[u8]| word[..word.len().min(SHOWN)].escape_ascii().to_string();
    let name = words.first().map_or_else(String::new, |name| shown(name));
    let keys = find(words.first().copied().unwrap_or_default());
    let keys = keys.map(|command| command.keys_of(words)).unwrap_or_default();
    // For an unknown command, the key is usually the first word.
    let key = keys.first().or_else(|| words.get(1));
    let key = key.map_or_else(String::new, |key| format!(" on key '{}'", shown(key)));
    let is_unknown = error.kind() == ErrorKind::UnknownCommand;
    let why = if is_unknown { "unknown command".to_owned() } else { error.to_string() };
    let text = format!("command '{name}'{key} at offset {offset}: {why}");
    Error::new(error.kind(), text)
}
