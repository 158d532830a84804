//! JSON in the form of `redis-cli`.
//!
//! It is the same byte for byte, also where that is not valid JSON: errors, infinite scores, and what [`Strings`]
//! describes.

use tallis::resp::quote_word;
use tallis::{Profile, Reply};

use super::format::coordinate;

/// How bytes are written as a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strings {
    /// With the escapes of JSON; bytes that are not UTF-8 are written as they are.
    Plain,
    /// ASCII only: quoted as on a command line, with doubled backslashes. A quote has two of them before it, so a JSON
    /// parser takes it for the end of the string.
    Quoted,
}

/// A writer of replies.
#[derive(Debug)]
pub(super) struct Json<'o> {
    pub(super) strings: Strings,
    pub(super) profile: Profile,
    pub(super) out: &'o mut Vec<u8>,
}

impl Json<'_> {
    /// Writes a reply, without a line feed.
    pub(super) fn write(&mut self, reply: &Reply) {
        match reply {
            Reply::Status(text) => self.string(text.as_bytes()),
            Reply::Error(error) => {
                self.out.extend_from_slice(b"error:");
                self.string(error.to_string().as_bytes());
            }
            Reply::Int(number) => self.out.extend_from_slice(number.to_string().as_bytes()),
            Reply::Boolean(yes) => self.out.extend_from_slice(yes.to_string().as_bytes()),
            Reply::Bulk(bytes) => self.string(bytes),
            Reply::Verbatim(text) => self.string(text.as_bytes()),
            Reply::Double(number) => {
                self.out.extend_from_slice(self.profile.double(*number).as_bytes());
            }
            Reply::Coordinate(degrees) => self.out.extend_from_slice(&coordinate(*degrees)),
            Reply::Nil | Reply::NullArray => self.out.extend_from_slice(b"null"),
            Reply::Array(elements) | Reply::Set(elements) => {
                self.list(*b"[]", elements, Self::write);
            }
            Reply::Pairs(pairs) => self.list(*b"[]", pairs, |json, (first, second)| {
                json.list(*b"[]", &[first, second], |json, part| json.write(part));
            }),
            Reply::Map(pairs) => {
                self.list(*b"{}", pairs, |json, (key, value)| json.member(key, value));
            }
            Reply::Named(name, value) => self.list(*b"{}", &[value], |json, value| {
                json.member(&Reply::Status((*name).into()), value);
            }),
            // A reply of a future kind is printed in some form.
            other => self.string(format!("{other:?}").as_bytes()),
        }
    }

    /// Writes the key and the value of a member. A key that is neither a string nor an error is put between quotes
    /// without escapes.
    fn member(&mut self, key: &Reply, value: &Reply) {
        let is_bare = key.as_bytes().is_none() && !key.is_error();
        let quote: &[u8] = if is_bare { b"\"" } else { b"" };
        self.out.extend_from_slice(quote);
        self.write(key);
        self.out.extend_from_slice(quote);
        self.out.push(b':');
        self.write(value);
    }

    fn list<T>(&mut self, [open, close]: [u8; 2], elements: &[T], write: impl Fn(&mut Self, &T)) {
        self.out.push(open);
        for (index, element) in elements.iter().enumerate() {
            if index > 0 {
                self.out.push(b',');
            }
            write(self, element);
        }
        self.out.push(close);
    }

    fn string(&mut self, bytes: &[u8]) {
        match self.strings {
            Strings::Plain => escape(bytes, self.out),
            Strings::Quoted => {
                let mut quoted = Vec::with_capacity(bytes.len() + 2);
                quote_word(bytes, &mut quoted);
                for byte in quoted {
                    let times = if byte == b'\\' { 2 } else { 1 };
                    self.out.extend(std::iter::repeat_n(byte, times));
                }
            }
        }
    }
}

/// Writes a string of JSON. `serde_json` has the same escapes, but accepts only UTF-8.
fn escape(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in bytes {
        match byte {
            b'\\' | b'"' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            ..=0x1f => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the string for these bytes, each byte a character.
    fn show(strings: Strings, bytes: &[u8]) -> String {
        let mut out = Vec::new();
        Json { strings, profile: Profile::default(), out: &mut out }.string(bytes);
        out.iter().map(|&byte| char::from(byte)).collect()
    }

    #[test]
    fn strings_have_the_escapes_of_their_form() {
        let plain = |byte: u8| match byte {
            b'"' | b'\\' => format!("\\{}", char::from(byte)),
            0x08 => "\\b".to_owned(),
            0x09 => "\\t".to_owned(),
            0x0a => "\\n".to_owned(),
            0x0c => "\\f".to_owned(),
            0x0d => "\\r".to_owned(),
            0..0x20 => format!("\\u00{byte:02x}"),
            _ => char::from(byte).to_string(),
        };
        let quoted = |byte: u8| match byte {
            b'"' => r#"\\""#.to_owned(),
            b'\\' => r"\\\\".to_owned(),
            0x07 => r"\\a".to_owned(),
            0x08 => r"\\b".to_owned(),
            0x09 => r"\\t".to_owned(),
            0x0a => r"\\n".to_owned(),
            0x0d => r"\\r".to_owned(),
            b' '..=b'~' => char::from(byte).to_string(),
            _ => format!(r"\\x{byte:02x}"),
        };
        for byte in 0..=0xff {
            let bytes = [byte, b'.'];
            assert_eq!(show(Strings::Plain, &bytes), format!("\"{}.\"", plain(byte)));
            assert_eq!(show(Strings::Quoted, &bytes), format!("\"{}.\"", quoted(byte)));
        }
        assert_eq!(show(Strings::Plain, b""), "\"\"");
        assert_eq!(show(Strings::Quoted, b""), "\"\"");
    }

    /// A JSON parser reads back any UTF-8.
    #[test]
    fn plain_strings_are_json() {
        let text: String =
            (0..0x300).chain(0x1_f600..0x1_f610).filter_map(char::from_u32).collect();
        let mut out = Vec::new();
        escape(text.as_bytes(), &mut out);
        assert_eq!(out, serde_json::to_vec(&text).unwrap());
    }
}
