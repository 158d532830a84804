//! Formats of replies.

use tallis::resp::quote_word;
use tallis::{Profile, Reply};

use super::json::{Json, Strings};

/// The formats in which `redis-cli` prints a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Style {
    /// The raw bytes, with the elements of an array on a line each.
    Raw,
    /// With types, quotes and numbered elements.
    Formatted,
    /// A line of JSON, in which bytes that are not UTF-8 are not escaped. An error is `error:"..."`, an infinite score
    /// `inf`.
    Json,
    /// As `Json`, but strings have the escapes of `Formatted` instead of those of JSON, and are ASCII only. It is for
    /// readers of `redis-cli --quoted-json`: a JSON parser takes the first quote in a string for its end.
    QuotedJson,
}

impl Style {
    /// Writes a reply and a line feed. Scores have the digits of the profile.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::{Profile, Reply};
    /// use tallis_cli::cli::Style;
    ///
    /// let reply = Reply::Array(vec![Reply::Int(7), Reply::Nil]);
    /// let mut out = Vec::new();
    /// Style::Formatted.write(&reply, Profile::default(), &mut out);
    /// Style::Raw.write(&reply, Profile::default(), &mut out);
    /// Style::Json.write(&reply, Profile::default(), &mut out);
    /// assert_eq!(out, b"1) (integer) 7\n2) (nil)\n7\n\n[7,null]\n");
    /// ```
    pub fn write(self, reply: &Reply, profile: Profile, out: &mut Vec<u8>) {
        self.write_reply(reply, profile, out);
        if self != Self::Formatted {
            out.push(b'\n');
        }
    }

    /// Writes a reply without the line feed after a reply that is not formatted.
    pub(super) fn write_reply(self, reply: &Reply, profile: Profile, out: &mut Vec<u8>) {
        match self {
            Self::Raw => write_raw(reply, profile, out),
            Self::Formatted => write_formatted(reply, profile, 0, out),
            Self::Json => Json { strings: Strings::Plain, profile, out }.write(reply),
            Self::QuotedJson => Json { strings: Strings::Quoted, profile, out }.write(reply),
        }
    }
}

fn write_raw(reply: &Reply, profile: Profile, out: &mut Vec<u8>) {
    match reply {
        Reply::Status(text) => out.extend_from_slice(text.as_bytes()),
        Reply::Error(error) => {
            out.extend_from_slice(error.to_string().as_bytes());
            // As in `redis-cli`: an error is followed by two line feeds, or by one and the separator of elements.
            out.push(b'\n');
        }
        Reply::Int(number) => out.extend_from_slice(number.to_string().as_bytes()),
        Reply::Boolean(yes) => out.extend_from_slice(format!("({yes})").as_bytes()),
        Reply::Bulk(bytes) => out.extend_from_slice(bytes),
        Reply::Verbatim(text) => out.extend_from_slice(text.as_bytes()),
        Reply::Nil | Reply::NullArray => {}
        Reply::Array(elements) | Reply::Set(elements) => {
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    out.push(b'\n');
                }
                write_raw(element, profile, out);
            }
        }
        Reply::Double(number) => {
            out.extend_from_slice(profile.double(*number).as_bytes());
        }
        Reply::Coordinate(degrees) => out.extend_from_slice(&coordinate(*degrees)),
        Reply::Pairs(pairs) => {
            for (index, (first, second)) in pairs.iter().enumerate() {
                if index > 0 {
                    out.push(b'\n');
                }
                write_raw(first, profile, out);
                out.push(b'\n');
                write_raw(second, profile, out);
            }
        }
        Reply::Map(pairs) => {
            for (index, (key, value)) in pairs.iter().enumerate() {
                if index > 0 {
                    out.push(b'\n');
                }
                write_raw(key, profile, out);
                out.push(b' ');
                write_raw(value, profile, out);
            }
        }
        Reply::Named(name, value) => {
            out.extend_from_slice(name.as_bytes());
            out.push(b' ');
            write_raw(value, profile, out);
        }
        // A reply of a future kind is printed in some form.
        other => out.extend_from_slice(format!("{other:?}").as_bytes()),
    }
}

/// Returns the digits of a coordinate.
pub(super) fn coordinate(degrees: f64) -> Vec<u8> {
    let shown = Reply::Coordinate(degrees).into_resp2(Profile::default());
    if let Reply::Bulk(text) = shown { text.into() } else { format!("{shown:?}").into_bytes() }
}

