//! Why a line was not counted.

use std::fmt;

use super::stamp::StampError;
use crate::source::MAX_LINE;

/// Why a line does not parse, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineError {
    /// The problem.
    pub problem: Problem,
    /// The offset of the byte at which it was detected, from 0.
    pub at: usize,
}

/// A problem of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The line is empty, or starts with a space.
    NoHost,
    /// There are fewer than two fields between the host and the time.
    NoUser,
    /// No bracket opens after the user.
    NoTime,
    /// The time has no closing bracket.
    OpenTime,
    /// The time is invalid.
    BadTime(StampError),
    /// No quote opens after the time.
    NoRequest,
    /// The request has no closing quote.
    OpenRequest,
    /// The line ends after the request, or continues without a space.
    NoStatus,
    /// The status is not three digits.
    BadStatus,
    /// The line ends after the status.
    NoSize,
    /// The size is neither an integer below 2^64 nor `-`.
    BadSize,
    /// Text follows the closing quote of the referer, so it is unknown where the user agent starts.
    OddReferer,
    /// The line has fewer fields than this number.
    NoField(usize),
    /// The line is not a JSON object.
    NoJson,
    /// The object has no string or number at the path of the visitor.
    NoVisitor,
    /// The object has no string or number at the path of the time.
    NoInstant,
    /// The line is longer than the limit.
    TooLong,
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.problem {
            Problem::NoHost => f.write_str("no host at the start of the line"),
            Problem::NoUser => f.write_str("no ident and user after the host"),
            Problem::NoTime => f.write_str("no time in brackets after the user"),
            Problem::OpenTime => f.write_str("no closing bracket after the time"),
            Problem::BadTime(error) => write!(f, "bad time: {error}"),
            Problem::NoRequest => f.write_str("no request in quotes after the time"),
            Problem::OpenRequest => f.write_str("no closing quote after the request"),
            Problem::NoStatus => f.write_str("no status after the request"),
            Problem::BadStatus => f.write_str("bad status: not three digits"),
            Problem::NoSize => f.write_str("no size after the status"),
            Problem::BadSize => f.write_str("bad size: neither an integer nor -"),
            Problem::OddReferer => f.write_str("no space after the referer"),
            Problem::NoField(number) => write!(f, "no field {number}"),
            Problem::NoJson => f.write_str("not a JSON object, or an incomplete one"),
            Problem::NoVisitor => f.write_str("no string or number at the path of --by"),
            Problem::NoInstant => f.write_str("no string or number at the path of --time"),
            Problem::TooLong => {
                return write!(f, "the line is longer than {} MiB", MAX_LINE >> 20);
            }
        }?;
        write!(f, " (column {})", self.at + 1)
    }
}

impl std::error::Error for LineError {}
