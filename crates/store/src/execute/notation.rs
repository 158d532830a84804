//! The notation in which a command declares its arguments.
//!
//! It is close to the syntax lines of redis.io, with names and types added:
//!
//! | notation | declares |
//! |---|---|
//! | `value`, `start:integer`, `key`, `newkey:key` | a word: its name and its type, a string if none is given; `key` alone is a key |
//! | `NX`, `change:CH` | a token, with a name if that is not the token in lower case |
//! | `LIMIT limit:integer` | an argument after a token |
//! | `unit:<M \| KM>` | one of several arguments |
//! | `score_member:(score:double member)` | a sequence of arguments |
//! | `[COUNT count:integer]` | an optional argument |
//! | `member...`, `GET... field` | an argument that may be repeated: alone, or with its token |
//! | `[WITHSCORE@7.2.0]` | the first Redis version with the argument, if the command is older |
//! | `key2:key#0` | a key of an existing key specification; any other key begins a new one |
//! | `pattern:pattern#1` | a pattern that names keys, with the number of its key specification |
//!
//! Arity and key specifications are derived at compile time, where a malformed notation is an error. The reply of
//! COMMAND DOCS is derived from the same arguments at run time.

use super::command::{Find, KeySpec};
use crate::profile::Profile;
use crate::reply::Reply;

/// The number of words of a command, and the positions of its keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// The minimum number of words, including the names of the command.
    pub(super) least: u8,
    /// Whether there may be more.
    pub(super) open: bool,
    pub(super) keys: [Option<KeySpec>; 3],
}

impl Shape {
    /// The shape of a command with that many names.
    pub(super) const fn of(notation: &'static str, names: u8, profile: Profile) -> Self {
        let arguments = Arguments::parse(notation);
        let mut shape = Self { least: names, open: false, keys: [None; 3] };
        let (mut at, mut specs, mut counted) = (0, 0, false);
        while at < arguments.len {
            let argument = arguments.all[at];
            let (least, open) = arguments.words(at, profile);
            if let Some(spec) = argument.spec {
                if same(argument.kind, "pattern") {
                    let find = Find::Unknown;
                    shape.keys[spec] = Some(KeySpec { flags: "", first: 0, find, note: "" });
                    specs = spec + 1;
                } else if let Some(KeySpec { find: Find::Range { last, .. }, .. }) =
                    &mut shape.keys[spec]
                {
                    *last += 1;
                }
            } else if arguments.begins_with_key(at) {
                let (first, find) = match argument.token {
                    Some(token) => (shape.least, Find::Keyword(token)),
                    None if counted => (shape.least - 1, Find::Counted { step: least }),
                    None => {
                        let last = if open { -1 } else { 0 };
                        (shape.least, Find::Range { last, step: least })
                    }
                };
                let spec = KeySpec { flags: "", first: first as usize, find, note: "" };
                shape.keys[specs] = Some(spec);
                specs += 1;
            }
            counted = same(argument.name, "numkeys");
            if argument.optional {
                shape.open |= least > 0;
            } else {
                shape.least += least;
                shape.open |= open;
            }
            at += 1 + argument.inner;
        }
        shape
    }

    /// Redis's arity: the number of words, or the negated minimum.
    pub(super) const fn arity(&self) -> i8 {
        let least = self.least.cast_signed();
        if self.open { -least } else { least }
    }
}

/// An argument.
#[derive(Clone, Copy, Debug)]
struct Argument {
    /// The token, unless it has another name.
    name: &'static str,
    kind: &'static str,
    token: Option<&'static str>,
    since: Option<&'static str>,
    /// The key specification that it shares.
    spec: Option<usize>,
    optional: bool,
    multiple: bool,
    multiple_token: bool,
    /// The number of following arguments that are nested in it.
    inner: usize,
}

impl Argument {
    /// A word with that name.
    const fn word(name: &'static str) -> Self {
        Self {
            name,
            kind: "string",
            token: None,
            since: None,
            spec: None,
            optional: false,
            multiple: false,
            multiple_token: false,
            inner: 0,
        }
    }
}

