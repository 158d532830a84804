//! The identity of a visitor in a line.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use super::json::JsonPath;
use super::line::LogLine;
use super::problem::{LineError, Problem};

/// What identifies a visitor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum By {
    /// The host field.
    #[default]
    Ip,
    /// The host field, a tab and the user agent, which is empty if the line has none.
    IpAgent,
    /// The field with this number, counted from 1, split at single spaces.
    Field(NonZeroUsize),
    /// The member of a JSON object.
    Member(JsonPath),
}

impl By {
    /// Returns the bytes that identify the visitor of a line; `scratch` is a buffer in which they may be assembled.
    ///
    /// # Errors
    ///
    /// If the line does not have the field, or if its user agent cannot be separated from its referer. A log line has
    /// no members.
    pub fn name<'a>(
        &self,
        line: &LogLine<'a>,
        scratch: &'a mut Vec<u8>,
    ) -> Result<&'a [u8], LineError> {
        match self {
            Self::Ip => Ok(line.host),
            Self::IpAgent => {
                scratch.clear();
                scratch.extend_from_slice(line.host);
                scratch.push(b'\t');
                scratch.extend_from_slice(line.agent()?.unwrap_or_default());
                Ok(scratch)
            }
            Self::Field(number) => line.field(number.get()),
            Self::Member(_) => Err(LineError { problem: Problem::NoVisitor, at: 0 }),
        }
    }
}

impl FromStr for By {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "ip" => Ok(Self::Ip),
            "ip-agent" => Ok(Self::IpAgent),
            _ if text.starts_with('.') => text.parse().map(Self::Member),
            _ => text
                .strip_prefix("field:")
                .filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
                .and_then(|number| number.parse().ok())
                .map(Self::Field)
                .ok_or("expected ip, ip-agent, field:N with N from 1, or .NAME"),
        }
    }
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ip => f.write_str("ip"),
            Self::IpAgent => f.write_str("ip-agent"),
            Self::Field(number) => write!(f, "field:{number}"),
            Self::Member(path) => path.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(by: &str, text: &str) -> Result<Vec<u8>, LineError> {
        let by: By = by.parse().unwrap();
        assert_eq!(by.to_string().parse().as_ref(), Ok(&by));
        let line = LogLine::parse(text.as_bytes()).unwrap();
        by.name(&line, &mut Vec::new()).map(<[u8]>::to_vec)
    }

    #[test]
    fn names_of_a_line() {
        let common = r#"::1 - bob [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5"#;
        let combined = &format!("{common} \"-\" \"a \\\"b\\\"\"");
        let cut = &format!("{common} \"-\" \"a");
        for (by, text, want) in [
            ("ip", combined, "::1"),
            ("ip-agent", &common.to_owned(), "::1\t"),
            ("ip-agent", combined, "::1\ta \\\"b\\\""),
            ("ip-agent", cut, "::1\ta"),
            ("field:1", combined, "::1"),
            ("field:3", combined, "bob"),
            ("field:6", combined, "\"GET"),
            ("field:11", combined, "\"-\""),
        ] {
            assert_eq!(name(by, text).unwrap(), want.as_bytes(), "{by}");
        }
        assert!(name("field:11", common).is_err());
        assert!(name("ip-agent", &format!("{common} \"a\"b\" \"c\"")).is_err());
        assert!(name("ip", &format!("{common} \"a\"b\" \"c\"")).is_ok());
    }

    #[test]
    fn field_numbers_start_at_one() {
        for bad in [
            "", "IP", "field", "field:", "field:0", "field:-1", "field:+1", "field:1x", ".", ".a.",
            "a.b",
        ] {
            assert!(bad.parse::<By>().is_err(), "{bad}");
        }
    }
}
