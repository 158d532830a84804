//! The documentation of commands, from COMMAND DOCS.

use tallis::{Reply, Store};

/// All commands, by name.
#[derive(Debug)]
pub(super) struct Docs {
    commands: Vec<Doc>,
}

/// A command or a subcommand.
#[derive(Debug)]
pub(super) struct Doc {
    /// In upper case; for a subcommand without the name of its command.
    pub(super) name: String,
    pub(super) summary: String,
    pub(super) since: String,
    pub(super) group: String,
    pub(super) arguments: Vec<Argument>,
    pub(super) subcommands: Vec<Doc>,
}

/// An argument.
#[derive(Debug)]
pub(super) struct Argument {
    name: String,
    pub(super) kind: Kind,
    /// The token before its value, or the argument itself.
    pub(super) token: Option<String>,
    pub(super) optional: bool,
    pub(super) multiple: bool,
    /// Whether the token is repeated before each value.
    pub(super) multiple_token: bool,
    /// The nested arguments.
    pub(super) inner: Vec<Argument>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A word.
    Value,
    /// Only the token.
    Token,
    /// One of the nested arguments.
    OneOf,
    /// All of the nested arguments.
    Block,
}

impl Docs {
    /// Reads the documentation of the store's commands.
    pub(super) fn of(store: &Store) -> Self {
        let reply = store.execute(&["COMMAND", "DOCS"]);
        let mut commands = docs(&reply);
        commands.sort_by(|one, other| one.name.cmp(&other.name));
        Self { commands }
    }

    pub(super) fn commands(&self) -> &[Doc] {
        &self.commands
    }

    /// Returns the command with this name, in any case.
    pub(super) fn find(&self, name: &[u8]) -> Option<&Doc> {
        find(&self.commands, name)
    }

    /// Returns the names of the groups.
    pub(super) fn groups(&self) -> Vec<&str> {
        let mut groups: Vec<&str> = self.commands.iter().map(|doc| doc.group.as_str()).collect();
        groups.sort_unstable();
        groups.dedup();
        groups
    }
}

impl Doc {
    /// Returns the subcommand with this name, in any case.
    pub(super) fn find(&self, name: &[u8]) -> Option<&Self> {
        find(&self.subcommands, name)
    }

    /// Returns the syntax of the arguments in one line, as on redis.io.
    pub(super) fn syntax(&self) -> String {
        syntax(&self.arguments, " ")
    }
}

fn find<'d>(docs: &'d [Doc], name: &[u8]) -> Option<&'d Doc> {
    docs.iter().find(|doc| doc.name.as_bytes().eq_ignore_ascii_case(name))
}

impl Argument {
    /// Returns the syntax of the argument.
    pub(super) fn syntax(&self) -> String {
        let token = self.token.as_deref().unwrap_or_default();
        let space = if token.is_empty() { "" } else { " " };
        let value = self.value_syntax();
        let one = match (self.kind, self.multiple, self.multiple_token) {
            (Kind::Token, false, _) => value,
            (_, false, _) => format!("{token}{space}{value}"),
            (_, true, false) => format!("{token}{space}{value} [{value} ...]"),
            (_, true, true) => format!("{token}{space}{value} [{token}{space}{value} ...]"),
        };
        if self.optional { format!("[{one}]") } else { one }
    }

    /// Returns the syntax without the leading token.
    pub(super) fn value_syntax(&self) -> String {
        match self.kind {
            Kind::Value => self.name.clone(),
            Kind::Token => self.token.clone().unwrap_or_default(),
            Kind::Block => syntax(&self.inner, " "),
            Kind::OneOf if self.optional && !self.multiple && self.token.is_none() => {
                syntax(&self.inner, " | ")
            }
            Kind::OneOf => format!("<{}>", syntax(&self.inner, " | ")),
        }
    }
}

fn syntax(arguments: &[Argument], between: &str) -> String {
    let each: Vec<_> = arguments.iter().map(Argument::syntax).collect();
    each.join(between)
}

/// Parses a map from names to documentation.
fn docs(reply: &Reply) -> Vec<Doc> {
    let doc = |(name, facts): &(Reply, Reply)| {
        let name = name.as_str().unwrap_or_default();
        let name = name.split('|').next_back().unwrap_or_default().to_ascii_uppercase();
        Doc {
            name,
            summary: text(facts, "summary").unwrap_or_default(),
            since: text(facts, "since").unwrap_or_default(),
            group: text(facts, "group").unwrap_or_default(),
            arguments: arguments(facts),
            subcommands: fact(facts, "subcommands").map(docs).unwrap_or_default(),
        }
    };
    pairs(reply).iter().map(doc).collect()
}

fn arguments(facts: &Reply) -> Vec<Argument> {
    let Some(Reply::Array(all)) = fact(facts, "arguments") else { return Vec::new() };
    all.iter().map(argument).collect()
}

fn argument(facts: &Reply) -> Argument {
    let has = |flag: &str| {
        let Some(Reply::Set(flags)) = fact(facts, "flags") else { return false };
        flags.iter().any(|one| one.as_str() == Some(flag))
    };
    let kind = match text(facts, "type").as_deref() {
        Some("pure-token") => Kind::Token,
        Some("oneof") => Kind::OneOf,
        Some("block") => Kind::Block,
        _ => Kind::Value,
    };
    Argument {
        name: text(facts, "name").unwrap_or_default(),
        kind,
        token: text(facts, "token"),
        optional: has("optional"),
        multiple: has("multiple"),
        multiple_token: has("multiple_token"),
        inner: arguments(facts),
    }
}

fn pairs(reply: &Reply) -> &[(Reply, Reply)] {
    if let Reply::Map(pairs) = reply { pairs } else { &[] }
}

fn fact<'r>(facts: &'r Reply, name: &str) -> Option<&'r Reply> {
    pairs(facts).iter().find(|(key, _)| key.as_str() == Some(name)).map(|(_, value)| value)
}

fn text(facts: &Reply, name: &str) -> Option<String> {
    fact(facts, name)?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The syntax is generated from the notation that the store has for its arguments.
    #[test]
    fn every_command_has_the_syntax_of_the_page_of_commands() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/commands.md");
        let page = std::fs::read_to_string(page).unwrap();
        let docs = Docs::of(&Store::new());
        let mut lines = 0;
        for command in docs.commands() {
            let subs = command.subcommands.iter();
            let all = subs.map(|sub| (format!("{} {}", command.name, sub.name), sub));
            for (name, doc) in all.chain([(command.name.clone(), command)]) {
                let syntax = format!("{name} {}", doc.syntax());
                let line = format!("| `{}` |", syntax.trim_end().replace('|', "\\|"));
                // A command that needs a subcommand has no line of its own.
                let has_line = doc.subcommands.is_empty() || page.contains(&line);
                assert!(has_line && page.contains(&line) || !doc.subcommands.is_empty(), "{line}");
                lines += usize::from(page.contains(&line));
            }
        }
        assert_eq!(lines, page.lines().filter(|line| line.starts_with("| `")).count());
    }

    #[test]
    fn commands_are_found_in_any_case() {
        let docs = Docs::of(&Store::new());
        assert_eq!(docs.find(b"gEt").unwrap().name, "GET");
        assert_eq!(docs.find(b"config").unwrap().find(b"get").unwrap().name, "GET");
        assert!(docs.find(b"config|get").is_none());
        assert!(docs.groups().contains(&"sorted-set"));
    }
}
