//! What COMMAND and the like return.

use std::collections::BTreeMap;

use redis::{Connection, Value};
use tallis::{Limits, Reply, Session, Store};
use testkit::live::{Options, Server, command, locate_redisbloom, named, server_with};

use crate::blooms::is_old;
use crate::differential::profile_of;

/// A reply of either side. Sets and maps are in an order of their own, since Redis promises none.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tree {
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
    fn items(&self) -> &[Self] {
        let (Self::Array(items) | Self::Set(items)) = self else {
            panic!("a list was expected, {self:?} came")
        };
        items
    }

    fn pairs(&self) -> BTreeMap<&str, &Self> {
        let Self::Map(pairs) = self else { panic!("a map was expected, {self:?} came") };
        pairs.iter().map(|(key, value)| (key.bytes(), value)).collect()
    }

    fn bytes(&self) -> &str {
        let Self::Bytes(bytes) = self else { panic!("bytes were expected, {self:?} came") };
        bytes
    }

    /// The same with the elements of each list in an order of their own.
    fn sorted(self) -> Self {
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

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn ours(reply: Reply) -> Tree {
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

fn theirs(reply: Result<Value, String>) -> Tree {
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

/// Both sides, to be asked the same.
struct Both {
    session: Session,
    connection: Connection,
    /// Whether the server has a `RedisBloom` that describes its commands: those before 8 name them alone.
    with_module: bool,
    _server: Server,
}

impl Both {
    fn new() -> Option<Self> {
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

    fn beside(server: Server, with_module: bool) -> Self {
        let session = Store::builder().profile(profile_of(&server)).build().session();
        Self { session, connection: server.connect(), with_module, _server: server }
    }

    /// The names of our commands, subcommands too, as far as the server has them.
    fn listed(&mut self) -> Vec<String> {
        let all: Vec<String> = self.session.execute(&["COMMAND", "LIST"]).convert().unwrap();
        all.into_iter().filter(|name| self.is_there(name)).collect()
    }

    /// What COMMAND INFO of both says of a command, as far as it can be compared.
    fn described(&mut self, name: &str, listed: &[String]) -> (Tree, Tree) {
        let known = |name: &str| listed.iter().any(|one| one == name);
        let (ours, theirs) = self.ask(&["COMMAND", "INFO", name]);
        let one = |tree: &Tree| comparable(tree.items()[0].clone(), &known);
        (one(&ours), one(&theirs))
    }

    fn ask<A: AsRef<[u8]>>(&mut self, words: &[A]) -> (Tree, Tree) {
        (ours(self.session.execute(words)), theirs(command(&mut self.connection, words)))
    }

    /// Expects the same reply of both, and gives it.
    fn same<A: AsRef<[u8]>>(&mut self, words: &[A]) -> Tree {
        let (ours, theirs) = self.ask(words);
        let shown: Vec<String> = words.iter().map(|word| text(word.as_ref())).collect();
        assert_eq!(ours, theirs, "{shown:?}");
        ours
    }

    fn all_same(&mut self, lines: &str) {
        for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let words: Vec<&str> =
                line.split(' ').map(|word| if word == "''" { "" } else { word }).collect();
            self.same(&words);
        }
    }

    /// The names of our commands, subcommands aside.
    fn names(&mut self) -> Vec<String> {
        let all = ours(self.session.execute(&["COMMAND"]));
        let names = all.items().iter().map(|one| one.items()[0].bytes().to_owned());
        names.filter(|name| self.is_there(name)).collect()
    }

    /// Whether the server has a command of ours: its own, or that of a module that it has loaded.
    fn is_there(&self, name: &str) -> bool {
        self.with_module || !name.starts_with("bf.")
    }
}

/// What COMMAND INFO of a server says, without what we do not have or say in words of our own.
fn comparable(tree: Tree, names: &dyn Fn(&str) -> bool) -> Tree {
    let Tree::Array(mut parts) = tree else { panic!("{tree:?} describes no command") };
    assert_eq!(parts.len(), 10);
    if let Tree::Array(subcommands) = parts.remove(9) {
        let mut known: Vec<Tree> = subcommands
            .into_iter()
            .filter(|sub| names(sub.items()[0].bytes()))
            .map(|sub| comparable(sub, names))
            .collect();
        known.sort();
        parts.push(Tree::Array(known));
    }
    let Tree::Set(specs) = &mut parts[8] else { panic!("{:?} are no key specs", parts[8]) };
    for spec in specs {
        let Tree::Map(pairs) = spec else { panic!("{spec:?} is no key spec") };
        for (key, value) in pairs.iter_mut().filter(|(key, _)| key.bytes() == "notes") {
            (*key, *value) = (Tree::Bytes("notes".into()), Tree::Nil);
        }
    }
    Tree::Array(parts)
}

#[test]
fn every_command_is_described_as_the_server_does() {
    let Some(mut both) = Both::new() else { return };
    let (mine, _) = both.ask(&["HELLO", "3"]);
    assert_eq!(mine.pairs()["proto"], &Tree::Int(3));
    let listed = both.listed();
    let names = both.names();
    assert!(names.len() > 80);
    let count = ours(both.session.execute(&["COMMAND"])).items().len();
    let count = Reply::Int(i64::try_from(count).unwrap());
    assert_eq!(both.session.execute(&["COMMAND", "COUNT"]), count);
    for name in &listed {
        let (ours, theirs) = both.described(name, &listed);
        assert_eq!(ours, theirs, "{name}");
    }
    both.all_same(
        "COMMAND INFO nosuch
        COMMAND INFO config|nosuch get|x config|get|x ''
        COMMAND INFO CONFIG|GET GeT nosuch
        COMMAND nosuch
        COMMAND COUNT x",
    );
    let flat = both.session.execute(&["HELLO", "2"]);
    assert!(matches!(flat, Reply::Array(parts) if parts.len() == 14));
    command(&mut both.connection, &["HELLO", "2"]).unwrap();
    both.same(&["COMMAND", "INFO", "sintercard", "pfmerge", "nosuch", "lcs", "exec"]);
}

#[test]
fn every_command_is_described_as_newer_servers_do() {
    for name in ["redis-8.2.3", "valkey-9.1.2"] {
        let Some(server) = named(name) else { continue };
        let mut both = Both::beside(server, false);
        both.ask(&["HELLO", "3"]);
        let listed = both.listed();
        assert!(listed.len() > 200);
        for command in &listed {
            let (ours, theirs) = both.described(command, &listed);
            // It has a note, which is in words of the server's own.
            if command != "hgetex" {
                assert_eq!(ours.sorted(), theirs.sorted(), "{name}: {command}");
            }
        }
        both.all_same(
            "COMMAND GETKEYSANDFLAGS SINTERSTORE d a b
            COMMAND GETKEYSANDFLAGS SUNIONSTORE d a b
            COMMAND GETKEYSANDFLAGS HSETEX k PX 1 FIELDS 1 f v
            COMMAND GETKEYSANDFLAGS HGETEX k PX 1 FIELDS 1 f
            COMMAND GETKEYSANDFLAGS GEORADIUS k 1 2 3 m STORE d
            COMMAND GETKEYSANDFLAGS GEORADIUS k 1 2 3 m STOREDIST d
            COMMAND GETKEYSANDFLAGS GEORADIUS k 1 2 3 m
            COMMAND GETKEYSANDFLAGS GEORADIUSBYMEMBER k a 3 m STORE d
            COMMAND GETKEYSANDFLAGS SET k v GET
            COMMAND GETKEYSANDFLAGS SET k v
            COMMAND GETKEYSANDFLAGS SET k v IFEQ w
            COMMAND GETKEYSANDFLAGS DELIFEQ k v
            COMMAND GETKEYSANDFLAGS MSETEX 1 k v",
        );
    }
}

#[test]
fn documents_have_the_servers_arguments_groups_and_versions() {
    let Some(mut both) = Both::new() else { return };
    both.ask(&["HELLO", "3"]);
    let ours = both.ask(&["COMMAND", "DOCS"]).0;
    let names: Vec<&str> = ours.pairs().into_keys().filter(|name| both.is_there(name)).collect();
    let mut listed = both.names();
    listed.sort_unstable();
    assert_eq!(names, listed);
    for name in names {
        let (ours, theirs) = both.ask(&["COMMAND", "DOCS", name]);
        let (ours, theirs) = (ours.pairs()[name].pairs(), theirs.pairs()[name].pairs());
        same_docs(name, &ours, &theirs);
        let Some(subcommands) = ours.get("subcommands") else { continue };
        let live = theirs["subcommands"].pairs();
        for (name, sub) in subcommands.pairs() {
            same_docs(name, &sub.pairs(), &live[name].pairs());
        }
    }
    both.all_same("COMMAND DOCS nosuch\nCOMMAND DOCS nosuch config|nosuch");
    // What the server does not have yet is declared, but not shown.
    let newer = Store::new();
    let docs = |name: &str| format!("{:?}", newer.execute(&["COMMAND", "DOCS", name]));
    for (name, token) in
        [("zrank", "WITHSCORE"), ("zrevrank", "WITHSCORE"), ("geosearch", "BYPOLYGON")]
    {
        assert!(docs(name).contains(token), "{name}");
    }
    let twice = both.ask(&["COMMAND", "DOCS", "GET", "get", "CONFIG|GET"]);
    let names = |tree: &Tree| {
        let Tree::Map(pairs) = tree else { panic!("{tree:?} is no map") };
        pairs.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&twice.0), names(&twice.1));
}

fn same_docs(name: &str, ours: &BTreeMap<&str, &Tree>, theirs: &BTreeMap<&str, &Tree>) {
    for field in ["since", "group", "module"] {
        assert_eq!(ours.get(field), theirs.get(field), "{field} of {name}");
    }
    // A module of that time documents no arguments.
    if !name.starts_with("bf.") {
        assert_eq!(ours.get("arguments"), theirs.get("arguments"), "arguments of {name}");
    }
    assert!(ours.contains_key("since") && ours.contains_key("group"));
    assert!(!ours["summary"].bytes().is_empty() && !ours["complexity"].bytes().is_empty());
    assert_ne!(ours["summary"], theirs["summary"], "{name}: the words are to be ours");
}

#[test]
fn commands_are_listed_by_the_servers_filters() {
    let Some(mut both) = Both::new() else { return };
    let known = ours(both.session.execute(&["COMMAND", "LIST"]));
    for filter in [
        &["ACLCAT", "hyperloglog"],
        &["aclcat", "DANGEROUS"],
        &["ACLCAT", "admin"],
        &["ACLCAT", "slow"],
        &["ACLCAT", "keyspace"],
        &["ACLCAT", "transaction"],
        &["ACLCAT", "nosuch"],
        &["PATTERN", "GET*"],
        &["PATTERN", "config|*"],
        &["PATTERN", "*|H[a-f]LP"],
        &["PATTERN", "set"],
        &["PATTERN", "*"],
        &["MODULE", "json"],
        &["MODULE", "bf"],
        &["MODULE", "BF"],
        &["ACLCAT", "write"],
        &["ACLCAT", "fast"],
        &["PATTERN", "bf.*"],
    ] {
        let words = ["COMMAND", "LIST", "FilterBy", filter[0], filter[1]];
        let (ours, theirs) = both.ask(&words);
        let some = |all: &Tree, some: &dyn Fn(&Tree) -> bool| {
            Tree::Array(all.items().iter().filter(|name| some(name)).cloned().collect()).sorted()
        };
        let theirs = some(&theirs, &|name| known.items().contains(name));
        let ours = some(&ours, &|name| both.is_there(name.bytes()));
        assert_eq!(ours, theirs, "{filter:?}");
    }
    both.all_same(
        "COMMAND LIST x
        COMMAND LIST FILTERBY
        COMMAND LIST FILTERBY PATTERN
        COMMAND LIST FILTERBY x y
        COMMAND LIST FILTERBY ACLCAT set x
        COMMAND LIST x ACLCAT set",
    );
}

#[test]
fn keys_are_found_where_the_server_finds_them() {
    let Some(mut both) = Both::new() else { return };
    let lines = "get a
        GET
        get a b
        ping
        ping x
        nosuch a
        mset a 1 b 2
        mset a 1 b 2 c
        msetnx a b c
        del a b a
        config get
        config get x
        config nosuch x
        config
        object encoding k
        OBJECT Encoding k
        object encoding
        object help
        object help x
        memory usage k SAMPLES 3
        sintercard 2 a b
        sintercard 2 a b LIMIT 1
        sintercard 3 a b
        sintercard x a b
        sintercard 0 a
        sintercard -1 a
        sintercard 9223372036854775807 a
        sintercard 2x a b
        sintercard 02 a b
        sintercard +1 a b
        sintercard -x a b
        sintercard 99999999999x a
        set a b
        set a b xx ex 10
        set a b ex 10 GET
        set get get
        pfmerge a
        pfmerge a b c a
        pfcount a b
        pfdebug getreg a
        sdiffstore d a b
        sunionstore d a b
        smove a b c
        copy a b DB 3
        lcs a b IDX
        bitop and d a b
        bitop and d
        bitfield k
        bitfield k get u8 0
        bitfield k GET u8 0 overflow sat get x y
        bitfield k get u8 0 set u8 0 1
        bitfield k incrby u8 0 1
        bitfield k get u8
        bitfield k set u8 0
        bitfield k overflow
        bitfield k overflow x
        bitfield k foo
        bitfield_ro k set u8 0 1
        setbit k
        rename a b
        watch a b
        restore k 0 x
        exec x
        debug object k
        command getkeys get a";
    for line in lines.lines() {
        for sub in ["GETKEYS", "GETKEYSANDFLAGS"] {
            for protocol in ["2", "3"] {
                both.ask(&["HELLO", protocol]);
                let words: Vec<&str> =
                    ["COMMAND", sub].into_iter().chain(line.split_ascii_whitespace()).collect();
                both.same(&words);
            }
        }
    }
}

#[test]
fn settings_are_read_and_changed() {
    let Some(mut both) = Both::new() else { return };
    both.all_same(
        "CONFIG
        CONFIG nosuch
        CONFIG GET
        CONFIG GET databases
        CONFIG GET DATAbases
        CONFIG GET DATAB?SES
        CONFIG GET data\\bases
        CONFIG GET data\\b?ses
        CONFIG GET nosuch
        CONFIG GET ''
        CONFIG GET proto-max-bulk-len
        CONFIG GET set-max-listpack-entries
        CONFIG GET set-max-*
        CONFIG GET set-max-intset-entries set-max-intset-entries
        CONFIG RESETSTAT
        CONFIG RESETSTAT x
        CONFIG SET
        CONFIG SET nosuch
        CONFIG SET nosuch 1
        CONFIG SET '' 1
        CONFIG SET set-max-listpack-entries 1
        CONFIG SET set-max-listpack-value 1
        CONFIG SET set-max-intset-entries
        CONFIG SET set-max-intset-entries 1 nosuch
        CONFIG SET set-max-intset-entries 1 nosuch 2
        CONFIG SET nosuch 2 set-max-intset-entries x
        CONFIG SET set-max-intset-entries x nosuch 2
        CONFIG SET databases 3
        CONFIG SET DATABASES x
        CONFIG SET databases 3 nosuch 1
        CONFIG SET nosuch 1 databases 3
        CONFIG SET set-max-intset-entries x databases 3
        CONFIG SET set-max-intset-entries 7 hll-sparse-max-bytes x
        CONFIG SET set-max-intset-entries 7 SET-MAX-intset-entries 8
        CONFIG SET HLL-sparse-max-bytes -1
        CONFIG SET SET-max-intset-entries -1",
    );
}

#[test]
fn values_of_settings_are_read_as_the_server_reads_them() {
    let Some(mut both) = Both::new() else { return };
    let settings = [
        "set-max-intset-entries",
        "hll-sparse-max-bytes",
        "zset-max-listpack-entries",
        "zset-max-listpack-value",
        "zset-max-ziplist-value",
    ];
    let values = [
        "0",
        "1",
        "007",
        "-0",
        "-1",
        "+1",
        " 1",
        "1 ",
        "1.5",
        "x",
        "",
        "1b",
        "1B",
        "1k",
        "1kB",
        "2m",
        "2mb",
        "1g",
        "1gb",
        "1t",
        "1kib",
        "kb",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "9999999999gb",
        "99999999999gb",
        "34359738368gb",
    ];
    for value in [&b"\x00"[..], b"3\x00", b"3kb\x00x", b"x\x00", b"3x\x00"] {
        for name in settings {
            both.same(&[&b"CONFIG"[..], b"SET", name.as_bytes(), value]);
            both.same(&[&b"CONFIG"[..], b"GET", name.as_bytes()]);
        }
    }
    // Where nothing before the zero makes a pattern, the server looks the name up by a hash of all its bytes and
    // compares it as far as the zero: it finds the setting when both happen to fall into one bucket, one time in
    // hundreds.
    for pattern in [&b"databas*\x00x"[..], b"databas?\x00"] {
        both.same(&[&b"CONFIG"[..], b"GET", pattern]);
    }
    // A setting has an older name too, and both are told.
    for words in [
        "zset-max-ziplist-entries 5 zset-max-listpack-entries 6",
        "zset-max-listpack-value 7 zset-max-ziplist-value 8",
        "zset-max-listpack-value 7 zset-max-listpack-value 8",
    ] {
        let words: Vec<&str> = ["CONFIG", "SET"].into_iter().chain(words.split(' ')).collect();
        both.same(&words);
        for name in ["listpack-entries", "ziplist-entries", "listpack-value", "ziplist-value"] {
            both.same(&["CONFIG", "GET", &format!("zset-max-{name}")]);
        }
    }
    let long = ["0".repeat(127), "0".repeat(128), format!("{}7", "0".repeat(126))];
    for name in settings {
        for value in values.into_iter().chain(long.iter().map(String::as_str)) {
            both.same(&["CONFIG", "SET", name, value]);
            both.same(&["CONFIG", "GET", name]);
        }
    }
    both.same(&["CONFIG", "SET", "hll-sparse-max-bytes", "3KB", "SET-max-intset-entries", "2"]);
    for name in settings {
        both.same(&["CONFIG", "GET", name]);
    }
    both.all_same("SADD s 1 2\nOBJECT ENCODING s\nSADD s 3\nOBJECT ENCODING s\nHELLO 3 x");
    both.ask(&["HELLO", "3"]);
    both.all_same("CONFIG GET set-max-intset-entries databases hll*\nCONFIG GET nosuch");
    for odd in [&b"a\nb"[..], b"a\r\nb\x00c", b"a\x00b"] {
        both.same(&[&b"CONFIG"[..], b"SET", odd, b"1"]);
        both.same(&[&b"CONFIG"[..], odd]);
        both.same(&[&b"DEBUG"[..], odd]);
        both.same(&[odd, odd]);
    }
}

#[test]
fn the_newer_profile_has_the_settings_of_listpacks() {
    let store = Store::new();
    assert_eq!(
        store.execute(&["CONFIG", "GET", "set-max-listpack-*"]),
        Reply::Map(
            [("set-max-listpack-entries", "128"), ("set-max-listpack-value", "64")]
                .map(|(name, value)| (Reply::Bulk(name.into()), Reply::Bulk(value.into())))
                .to_vec()
        )
    );
    let words = ["CONFIG", "SET", "set-max-listpack-entries", "7", "set-max-listpack-value", "9"];
    assert_eq!(store.execute(&words), Reply::OK);
    let changed =
        Limits { set_max_listpack_entries: 7, set_max_listpack_value: 9, ..Limits::default() };
    assert_eq!(store.limits(), changed);
    let words = ["CONFIG", "SET", "set-max-listpack-entries", "8", "hll-sparse-max-bytes", "x"];
    assert!(store.execute(&words).is_error());
    assert_eq!(store.limits(), changed);
}

#[test]
fn memory_and_help_have_the_servers_errors() {
    let Some(mut both) = Both::new() else { return };
    both.all_same(
        "SET k v
        MEMORY
        MEMORY nosuch
        MEMORY USAGE
        MEMORY USAGE nosuch
        MEMORY USAGE nosuch SAMPLES 0
        MEMORY USAGE nosuch SAMPLES x
        MEMORY USAGE k SAMPLES
        MEMORY USAGE k SAMPLES x
        MEMORY USAGE k SAMPLES -1
        MEMORY USAGE k SAMPLES 99999999999999999999
        MEMORY USAGE k x 1
        MEMORY USAGE k SAMPLES 1 x
        MEMORY HELP x
        OBJECT
        OBJECT nosuch
        OBJECT HELP x
        CONFIG HELP x
        COMMAND HELP x
        PING
        PING a
        PING a b
        ECHO
        ECHO a b
        TIME x",
    );
    for options in [&[][..], &["SAMPLES", "0"], &["samples", "5", "SAMPLES", "6"]] {
        let words: Vec<&str> =
            ["MEMORY", "USAGE", "k"].iter().chain(options.iter()).copied().collect();
        let (ours, theirs) = both.ask(&words);
        assert!(matches!((ours, theirs), (Tree::Int(1..), Tree::Int(1..))));
    }
    for name in ["OBJECT", "MEMORY", "CONFIG", "COMMAND", "DEBUG"] {
        let (ours, theirs) = both.ask(&[name, "HELP"]);
        let (ours, theirs) = (ours.items(), theirs.items());
        assert_eq!(ours[0], theirs[0]);
        assert_eq!(ours[ours.len() - 2..], theirs[theirs.len() - 2..]);
        assert!(ours.iter().all(|line| matches!(line, Tree::Status(_))));
        for line in &ours[1..ours.len() - 2] {
            let Tree::Status(text) = line else { panic!("{line:?} is no line") };
            assert!(!text.starts_with(' ') || !theirs.contains(line), "{text}");
        }
    }
    let (ours, theirs) = both.ask(&["TIME"]);
    for time in [ours, theirs] {
        let parts: Vec<u64> =
            time.items().iter().map(|part| part.bytes().parse().unwrap()).collect();
        assert!(parts.len() == 2 && parts[1] < 1_000_000);
    }
}

/// The line of DEBUG OBJECT as its fields; what differs from one process to the next is left out.
fn fields(line: &Tree) -> Vec<(String, String)> {
    let Tree::Status(line) = line else { panic!("{line:?} is no status") };
    let fields = line.strip_prefix("Value ").unwrap().split(' ');
    let mut fields: Vec<(String, String)> = fields
        .map(|field| field.split_once(':').unwrap())
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    assert!(fields[0].1.starts_with("0x"));
    fields[0].1.clear();
    for (name, value) in &mut fields {
        if name.starts_with("lru") {
            assert!(value.parse::<u32>().unwrap() < 1 << 24);
            value.clear();
        }
    }
    fields
}

#[test]
fn debug_object_measures_as_the_server_does() {
    let Some(mut both) = Both::new() else { return };
    let mut commands: Vec<Vec<String>> = Vec::new();
    let mut command = |words: &[&str]| commands.push(words.iter().map(|&w| w.into()).collect());
    for number in [
        "0",
        "9999",
        "10000",
        "-1",
        "127",
        "128",
        "-128",
        "-129",
        "32767",
        "32768",
        "-32769",
        "2147483647",
        "2147483648",
        "-2147483649",
        "9223372036854775807",
        "007",
        "",
    ] {
        command(&["SET", &format!("n{number}"), number]);
    }
    // No byte comes twice in a way that could be compressed.
    let varied: String = (0..94u8).map(|at| char::from(b'!' + at)).collect();
    for len in [1, 20, 21, 22, 23, 44, 45, 63, 64, 94] {
        command(&["SET", &format!("s{len}"), &varied[..len]]);
    }
    command(&["SADD", "i16", "1", "2", "-3"]);
    command(&["SADD", "i32", "1", "2", "100000"]);
    command(&["SADD", "i64", "1", "-10000000000"]);
    command(&["SADD", "h", "1", "x", "", "12345", "70000", "-10000000000", "text"]);
    let many: Vec<String> = (0..200).map(|number| format!("member:{number}")).collect();
    let many: Vec<&str> = ["SADD", "big"].into_iter().chain(many.iter().map(|m| &**m)).collect();
    command(&many);
    for words in commands {
        both.same(&words);
        let (ours, theirs) = both.ask(&["DEBUG", "OBJECT", &words[1]]);
        assert_eq!(fields(&ours), fields(&theirs), "{words:?}");
    }
    both.all_same(
        "DEBUG
        DEBUG OBJECT
        DEBUG OBJECT a b
        DEBUG OBJECT nosuch
        DEBUG nosuch
        DEBUG nosuch x",
    );
}

#[test]
fn info_reports_the_keyspace_as_the_server_does() {
    let Some(mut both) = Both::new() else { return };
    both.all_same("INFO keyspace\nSET a 1\nSET b 2\nSELECT 3\nSADD c 1\nSELECT 0");
    both.all_same("INFO keyspace\nINFO KEYSPACE nosuch\nINFO nosuch\nINFO keyspace keyspace");
    both.same(&["EXPIRE", "a", "100000"]);
    let expiring = both.same(&["INFO", "nosuch"]);
    assert_eq!(expiring, Tree::Bytes(String::new()));
    // The average is an estimate that the server makes now and then.
    let (ours, _) = both.ask(&["INFO", "keyspace"]);
    let line = ours.bytes().lines().nth(1).unwrap();
    let ttl = line.strip_prefix("db0:keys=2,expires=1,avg_ttl=").unwrap();
    assert!((90_000_000..=100_000_000).contains(&ttl.parse::<u64>().unwrap()));
    both.same(&["PERSIST", "a"]);
    both.ask(&["HELLO", "3"]);
    // The server keeps its estimate until it next looks for keys that have expired.
    let (ours, theirs) = both.ask(&["INFO", "keyspace"]);
    let (Tree::Text(ours), Tree::Text(theirs)) = (ours, theirs) else { panic!("no texts") };
    let averages = |info: &str| info.matches(",avg_ttl=0\r\n").count();
    assert_eq!(averages(&ours), 2, "{ours:?}");
    assert_eq!(without_averages(&ours), without_averages(&theirs));

    for sections in [&[][..], &["default"], &["all"], &["Everything"], &["server", "ALL"]] {
        let words: Vec<&str> = ["INFO"].iter().chain(sections).copied().collect();
        let (ours, theirs) = both.ask(&words);
        let (Tree::Text(ours), Tree::Text(theirs)) = (ours, theirs) else { panic!("no texts") };
        assert_eq!(heads(&ours), ["# Server", "# Memory", "# Persistence", "# Keyspace"]);
        let live = heads(&theirs);
        assert!(heads(&ours).iter().all(|head| live.contains(head)));
        assert!(
            ours.split("\r\n")
                .all(|line| { line.is_empty() || line.starts_with("# ") || line.contains(':') })
        );
        assert!(ours.contains("\r\nredis_version:7.0.0\r\n"));
    }
}

/// The lines of the keyspace up to their last field.
fn without_averages(info: &str) -> Vec<&str> {
    info.lines().map(|line| line.split(",avg_ttl=").next().unwrap()).collect()
}

fn heads(info: &str) -> Vec<&str> {
    info.lines().filter(|line| line.starts_with('#')).collect()
}

#[test]
fn sessions_begin_and_end_as_connections_do() {
    let Some(mut both) = Both::new() else { return };
    both.all_same(
        "HELLO 4
        HELLO 1
        HELLO x
        HELLO 2 foo
        HELLO 3 SETNAME
        HELLO 3 AUTH
        HELLO 3 AUTH default
        HELLO 3 AUTH nobody x
        HELLO 3 AUTH Default x
        HELLO setname x
        HELLO 3 SETNAME a AUTH nobody x
        HELLO 3 AUTH nobody x foo
        SADD s 1
        SMEMBERS s
        MULTI
        HELLO 9
        RESET
        EXEC
        RESET x
        MULTI
        RESET x
        EXEC
        SELECT 3
        RESET
        DBSIZE
        WATCH s
        MULTI
        SMEMBERS s
        CONFIG GET databases
        PING
        RESET
        DISCARD",
    );
    for bad in ["a b", "\x01", "\u{e9}", "a\n"] {
        both.same(&["HELLO", "2", "SETNAME", bad]);
    }
    let proto = |reply: &Tree| reply.pairs()["proto"].clone();
    for words in [
        &["HELLO", "3"][..],
        &["HELLO"],
        &["hello", "3", "setname", "abc", "auth", "default", "x", "SETNAME", ""],
    ] {
        let (ours, theirs) = both.ask(words);
        assert_eq!((proto(&ours), proto(&theirs)), (Tree::Int(3), Tree::Int(3)), "{words:?}");
        assert!(ours.pairs().keys().eq(theirs.pairs().keys()));
    }
    both.same(&["SMEMBERS", "s"]);
    both.same(&["MULTI"]);
    both.all_same("SMEMBERS s\nCONFIG GET databases\nHELLO 9\nEXEC");
    both.all_same("MULTI\nHELLO 2\nCONFIG GET databases");
    let (ours, theirs) = both.ask(&["EXEC"]);
    assert_eq!(ours.items()[1], theirs.items()[1]);
    both.all_same("SMEMBERS s\nMULTI\nSMEMBERS s\nHELLO 3\nSMEMBERS s");
    let (ours, theirs) = both.ask(&["EXEC"]);
    assert_eq!(
        [&ours.items()[0], &ours.items()[2]],
        [&theirs.items()[0], &theirs.items()[2]],
        "the shapes change where HELLO stands"
    );
    both.all_same("SMEMBERS s\nRESET\nSMEMBERS s\nMULTI\nQUIT");
    // What had begun is over.
    assert_eq!(ours_of(&mut both.session, "EXEC"), Tree::Error("ERR EXEC without MULTI".into()));
}

fn ours_of(session: &mut Session, word: &str) -> Tree {
    ours(session.execute(&[word]))
}
