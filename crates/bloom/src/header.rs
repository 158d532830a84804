//! The header that BF.SCANDUMP returns first: all numbers of a filter, packed, little-endian.
//!
//! ```text
//!  0      8        12        16          20
//! +------+--------+---------+-----------+---------+---------+--
//! | size | links  | options | expansion | link 0  | link 1  | ...
//! +------+--------+---------+-----------+---------+---------+--
//!  u64    u32      u32       u32         53 bytes
//!
//!  link:  0       8      16     24           32              40       44        52
//!        +-------+------+------+------------+---------------+--------+---------+----+
//!        | bytes | bits | size | error rate | bits per item | hashes | entries | n2 |
//!        +-------+------+------+------------+---------------+--------+---------+----+
//!         u64     u64    u64    f64          f64             u32      u64       u8
//! ```

use crate::error::{DecodeError, Fault};
use crate::filter::{BloomFilter, NON_SCALING, SCALING};
use crate::link::{CheckedParts, LinkParts, Part};

/// Bytes of a header before the first link.
pub const HEADER_LEN: usize = 20;

/// Bytes of each link in a header.
pub const LINK_HEADER_LEN: usize = 53;

const LINKS_AT: usize = 8;
const OPTIONS_AT: usize = 12;

/// A header that was checked.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) size: u64,
    pub(crate) options: u32,
    pub(crate) expansion: u32,
    /// Oldest first, at least one.
    pub(crate) links: Vec<CheckedParts>,
}

impl BloomFilter {
    /// Returns the header of a dump: [`HEADER_LEN`] bytes and [`LINK_HEADER_LEN`] per link.
    #[must_use]
    pub fn header(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEADER_LEN + LINK_HEADER_LEN * self.link_count());
        #[expect(
            clippy::cast_possible_truncation,
            reason = "each of 2^32 links would take at least 8 bytes"
        )]
        let links = self.link_count() as u32;
        out.extend_from_slice(&self.size.to_le_bytes());
        out.extend_from_slice(&links.to_le_bytes());
        out.extend_from_slice(&self.options.to_le_bytes());
        out.extend_from_slice(&self.expansion.to_le_bytes());
        for link in self.links() {
            let parts = link.parts();
            out.extend_from_slice(&(parts.bits / 8).to_le_bytes());
            out.extend_from_slice(&parts.bits.to_le_bytes());
            out.extend_from_slice(&parts.size.to_le_bytes());
            out.extend_from_slice(&parts.error_rate.to_le_bytes());
            out.extend_from_slice(&parts.bits_per_item.to_le_bytes());
            out.extend_from_slice(&link.hashes().to_le_bytes());
            out.extend_from_slice(&parts.entries.to_le_bytes());
            out.push(0);
        }
        out
    }
}

impl Header {
    /// Reads a header. Allocates in proportion to its length.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut rest = Rest { bytes, at: 0 };
        let size = rest.u64()?;
        let count = rest.u32()?;
        let options = check_options(rest.u32()?.into(), OPTIONS_AT)?;
        let expansion = rest.u32()?;
        if count == 0 {
            return Err(DecodeError::new(LINKS_AT, Fault::NoLinks));
        }
        let mut links = Vec::with_capacity(rest.bytes.len() / LINK_HEADER_LEN);
        for _ in 0..count {
            links.push(rest.link()?);
        }
        if !rest.bytes.is_empty() {
            return Err(DecodeError::new(rest.at, Fault::Tail));
        }
        let of_links = links.iter().try_fold(0, |sum: u64, link| sum.checked_add(link.parts.size));
        if of_links != Some(size) {
            return Err(DecodeError::new(0, Fault::Size { got: size }));
        }
        Ok(Self { size, options, expansion, links })
    }
}

pub(crate) fn check_options(got: u64, at: usize) -> Result<u32, DecodeError> {
    let known = [SCALING, NON_SCALING].into_iter().find(|&known| u64::from(known) == got);
    known.ok_or(DecodeError::new(at, Fault::Options { got }))
}

/// What is left of the bytes, and where it starts.
struct Rest<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Rest<'_> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let short = DecodeError::new(self.at, Fault::Short);
        let (array, rest) = self.bytes.split_first_chunk::<N>().ok_or(short)?;
        self.bytes = rest;
        self.at += N;
        Ok(*array)
    }

    fn u64(&mut self) -> Result<u64, DecodeError> {
        self.array().map(u64::from_le_bytes)
    }

    fn u32(&mut self) -> Result<u32, DecodeError> {
        self.array().map(u32::from_le_bytes)
    }

    fn f64(&mut self) -> Result<f64, DecodeError> {
        self.array().map(f64::from_le_bytes)
    }

    fn link(&mut self) -> Result<CheckedParts, DecodeError> {
        let start = self.at;
        let bytes = self.u64()?;
        let parts = LinkParts {
            bits: self.u64()?,
            size: self.u64()?,
            error_rate: self.f64()?,
            bits_per_item: self.f64()?,
            hashes: self.u32()?.into(),
            entries: self.u64()?,
            power_of_two: self.array::<1>()?[0].into(),
        };
        parts.check(bytes).map_err(|(part, fault)| DecodeError::new(start + offset(part), fault))
    }
}

/// Where a number stands in the header of a link.
const fn offset(part: Part) -> usize {
    match part {
        Part::Bits => 8,
        Part::ErrorRate => 24,
        Part::BitsPerItem => 32,
        Part::Hashes => 40,
        Part::Entries => 44,
        Part::PowerOfTwo => 52,
    }
}
