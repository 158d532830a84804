//! COMMAND: the properties of every command.

use bytes::Bytes;

use super::command::{Find, KeySpec};
use super::newer::{self, Fact};
use super::table::{all, find};
use super::{Answer, Command, command, family, is, known, refused};
use crate::error::{Error, Result};
use crate::profile::Profile;
use crate::reply::Reply;
use crate::store::{Locks, Store};
use crate::text::glob;

const FLAGS: &str = "loading stale";

const SUBCOMMANDS: &[Command] = &family("server", "connection").of([
    command!("command|count", "", |store, _| {
        Ok(Reply::count(all_in(store.shared().profile()).count()))
    })
    .info("2.8.13", FLAGS, [])
    .docs("Returns the number of commands.", "O(1)"),
    command!("command|docs", "[command-name...]", |store, names| {
        Ok(docs(names, store.shared().profile()))
    })
    .info("7.0.0", FLAGS, [])
    .tips("nondeterministic_output_order")
    .docs("Returns the documentation of commands.", "O(commands asked for)"),
    command!("command|getkeys", "", |store, words| {
        let keys = keys(words, store.shared().profile())?;
        Ok(Reply::Array(keys.into_iter().map(|(key, _)| bulk(key)).collect()))
    })
    .arities(GETKEYS)
    .info("2.8.13", FLAGS, [])
    .docs("Returns the keys among the words of a full command.", "O(words)"),
    command!("command|getkeysandflags", "", |store, words| {
        let keys = keys(words, store.shared().profile())?;
        let pair = |(key, flags)| Reply::Array(vec![bulk(key), statuses(flags)]);
        Ok(Reply::Array(keys.into_iter().map(pair).collect()))
    })
    .arities(GETKEYS)
    .info("7.0.0", FLAGS, [])
    .docs("Returns the keys of a full command and how it accesses each of them.", "O(words)"),
    command!("command|help", "", |store, _| Ok(help("command", store.shared().profile())))
        .info("5.0.0", FLAGS, [])
        .docs("Describes the subcommands of COMMAND.", "O(1)"),
    command!("command|info", "[command-name...]", |store, names| {
        Ok(describe_all(names, store.shared().profile()))
    })
    .info("2.8.13", FLAGS, [])
    .tips("nondeterministic_output_order")
    .docs("Returns arity, flags, keys and ACL categories of commands.", "O(commands asked for)"),
    command!(
        "command|list",
        "[FILTERBY filterby:<MODULE module-name | ACLCAT category | PATTERN pattern:pattern>]",
        list,
    )
    .info("7.0.0", FLAGS, [])
    .tips("nondeterministic_output_order")
    .docs("Lists the names of commands and subcommands.", "O(commands)"),
]);

/// The arity of COMMAND GETKEYS in each profile.
const GETKEYS: [i8; Profile::ALL.len()] = {
    let mut arities = [0; Profile::ALL.len()];
    let mut at = 0;
    while at < arities.len() {
        arities[at] = Profile::ALL[at].getkeys_arity();
        at += 1;
    }
    arities
};

pub(crate) const COMMAND: &[Command] =
    &family("server", "connection").of([command!("command", "", |store, _| {
        Ok(describe_all(&[], store.shared().profile()))
    })
    .subcommands(SUBCOMMANDS)
    .arity(-1)
    .info("2.8.13", FLAGS, [])
    .tips("nondeterministic_output_order")
    .docs("Describes every command, as COMMAND INFO does.", "O(commands)")]);

/// The ACL categories, in Redis's order.
const CATEGORIES: [&str; 21] = [
    "keyspace",
    "read",
    "write",
    "set",
    "sortedset",
    "list",
    "hash",
    "string",
    "bitmap",
    "hyperloglog",
    "geo",
    "stream",
    "pubsub",
    "admin",
    "fast",
    "slow",
    "blocking",
    "dangerous",
    "connection",
    "transaction",
    "scripting",
];

/// Iterates over the commands of the profile's servers.
fn all_in(profile: Profile) -> impl Iterator<Item = &'static Command> {
    all().filter(move |command| profile.knows(command.since))
}

