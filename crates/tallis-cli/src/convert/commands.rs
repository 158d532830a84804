//! Output as commands, one per line, as `redis-cli` and `tallis cli` read them.

use std::io::{self, Write};

use tallis::file::{Element, each_element};
use tallis::rdb::{ModuleId, RawValue, Record, Value};
use tallis::resp::quote_word;

use super::json::{Ended, payload};
use super::pass::{Output, Stop, passes};
use crate::files::{Filter, Key, Scan};

/// The most elements of a command.
const ELEMENTS: usize = 128;
/// A command ends with the element with which it reaches this length.
const BYTES: usize = 64 << 10;
/// The most bytes of a string in one command; the rest is appended by further ones.
const STRING: usize = 1 << 20;

/// Writes commands, one per line.
#[derive(Debug)]
pub(super) struct Commands<'a, W> {
    out: W,
    filter: Filter<'a>,
    /// The database of the last line; `None` if none was selected yet.
    db: Option<u32>,
    line: Vec<u8>,
}

impl<'a, W: Write> Commands<'a, W> {
    pub(super) const fn new(out: W, filter: Filter<'a>) -> Self {
        Self { out, filter, db: None, line: Vec::new() }
    }

    /// Returns the writer.
    pub(super) fn into_inner(self) -> W {
        self.out
    }

    fn begin(&mut self, words: &[&[u8]]) {
        self.line.clear();
        for word in words {
            self.word(word);
        }
    }

    fn word(&mut self, word: &[u8]) {
        if !self.line.is_empty() {
            self.line.push(b' ');
        }
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_:./-+@=,%{}[]()".contains(byte);
        if !word.is_empty() && word.iter().all(plain) {
            self.line.extend_from_slice(word);
        } else {
            quote_word(word, &mut self.line);
        }
    }

    fn end(&mut self) -> io::Result<()> {
        self.line.push(b'\n');
        self.out.write_all(&self.line)
    }

    fn command(&mut self, words: &[&[u8]]) -> io::Result<()> {
        self.begin(words);
        self.end()
    }

    fn select(&mut self, key: &Key) -> io::Result<()> {
        if self.db == Some(key.db) {
            return Ok(());
        }
        self.db = Some(key.db);
        self.command(&[b"SELECT", key.db.to_string().as_bytes()])
    }

    fn string(&mut self, key: &[u8], string: &[u8]) -> io::Result<()> {
        let (first, rest) = string.split_at(string.len().min(STRING));
        self.command(&[b"SET", key, first])?;
        rest.chunks(STRING).try_for_each(|more| self.command(&[b"APPEND", key, more]))
    }

    fn opaque(&mut self, raw: &RawValue, key: &Key) -> Result<bool, Stop> {
        if !passes(self.filter, key, raw.module().map(ModuleId::name)) {
            return Ok(false);
        }
        let payload = payload(raw, key)?;
        self.select(key)?;
        self.command(&[b"RESTORE", &key.name, b"0", &payload])?;
        Ok(true)
    }

    fn element(&mut self, element: &Element<'_>) {
        match element {
            Element::One(one) => one.with_bytes(|bytes| self.word(bytes)),
            Element::Pair(field, value) | Element::Expiring(field, value, _) => {
                field.with_bytes(|bytes| self.word(bytes));
                value.with_bytes(|bytes| self.word(bytes));
            }
            Element::Scored(member, score) => {
                self.word(format!("{score:?}").as_bytes());
                member.with_bytes(|bytes| self.word(bytes));
            }
        }
    }
}

/// Returns the command that adds elements to a value of a type.
fn adding(kind: &str) -> &'static [u8] {
    match kind {
        "list" => b"RPUSH",
        "zset" => b"ZADD",
        "hash" => b"HSET",
        _ => b"SADD",
    }
}

impl<W: Write> Output for Commands<'_, W> {
    fn key(&mut self, key: &Key, scan: &mut Scan) -> Result<(), Stop> {
        let at = scan.offset();
        let value = scan.reader().value();
        let value = value.map_err(|error| Stop::of_value(key, &error.into()))?;
        let mut any = true;
        match value {
            Value::String(string) => {
                self.select(key)?;
                self.string(&key.name, &string.into_bytes())?;
            }
            Value::Raw(raw) => any = self.opaque(&raw, key)?,
            value @ (Value::Blob(..)
            | Value::Set(_)
            | Value::Hash(_)
            | Value::HashTtl(_)
            | Value::HashTtlListpack { .. }
            | Value::List(_)
            | Value::ListZiplists(_)
            | Value::ListNodes(_)
            | Value::ZSet(_)) => {
                self.select(key)?;
                let name = adding(key.kind.type_name());
                let (mut here, mut all) = (0, 0);
                let mut expiring = Vec::new();
                let written = each_element(value, at, |element| {
                    if let Element::Expiring(field, _, at_ms) = element {
                        expiring.push((field.to_bytes(), at_ms));
                    }
                    if here == 0 {
                        self.begin(&[name, &key.name]);
                    }
                    self.element(&element);
                    (here, all) = (here + 1, all + 1_u64);
                    if here == ELEMENTS || self.line.len() >= BYTES {
                        here = 0;
                        self.end()?;
                    }
                    Ok::<(), Ended>(())
                });
                written.map_err(|ended| ended.of(key))?;
                if here > 0 {
                    self.end()?;
                }
                for (field, at_ms) in expiring {
                    let at_ms = at_ms.to_string();
                    let words =
                        [b"HPEXPIREAT", &*key.name, at_ms.as_bytes(), b"FIELDS", b"1", &field];
                    self.command(&words)?;
                }
                any = all > 0;
            }
        }
        if let (true, Some(expiry)) = (any, key.attributes.expire_at_ms) {
            self.command(&[b"PEXPIREAT", &key.name, expiry.to_string().as_bytes()])?;
        }
        Ok(())
    }

    fn other(&mut self, record: Record, _: u64) -> Result<(), Stop> {
        if let Record::Function { code } = record {
            self.command(&[b"FUNCTION", b"LOAD", &code])?;
        }
        Ok(())
    }
}
