//! COMMAND: what the table knows of its commands.

use bytes::Bytes;

use super::super::{Answer, Caller, is};
use super::help::help;
use super::syntax;
use crate::error::{Error, ErrorKind};
use crate::execute::info::{Find, Info, KeySpec};
use crate::execute::table;
use crate::execute::table::all;
use crate::profile::Profile;
use crate::reply::Reply;
use crate::text::glob;

/// The ACL categories of commands that there are here, in Redis's order.
const CATEGORIES: [&str; 16] = [
    "keyspace",
    "read",
    "write",
    "set",
    "string",
    "bitmap",
    "sortedset",
    "hyperloglog",
    "geo",
    "admin",
    "fast",
    "slow",
    "dangerous",
    "connection",
    "transaction",
    "scripting",
];

/// A command or a subcommand.
#[derive(Clone, Copy)]
struct Named {
    /// The command that it is a subcommand of.
    of: Option<&'static Info>,
    info: &'static Info,
}

pub(in crate::execute) fn command(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let profile = door.shared().profile();
    match args {
        [] => Ok(describe_all(&[], profile)),
        [sub] if is(sub, "count") => Ok(Reply::count(all().count())),
        [sub, names @ ..] if is(sub, "info") => Ok(describe_all(names, profile)),
        [sub, names @ ..] if is(sub, "docs") => Ok(docs(names)),
        [sub, filter @ ..] if is(sub, "list") => list(filter),
        [sub, words @ ..] if is(sub, "getkeys") => {
            let keys = keys(words, profile)?;
            Ok(Reply::Array(keys.into_iter().map(|(key, _)| bulk(key)).collect()))
        }
        [sub, words @ ..] if is(sub, "getkeysandflags") => {
            let keys = keys(words, profile)?;
            let pair = |(key, flags)| Reply::Array(vec![bulk(key), statuses(words_of(flags))]);
            Ok(Reply::Array(keys.into_iter().map(pair).collect()))
        }
        _ => Ok(help(
            "COMMAND",
            &[
                "(no subcommand)",
                "    Describe every command, as INFO does.",
                "COUNT",
                "    Count the commands.",
                "DOCS [<command> ...]",
                "    Describe these commands, or all, in words.",
                "GETKEYS <command> [<argument> ...]",
                "    Show which words of a full command are keys.",
                "GETKEYSANDFLAGS <command> [<argument> ...]",
                "    Show the keys of a full command, and what happens to each.",
                "INFO [<command> ...]",
                "    Describe these commands, or all, for programs.",
                "LIST [FILTERBY (ACLCAT <category>|MODULE <module>|PATTERN <pattern>)]",
                "    List the names of commands and subcommands.",
            ],
        )),
    }
}

/// Describes the commands of these names, or all; a name that is none becomes a nil.
fn describe_all(names: &[&[u8]], profile: Profile) -> Reply {
    let describe = |named: Named| named.describe(profile);
    if names.is_empty() {
        return Reply::Array(commands().map(describe).collect());
    }
    Reply::Array(names.iter().map(|name| named(name).map_or(Reply::Nil, describe)).collect())
}

fn docs(names: &[&[u8]]) -> Reply {
    if names.is_empty() {
        return Reply::Map(commands().map(Named::docs).collect());
    }
    Reply::Map(names.iter().filter_map(|name| named(name)).map(Named::docs).collect())
}

fn list(filter: &[&[u8]]) -> Answer {
    let all = commands().flat_map(|command| std::iter::once(command).chain(command.subcommands()));
    let names: Vec<Reply> = match filter {
        [] => all.map(Named::name_reply).collect(),
        [by, kind, module] if is(by, "filterby") && is(kind, "module") => all
            .filter(|command| {
                command.module().is_some_and(|name| module.eq_ignore_ascii_case(name.as_bytes()))
            })
            .map(Named::name_reply)
            .collect(),
        [by, kind, category] if is(by, "filterby") && is(kind, "aclcat") => all
            .filter(|command| command.categories().any(|one| is(category, one)))
            .map(Named::name_reply)
            .collect(),
        [by, kind, pattern] if is(by, "filterby") && is(kind, "pattern") => all
            .filter(|command| glob::matches_no_case(pattern, command.name().as_bytes()))
            .map(Named::name_reply)
            .collect(),
        _ => return Err(syntax()),
    };
    Ok(Reply::Array(names))
}

/// The keys of a full command, and what happens to each.
fn keys<'a>(words: &[&'a [u8]], profile: Profile) -> Result<Vec<(&'a [u8], &'static str)>, Error> {
    let refused = |text: &'static str| Error::new(ErrorKind::Syntax, text);
    let invalid = || refused("ERR Invalid command specified");
    let command = &words.first().and_then(|name| table::find(name)).ok_or_else(invalid)?.info;
    let info = match words.get(1) {
        Some(sub) if !command.subcommands.is_empty() => {
            command.subcommand(sub).ok_or_else(invalid)?
        }
        _ => command,
    };
    if !info.has_keys() {
        return Err(refused("ERR The command has no key arguments"));
    }
    if !info.takes(words.len(), profile) {
        return Err(refused("ERR Invalid number of arguments specified for command"));
    }
    info.keys_and_flags(words).ok_or_else(|| refused("ERR Invalid arguments specified for command"))
}

