//! Parsing of the words of a command, one after the other.

use crate::error::{Error, Result};
use crate::text::number;
use crate::value::parse_int;

/// Takes the next word. Arity is checked before a command runs, so required words exist.
#[inline]
pub(crate) fn next<'a>(words: &mut &[&'a [u8]]) -> &'a [u8] {
    let Some((first, rest)) = words.split_first() else { return &[] };
    *words = rest;
    first
}

/// Takes all remaining words.
#[inline]
pub(crate) fn rest<'w, 'a>(words: &mut &'w [&'a [u8]]) -> &'w [&'a [u8]] {
    std::mem::take(words)
}

/// Parses a word as an integer.
pub(crate) fn int(word: &[u8]) -> Result<i64> {
    number::integer(word)
}

/// Parses a word as an integer that Redis stores in 32 bits.
pub(crate) fn int32(word: &[u8]) -> Result<i64> {
    number::within(word, i64::from(i32::MIN)..=i64::from(i32::MAX))
}

/// Returns whether a word is this one, in any case. Redis compares options as C strings, so a NUL ends the word.
pub(crate) fn is(word: &[u8], name: &str) -> bool {
    word.split_at_checked(name.len()).is_some_and(|(word, rest)| {
        word.eq_ignore_ascii_case(name.as_bytes()) && matches!(rest, [] | [0, ..])
    })
}

/// Takes the next word if it is this one.
pub(crate) fn take(words: &mut &[&[u8]], name: &str) -> bool {
    take_with(words, name).is_some_and(|[]| true)
}

/// Takes the next word if it is this one and at least `N` more follow, which are returned.
pub(crate) fn take_with<'a, const N: usize>(
    words: &mut &[&'a [u8]],
    name: &str,
) -> Option<[&'a [u8]; N]> {
    let (_, behind) = words.split_first().filter(|(word, _)| is(word, name))?;
    let (taken, rest) = behind.split_first_chunk()?;
    *words = rest;
    Some(*taken)
}

/// Takes words as long as each is one of these, in any order; returns which of them were present.
pub(crate) fn flags<const N: usize>(words: &mut &[&[u8]], names: [&str; N]) -> [bool; N] {
    let mut came = [false; N];
    while let Some((word, rest)) = words.split_first()
        && let Some(flag) = names.iter().position(|name| is(word, name))
    {
        came[flag] = true;
        *words = rest;
    }
    came
}

/// Returns the value that a word stands for.
pub(crate) fn one_of<T: Copy, const N: usize>(word: &[u8], all: [(&str, T); N]) -> Option<T> {
    all.into_iter().find(|(name, _)| is(word, name)).map(|(_, meaning)| meaning)
}

/// Returns an error if words are left.
pub(crate) fn end(words: &[&[u8]]) -> Result<()> {
    if words.is_empty() { Ok(()) } else { Err(Error::syntax()) }
}

/// Parses a word as a size, if it is a valid one.
pub(crate) fn size(word: &[u8]) -> Option<usize> {
    parse_int(word).and_then(|size| usize::try_from(size).ok())
}

/// A word up to a NUL, as C reads it.
pub(crate) fn c_string(word: &[u8]) -> &[u8] {
    word.split(|&byte| byte == 0).next().unwrap_or_default()
}

/// Declares a command without options: its notation and the function from words to reply are derived from the names and
/// kinds of its arguments.
///
/// `plain!(getrange(key, start: integer, end: integer))` is the command `getrange`, with the notation
/// `key start:integer end:integer`, that calls `store.getrange(key, start, end)`. The kinds are `key`, `string` (the
/// default), `pattern`, `integer`, and `keys` and `strings` for all remaining words. A leading name is that of the
/// command if the method has another; a function after `=>` converts the method's result to a reply.
macro_rules! plain {
    ($method:ident($($arg:ident $(: $kind:ident)?),*) $(=> $reply:expr)?) => {
        plain!(stringify!($method), $method($($arg $(: $kind)?),*) $(=> $reply)?)
    };
    ($name:expr, $method:ident($($arg:ident $(: $kind:ident)?),*) $(=> $reply:expr)?) => {
        $crate::execute::command!(
            $name,
            concat!($($crate::execute::notation!($arg $(: $kind)?), " "),*),
            |store, words| {
                #[allow(unused_mut, unused_variables, reason = "a command may have no arguments")]
                let mut words = words;
                let found = store.$method($($crate::execute::argument!(words, $arg $(: $kind)?)),*)?;
                $(let found = $reply(found);)?
                Ok($crate::reply::Reply::from(found))
            },
        )
    };
}

/// The notation of an argument of `plain!`.
macro_rules! notation {
    (key) => {
        "key"
    };
    ($name:ident $(: string)?) => {
        stringify!($name)
    };
    ($name:ident: keys) => {
        concat!(stringify!($name), ":key...")
    };
    ($name:ident: strings) => {
        concat!(stringify!($name), "...")
    };
    ($name:ident: $kind:ident) => {
        concat!(stringify!($name), ":", stringify!($kind))
    };
}

/// The value of an argument of `plain!`.
macro_rules! argument {
    ($words:ident, $name:ident $(: string)?) => {
        $crate::execute::next(&mut $words)
    };
    ($words:ident, $name:ident: key) => {
        $crate::execute::next(&mut $words)
    };
    ($words:ident, $name:ident: pattern) => {
        $crate::execute::next(&mut $words)
    };
    ($words:ident, $name:ident: keys) => {
        $crate::execute::rest(&mut $words)
    };
    ($words:ident, $name:ident: strings) => {
        $crate::execute::rest(&mut $words)
    };
    ($words:ident, $name:ident: integer) => {
        $crate::execute::int($crate::execute::next(&mut $words))?
    };
}

pub(crate) use {argument, notation, plain};
