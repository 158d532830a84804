//! What a filter is made with.

use crate::error::{SettingsError, SizeError};
use crate::link::is_error_rate;

/// The largest capacity that can be asked for. Later links may be larger.
pub const MAX_CAPACITY: u64 = 1 << 30;

/// The largest expansion.
pub const MAX_EXPANSION: u32 = 32_768;

/// Error rates above are cut to this, as RedisBloom does.
pub const MAX_ERROR_RATE: f64 = 0.25;

/// What a filter is made with: capacity, error rate, and how it grows.
///
/// The default is RedisBloom's: 100 items at 1 %, each further link for twice as many.
///
/// # Examples
///
/// ```
/// // BF.RESERVE key 0.001 1000 EXPANSION 4
/// let filter = bloom::Settings::new(1000, 0.001).expansion(4).build()?;
/// assert_eq!(filter.capacity(), 1000);
/// # Ok::<(), bloom::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    pub(crate) capacity: u64,
    pub(crate) error_rate: f64,
    pub(crate) expansion: u32,
    pub(crate) scaling: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self::new(100, 0.01)
    }
}

impl Settings {
    /// A filter for `capacity` items (1 to [`MAX_CAPACITY`]) at this error rate (between 0 and 1, cut to
    /// [`MAX_ERROR_RATE`]), which doubles when it is full.
    #[must_use]
    pub const fn new(capacity: u64, error_rate: f64) -> Self {
        Self { capacity, error_rate, expansion: 2, scaling: true }
    }

    /// Each further link is for so many times the items of the one before: 0 to [`MAX_EXPANSION`]. 0 makes a filter that does
    /// not scale.
    #[must_use]
    pub const fn expansion(mut self, times: u32) -> Self {
        self.expansion = times;
        self
    }

    /// A filter that refuses further items when it is full. It has one link, of the whole error rate, where a scaling filter
    /// gives its first link half of it.
    #[must_use]
    pub const fn non_scaling(mut self) -> Self {
        self.scaling = false;
        self
    }

    /// Makes the empty filter.
    ///
    /// # Errors
    ///
    /// A capacity, error rate or expansion outside of its range, or a first link that memory has no room for.
    pub fn build(&self) -> Result<crate::BloomFilter, SettingsError> {
        crate::BloomFilter::new(self)
    }

    pub(crate) const fn scales(&self) -> bool {
        self.scaling && self.expansion > 0
    }

    /// What the first link asks for: a scaling filter halves its rate with each link, the first included, so that all links
    /// together have the rate.
    pub(crate) fn first_error_rate(&self) -> f64 {
        let rate = self.error_rate.min(MAX_ERROR_RATE);
        if self.scales() { rate * TIGHTENING } else { rate }
    }

    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        if !(1..=MAX_CAPACITY).contains(&self.capacity) {
            return Err(SettingsError::Capacity { got: self.capacity });
        }
        // Before it is halved, which would bring rates up to 2 into range.
        if !is_error_rate(self.error_rate) {
            return Err(SizeError::ErrorRate { got: self.error_rate }.into());
        }
        if self.expansion > MAX_EXPANSION {
            return Err(SettingsError::Expansion { got: self.expansion });
        }
        Ok(())
    }
}

/// The error rate of a link beside that of the one before.
pub(crate) const TIGHTENING: f64 = 0.5;
