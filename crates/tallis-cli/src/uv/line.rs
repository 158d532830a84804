//! Lines of an access log in Common or Combined Log Format.
//!
//! # Representation
//!
//! ```text
//! host ident user [time] "request" status size                      Common
//! host ident user [time] "request" status size "referer" "agent"    Combined
//! name:port host ident user [time] "request" ...                    either, with a virtual host before it
//! ```
//!
//! Fields are separated by one space each. A quoted field ends at the first quote without a backslash before it, and
//! may contain any other byte, so a line is bytes and not text. Real logs need some tolerance:
//!
//! * user names may contain spaces: the time begins at the first bracket after the start of the third field;
//! * a last field without its closing quote extends to the end of the line;
//! * further fields may follow the ones above.
//!
//! # Complexity
//!
//! One pass over the fields up to the size, without allocation. The fields after the size are parsed on request.

use memchr::{memchr, memchr2};

use super::problem::{LineError, Problem};
use super::stamp::{STAMP_LEN, Stamp, StampError};
use super::virtual_host;

/// The fields of a line, borrowed from it.
///
/// # Examples
///
/// ```
/// use tallis_cli::uv::{LineError, LogLine};
///
/// let line = LogLine::parse(
///     br#"::1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 512 "-" "curl/7.88"#,
/// )?;
/// assert_eq!((line.host, line.status, line.size), (&b"::1"[..], 200, Some(512)));
/// assert_eq!(line.agent()?, Some(&b"curl/7.88"[..])); // cut off, and no error
/// # Ok::<(), LineError>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LogLine<'a> {
    /// The whole line.
    pub text: &'a [u8],
    /// The virtual host of the request, with its port if the log has it.
    pub virtual_host: Option<&'a [u8]>,
    /// The client: an address or a name. Never empty, and without a space.
    pub host: &'a [u8],
    /// The time of the request.
    pub time: Stamp,
    /// The bytes between the quotes, with escapes as they are.
    pub request: &'a [u8],
    /// Three digits: 0 to 999. Servers do log 000 and 999.
    pub status: u16,
    /// The number of bytes sent; `-` in a log means none.
    pub size: Option<u64>,
    /// The offset at which the size ends.
    end: usize,
}

impl<'a> LogLine<'a> {
    /// Parses a line without its line feed. A field before the host is a virtual host if it has a port, or if an
    /// address follows it, and not a part of a user name with a space.
    ///
    /// # Errors
    ///
    /// The first error in host, time, request, status and size.
    pub fn parse(text: &'a [u8]) -> Result<Self, LineError> {
        Self::parse_from(text, virtual_host::end(text))
    }

    /// Parses a line that begins with its host.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse).
    pub fn parse_common(text: &'a [u8]) -> Result<Self, LineError> {
        Self::parse_from(text, None)
    }

    /// Parses a line that begins with a virtual host, with or without a port.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse).
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis_cli::uv::{LineError, LogLine};
    ///
    /// let text = br#"example.org ::1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 512"#;
    /// let line = LogLine::parse_virtual_host(text)?;
    /// assert_eq!((line.virtual_host, line.host), (Some(&b"example.org"[..]), &b"::1"[..]));
    /// # Ok::<(), LineError>(())
    /// ```
    pub fn parse_virtual_host(text: &'a [u8]) -> Result<Self, LineError> {
        let end = memchr(b' ', text).filter(|&end| end > 0);
        let end = end.ok_or(LineError { problem: Problem::NoHost, at: 0 })?;
        Self::parse_from(text, Some(end))
    }

    /// Parses a line, given where its virtual host ends.
    fn parse_from(text: &'a [u8], name_end: Option<usize>) -> Result<Self, LineError> {
        let fail = |problem, at| Err(LineError { problem, at });

        let host = name_end.map_or(0, |end| end + 1);
        let host_end = memchr(b' ', &text[host..]).map_or(text.len(), |length| host + length);
        if host_end == host {
            return fail(Problem::NoHost, host);
        }

        let open = find_time(text, host_end)?;
        let (time, after) = (open + 1, open + 1 + STAMP_LEN);
        if text.get(after) != Some(&b']') {
            return fail(closing_problem(&text[time..]), time);
        }
        let stamp = match Stamp::parse(&text[time..after]) {
            Ok(stamp) => stamp,
            Err(error) => return fail(Problem::BadTime(error), time),
        };

        let open = after + 1;
        if !text[open..].starts_with(b" \"") {
            return fail(Problem::NoRequest, open);
        }
        let request = open + 2;
        let Some(request_end) = closing_quote(text, request) else {
            return fail(Problem::OpenRequest, request);
        };

        let (status, status_end) = parse_status(text, request_end + 1)?;
        let (size, end) = parse_size(text, status_end)?;
        Ok(Self {
            text,
            virtual_host: name_end.map(|end| &text[..end]),
            host: &text[host..host_end],
            time: stamp,
            request: &text[request..request_end],
            status,
            size,
            end,
        })
    }

