//! Versions of the format, as read and as written.

use std::fmt;

/// Which project numbers the version: type bytes from 22 on mean different things to the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Dialect {
    /// Redis, and Valkey before 9: the magic is `REDIS`.
    Redis,
    /// Valkey from 9 on: the magic is `VALKEY`.
    Valkey,
}

/// The version of a file or a payload that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Version {
    dialect: Dialect,
    number: u16,
}

impl Version {
    /// Bytes of the header: the magic and the digits of the version.
    pub(crate) const HEADER: usize = 9;
    /// The newest version of Redis of which every type is known.
    pub const NEWEST_COMPLETE: u16 = 12;
    /// The newest version of Redis that is read as far as its types are known.
    pub const NEWEST_REDIS: u16 = 15;
    /// The one version of Valkey's own numbering that is read.
    pub const VALKEY: u16 = 80;
    /// From this version on a file ends with a checksum.
    pub(crate) const FIRST_WITH_CHECKSUM: u16 = 5;

    /// A version as the magic and the number say.
    #[must_use]
    pub const fn new(dialect: Dialect, number: u16) -> Self {
        Self { dialect, number }
    }

    /// The version that a payload's footer means, which has a number and no magic.
    pub(crate) const fn of_payload(number: u16) -> Self {
        let dialect = if number < Self::VALKEY { Dialect::Redis } else { Dialect::Valkey };
        Self { dialect, number }
    }

    /// Reads `REDIS` and four digits, or `VALKEY` and three.
    pub(crate) fn of_header(header: &[u8; Self::HEADER]) -> Option<Self> {
        let (dialect, digits) = if let Some(digits) = header.strip_prefix(b"REDIS") {
            (Dialect::Redis, digits)
        } else {
            (Dialect::Valkey, header.strip_prefix(b"VALKEY")?)
        };
        let number = digits.iter().try_fold(0_u16, |number, digit| {
            digit.is_ascii_digit().then(|| number * 10 + u16::from(digit - b'0'))
        })?;
        Some(Self { dialect, number })
    }

    /// Whether a file of this version can be read.
    #[must_use]
    pub const fn is_supported(self) -> bool {
        match self.dialect {
            Dialect::Redis => self.number >= 1 && self.number <= Self::NEWEST_REDIS,
            Dialect::Valkey => self.number == Self::VALKEY,
        }
    }

    /// Whose numbering this is.
    #[must_use]
    pub const fn dialect(self) -> Dialect {
        self.dialect
    }

    /// The number.
    #[must_use]
    pub const fn number(self) -> u16 {
        self.number
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dialect {
            Dialect::Redis => write!(f, "{}", self.number),
            Dialect::Valkey => write!(f, "{} of Valkey", self.number),
        }
    }
}

/// The version to write, by the oldest server that shall load it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Target {
    /// Redis 5 and later.
    V9,
    /// Redis 7.0 and later, and every Valkey.
    #[default]
    V10,
    /// Redis 7.2 and later, and every Valkey.
    V11,
    /// Redis 7.4 and later.
    V12,
}

impl Target {
    /// The number that the file carries.
    #[must_use]
    pub const fn number(self) -> u16 {
        match self {
            Self::V9 => 9,
            Self::V10 => 10,
            Self::V11 => 11,
            Self::V12 => 12,
        }
    }

    /// The version as a reader sees it.
    #[must_use]
    pub const fn version(self) -> Version {
        Version::new(Dialect::Redis, self.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let version = |header: &[u8; 9]| {
            Version::of_header(header).map(|v| (v.dialect, v.number, v.is_supported()))
        };
        assert_eq!(version(b"REDIS0001"), Some((Dialect::Redis, 1, true)));
        assert_eq!(version(b"REDIS0012"), Some((Dialect::Redis, 12, true)));
        assert_eq!(version(b"REDIS0015"), Some((Dialect::Redis, 15, true)));
        assert_eq!(version(b"REDIS0016"), Some((Dialect::Redis, 16, false)));
        assert_eq!(version(b"REDIS0000"), Some((Dialect::Redis, 0, false)));
        assert_eq!(version(b"REDIS0080"), Some((Dialect::Redis, 80, false)));
        assert_eq!(version(b"VALKEY080"), Some((Dialect::Valkey, 80, true)));
        assert_eq!(version(b"VALKEY081"), Some((Dialect::Valkey, 81, false)));
        assert_eq!(version(b"VALKEY011"), Some((Dialect::Valkey, 11, false)));
        assert_eq!(version(b"REDIS 010"), None);
        assert_eq!(version(b"REDIS+010"), None);
        assert_eq!(version(b"redis0010"), None);
    }
}