/// Writes a reply that starts in column `indent`, with each element of an array on a line of its own.
fn write_formatted(reply: &Reply, profile: Profile, indent: usize, out: &mut Vec<u8>) {
    let write_one =
        |reply: &Reply, indent, out: &mut _| write_formatted(reply, profile, indent, out);
    match reply {
        Reply::Status(text) => out.extend_from_slice(text.as_bytes()),
        Reply::Error(error) => out.extend_from_slice(format!("(error) {error}").as_bytes()),
        Reply::Int(number) => out.extend_from_slice(format!("(integer) {number}").as_bytes()),
        Reply::Boolean(yes) => out.extend_from_slice(format!("({yes})").as_bytes()),
        Reply::Bulk(bytes) => quote_word(bytes, out),
        Reply::Nil | Reply::NullArray => out.extend_from_slice(b"(nil)"),
        Reply::Verbatim(text) => out.extend_from_slice(text.as_bytes()),
        Reply::Double(number) => {
            out.extend_from_slice(format!("(double) {}", profile.double(*number)).as_bytes());
        }
        Reply::Coordinate(degrees) => {
            out.extend_from_slice(b"(double) ");
            out.extend_from_slice(&coordinate(*degrees));
        }
        Reply::Pairs(pairs) if pairs.is_empty() => out.extend_from_slice(b"(empty array)"),
        Reply::Pairs(pairs) => {
            return write_numbered(pairs, ')', indent, out, |(first, second), indent, out| {
                write_numbered(&[first, second], ')', indent, out, |part, indent, out| {
                    write_formatted(part, profile, indent, out);
                });
            });
        }
        Reply::Array(elements) if elements.is_empty() => out.extend_from_slice(b"(empty array)"),
        Reply::Set(elements) if elements.is_empty() => out.extend_from_slice(b"(empty set)"),
        Reply::Map(pairs) if pairs.is_empty() => out.extend_from_slice(b"(empty hash)"),
        Reply::Array(elements) => {
            return write_numbered(elements, ')', indent, out, write_one);
        }
        Reply::Set(elements) => {
            return write_numbered(elements, '~', indent, out, write_one);
        }
        Reply::Map(pairs) => {
            return write_numbered(pairs, '#', indent, out, |(key, value), indent, out| {
                write_pair(key, value, profile, indent, out);
            });
        }
        Reply::Named(name, value) => {
            return write_numbered(&[value], '#', indent, out, |value, indent, out| {
                write_pair(&Reply::Status((*name).into()), value, profile, indent, out);
            });
        }
        other => out.extend_from_slice(format!("{other:?}").as_bytes()),
    }
    out.push(b'\n');
}

/// Writes a pair of a map, on one line if the value needs no more.
fn write_pair(key: &Reply, value: &Reply, profile: Profile, indent: usize, out: &mut Vec<u8>) {
    write_formatted(key, profile, indent, out);
    out.pop();
    out.extend_from_slice(b" => ");
    if takes_lines(value) {
        out.push(b'\n');
        out.resize(out.len() + indent, b' ');
    }
    write_formatted(value, profile, indent, out);
}

/// Writes elements, each with its number and separator, on a line of its own.
fn write_numbered<T>(
    elements: &[T],
    mark: char,
    indent: usize,
    out: &mut Vec<u8>,
    write: impl Fn(&T, usize, &mut Vec<u8>),
) {
    let width = elements.len().to_string().len();
    for (index, element) in elements.iter().enumerate() {
        // The first element follows the number of the enclosing list.
        let indent_now = if index == 0 { 0 } else { indent };
        out.resize(out.len() + indent_now, b' ');
        out.extend_from_slice(format!("{:>width$}{mark} ", index + 1).as_bytes());
        write(element, indent + width + 2, out);
    }
}

/// Returns whether a reply has more than one element, at any depth.
fn takes_lines(reply: &Reply) -> bool {
    if let Reply::Map(pairs) = reply {
        return pairs.len() > 1 || pairs.first().is_some_and(|(_, value)| takes_lines(value));
    }
    if let Reply::Pairs(pairs) = reply {
        return !pairs.is_empty();
    }
    if let Reply::Named(_, value) = reply {
        return takes_lines(value);
    }
    let (Reply::Array(elements) | Reply::Set(elements)) = reply else { return false };
    elements.len() > 1 || elements.first().is_some_and(takes_lines)
}

#[cfg(test)]
mod tests {
    use tallis::{Error, ErrorKind};

    use super::*;

    fn bulk(text: &'static [u8]) -> Reply {
        Reply::Bulk(bytes::Bytes::from_static(text))
    }

    fn error(text: &'static str) -> Error {
        Error::new(ErrorKind::Syntax, text)
    }

    fn show(style: Style, reply: &Reply) -> String {
        let mut out = Vec::new();
        style.write(reply, Profile::default(), &mut out);
        out.iter().map(|&byte| char::from(byte)).collect()
    }