/// The maximum number of arguments of a command, including nested ones.
const MOST: usize = 64;

/// The arguments of a command in the order of the notation, each before those nested in it.
struct Arguments {
    all: [Argument; MOST],
    len: usize,
}

impl Arguments {
    const fn parse(notation: &'static str) -> Self {
        let found = Self { all: [Argument::word(""); MOST], len: 0 };
        let mut scan = Scan { text: notation, at: 0, found };
        scan.list();
        assert!(scan.at == notation.len(), "unexpected end of a list");
        scan.found
    }

    /// The minimum number of words of an argument, and whether there may be more, in the given profile.
    const fn words(&self, at: usize, profile: Profile) -> (u8, bool) {
        let argument = self.all[at];
        if let Some(since) = argument.since
            && !profile.knows(since)
        {
            return (0, false);
        }
        let (is_block, is_choice) = (same(argument.kind, "block"), same(argument.kind, "oneof"));
        let mut least = if is_choice { u8::MAX } else { !is_block as u8 };
        let mut open = argument.multiple | argument.multiple_token;
        let mut inside = at + 1;
        while inside <= at + argument.inner {
            let (one_least, one_open) = self.words(inside, profile);
            let one = self.all[inside];
            open |= one_open | one.optional;
            if is_choice && one_least > 0 && one_least < least {
                least = one_least;
            } else if is_block && !one.optional {
                least += one_least;
            }
            inside += 1 + one.inner;
        }
        let leads = argument.token.is_some() && !same(argument.kind, "pure-token");
        (least + leads as u8, open)
    }

    /// Returns whether an argument is a key, or a block that begins with one.
    const fn begins_with_key(&self, at: usize) -> bool {
        let first = at + same(self.all[at].kind, "block") as usize;
        same(self.all[first].kind, "key")
    }
}

/// A reader of the notation.
struct Scan {
    text: &'static str,
    at: usize,
    found: Arguments,
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

    /// Skips spaces; returns `false` at the end of the text or of a list.
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
        assert!(self.at > start, "expected a word");
        self.text.split_at(self.at).0.split_at(start).1
    }

    /// Returns whether a word is the token of the argument that follows it.
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

    /// Parses arguments up to the end of a list.
    const fn list(&mut self) {
        while self.more() {
            let optional = self.eat(b'[');
            let at = self.argument();
            self.found.all[at].optional = optional;
            assert!(!optional || self.eat(b']'), "an optional argument ends with ]");
        }
    }

    /// Parses an argument; returns its index.
    const fn argument(&mut self) -> usize {
        let name = self.take(false);
        let repeated = is_token(name) && self.eat_dots();
        if self.leads(name) {
            self.at += 1;
            let at = self.argument();
            let behind = &mut self.found.all[at];
            behind.token = Some(name);
            behind.multiple |= repeated;
            behind.multiple_token = repeated;
            return at;
        }
        let at = self.found.len;
        self.found.len += 1;
        let mut argument = Argument { multiple_token: repeated, ..Argument::word(name) };
        if is_token(name) {
            argument.token = Some(name);
        } else if self.eat(b':') {
            if self.eat(b'<') {
                argument.kind = "oneof";
                loop {
                    while self.eat(b' ') {}
                    self.argument();
                    while self.eat(b' ') {}
                    if !self.eat(b'|') {
                        break;
                    }
                }
                assert!(self.eat(b'>'), "alternatives end with >");
            } else if self.eat(b'(') {
                argument.kind = "block";
                self.list();
                assert!(self.eat(b')'), "a block ends with )");
            } else {
                argument.kind = self.take(false);
                if is_token(argument.kind) {
                    argument.token = Some(argument.kind);
                }
            }
        } else if same(name, "key") {
            argument.kind = "key";
        }
        if argument.token.is_some() {
            argument.kind = "pure-token";
        }
        argument.inner = self.found.len - at - 1;
        argument.multiple = self.eat_dots();
        argument.since = self.eat_since();
        argument.spec = self.eat_spec();
        self.found.all[at] = argument;
        at
    }
}

