//! The notation in which a command declares its arguments.
//!
//! It is close to the syntax lines of redis.io, with names and types added:
//!
//! | notation | what it declares |
//! |---|---|
//! | `value`, `start:integer`, `key`, `newkey:key` | a word: its name and its type, a string if none is given; `key` alone is a key |
//! | `NX`, `change:CH` | a token, with a name if that is not the token in lower case |
//! | `LIMIT limit:integer` | an argument behind a token |
//! | `unit:<M \| KM>` | one of several arguments |
//! | `score_member:(score:double member)` | several arguments in a row |
//! | `[COUNT count:integer]` | an optional argument |
//! | `member...`, `GET... field` | an argument that may be repeated: alone, or with its token |
//! | `[WITHSCORE@7.2.0]` | the first Redis that had an argument, if the command is older |
//! | `key2:key#0` | a key of a key specification that is there already; any other key begins the next one |
//!
//! Arity and key specifications follow from it at compile time, where a malformed notation is an error too. The
//! arguments as a tree, which COMMAND DOCS shows, are parsed when asked for.

use std::fmt;

use super::command::{Find, KeySpec};
use crate::profile::Profile;
use crate::reply::Reply;

/// How many words a command takes, and where its keys are among them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Words at least, the names of the command included.
    pub(super) least: u8,
    /// Whether there may be more.
    pub(super) open: bool,
    pub(super) keys: [Option<KeySpec>; 3],
}

impl Shape {
    /// The shape of a command of so many names.
    pub(super) const fn of(notation: &'static str, names: u8, profile: Profile) -> Self {
        let mut shape = Self { least: names, open: false, keys: [None; 3] };
        let mut scan = Scan { text: notation, at: 0 };
        let (mut specs, mut counted) = (0, false);
        while scan.more() {
            let optional = scan.eat(b'[');
            let part = scan.part(profile);
            assert!(!optional || scan.eat(b']'), "an optional argument ends with ]");
            if let Some(spec) = part.spec {
                if let Some(KeySpec { find: Find::Range { last, .. }, .. }) = &mut shape.keys[spec]
                {
                    *last += 1;
                }
            } else if part.is_key {
                let (first, find) = match part.token {
                    Some(token) => (shape.least, Find::Keyword(token)),
                    None if counted => (shape.least - 1, Find::Counted),
                    None => {
                        let last = if part.open { -1 } else { 0 };
                        (shape.least, Find::Range { last, step: part.least })
                    }
                };
                let spec = KeySpec { flags: "", first: first as usize, find, note: "" };
                shape.keys[specs] = Some(spec);
                specs += 1;
            }
            counted = same(part.name, "numkeys");
            if optional {
                shape.open |= part.least > 0;
            } else {
                shape.least += part.least;
                shape.open |= part.open;
            }
        }
        shape
    }

    /// Redis's arity: so many words, or at least so many if negative.
    pub(super) const fn arity(&self) -> i8 {
        let least = self.least.cast_signed();
        if self.open { -least } else { least }
    }
}

/// What is to know of an argument to count words and find keys.
struct Part {
    name: &'static str,
    token: Option<&'static str>,
    least: u8,
    open: bool,
    /// Whether it is a key, or begins with one.
    is_key: bool,
    /// The key specification that it shares.
    spec: Option<usize>,
}

/// A reader of the notation.
struct Scan {
    text: &'static str,
    at: usize,
}

impl Scan {
    const fn peek(&self) -> u8 {
        if self.at < self.text.len() { self.text.as_bytes()[self.at] } else { 0 }
    }

