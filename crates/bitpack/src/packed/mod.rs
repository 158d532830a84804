//! Fixed-width records of one to eight bytes in a byte string, read, written and scanned in place.
//!
//! # Idea
//!
//! If every user has one small attribute (a country, a location), a string with the attribute of user n at byte n *
//! width needs no key, length or index: SETRANGE writes it, GETRANGE reads it, and one pass over the bytes counts all
//! of them. A string grows with zeros, so the code of all zeros has to mean *unknown*; the codecs here start at 1.
//!
//! # Representation
//!
//! A [`Codec`] says how wide a record is and what its bytes mean. [`PackedView`] reads a borrowed string, and
//! [`Packed`] owns one. Bytes after the last whole record are not a record: reading and scanning skip them, and writing
//! there or beyond fills them up with zeros first.
//!
//! # Worked example
//!
//! ```
//! use bitpack::packed::{CountryRegion, CountryRegionCode, Histogram, Packed};
//!
//! let mut users = Packed::<CountryRegionCode>::new();
//! let canada = CountryRegion { country: Some(38), region: Some(9) };
//! users.set(2, canada)?;
//! assert_eq!(users.as_bytes(), [0, 0, 0, 0, 39, 10]);
//! assert_eq!(users.view().get(2), Some(canada));
//! assert_eq!(users.view().get(0), Some(CountryRegion::UNKNOWN));
//! assert_eq!(users.view().get(3), None);
//!
//! let mut histogram = Histogram::new();
//! histogram.add(users.view());
//! assert!(histogram.iter().eq([(CountryRegion::UNKNOWN, 2), (canada, 1)]));
//! # Ok::<(), bitpack::packed::EncodeError>(())
//! ```
//!
//! # Codecs
//!
//! | codec | bytes | item | unknown besides zeros |
//! |---|---|---|---|
//! | [`CountryCode`] | 1 | index 0 to 254 | |
//! | [`CountryRegionCode`] | 2 | two such indices | |
//! | [`CountryRegionCityCode`] | 3 | three such indices | |
//! | [`PostalCode`] | 3 | number 0 to 16,777,214 | |
//! | [`NumberCode`] | 4 | number 0 to 4,294,967,295; 0 is unknown | |
//! | [`LatLon4`] | 4 | a point, within 306 m | codes beyond the last cell |
//! | [`LatLon6`] | 6 | a point, within 1.2 m | codes beyond the last cell |
//! | any [`Codec`] | 1 to 8 | | |
//!
//! # Complexity
//!
//! Reading and writing a record is O(1). A [`Histogram`] takes about as long as reading the string for records of one
//! or two bytes, one table lookup per record for three, and one hash table lookup per record for wider ones.

mod codec;
mod codes;
mod counts;
mod error;
mod few;
mod histogram;
mod owned;
mod place;
mod record;
mod view;

pub use codec::Codec;
pub use codes::{
    CountryCode, CountryRegion, CountryRegionCity, CountryRegionCityCode, CountryRegionCode,
    NumberCode, PostalCode,
};
pub use error::EncodeError;
pub use histogram::Histogram;
pub use owned::Packed;
pub use place::{LatLon, LatLon4, LatLon6};
pub use record::Record;
pub use view::{Iter, PackedView};