/// Describes the commands with these names, or all; an unknown name becomes nil.
fn describe_all(names: &[&[u8]], profile: Profile) -> Reply {
    let describe = |command: &Command| command.describe(profile);
    if names.is_empty() {
        return Reply::Array(all_in(profile).map(describe).collect());
    }
    Reply::Array(
        names.iter().map(|name| named(name, profile).map_or(Reply::Nil, describe)).collect(),
    )
}

fn docs(names: &[&[u8]], profile: Profile) -> Reply {
    let docs = |command: &Command| command.documentation(profile);
    if names.is_empty() {
        return Reply::Map(all_in(profile).map(docs).collect());
    }
    Reply::Map(names.iter().filter_map(|name| named(name, profile)).map(docs).collect())
}

fn list(store: &Store<impl Locks>, filter: &[&[u8]]) -> Answer {
    let profile = store.shared().profile();
    let all = all_in(profile)
        .flat_map(|command| std::iter::once(command).chain(command.subcommands_in(profile)));
    let listed = |chosen: &dyn Fn(&Command) -> bool| {
        all.filter(|command| chosen(command)).map(|command| Reply::text(command.name)).collect()
    };
    Ok(Reply::Array(match filter {
        [] => listed(&|_| true),
        [by, kind, module] if is(by, "filterby") && is(kind, "module") => listed(&|command| {
            command.module().is_some_and(|name| module.eq_ignore_ascii_case(name.as_bytes()))
        }),
        [by, kind, category] if is(by, "filterby") && is(kind, "aclcat") => {
            listed(&|command| command.categories().any(|one| is(category, one)))
        }
        [by, kind, pattern] if is(by, "filterby") && is(kind, "pattern") => {
            listed(&|command| glob::matches_no_case(pattern, command.name.as_bytes()))
        }
        _ => return Err(Error::syntax()),
    }))
}

/// The keys of a command with its arguments, and their flags.
fn keys<'a>(
    words: &[&'a [u8]],
    profile: Profile,
) -> Result<Vec<(&'a [u8], impl Iterator<Item = &'static str>)>> {
    let invalid = || refused("ERR Invalid command specified");
    let mut command = words.first().and_then(|name| known(name, profile)).ok_or_else(invalid)?;
    if let ([_, ..], Some(sub)) = (command.subcommands, words.get(1)) {
        command = command.subcommand(sub, profile).ok_or_else(invalid)?;
    }
    if command.keys[0].is_none() {
        return Err(refused("ERR The command has no key arguments"));
    }
    if !command.takes(words.len(), profile) {
        return Err(refused("ERR Invalid number of arguments specified for command"));
    }
    let none = command.has_flag("no_mandatory_keys").then(Vec::new);
    let keys = command.keys_and_flags(words).or(none);
    let keys = keys.ok_or_else(|| refused("ERR Invalid arguments specified for command"))?;
    let told = |(key, at, flags)| {
        let flags = newer::words(command.name, Fact::Keys(at), flags, profile);
        // With these words the flags are known.
        (key, flags.filter(|&flag| flag != "variable_flags"))
    };
    Ok(keys.into_iter().map(told).collect())
}

/// The command with that name; for a subcommand, `command|subcommand`.
fn named(name: &[u8], profile: Profile) -> Option<&'static Command> {
    let mut parts = name.splitn(2, |&byte| byte == b'|');
    let command = known(parts.next()?, profile)?;
    parts.next().map_or(Some(command), |sub| command.subcommand(sub, profile))
}

/// The reply of a HELP subcommand: Redis's header and footer, and each subcommand with its arguments and its summary.
pub(crate) fn help(container: &str, profile: Profile) -> Reply {
    let command = find(container.as_bytes()).into_iter();
    let subcommands = command.flat_map(|command| command.subcommands_in(profile));
    let others = subcommands.filter(|sub| !sub.name.ends_with("|help"));
    let lines = others.flat_map(|sub| {
        let name = sub.name.split('|').next_back().unwrap_or_default().to_uppercase();
        let syntax = sub.syntax(profile);
        [format!("{name} {syntax}").trim_end().to_owned(), format!("    {}", sub.summary)]
    });
    help_of(container, lines)
}