    const fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte;
        if found {
            self.at += 1;
        }
        found
    }

    /// Skips spaces; `false` where the text or a list ends.
    const fn more(&mut self) -> bool {
        while self.eat(b' ') {}
        !matches!(self.peek(), 0 | b')')
    }

    const fn eat_dots(&mut self) -> bool {
        self.eat(b'.') && self.eat(b'.') && self.eat(b'.')
    }

    const fn take(&mut self, dots: bool) -> &'static str {
        let start = self.at;
        while self.peek().is_ascii_alphanumeric()
            || matches!(self.peek(), b'-' | b'_')
            || (dots && self.peek() == b'.')
        {
            self.at += 1;
        }
        assert!(self.at > start, "a word is missing");
        self.text.split_at(self.at).0.split_at(start).1
    }

    const fn word(&mut self) -> &'static str {
        self.take(false)
    }

    /// Whether a word is a token of the argument that stands behind it.
    const fn leads(&self, word: &str) -> bool {
        let next = self.at + 1;
        is_token(word)
            && self.peek() == b' '
            && next < self.text.len()
            && self.text.as_bytes()[next].is_ascii_lowercase()
    }

    const fn eat_since(&mut self) -> Option<&'static str> {
        if self.eat(b'@') { Some(self.take(true)) } else { None }
    }

    const fn eat_spec(&mut self) -> Option<usize> {
        if !self.eat(b'#') {
            return None;
        }
        self.at += 1;
        Some((self.text.as_bytes()[self.at - 1] - b'0') as usize)
    }

    /// An argument, as far as `profile` has it.
    const fn part(&mut self, profile: Profile) -> Part {
        let name = self.word();
        let mut part = Part {
            name,
            token: None,
            least: 1,
            open: false,
            is_key: same(name, "key"),
            spec: None,
        };
        if is_token(name) {
            part.open = self.eat_dots();
            if self.leads(name) {
                self.at += 1;
                let behind = self.part(profile);
                let least = if behind.least == 0 { 0 } else { behind.least + 1 };
                let open = behind.open | part.open;
                return Part { token: Some(name), least, open, ..behind };
            }
        } else if self.eat(b':') {
            if self.eat(b'<') {
                part.least = u8::MAX;
                loop {
                    while self.eat(b' ') {}
                    let one = self.part(profile);
                    if one.least > 0 && one.least < part.least {
                        part.least = one.least;
                    }
                    part.open |= one.open;
                    while self.eat(b' ') {}
                    if !self.eat(b'|') {
                        break;
                    }
                }
                assert!(self.eat(b'>'), "alternatives end with >");
            } else if self.eat(b'(') {
                part.least = 0;
                while self.more() {
                    let optional = self.eat(b'[');
                    let one = self.part(profile);
                    assert!(!optional || self.eat(b']'), "an optional argument ends with ]");
                    part.is_key |= one.is_key && part.least == 0;
                    part.least += if optional { 0 } else { one.least };
                    part.open |= one.open | optional;
                }
                assert!(self.eat(b')'), "a block ends with )");
            } else {
                part.is_key = same(self.word(), "key");
            }
        }
        part.open |= self.eat_dots();
        if let Some(since) = self.eat_since()
            && !profile.knows(since)
        {
            part.least = 0;
            part.open = false;
        }
        part.spec = self.eat_spec();
        part
    }

    /// Arguments up to the end of a list.
    fn arguments(&mut self) -> Vec<Argument> {
        let mut all = Vec::new();
        while self.more() {
            let optional = self.eat(b'[');
            let argument = self.argument();
            all.push(Argument { optional, ..argument });
            if optional {
                self.eat(b']');
            }
        }
        all
    }

    fn argument(&mut self) -> Argument {
        let name = self.word();
        let mut argument = Argument { name: name.to_owned(), ..Argument::default() };
        if is_token(name) {
            argument.token = Some(name);
            argument.name = name.to_ascii_lowercase();
            argument.kind = "pure-token";
            argument.multiple_token = self.eat_dots();
            if self.leads(name) {
                self.at += 1;
                let repeated = argument.multiple_token;
                let behind = self.argument();
                let multiple = behind.multiple | repeated;
                return Argument {
                    token: Some(name),
                    multiple,
                    multiple_token: repeated,
                    ..behind
                };
            }
        } else if self.eat(b':') {
            if self.eat(b'<') {
                argument.kind = "oneof";
                loop {
                    while self.eat(b' ') {}
                    argument.inner.push(self.argument());
                    while self.eat(b' ') {}
                    if !self.eat(b'|') {
                        break;
                    }
                }
                self.eat(b'>');
            } else if self.eat(b'(') {
                argument.kind = "block";
                argument.inner = self.arguments();
                self.eat(b')');
            } else {
                argument.kind = self.word();
                if is_token(argument.kind) {
                    argument.token = Some(argument.kind);
                    argument.kind = "pure-token";
                }
            }
        } else if name == "key" {
            argument.kind = "key";
        }
        argument.multiple |= self.eat_dots();
        argument.since = self.eat_since();
        argument.spec = self.eat_spec();
        argument
    }
}

