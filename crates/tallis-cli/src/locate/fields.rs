//! The fields of a row.

use std::fmt;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder, Terminator};

use crate::uv::MAX_LINE;

/// The most fields that a row may have.
const MOST: usize = 32;

/// Parses rows: fields separated by commas, and quoted if necessary.
///
/// A row is a line: no field may contain a line feed. The memory is at most that of the longest line.
///
/// # Examples
///
/// ```
/// use tallis_cli::locate::{Fields, FieldsError};
///
/// let mut fields = Fields::new();
/// assert!(fields.of(br#"7,"a ""b"", c","#)?.eq([&b"7"[..], br#"a "b", c"#, b""]));
/// assert_eq!(fields.of(br#"7,"a"#).map(|_| ()), Err(FieldsError::Unclosed));
/// # Ok::<(), FieldsError>(())
/// ```
#[derive(Debug)]
pub struct Fields {
    reader: Reader,
    text: Vec<u8>,
    ends: [usize; MOST],
}

/// Why a line is not a valid row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldsError {
    /// A quoted field has no closing quote in the line.
    Unclosed,
    /// There are more than 32 fields.
    TooMany,
    /// The line is longer than [`MAX_LINE`].
    TooLong,
    /// It has a line feed.
    LineFeed,
}

impl Fields {
    /// Creates a parser.
    #[must_use]
    pub fn new() -> Self {
        // A carriage return is a byte like any other: the one that ends a line was removed.
        let reader = ReaderBuilder::new().terminator(Terminator::Any(b'\n')).build();
        Self { reader, text: Vec::new(), ends: [0; MOST] }
    }

    /// Parses the fields of a line, which has no line feed. An empty line has none.
    ///
    /// # Errors
    ///
    /// [`FieldsError`].
    pub fn of(
        &mut self,
        line: &[u8],
    ) -> Result<impl ExactSizeIterator<Item = &[u8]> + Clone, FieldsError> {
        if line.len() > MAX_LINE {
            return Err(FieldsError::TooLong);
        }
        let ended = if line.is_empty() { 0 } else { self.split(line)? };
        let text = &self.text;
        let ends = &self.ends[..ended];
        Ok((0..ended).map(move |at| &text[at.checked_sub(1).map_or(0, |at| ends[at])..ends[at]]))
    }

    /// Parses a line; returns the number of fields.
    fn split(&mut self, line: &[u8]) -> Result<usize, FieldsError> {
        // Unquoted fields are not longer than the line.
        if self.text.len() <= line.len() {
            self.text.resize(line.len() + 1, 0);
        }
        self.reader.reset();
        let (result, _, out, ended) = self.reader.read_record(line, &mut self.text, &mut self.ends);
        match result {
            ReadRecordResult::InputEmpty => {}
            ReadRecordResult::OutputEndsFull => return Err(FieldsError::TooMany),
            ReadRecordResult::Record => return Err(FieldsError::LineFeed),
            // There is room for every byte and one more.
            ReadRecordResult::OutputFull | ReadRecordResult::End => {
                return Err(FieldsError::TooLong);
            }
        }
        // A line feed ends the row, unless it is quoted.
        let (text, ends) = (&mut self.text[out..], &mut self.ends[ended..]);
        let (result, _, _, more) = self.reader.read_record(b"\n", text, ends);
        match result {
            ReadRecordResult::Record => Ok(ended + more),
            ReadRecordResult::OutputEndsFull => Err(FieldsError::TooMany),
            ReadRecordResult::InputEmpty | ReadRecordResult::OutputFull | ReadRecordResult::End => {
                Err(FieldsError::Unclosed)
            }
        }
    }
}

impl Default for Fields {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Display for FieldsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unclosed => f.write_str("a quote is not closed"),
            Self::TooMany => write!(f, "more than {MOST} fields"),
            Self::LineFeed => f.write_str("a line feed inside the line"),
            Self::TooLong => f.write_str("the line is longer than 1 MiB"),
        }
    }
}

impl std::error::Error for FieldsError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(line: &str) -> Result<Vec<String>, FieldsError> {
        let mut fields = Fields::new();
        // The fields of the previous row must not be returned.
        assert_eq!(fields.of(b"some,other,row").unwrap().len(), 3);
        assert_eq!(fields.of(b"\"open").map(drop), Err(FieldsError::Unclosed));
        let fields = fields.of(line.as_bytes())?;
        Ok(fields.map(|field| String::from_utf8(field.to_vec()).unwrap()).collect())
    }

    #[test]
    fn fields_are_parted_by_commas_and_may_be_in_quotes() {
        for (line, want) in [
            ("", &[][..]),
            ("a", &["a"]),
            (",", &["", ""]),
            ("7,USA,CA", &["7", "USA", "CA"]),
            ("7,USA,", &["7", "USA", ""]),
            (r#""7","USA","""#, &["7", "USA", ""]),
            (r#""a,b",c"#, &["a,b", "c"]),
            (r#""a ""b""","""""#, &["a \"b\"", "\""]),
            (" a , b ", &[" a ", " b "]),
            ("a\rb,\r", &["a\rb", "\r"]),
            // Only the straight quote is a quote.
            ("\u{201c}a,b\u{201d}", &["\u{201c}a", "b\u{201d}"]),
            ("\"a\u{201d},\u{201d}b\",c", &["a\u{201d},\u{201d}b", "c"]),
        ] {
            assert_eq!(fields(line).unwrap(), want, "{line}");
        }
    }

    #[test]
    fn what_is_no_row_is_reported() {
        assert_eq!(fields(r#"a,"b"#), Err(FieldsError::Unclosed));
        assert_eq!(fields(r#"a,"b"""#), Err(FieldsError::Unclosed));
        assert_eq!(fields("a\nb"), Err(FieldsError::LineFeed));
        assert_eq!(fields(&",".repeat(MOST - 1)).unwrap().len(), MOST);
        assert_eq!(fields(&",".repeat(MOST)), Err(FieldsError::TooMany));
        assert_eq!(fields(&",".repeat(MAX_LINE)), Err(FieldsError::TooMany));
        let long = "x".repeat(MAX_LINE);
        assert!(fields(&long).unwrap() == std::slice::from_ref(&long));
        assert_eq!(fields(&(long + "x")), Err(FieldsError::TooLong));
    }
}
