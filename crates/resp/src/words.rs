//! The words of a command line, quoted as in `redis-cli`.
//!
//! * Words are separated by white space.
//! * Inside double quotes, `\n`, `\r`, `\t`, `\b`, `\a` and `\xHH` are escapes for single bytes, and a backslash before
//!   any other byte is that byte.
//! * Inside single quotes, `\'` is the only escape.
//! * A quote may open in the middle of a word. After the closing quote, the word must end.
//!
//! Outside quotes a backslash is an ordinary byte.

use std::fmt;

/// A quote is not closed, or text follows the closing quote directly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unbalanced;

impl fmt::Display for Unbalanced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unbalanced quotes")
    }
}

impl std::error::Error for Unbalanced {}

/// Splits a line into words. A blank line has none; a NUL ends the line, as in C. O(bytes).
///
/// # Errors
///
/// [`Unbalanced`] if the quotes are unbalanced.
///
/// # Examples
///
/// ```
/// use resp::{Unbalanced, split_words};
///
/// let words = split_words(br#"SET "a key" '\x' "\x41\n""#)?;
/// assert_eq!(words, [&b"SET"[..], b"a key", b"\\x", b"A\n"]);
/// # Ok::<(), Unbalanced>(())
/// ```
pub fn split_words(line: &[u8]) -> Result<Vec<Vec<u8>>, Unbalanced> {
    let line = line.split(|&byte| byte == 0).next().unwrap_or_default();
    let mut words = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.iter().position(|&byte| !is_space(byte)) {
        let (word, after) = take_word(&rest[start..])?;
        words.push(word);
        rest = after;
    }
    Ok(words)
}

/// The white space of C, which parts words and may follow a closing quote.
const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// What ends a word outside quotes: all white space but the vertical tab and the form feed.
const fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Reads the word at the start, and gives what is left behind it.
fn take_word(text: &[u8]) -> Result<(Vec<u8>, &[u8]), Unbalanced> {
    let mut word = Vec::new();
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = match byte {
            _ if ends_word(byte) => break,
            b'"' | b'\'' => {
                let rest = take_quoted(byte, after, &mut word)?;
                if rest.first().is_some_and(|&next| !is_space(next)) {
                    return Err(Unbalanced);
                }
                return Ok((word, rest));
            }
            _ => {
                word.push(byte);
                after
            }
        };
    }
    Ok((word, rest))
}

/// Reads up to the closing quote, and gives what is left behind it.
fn take_quoted<'a>(quote: u8, text: &'a [u8], word: &mut Vec<u8>) -> Result<&'a [u8], Unbalanced> {
    let mut rest = text;
    loop {
        let (byte, after) = match (quote, rest) {
            (_, []) => return Err(Unbalanced),
            (_, [byte, after @ ..]) if *byte == quote => return Ok(after),
            (b'\'', [b'\\', b'\'', after @ ..]) => (b'\'', after),
            (b'"', [b'\\', b'x', high, low, after @ ..]) => match (hex(*high), hex(*low)) {
                (Some(high), Some(low)) => (high << 4 | low, after),
                _ => (b'x', &rest[2..]),
            },
            (b'"', [b'\\', escaped, after @ ..]) => (unescape(*escaped), after),
            (_, [byte, after @ ..]) => (*byte, after),
        };
        word.push(byte);
        rest = after;
    }
}

const fn unescape(escaped: u8) -> u8 {
    match escaped {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'b' => 0x08,
        b'a' => 0x07,
        other => other,
    }
}

const fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

/// Appends a word to `out` in double quotes, with escapes for unprintable bytes, such that [`split_words`] returns the
/// same word.
///
/// # Examples
///
/// ```
/// let mut out = Vec::new();
/// resp::quote_word(b"a \"b\"\n\x00", &mut out);
/// assert_eq!(out, br#""a \"b\"\n\x00""#);
/// ```
pub fn quote_word(word: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |half: u8| DIGITS[usize::from(half & 0xf)];
    out.push(b'"');
    for &byte in word {
        match byte {
            b'\\' | b'"' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x07 => out.extend_from_slice(b"\\a"),
            0x08 => out.extend_from_slice(b"\\b"),
            b' '..=b'~' => out.push(byte),
            _ => out.extend_from_slice(&[b'\\', b'x', digit(byte >> 4), digit(byte)]),
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_as_redis_cli_splits_them() {
        let cases: &[(&str, &[&str])] = &[
            ("", &[]),
            (" \t\r\x0b\x0c", &[]),
            ("get a", &["get", "a"]),
            ("  get \t a\r", &["get", "a"]),
            ("a\x0bb", &["a\x0bb"]),
            ("\x0ba", &["a"]),
            ("\"a\"\x0bb", &["a", "b"]),
            ("ab\"c d\"", &["abc d"]),
            ("\"\" ''", &["", ""]),
            (r"a\x41 \n", &[r"a\x41", r"\n"]),
            (r#""\x41\x6a\x6A\n\r\t\b\a\q\"\\""#, &["Ajj\n\r\t\x08\x07q\"\\"]),
            (r#""\xZZ\x4""#, &["xZZx4"]),
            (r"'a\'b\\c\n'", &[r"a'b\\c\n"]),
            (r#"'"' "'""#, &["\"", "'"]),
            ("a\0 b", &["a"]),
        ];
        for (line, want) in cases {
            let words = split_words(line.as_bytes()).unwrap();
            assert_eq!(words, want.iter().map(|word| word.as_bytes()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn unbalanced_quotes_are_refused() {
        for line in ["\"", "'", "a \"b", "\"a\"b", "'a'b", "'a''b'", r#""\""#, r"'\'", r#"a"b"c"#] {
            assert_eq!(split_words(line.as_bytes()), Err(Unbalanced), "{line}");
        }
        assert_eq!(split_words(b"\"a\0b\""), Err(Unbalanced));
    }

    proptest! {
        #[test]
        fn quoted_bytes_come_back(words in prop::collection::vec(
            prop::collection::vec(prop::num::u8::ANY, 0..20), 0..5)
        ) {
            let mut line = Vec::new();
            for word in &words {
                quote_word(word, &mut line);
                line.push(b' ');
            }
            prop_assert_eq!(split_words(&line), Ok(words));
        }

        #[test]
        fn no_bytes_make_it_panic(
            line in prop::collection::vec(prop::sample::select(&b"a \"'\\xf0\0\n\x0b"[..]), 0..60)
        ) {
            if let Ok(words) = split_words(&line) {
                prop_assert!(words.concat().len() <= line.len());
            }
        }
    }
}
