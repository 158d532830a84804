//! A store and a server that run the same commands, with replies in one type.

use std::collections::BTreeMap;

use redis::{Connection, Value};
use tallis::{Reply, Session, Store};
use testkit::live::{Options, Server, command, locate_redisbloom, server_with};

use crate::blooms::is_old;
use crate::differential::profile_of;

/// A reply of either side. Sets and maps are sorted, because their order in Redis is unspecified.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tree {
    Nil,
    Status(String),
    Error(String),
    Int(i64),
    Bytes(String),
    Text(String),
    Array(Vec<Tree>),
    Set(Vec<Tree>),
    Map(Vec<(Tree, Tree)>),
}

impl Tree {
    pub(crate) fn items(&self) -> &[Self] {
        let (Self::Array(items) | Self::Set(items)) = self else {
            panic!("a list was expected, {self:?} came")
        };
        items
    }

    pub(crate) fn pairs(&self) -> BTreeMap<&str, &Self> {
        let Self::Map(pairs) = self else { panic!("a map was expected, {self:?} came") };
        pairs.iter().map(|(key, value)| (key.bytes(), value)).collect()
    }

    pub(crate) fn bytes(&self) -> &str {
        let Self::Bytes(bytes) = self else { panic!("bytes were expected, {self:?} came") };
        bytes
    }

    /// The same with the elements of each list sorted.
    pub(crate) fn sorted(self) -> Self {
        let sorted = |items: Vec<Self>| {
            let mut items: Vec<Self> = items.into_iter().map(Self::sorted).collect();
            items.sort();
            items
        };
        match self {
            Self::Array(items) => Self::Array(sorted(items)),
            Self::Set(items) => Self::Set(sorted(items)),
            Self::Nil
            | Self::Status(_)
            | Self::Error(_)
            | Self::Int(_)
            | Self::Bytes(_)
            | Self::Text(_)
            | Self::Map(_) => self,
        }
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(crate) fn ours(reply: Reply) -> Tree {
    let all = |items: Vec<Reply>| items.into_iter().map(ours).collect();
    match reply {
        // The client of this test does not distinguish them.
        Reply::Nil | Reply::NullArray => Tree::Nil,
        Reply::Status(status) => Tree::Status(status.into_owned()),
        Reply::Error(error) => Tree::Error(error.to_string()),
        Reply::Int(number) => Tree::Int(number),
        Reply::Bulk(bytes) => Tree::Bytes(text(&bytes)),
        Reply::Verbatim(text) => Tree::Text(text),
        Reply::Array(items) => Tree::Array(all(items)),
        Reply::Set(items) => Tree::Set(all(items)),
        Reply::Map(pairs) => map(pairs.into_iter().map(|(k, v)| (ours(k), ours(v)))),
        other @ (Reply::Double(..) | Reply::Pairs(_) | _) => panic!("{other:?} is new"),
    }
}

pub(crate) fn theirs(reply: Result<Value, String>) -> Tree {
    let all = |items: Vec<Value>| items.into_iter().map(|item| theirs(Ok(item))).collect();
    match reply {
        Err(error) => Tree::Error(error),
        Ok(Value::Nil) => Tree::Nil,
        Ok(Value::Okay) => Tree::Status("OK".into()),
        Ok(Value::SimpleString(status)) => Tree::Status(status),
        Ok(Value::Int(number)) => Tree::Int(number),
        Ok(Value::BulkString(bytes)) => Tree::Bytes(text(&bytes)),
        Ok(Value::VerbatimString { text, .. }) => Tree::Text(text),
        Ok(Value::Array(items)) => Tree::Array(all(items)),
        Ok(Value::Set(items)) => Tree::Set(all(items)),
        Ok(Value::Map(pairs)) => {
            map(pairs.into_iter().map(|(k, v)| (theirs(Ok(k)), theirs(Ok(v)))))
        }
        Ok(Value::ServerError(error)) => Tree::Error(testkit::live::error_text(&error)),
        Ok(other) => panic!("{other:?} is new"),
    }
}

fn map(pairs: impl Iterator<Item = (Tree, Tree)>) -> Tree {
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort();
    Tree::Map(pairs)
}

/// Both sides, which run the same commands.
pub(crate) struct Both {
    pub(crate) session: Session,
    pub(crate) connection: Connection,
    /// Whether the server has a `RedisBloom` that describes its commands: those before 8 report only their names.
    pub(crate) with_module: bool,
    _server: Server,
}

impl Both {
    pub(crate) fn new() -> Option<Self> {
        let options = Options::new().config("enable-debug-command", "yes");
        let with_module = locate_redisbloom()
            .and_then(|module| server_with(&options.clone().module(module)))
            .filter(|server| !is_old(server));
        let (server, with_module) = match with_module {
            Some(server) => (server, true),
            None => (server_with(&options)?, false),
        };
        Some(Self::beside(server, with_module))
    }

    pub(crate) fn beside(server: Server, with_module: bool) -> Self {
        let session = Store::builder().profile(profile_of(&server)).build().session();
        Self { session, connection: server.connect(), with_module, _server: server }
    }

    pub(crate) fn ask<A: AsRef<[u8]>>(&mut self, words: &[A]) -> (Tree, Tree) {
        (ours(self.session.execute(words)), theirs(command(&mut self.connection, words)))
    }

    /// Expects the same reply from both, and returns it.
    pub(crate) fn same<A: AsRef<[u8]>>(&mut self, words: &[A]) -> Tree {
        let (ours, theirs) = self.ask(words);
        let shown: Vec<String> = words.iter().map(|word| text(word.as_ref())).collect();
        assert_eq!(ours, theirs, "{shown:?}");
        ours
    }

    pub(crate) fn all_same(&mut self, lines: &str) {
        for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let words: Vec<&str> =
                line.split(' ').map(|word| if word == "''" { "" } else { word }).collect();
            self.same(&words);
        }
    }

    /// Whether the server has one of our commands: its own, or one of a module that it has loaded.
    pub(crate) fn is_there(&self, name: &str) -> bool {
        self.with_module || !name.starts_with("bf.")
    }
}
