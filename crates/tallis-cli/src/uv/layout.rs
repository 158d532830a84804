//! The layout of a line: where the visitor and the time are.

use std::fmt;

use super::format::Format;
use super::json::{JsonPath, Scalar, members};
use super::line::LogLine;
use super::problem::{LineError, Problem};
use super::stamp::Stamp;
use super::visitor::By;

/// The layout of a line: where the visitor and the time are.
///
/// # Examples
///
/// ```
/// use tallis_cli::uv::{Format, Layout};
///
/// let layout = Layout::new(Format::Json, ".ip".parse()?, Some(".ts".parse()?))?;
/// let mut scratch = Vec::new();
/// let (time, visitor) = layout.read(br#"{"ts":1431857103.5,"ip":"::1"}"#, &mut scratch)?;
/// assert_eq!((time.year, time.minute, visitor), (2015, 5, &b"::1"[..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Layout(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Log { format: Format, by: By },
    Json { visitor: JsonPath, time: JsonPath },
}

/// Why a format has no visitor or time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LayoutError {
    /// JSON lines without a path to the visitor.
    VisitorOfJson,
    /// JSON lines without a path to the time.
    TimeOfJson,
    /// A path for lines that are not JSON.
    PathOfLog,
}

/// Lines of a log, with the address as the visitor.
impl Default for Layout {
    fn default() -> Self {
        Self(Kind::Log { format: Format::default(), by: By::default() })
    }
}

impl Layout {
    /// Creates a layout from a format, and what identifies a visitor in it; for JSON from the paths to both.
    ///
    /// # Errors
    ///
    /// If the format does not have them.
    pub fn new(format: Format, by: By, time: Option<JsonPath>) -> Result<Self, LayoutError> {
        Ok(Self(match (format, by, time) {
            (Format::Json, By::Member(visitor), Some(time)) => Kind::Json { visitor, time },
            (Format::Json, By::Member(_), None) => return Err(LayoutError::TimeOfJson),
            (Format::Json, By::Ip | By::IpAgent | By::Field(_), _) => {
                return Err(LayoutError::VisitorOfJson);
            }
            (_, By::Member(_), _) | (_, _, Some(_)) => return Err(LayoutError::PathOfLog),
            (format, by, None) => Kind::Log { format, by },
        }))
    }

    /// Returns the time of a line, and the bytes that identify its visitor; `scratch` is a buffer in which they may be
    /// assembled.
    ///
    /// # Errors
    ///
    /// A line that does not parse, or that has no visitor.
    #[inline]
    pub fn read<'a>(
        &self,
        line: &'a [u8],
        scratch: &'a mut Vec<u8>,
    ) -> Result<(Stamp, &'a [u8]), LineError> {
        match &self.0 {
            Kind::Log { format, by } => {
                let line = match format {
                    Format::Vhost => LogLine::parse_virtual_host(line),
                    Format::Common => LogLine::parse_common(line),
                    Format::Auto | Format::Json => LogLine::parse(line),
                }?;
                Ok((line.time, by.name(&line, scratch)?))
            }
            Kind::Json { visitor, time } => read_object(line, [visitor, time], scratch),
        }
    }
}

fn read_object<'a>(
    line: &'a [u8],
    paths: [&JsonPath; 2],
    scratch: &'a mut Vec<u8>,
) -> Result<(Stamp, &'a [u8]), LineError> {
    let refused = |problem| LineError { problem, at: 0 };
    let [visitor, time] = members(line, paths)?;
    let time = match time.ok_or(refused(Problem::NoInstant))? {
        Scalar::Text(text) => Stamp::from_text(&text),
        Scalar::Integer(number) => Stamp::from_integer(number),
        Scalar::Number(number) => Stamp::from_number(number),
        Scalar::Other => return Err(refused(Problem::NoInstant)),
    };
    let time = time.map_err(|error| refused(Problem::BadTime(error)))?;
    scratch.clear();
    match visitor.ok_or(refused(Problem::NoVisitor))? {
        Scalar::Text(text) => scratch.extend_from_slice(text.as_bytes()),
        Scalar::Integer(number) => scratch.extend_from_slice(number.to_string().as_bytes()),
        Scalar::Number(number) => scratch.extend_from_slice(number.to_string().as_bytes()),
        Scalar::Other => {}
    }
    // The name of a visitor is never empty, like the host of a log.
    if scratch.is_empty() {
        return Err(refused(Problem::NoVisitor));
    }
    Ok((time, scratch))
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::VisitorOfJson => {
                "--format json requires --by .NAME, the member that identifies the visitor"
            }
            Self::TimeOfJson => {
                "--format json requires --time .NAME, the member that holds the time"
            }
            Self::PathOfLog => "--time and --by .NAME require --format json",
        })
    }
}

impl std::error::Error for LayoutError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(format: Format, by: &str, time: Option<&str>) -> Result<Layout, LayoutError> {
        Layout::new(format, by.parse().unwrap(), time.map(|time| time.parse().unwrap()))
    }

    #[test]
    fn a_format_has_what_it_has() {
        for (format, by, time, want) in [
            (Format::Json, "ip", None, LayoutError::VisitorOfJson),
            (Format::Json, "field:3", Some(".t"), LayoutError::VisitorOfJson),
            (Format::Json, ".ip", None, LayoutError::TimeOfJson),
            (Format::Auto, ".ip", None, LayoutError::PathOfLog),
            (Format::Common, "ip", Some(".t"), LayoutError::PathOfLog),
            (Format::Vhost, ".ip", Some(".t"), LayoutError::PathOfLog),
        ] {
            assert_eq!(layout(format, by, time).unwrap_err(), want, "{by}");
        }
        for format in [Format::Auto, Format::Common, Format::Vhost] {
            assert!(layout(format, "ip-agent", None).is_ok());
        }
    }

    #[test]
    fn objects_have_texts_and_numbers() {
        let layout = layout(Format::Json, ".who.id", Some(".t")).unwrap();
        let read = |line: &str| {
            let mut scratch = b"old".to_vec();
            layout.read(line.as_bytes(), &mut scratch).map(|(time, name)| (time, name.to_vec()))
        };
        let time = Stamp::parse(b"17/May/2015:10:05:03 +0000").unwrap();
        for (line, name) in [
            (r#"{"t":"2015-05-17T10:05:03Z","who":{"id":"::1"}}"#, "::1"),
            (r#"{"who":{"id":17},"t":1431857103}"#, "17"),
            (r#"{"who":{"id":1.5},"t":1431857103.25}"#, "1.5"),
            (r#"{"who.id":-1,"t":"1431857103999"}"#, "-1"),
        ] {
            assert_eq!(read(line), Ok((time, name.as_bytes().to_vec())), "{line}");
        }
        for (line, want) in [
            (r#"{"who":{"id":"::1"}}"#, "no string or number at the path of --time (column 1)"),
            (
                r#"{"who":{"id":"::1"},"t":true}"#,
                "no string or number at the path of --time (column 1)",
            ),
            (r#"{"t":0}"#, "no string or number at the path of --by (column 1)"),
            (r#"{"t":0,"who":{"id":""}}"#, "no string or number at the path of --by (column 1)"),
            (r#"{"t":0,"who":{"id":[1]}}"#, "no string or number at the path of --by (column 1)"),
            (
                r#"{"t":1e99}"#,
                "bad time: the number is not a time in the years 1 to 9999 (column 1)",
            ),
            (r#"{"t":0"#, "not a JSON object, or an incomplete one (column 6)"),
        ] {
            assert_eq!(read(line).unwrap_err().to_string(), want, "{line}");
        }
    }
}