    #[test]
    fn single_replies() {
        let cases = [
            (Reply::OK, "OK\n", "OK\n"),
            (Reply::Error(error("ERR no")), "ERR no\n\n", "(error) ERR no\n"),
            (Reply::Int(-3), "-3\n", "(integer) -3\n"),
            (Reply::Nil, "\n", "(nil)\n"),
            (Reply::NullArray, "\n", "(nil)\n"),
            (Reply::Array(vec![]), "\n", "(empty array)\n"),
            (Reply::Set(vec![]), "\n", "(empty set)\n"),
            (Reply::Map(vec![]), "\n", "(empty hash)\n"),
            (Reply::Verbatim("a \"b\"\r\n".into()), "a \"b\"\r\n\n", "a \"b\"\r\n\n"),
            (bulk(b""), "\n", "\"\"\n"),
            (
                bulk(b"a\x01\"\\\n\r\t\x07\x08\x7f\x80\xff~ "),
                "a\x01\"\\\n\r\t\x07\x08\x7f\u{80}\u{ff}~ \n",
                "\"a\\x01\\\"\\\\\\n\\r\\t\\a\\b\\x7f\\x80\\xff~ \"\n",
            ),
        ];
        for (reply, raw, formatted) in cases {
            assert_eq!(show(Style::Raw, &reply), raw);
            assert_eq!(show(Style::Formatted, &reply), formatted);
        }
    }

    /// The replies of Lua scripts in a live server, and the output of its `redis-cli`.
    #[test]
    fn nested_replies() {
        let ints = |numbers: std::ops::RangeInclusive<i64>| numbers.map(Reply::Int);
        let mixed = Reply::Array(vec![
            Reply::Int(1),
            Reply::Array(vec![
                Reply::Int(2),
                Reply::Array(vec![Reply::Int(3), Reply::Nil]),
                Reply::Array(vec![]),
            ]),
            Reply::Error(error("X y")),
        ]);
        assert_eq!(show(Style::Raw, &mixed), "1\n2\n3\n\n\nX y\n\n");
        assert_eq!(
            show(Style::Formatted, &mixed),
            "1) (integer) 1\n\
             2) 1) (integer) 2\n   \
                2) 1) (integer) 3\n      \
                   2) (nil)\n   \
                3) (empty array)\n\
             3) (error) X y\n"
        );

        let inner = Reply::Array(vec![Reply::Int(1), Reply::Array(ints(2..=3).collect())]);
        let ten = ints(1..=8).chain([inner, Reply::Int(10)]).collect();
        let shown = show(Style::Formatted, &Reply::Array(ten));
        assert!(shown.starts_with(" 1) (integer) 1\n 2) (integer) 2\n"), "{shown}");
        assert!(
            shown.ends_with(
                " 9) 1) (integer) 1\n    \
                     2) 1) (integer) 2\n       \
                        2) (integer) 3\n\
                 10) (integer) 10\n"
            ),
            "{shown}"
        );

        let deep = Reply::Array(vec![
            Reply::Array(vec![
                Reply::Array(ints(1..=2).collect()),
                Reply::Array(ints(3..=3).collect()),
            ]),
            Reply::Int(4),
        ]);
        assert_eq!(
            show(Style::Formatted, &deep),
            "1) 1) 1) (integer) 1\n      \
                   2) (integer) 2\n   \
                2) 1) (integer) 3\n\
             2) (integer) 4\n"
        );
    }

    /// The output of a live server's `redis-cli -3` for the same replies.
    #[test]
    fn maps_and_sets() {
        let key = |name: &'static str| bulk(name.as_bytes());
        let reply = Reply::Map(vec![
            (key("a"), Reply::Map(vec![(key("c"), Reply::Int(2)), (key("b"), Reply::Int(1))])),
            (key("e"), Reply::Map(vec![])),
            (key("d"), Reply::Map(vec![(key("x"), Reply::Array(vec![Reply::Int(1)]))])),
            (
                key("g"),
                Reply::Array(vec![
                    Reply::Int(1),
                    Reply::Int(2),
                    Reply::Array(vec![Reply::Int(3), Reply::Int(4)]),
                ]),
            ),
            (key("f"), Reply::Set(vec![])),
            (key("i"), Reply::Array(vec![Reply::Array(vec![])])),
            (key("k"), Reply::Set(vec![key("y")])),
            (key("j"), Reply::Array(vec![Reply::Array(vec![Reply::Int(1)])])),
        ]);
        assert_eq!(
            show(Style::Formatted, &reply),
            [
                "1# \"a\" => ",
                "   1# \"c\" => (integer) 2",
                "   2# \"b\" => (integer) 1",
                "2# \"e\" => (empty hash)",
                "3# \"d\" => 1# \"x\" => 1) (integer) 1",
                "4# \"g\" => ",
                "   1) (integer) 1",
                "   2) (integer) 2",
                "   3) 1) (integer) 3",
                "      2) (integer) 4",
                "5# \"f\" => (empty set)",
                "6# \"i\" => 1) (empty array)",
                "7# \"k\" => 1~ \"y\"",
                "8# \"j\" => 1) 1) (integer) 1",
                "",
            ]
            .join("\n")
        );
        assert_eq!(
            show(Style::Raw, &reply),
            "a c 2\nb 1\ne \nd x 1\ng 1\n2\n3\n4\nf \ni \nk y\nj 1\n"
        );
    }
}