/// An argument as COMMAND DOCS shows it.
#[derive(Debug)]
pub(super) struct Argument {
    name: String,
    kind: &'static str,
    token: Option<&'static str>,
    since: Option<&'static str>,
    spec: Option<usize>,
    optional: bool,
    multiple: bool,
    multiple_token: bool,
    inner: Vec<Self>,
}

impl Default for Argument {
    fn default() -> Self {
        Self {
            name: String::new(),
            kind: "string",
            token: None,
            since: None,
            spec: None,
            optional: false,
            multiple: false,
            multiple_token: false,
            inner: Vec::new(),
        }
    }
}

impl Argument {
    fn docs(self, specs: &mut usize) -> Reply {
        let mut parts = vec![
            (Reply::text("name"), Reply::Bulk(self.name.into())),
            (Reply::text("type"), Reply::text(self.kind)),
        ];
        if self.kind == "key" {
            let spec = self.spec.unwrap_or_else(|| {
                *specs += 1;
                *specs - 1
            });
            parts.push((Reply::text("key_spec_index"), Reply::count(spec)));
        }
        let texts = [("token", self.token), ("since", self.since)];
        let texts = texts.into_iter().filter_map(|(name, text)| Some((name, text?)));
        parts.extend(texts.map(|(name, text)| (Reply::text(name), Reply::text(text))));
        let flags = [
            ("optional", self.optional),
            ("multiple", self.multiple),
            ("multiple_token", self.multiple_token),
        ];
        let flags = flags.into_iter().filter(|&(_, set)| set);
        let flags: Vec<_> = flags.map(|(flag, _)| Reply::Status(flag.into())).collect();
        if !flags.is_empty() {
            parts.push((Reply::text("flags"), Reply::Set(flags)));
        }
        if !self.inner.is_empty() {
            let inner = docs(self.inner, specs);
            parts.push((Reply::text("arguments"), Reply::Array(inner)));
        }
        Reply::Map(parts)
    }
}

/// As redis.io shows it in a line of syntax.
impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let token = self.token.unwrap_or_default();
        let space = if token.is_empty() { "" } else { " " };
        let value = fmt::from_fn(|f| match self.kind {
            "pure-token" => f.write_str(token),
            "oneof" if self.optional && !self.multiple && token.is_empty() => {
                joined(f, &self.inner, " | ")
            }
            "oneof" => {
                f.write_str("<")?;
                joined(f, &self.inner, " | ")?;
                f.write_str(">")
            }
            "block" => joined(f, &self.inner, " "),
            _ => f.write_str(&self.name),
        });
        let one = fmt::from_fn(|f| match (self.kind, self.multiple, self.multiple_token) {
            ("pure-token", false, _) => write!(f, "{value}"),
            (_, false, _) => write!(f, "{token}{space}{value}"),
            (_, true, false) => write!(f, "{token}{space}{value} [{value} ...]"),
            (_, true, true) => write!(f, "{token}{space}{value} [{token}{space}{value} ...]"),
        });
        if self.optional { write!(f, "[{one}]") } else { write!(f, "{one}") }
    }
}

