//! How a reply is shown.

use tallis::Reply;

/// The two ways in which `redis-cli` shows a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Style {
    /// The bytes as they are, the elements of an array a line each.
    Raw,
    /// With types, quotes and numbered elements, for people to read.
    Formatted,
}

impl Style {
    /// Writes a reply and the line feed behind it.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::Reply;
    /// use tallis_cli::cli::Style;
    ///
    /// let reply = Reply::Array(vec![Reply::Int(7), Reply::Nil]);
    /// let mut out = Vec::new();
    /// Style::Formatted.write(&reply, &mut out);
    /// Style::Raw.write(&reply, &mut out);
    /// assert_eq!(out, b"1) (integer) 7\n2) (nil)\n7\n\n");
    /// ```
    pub fn write(self, reply: &Reply, out: &mut Vec<u8>) {
        match self {
            Self::Raw => {
                write_raw(reply, out);
                out.push(b'\n');
            }
            Self::Formatted => write_formatted(reply, 0, out),
        }
    }
}

fn write_raw(reply: &Reply, out: &mut Vec<u8>) {
    match reply {
        Reply::Status(text) => out.extend_from_slice(text.as_bytes()),
        Reply::Error(text) => {
            out.extend_from_slice(text.as_bytes());
            // So `redis-cli` has it: an error takes two line feeds, or one and the mark between elements.
            out.push(b'\n');
        }
        Reply::Int(number) => out.extend_from_slice(number.to_string().as_bytes()),
        Reply::Bulk(bytes) => out.extend_from_slice(bytes),
        Reply::Nil => {}
        Reply::Array(elements) | Reply::Set(elements) => {
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    out.push(b'\n');
                }
                write_raw(element, out);
            }
        }
        // A reply of a kind yet to come is shown, if not in `redis-cli`'s way.
        other => out.extend_from_slice(format!("{other:?}").as_bytes()),
    }
}

/// Writes a reply that starts in column `indent`, each element of an array on a line of its own.
fn write_formatted(reply: &Reply, indent: usize, out: &mut Vec<u8>) {
    match reply {
        Reply::Status(text) => out.extend_from_slice(text.as_bytes()),
        Reply::Error(text) => out.extend_from_slice(format!("(error) {text}").as_bytes()),
        Reply::Int(number) => out.extend_from_slice(format!("(integer) {number}").as_bytes()),
        Reply::Bulk(bytes) => quote(bytes, out),
        Reply::Nil => out.extend_from_slice(b"(nil)"),
        Reply::Array(elements) | Reply::Set(elements) if elements.is_empty() => {
            out.extend_from_slice(b"(empty array)");
        }
        Reply::Array(elements) | Reply::Set(elements) => {
            let width = elements.len().to_string().len();
            for (index, element) in elements.iter().enumerate() {
                // The first element goes on behind the number of the array that holds it.
                let indent_now = if index == 0 { 0 } else { indent };
                out.resize(out.len() + indent_now, b' ');
                out.extend_from_slice(format!("{:>width$}) ", index + 1).as_bytes());
                write_formatted(element, indent + width + 2, out);
            }
            return;
        }
        other => out.extend_from_slice(format!("{other:?}").as_bytes()),
    }
    out.push(b'\n');
}

/// Writes bytes in double quotes, with escapes for those that do not print.
pub(super) fn quote(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in bytes {
        match byte {
            b'\\' | b'"' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x07 => out.extend_from_slice(b"\\a"),
            0x08 => out.extend_from_slice(b"\\b"),
            b' '..=b'~' => out.push(byte),
            _ => out.extend_from_slice(format!("\\x{byte:02x}").as_bytes()),
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bulk(text: &'static [u8]) -> Reply {
        Reply::Bulk(bytes::Bytes::from_static(text))
    }

    fn show(style: Style, reply: &Reply) -> String {
        let mut out = Vec::new();
        style.write(reply, &mut out);
        out.iter().map(|&byte| char::from(byte)).collect()
    }

    #[test]
    fn single_replies() {
        let cases = [
            (Reply::OK, "OK\n", "OK\n"),
            (Reply::Error("ERR no".into()), "ERR no\n\n", "(error) ERR no\n"),
            (Reply::Int(-3), "-3\n", "(integer) -3\n"),
            (Reply::Nil, "\n", "(nil)\n"),
            (Reply::Array(vec![]), "\n", "(empty array)\n"),
            (Reply::Set(vec![]), "\n", "(empty array)\n"),
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

    /// The replies were given by Lua scripts in a live server, and this is what its `redis-cli` showed.
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
            Reply::Error("X y".into()),
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
}