fn commands() -> impl Iterator<Item = Named> {
    all().map(|command| Named { of: None, info: &command.info })
}

/// The command of that name; of a subcommand, `command|subcommand`.
fn named(name: &[u8]) -> Option<Named> {
    let mut parts = name.split(|&byte| byte == b'|');
    let command = Named { of: None, info: &table::find(parts.next()?)?.info };
    match (parts.next(), parts.next()) {
        (None, _) => Some(command),
        (Some(sub), None) => {
            Some(Named { of: Some(command.info), info: command.info.subcommand(sub)? })
        }
        _ => None,
    }
}

impl Named {
    fn name(self) -> String {
        match self.of {
            Some(command) => format!("{}|{}", command.name, self.info.name),
            None => self.info.name.to_owned(),
        }
    }

    fn name_reply(self) -> Reply {
        Reply::Bulk(self.name().into())
    }

    fn subcommands(self) -> impl Iterator<Item = Self> {
        self.info.subcommands.iter().map(move |info| Self { of: Some(self.info), info })
    }

    /// What COMMAND INFO tells.
    fn describe(self, profile: Profile) -> Reply {
        let info = self.info;
        let subcommands: Vec<Reply> =
            self.subcommands().map(|subcommand| subcommand.describe(profile)).collect();
        let mut parts = vec![self.name_reply(), Reply::Int(info.arity_in(profile).into())];
        parts.push(statuses(self.flags()));
        parts.extend(info.legacy_range().map(Reply::Int));
        parts.push(Reply::Set(
            self.categories().map(|name| Reply::Status(format!("@{name}").into())).collect(),
        ));
        parts.push(Reply::Set(words_of(info.tips).map(Reply::text).collect()));
        parts.push(Reply::Set(info.keys.iter().flatten().map(describe_keys).collect()));
        parts.push(if subcommands.is_empty() {
            Reply::Set(subcommands)
        } else {
            Reply::Array(subcommands)
        });
        Reply::Array(parts)
    }

    /// What COMMAND DOCS tells.
    fn docs(self) -> (Reply, Reply) {
        let info = self.info;
        let group = self.of.unwrap_or(info).group;
        let mut parts = pairs([
            ("summary", Reply::text(info.summary)),
            ("since", Reply::text(info.since)),
            ("group", Reply::text(group)),
            ("complexity", Reply::text(info.complexity)),
        ]);
        if let Some(module) = self.module() {
            parts.push((Reply::text("module"), Reply::text(module)));
        }
        let subcommands: Vec<_> = self.subcommands().map(Self::docs).collect();
        if !subcommands.is_empty() {
            parts.push((Reply::text("subcommands"), Reply::Map(subcommands)));
        }
        (self.name_reply(), Reply::Map(parts))
    }

    fn flags(self) -> impl Iterator<Item = &'static str> {
        // Only `allow_busy` comes behind it, which no command with keys has.
        words_of(self.info.flags).chain(self.info.has_movable_keys().then_some("movablekeys"))
    }

    /// The module that a command is of, where it is not of the server itself.
    fn module(self) -> Option<&'static str> {
        self.has_flag("module").then_some("bf")
    }

    fn has_flag(self, flag: &str) -> bool {
        words_of(self.info.flags).any(|one| one == flag)
    }

    /// The ACL categories, those too that follow from the flags. Commands of modules have none in Redis 7.
    fn categories(self) -> impl Iterator<Item = &'static str> {
        CATEGORIES.into_iter().filter(move |&category| {
            let flag = |flag| self.has_flag(flag);
            let follows = match category {
                _ if flag("module") => false,
                "read" => flag("readonly"),
                "write" => flag("write"),
                "admin" | "dangerous" => flag("admin"),
                "fast" => flag("fast"),
                "slow" => !flag("fast"),
                _ => false,
            };
            follows || words_of(self.info.acl).any(|one| one == category)
        })
    }
}

fn describe_keys(spec: &KeySpec) -> Reply {
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
        Find::Counted => (
            index,
            (
                "keynum",
                pairs([
                    ("keynumidx", Reply::Int(0)),
                    ("firstkey", Reply::Int(1)),
                    ("keystep", Reply::Int(1)),
                ]),
            ),
        ),
        Find::Keyword(keyword) => (
            ("keyword", pairs([("keyword", Reply::text(keyword)), ("startfrom", first)])),
            ("range", range(0, 1)),
        ),
    };
    let typed =
        |(kind, spec)| Reply::Map(pairs([("type", Reply::text(kind)), ("spec", Reply::Map(spec))]));
    let mut parts = pairs([
        ("flags", statuses(words_of(spec.flags))),
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
    use super::*;

    #[test]
    fn every_row_is_described_and_every_category_known() {
        for command in commands().flat_map(|one| std::iter::once(one).chain(one.subcommands())) {
            let (info, name) = (command.info, command.name());
            for text in [info.summary, info.complexity, info.since] {
                assert!(!text.is_empty(), "{name}");
            }
            assert!(info.summary.ends_with('.') && info.complexity.starts_with("O("), "{name}");
            assert!(command.of.is_some() || !info.group.is_empty(), "{name}");
            for category in words_of(info.acl) {
                assert!(CATEGORIES.contains(&category), "{name}: {category}");
            }
        }
    }
}