fn joined(f: &mut fmt::Formatter<'_>, arguments: &[Argument], between: &str) -> fmt::Result {
    for (number, argument) in arguments.iter().enumerate() {
        write!(f, "{}{argument}", if number > 0 { between } else { "" })?;
    }
    Ok(())
}

/// The arguments as a tree, as far as the profile has them.
pub(super) fn arguments(notation: &'static str, profile: Profile) -> Vec<Argument> {
    let mut all = Scan { text: notation, at: 0 }.arguments();
    retain(&mut all, profile);
    all
}

fn retain(arguments: &mut Vec<Argument>, profile: Profile) {
    arguments.retain(|argument| argument.since.is_none_or(|since| profile.knows(since)));
    for argument in arguments {
        retain(&mut argument.inner, profile);
    }
}

/// The arguments as COMMAND DOCS shows them. `specs` counts the key specifications that have come.
pub(super) fn docs(arguments: Vec<Argument>, specs: &mut usize) -> Vec<Reply> {
    arguments.into_iter().map(|argument| argument.docs(specs)).collect()
}

/// The arguments as redis.io shows them.
pub(super) fn syntax(arguments: &[Argument]) -> String {
    fmt::from_fn(|f| joined(f, arguments, " ")).to_string()
}

const fn is_token(word: &str) -> bool {
    word.as_bytes()[0].is_ascii_uppercase()
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arity(notation: &'static str, profile: Profile) -> (u8, bool) {
        let shape = Shape::of(notation, 1, profile);
        (shape.least, shape.open)
    }

    #[test]
    fn words_are_counted() {
        for (notation, least, open) in [
            ("", 1, false),
            ("key", 2, false),
            ("key member...", 3, true),
            ("[message]", 1, true),
            ("key_value:(key value)...", 3, true),
            ("key from:<FROMMEMBER member | FROMLONLAT at:(lon:double lat:double)> [ANY]", 4, true),
            ("numkeys:integer key... where:<MIN | MAX> [COUNT count:integer]", 4, true),
            ("key by:<circle:(BYRADIUS radius:double unit:<M | KM>) | box:(BYBOX w h)>", 5, false),
            ("key [GET... encoding_offset:(encoding offset:integer)]", 2, true),
            ("key start:integer [end:(end:integer [unit:<BYTE | BIT>@7.0.0])]", 3, true),
        ] {
            assert_eq!(arity(notation, Profile::Redis70), (least, open), "{notation}");
        }
        assert_eq!(arity("key [WITHSCORE@7.2.0]", Profile::Redis72), (2, true));
        assert_eq!(arity("key [WITHSCORE@7.2.0]", Profile::Redis70), (2, false));
    }

    #[test]
    fn keys_are_found() {
        let specs = |notation| {
            let keys = Shape::of(notation, 1, Profile::Redis72).keys.into_iter().flatten();
            keys.map(|spec| (spec.first, spec.find)).collect::<Vec<_>>()
        };
        let range = |last, step| Find::Range { last, step };
        assert_eq!(specs("seconds:integer"), []);
        assert_eq!(specs("key value"), [(1, range(0, 1))]);
        assert_eq!(specs("key_value:(key value)..."), [(1, range(-1, 2))]);
        assert_eq!(specs("key1:key key2:key#0 [LEN]"), [(1, range(1, 1))]);
        assert_eq!(specs("operation to:key key..."), [(2, range(0, 1)), (3, range(-1, 1))]);
        assert_eq!(specs("to:key numkeys:integer key..."), [(1, range(0, 1)), (2, Find::Counted)]);
        assert_eq!(
            specs("key member [ANY] [STORE key]"),
            [(1, range(0, 1)), (3, Find::Keyword("STORE"))]
        );
    }
}