/// Consecutive arguments, without those that the profile does not have.
#[derive(Clone, Copy)]
struct List<'a> {
    all: &'a [Argument],
    profile: Profile,
}

impl<'a> List<'a> {
    /// Iterates over the arguments, each with those nested in it.
    fn iter(self) -> impl Iterator<Item = (&'a Argument, Self)> {
        let Self { mut all, profile } = self;
        let each = std::iter::from_fn(move || {
            let (first, rest) = all.split_first()?;
            let (inner, behind) = rest.split_at(first.inner);
            all = behind;
            Some((first, Self { all: inner, profile }))
        });
        each.filter(move |(one, _)| one.since.is_none_or(|since| profile.knows(since)))
    }

    /// Formats them for COMMAND DOCS. `specs` counts the key specifications so far.
    fn docs(self, specs: &mut usize) -> Vec<Reply> {
        self.iter().map(|(argument, inner)| argument.docs(inner, specs)).collect()
    }

    /// Formats them as in the syntax lines of redis.io.
    fn syntax(self, between: &str) -> String {
        let each: Vec<_> = self.iter().map(|(argument, inner)| argument.syntax(inner)).collect();
        each.join(between)
    }
}

impl Argument {
    fn docs(&self, inner: List<'_>, specs: &mut usize) -> Reply {
        let is_named = !is_token(self.name);
        let name = if is_named { self.name.to_owned() } else { self.name.to_ascii_lowercase() };
        let mut parts = vec![
            (Reply::text("name"), Reply::Bulk(name.into())),
            (Reply::text("type"), Reply::text(self.kind)),
        ];
        if self.kind == "key" || self.spec.is_some() {
            let spec = self.spec.unwrap_or(*specs);
            *specs = (*specs).max(spec + 1);
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
        let inner = inner.docs(specs);
        if !inner.is_empty() {
            parts.push((Reply::text("arguments"), Reply::Array(inner)));
        }
        Reply::Map(parts)
    }

    /// Formats it as in a syntax line of redis.io.
    fn syntax(&self, inner: List<'_>) -> String {
        let token = self.token.unwrap_or_default();
        let space = if token.is_empty() { "" } else { " " };
        let value = match self.kind {
            "pure-token" => token.to_owned(),
            "oneof" if self.optional && !self.multiple && token.is_empty() => inner.syntax(" | "),
            "oneof" => format!("<{}>", inner.syntax(" | ")),
            "block" => inner.syntax(" "),
            _ => self.name.to_owned(),
        };
        let one = match (self.kind, self.multiple, self.multiple_token) {
            ("pure-token", false, _) => value,
            (_, false, _) => format!("{token}{space}{value}"),
            (_, true, false) => format!("{token}{space}{value} [{value} ...]"),
            (_, true, true) => format!("{token}{space}{value} [{token}{space}{value} ...]"),
        };
        if self.optional { format!("[{one}]") } else { one }
    }
}

/// Formats the arguments for COMMAND DOCS.
pub(super) fn docs(notation: &'static str, profile: Profile) -> Vec<Reply> {
    let arguments = Arguments::parse(notation);
    List { all: &arguments.all[..arguments.len], profile }.docs(&mut 0)
}

/// Formats the arguments as in the syntax lines of redis.io.
pub(super) fn syntax(notation: &'static str, profile: Profile) -> String {
    let arguments = Arguments::parse(notation);
    List { all: &arguments.all[..arguments.len], profile }.syntax(" ")
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
        assert_eq!(
            specs("to:key numkeys:integer key..."),
            [(1, range(0, 1)), (2, Find::Counted { step: 1 })]
        );
        assert_eq!(
            specs("key member [ANY] [STORE key]"),
            [(1, range(0, 1)), (3, Find::Keyword("STORE"))]
        );
    }
}
