//! The replies of COMMAND.

use std::collections::BTreeMap;

use tallis::{Reply, Store};
use testkit::live::{command, named};

use crate::both::{Both, Tree, ours};

impl Both {
    /// The names of our commands, including subcommands, that the server has.
    fn listed(&mut self) -> Vec<String> {
        let all: Vec<String> = self.session.execute(&["COMMAND", "LIST"]).convert().unwrap();
        all.into_iter().filter(|name| self.is_there(name)).collect()
    }

    /// The replies of both to COMMAND INFO for a command, reduced to the comparable parts.
    fn described(&mut self, name: &str, listed: &[String]) -> (Tree, Tree) {
        let known = |name: &str| listed.iter().any(|one| one == name);
        let (ours, theirs) = self.ask(&["COMMAND", "INFO", name]);
        let one = |tree: &Tree| comparable(tree.items()[0].clone(), &known);
        (one(&ours), one(&theirs))
    }

    /// The names of our commands, without subcommands.
    fn names(&mut self) -> Vec<String> {
        let all = ours(self.session.execute(&["COMMAND"]));
        let names = all.items().iter().map(|one| one.items()[0].bytes().to_owned());
        names.filter(|name| self.is_there(name)).collect()
    }
}

/// The reply of a server to COMMAND INFO, without parts that we do not have or word differently.
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
    let Tree::Set(specs) = &mut parts[8] else { panic!("{:?} are not key specs", parts[8]) };
    for spec in specs {
        let Tree::Map(pairs) = spec else { panic!("{spec:?} is not a key spec") };
        for (key, value) in pairs.iter_mut().filter(|(key, _)| key.bytes() == "notes") {
            (*key, *value) = (Tree::Bytes("notes".into()), Tree::Nil);
        }
    }
    Tree::Array(parts)
}

#[test]
fn every_command_is_described_like_on_the_server() {
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
fn every_command_is_described_like_on_newer_servers() {
    for name in ["redis-8.2.3", "valkey-9.1.2"] {
        let Some(server) = named(name) else { continue };
        let mut both = Both::beside(server, false);
        both.ask(&["HELLO", "3"]);
        let listed = both.listed();
        assert!(listed.len() > 200);
        for command in &listed {
            let (ours, theirs) = both.described(command, &listed);
            // It has a note, which the server words differently.
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
    // Commands that the server does not have yet are declared, but not shown.
    let newer = Store::new();
    let docs = |name: &str| format!("{:?}", newer.execute(&["COMMAND", "DOCS", name]));
    for (name, token) in
        [("zrank", "WITHSCORE"), ("zrevrank", "WITHSCORE"), ("geosearch", "BYPOLYGON")]
    {
        assert!(docs(name).contains(token), "{name}");
    }
    let twice = both.ask(&["COMMAND", "DOCS", "GET", "get", "CONFIG|GET"]);
    let names = |tree: &Tree| {
        let Tree::Map(pairs) = tree else { panic!("{tree:?} is not a map") };
        pairs.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&twice.0), names(&twice.1));
}

fn same_docs(name: &str, ours: &BTreeMap<&str, &Tree>, theirs: &BTreeMap<&str, &Tree>) {
    for field in ["since", "group", "module"] {
        assert_eq!(ours.get(field), theirs.get(field), "{field} of {name}");
    }
    // The older module documents no arguments.
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
        eval x 0
        eval x 2 a b c
        eval x 3 a b
        eval x y a
        eval x -1 a
        eval x 2x a b
        eval x
        evalsha x 1 a
        eval_ro x 2 a b
        evalsha_ro x 0 a
        script load x
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