    /// Returns the bytes between the quotes of the referer; `None` in Common Log Format.
    ///
    /// An incomplete referer extends to the end of the line.
    #[must_use]
    pub fn referer(&self) -> Option<&'a [u8]> {
        let start = self.quoted(self.end)?;
        Some(&self.text[start..closing_quote(self.text, start).unwrap_or(self.text.len())])
    }

    /// Returns the bytes between the quotes of the user agent; `None` in Common Log Format, and if the line ends before
    /// it.
    ///
    /// An incomplete user agent extends to the end of the line.
    ///
    /// # Errors
    ///
    /// [`Problem::OddReferer`] if the referer's closing quote is followed by neither a space nor the end.
    pub fn agent(&self) -> Result<Option<&'a [u8]>, LineError> {
        let text = self.text;
        let Some(end) = self.quoted(self.end).and_then(|start| closing_quote(text, start)) else {
            return Ok(None);
        };
        let next = end + 1;
        if text.get(next).is_some_and(|&byte| byte != b' ') {
            return Err(LineError { problem: Problem::OddReferer, at: next });
        }
        Ok(self
            .quoted(next)
            .map(|start| &text[start..closing_quote(text, start).unwrap_or(text.len())]))
    }

    /// Returns the field with this number, counted from 1, where each single space of the line separates two fields.
    ///
    /// # Errors
    ///
    /// [`Problem::NoField`] if the line has fewer.
    pub fn field(&self, number: usize) -> Result<&'a [u8], LineError> {
        let text = self.text;
        let mut start = 0;
        for _ in 1..number {
            match memchr(b' ', &text[start..]) {
                Some(space) => start += space + 1,
                None => {
                    return Err(LineError { problem: Problem::NoField(number), at: text.len() });
                }
            }
        }
        let end = memchr(b' ', &text[start..]).map_or(text.len(), |space| start + space);
        Ok(&text[start..end])
    }

    /// Returns the offset of the text of a quoted field, if one follows the space at `at`.
    fn quoted(&self, at: usize) -> Option<usize> {
        self.text[at..].starts_with(b" \"").then_some(at + 2)
    }
}

/// Finds the bracket that opens the time, given where the host ends.
fn find_time(text: &[u8], host_end: usize) -> Result<usize, LineError> {
    // Nearly every line, because servers rarely know either.
    if text[host_end..].starts_with(b" - - [") {
        return Ok(host_end + 5);
    }
    let missing = |problem, at| LineError { problem, at };
    let ident = (host_end + 1).min(text.len());
    let Some(length) = memchr(b' ', &text[ident..]) else {
        return Err(missing(Problem::NoUser, ident));
    };
    let user = ident + length + 1;
    if length == 0 || text[ident] == b'[' || text.get(user) == Some(&b'[') {
        return Err(missing(Problem::NoUser, user.min(text.len())));
    }
    memchr::memchr_iter(b'[', &text[user..])
        .map(|at| user + at)
        .find(|&at| text[at - 1] == b' ')
        .ok_or(missing(Problem::NoTime, user))
}

/// Returns the problem of a time that does not end where it should.
fn closing_problem(time: &[u8]) -> Problem {
    match memchr(b']', time) {
        Some(_) => Problem::BadTime(StampError::Shape),
        None => Problem::OpenTime,
    }
}

/// Returns the offset of the quote that closes a field whose text starts at `start`.
fn closing_quote(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at += memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

/// Parses ` 200` at `at`; returns the status and where it ends.
fn parse_status(text: &[u8], at: usize) -> Result<(u16, usize), LineError> {
    let start = at + 1;
    if text.get(at) != Some(&b' ') || matches!(text.get(start), None | Some(b' ')) {
        return Err(LineError { problem: Problem::NoStatus, at });
    }
    let bad = LineError { problem: Problem::BadStatus, at: start };
    let digits = text.get(start..start + 3).ok_or(bad)?;
    if !digits.iter().all(u8::is_ascii_digit) {
        return Err(bad);
    }
    let end = start + 3;
    if text.get(end).is_some_and(|&byte| byte != b' ') {
        return Err(bad);
    }
    Ok((digits.iter().fold(0, |status, digit| status * 10 + u16::from(digit - b'0')), end))
}

/// Parses ` 512` or ` -` at `at`; returns the size and where it ends.
fn parse_size(text: &[u8], at: usize) -> Result<(Option<u64>, usize), LineError> {
    let start = at + 1;
    // The status ends at a space or at the end of the line.
    if matches!(text.get(start), None | Some(b' ')) {
        return Err(LineError { problem: Problem::NoSize, at });
    }
    let bad = LineError { problem: Problem::BadSize, at: start };
    let mut end = start;
    let mut size = Some(0_u64);
    while let Some(digit) = text.get(end).map(|byte| byte.wrapping_sub(b'0')).filter(|&d| d <= 9) {
        size = size.and_then(|size| size.checked_mul(10)?.checked_add(u64::from(digit)));
        end += 1;
    }
    let size = if end > start {
        Some(size.ok_or(bad)?)
    } else if text[start] == b'-' {
        end += 1;
        None
    } else {
        return Err(bad);
    };
    if text.get(end).is_some_and(|&byte| byte != b' ') {
        return Err(bad);
    }
    Ok((size, end))
}

#[cfg(test)]
mod tests;
