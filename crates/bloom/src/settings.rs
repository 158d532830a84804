//! The settings of a filter.

use crate::error::{SettingsError, SizeError};
use crate::link::is_error_rate;

/// The maximum capacity of the first link. Later links may be larger.
pub const MAX_CAPACITY: u64 = 1 << 30;

/// The maximum expansion.
pub const MAX_EXPANSION: u32 = 32_768;

/// The maximum error rate: higher rates are lowered to it, as in RedisBloom.
pub const MAX_ERROR_RATE: f64 = 0.25;

/// The settings of a filter: capacity, error rate, and how it grows.
///
/// The default is RedisBloom's: 100 items at 1 %, each further link with twice the capacity.
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings {
    pub(crate) capacity: u64,
    pub(crate) error_rate: f64,
    pub(crate) expansion: u32,
    pub(crate) scaling: bool,
    pub(crate) max_bytes: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self::new(100, 0.01)
    }
}

impl Settings {
    /// The default expansion: each further link has twice the capacity.
    pub const DEFAULT_EXPANSION: u32 = 2;

    /// Settings for `capacity` items (1 to [`MAX_CAPACITY`]) at this error rate (between 0 and 1, neither included,
    /// lowered to [`MAX_ERROR_RATE`]), with [`DEFAULT_EXPANSION`](Self::DEFAULT_EXPANSION).
    #[must_use]
    pub const fn new(capacity: u64, error_rate: f64) -> Self {
        Self {
            capacity,
            error_rate,
            expansion: Self::DEFAULT_EXPANSION,
            scaling: true,
            max_bytes: u64::MAX,
        }
    }

    /// Sets the capacity, in items.
    #[must_use]
    pub const fn with_capacity(mut self, capacity: u64) -> Self {
        self.capacity = capacity;
        self
    }

    /// Sets the error rate.
    #[must_use]
    pub const fn with_error_rate(mut self, error_rate: f64) -> Self {
        self.error_rate = error_rate;
        self
    }

    /// Sets the factor between the capacities of successive links, 0 to [`MAX_EXPANSION`]. 0 means that the filter does
    /// not scale.
    #[must_use]
    pub const fn expansion(mut self, times: u32) -> Self {
        self.expansion = times;
        self
    }

    /// Makes the filter refuse further items when it is full. Its only link has the whole error rate; the first link of
    /// a scaling filter has half of it.
    #[must_use]
    pub const fn non_scaling(mut self) -> Self {
        self.scaling = false;
        self
    }

    /// Limits the bytes of all bit arrays together. The limit is not saved with the filter.
    #[must_use]
    pub const fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// The capacity of the first link, in items.
    #[must_use]
    pub const fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The requested error rate.
    #[must_use]
    pub const fn error_rate(&self) -> f64 {
        self.error_rate
    }

    /// The factor between the capacities of successive links.
    #[must_use]
    pub const fn expansion_rate(&self) -> u32 {
        self.expansion
    }

    /// Returns whether the filter grows when it is full.
    #[must_use]
    pub const fn is_scaling(&self) -> bool {
        self.scaling && self.expansion > 0
    }

    /// Creates the empty filter.
    ///
    /// # Errors
    ///
    /// A capacity, error rate or expansion outside of its range, or a first link that memory has no room for.
    pub fn build(&self) -> Result<crate::BloomFilter, SettingsError> {
        crate::BloomFilter::new(self)
    }

    /// The error rate of the first link: a scaling filter halves the rate with each link, including the first, so that
    /// all links together have the requested rate.
    pub(crate) fn first_error_rate(&self) -> f64 {
        let rate = self.error_rate.min(MAX_ERROR_RATE);
        if self.is_scaling() { rate * TIGHTENING } else { rate }
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

/// The factor between the error rates of successive links.
pub(crate) const TIGHTENING: f64 = 0.5;
