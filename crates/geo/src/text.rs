//! The geohash as text.

use crate::spread::interleave;
use crate::{LONGITUDES, Point};

/// The digits, of five bits each: all but a, i, l and o.
const DIGITS: &[u8; 32] = b"0123456789bcdefghjkmnpqrstuvwxyz";

impl Point {
    /// Returns the geohash text of this point, 11 characters as on <http://geohash.org>, as GEOHASH does.
    ///
    /// The common geohash halves latitudes from -90 to 90, so this is not the text of [`hash`](Point::hash). Its 52
    /// bits make ten characters of five bits; the last two bits are lost, and the eleventh character is always `0`.
    ///
    /// Redis encodes the centre of a member's cell: use [`decode`](crate::decode) first to get the same text.
    ///
    /// ```
    /// let meituan = geo::decode(geo::encode(116.489033, 40.007669)?);
    /// assert_eq!(meituan.geohash().as_str(), "wx4gdg0tx40");
    /// # Ok::<(), geo::Error>(())
    /// ```
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the coordinates of a point are 0 to 2^26, and are rounded down"
    )]
    pub fn geohash(self) -> GeohashText {
        const CELLS: f64 = 67_108_864.0; // 2^26
        let x = (self.lon - LONGITUDES.start()) / 360.0 * CELLS;
        let y = (self.lat + 90.0) / 180.0 * CELLS;
        let bits = interleave(x as u32, y as u32);
        let mut text = [DIGITS[0]; 11];
        for (i, digit) in text.iter_mut().take(10).enumerate() {
            *digit = DIGITS[(bits >> (47 - 5 * i) & 31) as usize];
        }
        GeohashText(text)
    }
}

/// A geohash of 11 characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GeohashText([u8; 11]);

impl GeohashText {
    /// The text as a string.
    #[must_use]
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.0).unwrap_or_default()
    }

    /// The text as bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 11] {
        &self.0
    }
}
