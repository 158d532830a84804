//! The fields of a filter in an RDB file or a DUMP payload, as module type `MBbloom--`.
//!
//! A module's value is a series of tagged numbers and strings. This module has that series; tags, lengths and
//! compression are left to the reader and the writer of the file.
//!
//! ```text
//! size  links  options  expansion | entries  error rate  hashes  bits per item  bits  n2  array  size | ... each link
//! U     U      U        U           U        D           U       D              U     U   S      U
//! ```
//!
//! `U` is an unsigned number, `D` a double, `S` a string. Version 4 has all fields; versions 2 and 3 have no expansion,
//! which was 2. Versions before 2 have no options and other hashes, and are not supported.

use crate::error::{DecodeError, Fault};
use crate::filter::BloomFilter;
use crate::header::{Header, check_options};
use crate::link::{Link, LinkParts, Part};

/// The version of the encoding that [`BloomFilter::fields`] returns.
pub const ENCODING_VERSION: u16 = 4;

/// The first version whose filters have the hashes of today.
const FIRST_VERSION: u16 = 2;

/// The first version that stores the expansion.
const EXPANSION_VERSION: u16 = 4;

/// The expansion before it was stored.
const OLD_EXPANSION: u32 = 2;

/// A field of a saved filter. `B` holds the bytes of a string, such as `&[u8]` or `Vec<u8>`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Field<B> {
    /// An unsigned number: part tag 2.
    Unsigned(u64),
    /// A double: part tag 4.
    Double(f64),
    /// A string: part tag 5.
    Bytes(B),
}

impl BloomFilter {
    /// Iterates over the fields, in the order of encoding version [`ENCODING_VERSION`].
    ///
    /// # Examples
    ///
    /// ```
    /// use bloom::{BloomFilter, Field};
    ///
    /// let filter = BloomFilter::default();
    /// let fields: Vec<_> = filter.fields().collect();
    /// assert_eq!(fields[..5], [0, 1, 5, 2, 100].map(Field::Unsigned));
    /// let copy = BloomFilter::from_fields(bloom::ENCODING_VERSION, fields).unwrap();
    /// assert_eq!(copy, filter);
    /// ```
    pub fn fields(&self) -> impl Iterator<Item = Field<&[u8]>> {
        let head =
            [self.size, self.link_count() as u64, self.options.into(), self.expansion.into()];
        head.map(Field::Unsigned).into_iter().chain(self.links().flat_map(|link| {
            let parts = link.parts();
            [
                Field::Unsigned(parts.entries),
                Field::Double(parts.error_rate),
                Field::Unsigned(parts.hashes),
                Field::Double(parts.bits_per_item),
                Field::Unsigned(parts.bits),
                Field::Unsigned(parts.power_of_two),
                Field::Bytes(link.as_bytes()),
                Field::Unsigned(parts.size),
            ]
        }))
    }

    /// Creates a filter from the fields of this version of the encoding (2 to 4).
    ///
    /// It takes fields up to the last one of the last link, or the first that is wrong. An iterator that fails may end
    /// early and report the reason itself. Strings of type `Vec<u8>` are not copied.
    ///
    /// # Errors
    ///
    /// The first error, with the index of its field. [`Fault::Version`] and [`Fault::Options`] mean that the version is
    /// not supported, not that the filter is damaged.
    pub fn from_fields<B: Into<Vec<u8>>>(
        version: u16,
        fields: impl IntoIterator<Item = Field<B>>,
    ) -> Result<Self, DecodeError> {
        if !(FIRST_VERSION..=ENCODING_VERSION).contains(&version) {
            return Err(DecodeError::new(0, Fault::Version { got: version }));
        }
        let mut fields = Fields { fields: fields.into_iter(), at: 0 };
        let size = fields.unsigned()?;
        let links_at = fields.at;
        let count = fields.unsigned()?;
        let options_at = fields.at;
        let options = check_options(fields.unsigned()?, options_at)?;
        let expansion = if version >= EXPANSION_VERSION {
            let at = fields.at;
            let got = fields.unsigned()?;
            u32::try_from(got).map_err(|_| DecodeError::new(at, Fault::Expansion { got }))?
        } else {
            OLD_EXPANSION
        };
        // Not reserved: the count may lie, and each link must come with its fields.
        let mut links = Vec::new();
        for _ in 0..count {
            links.push(fields.link()?);
        }
        let header = Header { size, options, expansion, links: Vec::new() };
        Self::of_links(&header, links).ok_or(DecodeError::new(links_at, Fault::NoLinks))
    }
}

/// The fields that are left, and the number of the next.
struct Fields<I> {
    fields: I,
    at: usize,
}

impl<B: Into<Vec<u8>>, I: Iterator<Item = Field<B>>> Fields<I> {
    fn next(&mut self) -> Result<Field<B>, DecodeError> {
        let field = self.fields.next().ok_or(DecodeError::new(self.at, Fault::Short))?;
        self.at += 1;
        Ok(field)
    }

    fn wrong<T>(&self) -> Result<T, DecodeError> {
        Err(DecodeError::new(self.at - 1, Fault::WrongKind))
    }

    fn unsigned(&mut self) -> Result<u64, DecodeError> {
        match self.next()? {
            Field::Unsigned(number) => Ok(number),
            Field::Double(_) | Field::Bytes(_) => self.wrong(),
        }
    }

    fn double(&mut self) -> Result<f64, DecodeError> {
        match self.next()? {
            Field::Double(number) => Ok(number),
            Field::Unsigned(_) | Field::Bytes(_) => self.wrong(),
        }
    }

    fn bytes(&mut self) -> Result<Vec<u8>, DecodeError> {
        match self.next()? {
            Field::Bytes(bytes) => Ok(bytes.into()),
            Field::Unsigned(_) | Field::Double(_) => self.wrong(),
        }
    }

    fn link(&mut self) -> Result<Link, DecodeError> {
        let start = self.at;
        let mut parts = LinkParts {
            entries: self.unsigned()?,
            error_rate: self.double()?,
            hashes: self.unsigned()?,
            bits_per_item: self.double()?,
            bits: self.unsigned()?,
            power_of_two: self.unsigned()?,
            size: 0,
        };
        let bytes = self.bytes()?;
        parts.size = self.unsigned()?;
        let checked = parts.check(bytes.len() as u64);
        let checked =
            checked.map_err(|(part, fault)| DecodeError::new(start + number(part), fault))?;
        let missing = Fault::Bits { got: parts.bits, bytes: bytes.len() as u64 };
        Link::from_parts(&checked, bytes)
            .ok_or(DecodeError::new(start + number(Part::Bits), missing))
    }
}

/// The number of a field within its link.
const fn number(part: Part) -> usize {
    match part {
        Part::Entries => 0,
        Part::ErrorRate => 1,
        Part::Hashes => 2,
        Part::BitsPerItem => 3,
        Part::Bits => 4,
        Part::PowerOfTwo => 5,
    }
}
