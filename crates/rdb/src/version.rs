//! Versions of the format.

use std::fmt;

use crate::{format, value::ValueType};

/// The project that numbers the version. Type bytes from 22 on have different meanings in the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Dialect {
    /// Redis, and Valkey before 9: the magic is `REDIS`.
    Redis,
    /// Valkey from 9 on: the magic is `VALKEY`.
    Valkey,
}

/// The version of a file or a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Version {
    dialect: Dialect,
    number: u16,
}

impl Version {
    /// Bytes of the header: the magic and the digits of the version.
    pub(crate) const HEADER: usize = 9;
    /// The newest version of Redis whose types are all known.
    pub const NEWEST_COMPLETE: u16 = 13;
    /// The newest version of Redis that is read as far as its types are known.
    pub const NEWEST_REDIS: u16 = 15;
    /// The first version of Valkey's own numbering. Later ones are read as far as their types are known.
    pub const VALKEY: u16 = 80;
    /// From this version on a file ends with a checksum.
    pub(crate) const FIRST_WITH_CHECKSUM: u16 = 5;

    /// Creates a version from the dialect of the magic and the number.
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

    /// How a file of this version begins.
    pub(crate) fn to_header(self) -> [u8; Self::HEADER] {
        let Self { dialect, number } = self;
        let text = match dialect {
            Dialect::Redis => format!("REDIS{number:04}"),
            Dialect::Valkey => format!("VALKEY{number:03}"),
        };
        let mut header = [b'0'; Self::HEADER];
        for (place, byte) in header.iter_mut().zip(text.bytes()) {
            *place = byte;
        }
        header
    }

    /// Returns whether a file of this version can be read.
    #[must_use]
    pub const fn is_supported(self) -> bool {
        match self.dialect {
            Dialect::Redis => self.number >= 1 && self.number <= Self::NEWEST_REDIS,
            // A header has three digits.
            Dialect::Valkey => self.number >= Self::VALKEY && self.number <= 999,
        }
    }

    /// The project that numbers this version.
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

/// The version to write, which determines the oldest server that can load it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
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
    /// Redis 8.6 and later.
    V13,
    /// Valkey 9 and later.
    Valkey80,
}

impl Target {
    /// Every version that can be written, starting with the one that most servers load.
    pub const ALL: [Self; 6] =
        [Self::V9, Self::V10, Self::V11, Self::V12, Self::V13, Self::Valkey80];

    /// The version number in the file.
    #[must_use]
    pub const fn number(self) -> u16 {
        match self {
            Self::V9 => 9,
            Self::V10 => 10,
            Self::V11 => 11,
            Self::V12 => 12,
            Self::V13 => 13,
            Self::Valkey80 => Version::VALKEY,
        }
    }

    /// The version as a reader sees it.
    #[must_use]
    pub const fn version(self) -> Version {
        Version::of_payload(self.number())
    }

    /// Returns whether this version has the type.
    ///
    /// ```
    /// use rdb::{Target, ValueType};
    ///
    /// assert!(Target::V11.has(ValueType::SetListpack) && Target::Valkey80.has(ValueType::SetListpack));
    /// assert!(!Target::V10.has(ValueType::SetListpack));
    /// assert!(Target::V12.has(ValueType::HashTtl) && !Target::Valkey80.has(ValueType::HashTtl));
    /// ```
    #[must_use]
    pub fn has(self, kind: ValueType) -> bool {
        match kind.dialect() {
            Dialect::Redis => kind.since() <= self.newest_of_redis(),
            Dialect::Valkey => self == Self::Valkey80,
        }
    }

    /// Returns whether this version has [`Record::SlotInfo`](crate::Record::SlotInfo).
    #[must_use]
    pub const fn has_slot_info(self) -> bool {
        self.newest_of_redis() >= format::SLOT_INFO_SINCE
    }

    /// Returns whether this version has metadata of modules with a key.
    #[must_use]
    pub const fn has_key_metadata(self) -> bool {
        self.newest_of_redis() >= format::KEY_METADATA_SINCE
    }

    /// The newest version of Redis's numbering of which this one has all types and opcodes.
    pub(crate) const fn newest_of_redis(self) -> u16 {
        match self {
            Self::Valkey80 => Self::V11.number(),
            Self::V9 | Self::V10 | Self::V11 | Self::V12 | Self::V13 => self.number(),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.version().fmt(f)
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
        assert_eq!(version(b"VALKEY081"), Some((Dialect::Valkey, 81, true)));
        assert_eq!(version(b"VALKEY079"), Some((Dialect::Valkey, 79, false)));
        assert_eq!(version(b"VALKEY011"), Some((Dialect::Valkey, 11, false)));
        assert_eq!(version(b"REDIS 010"), None);
        assert_eq!(version(b"REDIS+010"), None);
        assert_eq!(version(b"redis0010"), None);
        for target in Target::ALL {
            let version = target.version();
            assert_eq!(Version::of_header(&version.to_header()), Some(version));
        }
    }
}