/// The reply of a HELP subcommand with these lines.
pub(crate) fn help_of(container: &str, lines: impl IntoIterator<Item = String>) -> Reply {
    let name = container.to_uppercase();
    let first = format!("{name} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:");
    let last = ["HELP", "    Prints this help."].map(str::to_owned);
    let lines = std::iter::once(first).chain(lines).chain(last);
    Reply::Array(lines.map(|line| Reply::Status(line.into())).collect())
}

impl Command {
    /// The reply of COMMAND INFO.
    fn describe(&self, profile: Profile) -> Reply {
        let subcommands = self.subcommands_in(profile).map(|sub| sub.describe(profile)).collect();
        let mut parts = vec![Reply::text(self.name), Reply::Int(self.arity_in(profile).into())];
        // Only `allow_busy` comes after it, which no command with keys has.
        let movable = self.has_movable_keys().then_some("movablekeys");
        let words = |fact, words| newer::words(self.name, fact, words, profile);
        let flags = words(Fact::Flags, self.flags);
        parts.push(statuses(flags.chain(movable)));
        parts.extend(self.legacy_range().map(Reply::Int));
        parts.push(Reply::Set(
            self.categories().map(|name| Reply::Status(format!("@{name}").into())).collect(),
        ));
        parts.push(Reply::Set(words(Fact::Tips, self.tips).map(Reply::text).collect()));
        let keys = self.keys.iter().flatten().enumerate();
        let keys = keys.map(|(at, keys)| describe_keys(keys, words(Fact::Keys(at), keys.flags)));
        parts.push(Reply::Set(keys.collect()));
        parts.push(if self.subcommands.is_empty() && !profile.tells_facts_as_valkey() {
            Reply::Set(subcommands)
        } else {
            Reply::Array(subcommands)
        });
        Reply::Array(parts)
    }

    /// The reply of COMMAND DOCS.
    fn documentation(&self, profile: Profile) -> (Reply, Reply) {
        let mut parts = pairs([
            ("summary", Reply::text(self.summary)),
            ("since", Reply::text(self.since)),
            ("group", Reply::text(self.group)),
            ("complexity", Reply::text(self.complexity)),
        ]);
        if let Some(module) = self.module() {
            parts.push((Reply::text("module"), Reply::text(module)));
        }
        let arguments = self.arguments(profile);
        if !arguments.is_empty() {
            parts.push((Reply::text("arguments"), Reply::Array(arguments)));
        }
        if !self.subcommands.is_empty() {
            let all = self.subcommands_in(profile).map(|sub| sub.documentation(profile)).collect();
            parts.push((Reply::text("subcommands"), Reply::Map(all)));
        }
        (Reply::text(self.name), Reply::Map(parts))
    }

    /// The module of a command, unless it belongs to the server.
    fn module(&self) -> Option<&'static str> {
        self.has_flag("module").then_some("bf")
    }

    pub(crate) fn has_flag(&self, flag: &str) -> bool {
        words_of(self.flags).any(|one| one == flag)
    }

    /// Iterates over the ACL categories, including those that follow from the flags. Commands of modules have none in
    /// Redis 7.
    fn categories(&self) -> impl Iterator<Item = &'static str> {
        CATEGORIES.into_iter().filter(move |&category| {
            let flag = |flag| self.has_flag(flag);
            let follows = match category {
                _ if flag("module") => false,
                // A script that must not write need not be in the category of reads.
                "read" => flag("readonly") && self.group != "scripting",
                "write" => flag("write"),
                "admin" | "dangerous" => flag("admin"),
                "fast" => flag("fast"),
                "slow" => !flag("fast"),
                _ => false,
            };
            follows || self.acl.into_iter().flat_map(words_of).any(|one| one == category)
        })
    }
}

