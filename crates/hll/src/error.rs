//! Why bytes are not a HyperLogLog.

use core::fmt;

use crate::layout::{DENSE_LEN, HEADER_LEN, MAGIC, REGISTERS};

/// What is wrong with bytes that should be a HyperLogLog, and where.
///
/// Offsets count from the first byte of the header.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The bytes end inside the header.
    ShortHeader {
        /// The length, in bytes.
        got: usize,
    },
    /// The first four bytes are not [`MAGIC`].
    WrongMagic {
        /// The first four bytes.
        got: [u8; 4],
    },
    /// The encoding byte names neither the dense nor the sparse encoding.
    UnknownEncoding {
        /// The encoding byte.
        got: u8,
    },
    /// A dense HyperLogLog has another length than [`DENSE_LEN`].
    WrongDenseLength {
        /// The length, in bytes, header included.
        got: usize,
    },
    /// The second byte of an XZERO opcode is missing.
    CutOpcode {
        /// Offset of the opcode.
        at: usize,
    },
    /// The runs of a sparse HyperLogLog cover fewer or more than [`REGISTERS`] registers.
    WrongRunSum {
        /// Registers covered up to and including the opcode that ends the scan.
        got: u32,
        /// Offset of the opcode that covers too many registers, or the length if there are too few.
        at: usize,
    },
    /// Bytes follow the opcode that covers the last register.
    TailBytes {
        /// Offset of the first of them.
        at: usize,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::ShortHeader { got } => {
                write!(f, "a HyperLogLog header takes {HEADER_LEN} bytes, got {got}")
            }
            Self::WrongMagic { got } => write!(
                f,
                "magic at offset 0 is \"{}\", expected \"{}\"",
                got.escape_ascii(),
                MAGIC.escape_ascii()
            ),
            Self::UnknownEncoding { got } => {
                write!(f, "encoding at offset {} is {got}, expected 0 or 1", MAGIC.len())
            }
            Self::WrongDenseLength { got } => {
                write!(f, "a dense HyperLogLog takes {DENSE_LEN} bytes, got {got}")
            }
            Self::CutOpcode { at } => {
                write!(f, "the opcode at offset {at} is missing its second byte")
            }
            Self::WrongRunSum { got, at } => {
                write!(f, "runs cover {got} registers at offset {at}, expected {REGISTERS}")
            }
            Self::TailBytes { at } => {
                write!(f, "trailing bytes after the last register at offset {at}")
            }
        }
    }
}

impl core::error::Error for DecodeError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_say_what_and_where() {
        let cases = [
            (DecodeError::ShortHeader { got: 3 }, "a HyperLogLog header takes 16 bytes, got 3"),
            (
                DecodeError::WrongMagic { got: *b"HY\0\xff" },
                r#"magic at offset 0 is "HY\x00\xff", expected "HYLL""#,
            ),
            (DecodeError::UnknownEncoding { got: 2 }, "encoding at offset 4 is 2, expected 0 or 1"),
            (
                DecodeError::WrongDenseLength { got: 12303 },
                "a dense HyperLogLog takes 12304 bytes, got 12303",
            ),
            (
                DecodeError::CutOpcode { at: 17 },
                "the opcode at offset 17 is missing its second byte",
            ),
            (
                DecodeError::WrongRunSum { got: 16383, at: 18 },
                "runs cover 16383 registers at offset 18, expected 16384",
            ),
            (
                DecodeError::TailBytes { at: 18 },
                "trailing bytes after the last register at offset 18",
            ),
        ];
        for (error, text) in cases {
            assert_eq!(error.to_string(), text);
        }
    }

    #[test]
    fn an_error_stays_small() {
        assert!(size_of::<DecodeError>() <= 16);
    }
}
