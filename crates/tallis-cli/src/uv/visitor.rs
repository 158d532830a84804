//! Who a visitor is: the name that a line gives, and the id made of it.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use xxhash_rust::xxh3::xxh3_128;

use super::line::{LineError, LogLine};

/// What identifies a visitor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum By {
    /// The host field.
    #[default]
    Ip,
    /// The host field, a tab and the agent; a line without an agent has an empty one.
    IpAgent,
    /// The field of that number, counted from 1, split at single spaces.
    Field(NonZeroUsize),
}

impl By {
    /// The bytes that name the visitor of a line; `scratch` is room for them to be put together in.
    ///
    /// # Errors
    ///
    /// If the line lacks the field, or its agent cannot be separated from its referer.
    pub fn name<'a>(
        self,
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
        }
    }
}

impl FromStr for By {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "ip" => Ok(Self::Ip),
            "ip-agent" => Ok(Self::IpAgent),
            _ => text
                .strip_prefix("field:")
                .filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
                .and_then(|number| number.parse().ok())
                .map(Self::Field)
                .ok_or("expected ip, ip-agent or field:N with N from 1"),
        }
    }
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ip => f.write_str("ip"),
            Self::IpAgent => f.write_str("ip-agent"),
            Self::Field(number) => write!(f, "field:{number}"),
        }
    }
}

/// The id of a visitor: XXH3-128 (seed 0) of the name, big-endian, as the text of a UUID.
///
/// It is the digest as it is: no version and no variant are set in it.
///
/// # Examples
///
/// ```
/// use tallis_cli::uv::VisitorId;
///
/// assert_eq!(VisitorId::of(b"").as_str(), "99aa06d3-0147-98d8-6001-c324468d497f");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitorId([u8; Self::LEN]);

impl VisitorId {
    /// The length of the text: 32 digits and 4 hyphens.
    pub const LEN: usize = 36;

    /// The id of the visitor of that name.
    #[must_use]
    pub fn of(name: &[u8]) -> Self {
        let digest = xxh3_128(name);
        let mut text = [b'-'; Self::LEN];
        // By the byte, as this is done for every line of a log.
        for (index, &at) in BYTES_AT.iter().enumerate() {
            let byte = (digest >> (8 * (BYTES_AT.len() - 1 - index))) & 0xff;
            text[at..at + 2].copy_from_slice(&HEX[byte as usize]);
        }
        Self(text)
    }

    /// The text as bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; Self::LEN] {
        &self.0
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // Digits and hyphens: never empty.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// Where the sixteen bytes of a UUID stand in its text.
const BYTES_AT: [usize; 16] = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

/// The two digits of each byte.
static HEX: [[u8; 2]; 256] = {
    let digits = b"0123456789abcdef";
    let mut pairs = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        pairs[byte] = [digits[byte >> 4], digits[byte & 15]];
        byte += 1;
    }
    pairs
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn name(by: &str, text: &str) -> Result<Vec<u8>, LineError> {
        let by: By = by.parse().unwrap();
        assert_eq!(by.to_string().parse(), Ok(by));
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
        for bad in ["", "IP", "field", "field:", "field:0", "field:-1", "field:+1", "field:1x"] {
            assert!(bad.parse::<By>().is_err(), "{bad}");
        }
    }

    #[test]
    fn the_id_of_an_address() {
        // As the C library of xxHash gives it.
        assert_eq!(VisitorId::of(b"83.149.9.216").as_str(), "c2a8a5f6-13cf-0caa-660f-ab542837ed35");
    }

    proptest! {
        #[test]
        fn the_text_is_the_digest(name in prop::collection::vec(prop::num::u8::ANY, 0..300)) {
            let id = VisitorId::of(&name);
            let digits = id.as_str().replace('-', "");
            prop_assert_eq!(digits, format!("{:032x}", xxh3_128(&name)));
            let hyphens: Vec<_> = id.as_str().match_indices('-').map(|(at, _)| at).collect();
            prop_assert_eq!(hyphens, [8, 13, 18, 23]);
        }
    }
}