fn describe_keys(spec: &KeySpec, flags: impl Iterator<Item = &'static str>) -> Reply {
    let first = Reply::Int(i64::try_from(spec.first).unwrap_or(i64::MAX));
    let range = |last: i8, step: u8| {
        pairs([
            ("lastkey", Reply::Int(last.into())),
            ("keystep", Reply::Int(step.into())),
            ("limit", Reply::Int(0)),
        ])
    };
    let index = ("index", pairs([("index", first.clone())]));
    let (begin, find) = match spec.find {
        Find::Range { last, step } => (index, ("range", range(last, step))),
        Find::Counted { step } => (
            index,
            (
                "keynum",
                pairs([
                    ("keynumidx", Reply::Int(0)),
                    ("firstkey", Reply::Int(1)),
                    ("keystep", Reply::Int(step.into())),
                ]),
            ),
        ),
        Find::Keyword(keyword) => (
            ("keyword", pairs([("keyword", Reply::text(keyword)), ("startfrom", first)])),
            ("range", range(0, 1)),
        ),
        Find::Option(_) | Find::Unknown => (("unknown", Vec::new()), ("unknown", Vec::new())),
    };
    let typed =
        |(kind, spec)| Reply::Map(pairs([("type", Reply::text(kind)), ("spec", Reply::Map(spec))]));
    let mut parts = pairs([
        ("flags", statuses(flags)),
        ("begin_search", typed(begin)),
        ("find_keys", typed(find)),
    ]);
    if !spec.note.is_empty() {
        parts.insert(0, (Reply::text("notes"), Reply::text(spec.note)));
    }
    Reply::Map(parts)
}

fn pairs<const N: usize>(pairs: [(&'static str, Reply); N]) -> Vec<(Reply, Reply)> {
    pairs.into_iter().map(|(name, value)| (Reply::text(name), value)).collect()
}

fn words_of(words: &'static str) -> impl Iterator<Item = &'static str> {
    words.split_ascii_whitespace()
}

fn statuses(words: impl Iterator<Item = &'static str>) -> Reply {
    Reply::Set(words.map(|word| Reply::Status(word.into())).collect())
}

fn bulk(bytes: &[u8]) -> Reply {
    Reply::Bulk(Bytes::copy_from_slice(bytes))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Write;
    use std::path::Path;
    use std::{env, fs};

    use super::*;

    #[test]
    fn every_command_is_described_and_every_category_known() {
        for command in all().flat_map(|one| std::iter::once(one).chain(one.subcommands)) {
            let name = command.name;
            for text in [command.summary, command.complexity, command.since, command.group] {
                assert!(!text.is_empty(), "{name}");
            }
            assert!(
                command.summary.ends_with('.') && command.complexity.starts_with("O("),
                "{name}"
            );
            for category in command.acl.into_iter().flat_map(words_of) {
                assert!(
                    category.is_empty() || CATEGORIES.contains(&category),
                    "{name}: {category}"
                );
            }
        }
    }

    /// Appends a line for a command or a subcommand.
    fn line(page: &mut String, command: &Command) {
        let name = command.name.replace('|', " ").to_uppercase();
        let syntax = command.syntax(Profile::default()).replace('|', "\\|");
        let syntax = format!("{name} {syntax}");
        let (syntax, summary, cost) = (syntax.trim_end(), command.summary, command.complexity);
        let _ = writeln!(page, "| `{syntax}` | {summary} | {cost} |");
    }

    #[test]
    fn the_page_of_commands_is_that_of_the_table() {
        let mut page = String::from(
            "# Commands\n\n\
             Generated from the table of commands by `TALLIS_WRITE_PAGES=1 cargo test -p tallis-store page_of_commands`. Do \
             not edit.\n\n\
             Options, replies and errors are those of Redis. `COMMAND DOCS` returns the same.\n",
        );
        let mut groups: BTreeMap<&str, BTreeMap<&str, &Command>> = BTreeMap::new();
        for command in all() {
            groups.entry(command.group).or_default().insert(command.name, command);
        }
        for (group, commands) in groups {
            let _ =
                write!(page, "\n## {group}\n\n| command | what it does | cost |\n|---|---|---|\n");
            for command in commands.into_values() {
                line(&mut page, command);
                command.subcommands.iter().for_each(|sub| line(&mut page, sub));
            }
        }
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/commands.md");
        if env::var_os("TALLIS_WRITE_PAGES").is_some() {
            fs::write(&path, &page).expect("docs/commands.md can be written");
        }
        assert!(
            fs::read_to_string(&path).unwrap_or_default() == page,
            "docs/commands.md is not up to date: \
             TALLIS_WRITE_PAGES=1 cargo test -p tallis-store page_of_commands"
        );
    }
}
