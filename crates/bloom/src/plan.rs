//! Formulas for the size of a filter and its false positive rate.
//!
//! # Formulas
//!
//! With n items, m bits and k hashes a bit stays unset with probability (1 - 1/m)^(kn), which is very close to
//! e^(-kn/m). A false positive is an item that was not added and whose k bits are all set:
//!
//! ```text
//! p = (1 - e^(-k n / m))^k          least for  k = ln 2 * m / n,  where  p = 2^-k
//! m / n = -ln p / (ln 2)^2
//! ```
//!
//! [`bits_for`], [`capacity_for`] and [`error_for`] solve this with the k of RedisBloom, which rounds up; [`thumb`] has
//! simple rules for mental arithmetic.
//!
//! # References
//!
//! B. H. Bloom: Space/time trade-offs in hash coding with allowable errors, Communications of the ACM 13(7), 1970.

#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sizes are computed in doubles, as in RedisBloom"
)]

/// ln 2 and its square, with the digits of RedisBloom: they affect rounding, so they are part of the format.
#[expect(clippy::approx_constant, reason = "it has one digit fewer than the constant")]
const LN_2: f64 = 0.693_147_180_559_945;
const LN_2_SQUARED: f64 = 0.480_453_013_918_201;

/// The number of bits is a multiple of this: arrays consist of whole words.
const WORD: u64 = 64;

/// The bits per item of a filter with this error rate (0 to 1, neither included).
///
/// # Examples
///
/// ```
/// assert_eq!(format!("{:.3}", bloom::plan::bits_per_item(0.01)), "9.585");
/// ```
#[must_use]
pub fn bits_per_item(error_rate: f64) -> f64 {
    -error_rate.ln() / LN_2_SQUARED
}

/// The number of hashes that RedisBloom uses for this many bits per item: the optimum, rounded up.
///
/// # Examples
///
/// ```
/// assert_eq!(bloom::plan::hashes(bloom::plan::bits_per_item(0.01)), 7);
/// ```
#[must_use]
pub fn hashes(bits_per_item: f64) -> u32 {
    (LN_2 * bits_per_item).ceil() as u32
}

/// The bits of a filter for `capacity` items at this error rate: at least 64, and a multiple of 64.
///
/// The result is `u64::MAX` if the number does not fit 64 bits.
///
/// # Examples
///
/// ```
/// assert_eq!(bloom::plan::bits_for(10_000_000, 0.01), 95_850_624);
/// ```
#[must_use]
pub fn bits_for(capacity: u64, error_rate: f64) -> u64 {
    whole_words(raw_bits(capacity, bits_per_item(error_rate)))
}

/// The capacity, in items, of a filter of this many bits at this error rate.
///
/// # Examples
///
/// ```
/// assert_eq!(bloom::plan::capacity_for(95_850_624, 0.01), 10_000_004);
/// ```
#[must_use]
pub fn capacity_for(bits: u64, error_rate: f64) -> u64 {
    (bits as f64 / bits_per_item(error_rate)) as u64
}

/// The smallest error rate for which a filter with this many bits has this capacity.
///
/// # Examples
///
/// ```
/// assert_eq!(format!("{:.5}", bloom::plan::error_for(95_850_624, 10_000_000)), "0.01000");
/// ```
#[must_use]
pub fn error_for(bits: u64, capacity: u64) -> f64 {
    (-(bits as f64) / capacity as f64 * LN_2_SQUARED).exp()
}

/// The expected false positive rate of a filter with this many bits, hashes and items.
///
/// # Examples
///
/// A filter for 1 % with twice as many items as its capacity:
///
/// ```
/// let bits = bloom::plan::bits_for(10_000, 0.01);
/// assert_eq!(format!("{:.3}", bloom::plan::expected_error(bits, 7, 20_000)), "0.157");
/// ```
#[must_use]
pub fn expected_error(bits: u64, hashes: u32, items: u64) -> f64 {
    let hashes = f64::from(hashes);
    fill_after(bits, hashes * items as f64).powf(hashes)
}

/// The standard deviation of the false positive rate around [`expected_error`], between filters that differ only in
/// their items.
///
/// Items set a few bits more or less than on average, as balls thrown into bins leave more or fewer of them empty; the
/// variance of the empty ones is `m q (1 - (1 + c) q)` with c = kn/m and q = e^-c. It matters for small filters only:
/// relative to the rate it decreases with the square root of the bits.
///
/// # Examples
///
/// ```
/// let of_a_hundredth = |items| {
///     let bits = bloom::plan::bits_for(items, 0.01);
///     format!("{:.5}", bloom::plan::error_deviation(bits, 7, items))
/// };
/// assert_eq!([1000, 1_000_000].map(of_a_hundredth), ["0.00039", "0.00001"]);
/// ```
#[must_use]
pub fn error_deviation(bits: u64, hashes: u32, items: u64) -> f64 {
    let (bits, hashes) = (bits as f64, f64::from(hashes));
    let probes = hashes * items as f64 / bits;
    let (unset, set) = ((-probes).exp(), -(-probes).exp_m1());
    // (1 - (1 + c) q) in a form that keeps its digits where c is small.
    let variance = unset * (set - probes * unset).max(0.0) / bits;
    hashes * set.powf(hashes - 1.0) * variance.sqrt()
}

/// Estimates the number of items from the number of set bits, rounded to nearest; `None` if all bits are set, which
/// determines no number.
///
/// # Examples
///
/// ```
/// // Half of the bits are set: m ln 2 / k.
/// assert_eq!(bloom::plan::items_from_fill(64_000, 7, 32_000), Some(6337));
/// ```
#[must_use]
pub fn items_from_fill(bits: u64, hashes: u32, set: u64) -> Option<u64> {
    let unset = bits.checked_sub(set).filter(|&unset| unset > 0)?;
    let probes = bits as f64 * -(unset as f64 / bits as f64).ln();
    Some((probes / f64::from(hashes)).round() as u64)
}

/// The fraction of `bits` that are set after this many probes.
fn fill_after(bits: u64, probes: f64) -> f64 {
    -(-probes / bits as f64).exp_m1()
}

/// The number of bits before rounding to whole words.
pub(crate) fn raw_bits(capacity: u64, bits_per_item: f64) -> u64 {
    (capacity as f64 * bits_per_item) as u64
}

/// At least one, and up to the next multiple of [`WORD`].
pub(crate) fn whole_words(bits: u64) -> u64 {
    bits.max(1).checked_next_multiple_of(WORD).unwrap_or(u64::MAX)
}

/// Rules of thumb, to verify a plan by mental arithmetic. `m / n` is the number of bits per item.
pub mod thumb {
    /// k = 0.7 m / n.
    ///
    /// ```
    /// assert_eq!(bloom::plan::thumb::hashes(10.0), 7.0);
    /// ```
    #[must_use]
    pub fn hashes(bits_per_item: f64) -> f64 {
        0.7 * bits_per_item
    }

    /// p = 0.6185^(m / n).
    ///
    /// ```
    /// assert_eq!(format!("{:.4}", bloom::plan::thumb::error_rate(9.585)), "0.0100");
    /// ```
    #[must_use]
    pub fn error_rate(bits_per_item: f64) -> f64 {
        0.6185_f64.powf(bits_per_item)
    }

    /// p = (1 - 0.5^t)^k, where the filter has t times as many items as its capacity.
    ///
    /// ```
    /// let twice = |hashes| format!("{:.2}", bloom::plan::thumb::error_rate_at(2.0, hashes));
    /// assert_eq!([3.3, 6.6, 10.0].map(twice), ["0.39", "0.15", "0.06"]);
    /// ```
    #[must_use]
    pub fn error_rate_at(times_capacity: f64, hashes: f64) -> f64 {
        (1.0 - 0.5_f64.powf(times_capacity)).powf(hashes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits of `bpe` as servers recorded them, and the hashes.
    #[test]
    fn bits_per_item_are_the_server_s_to_the_last_bit() {
        let recorded = [
            (0.0005, 0x402f_a3fc_14f4_922e_u64, 11),
            (0.005, 0x4026_0e35_b22f_86e9, 8),
            (0.025, 0x401e_b630_781f_d80b, 6),
            (0.0125, 0x4022_3dc1_28b5_5c65, 7),
            (0.006_25, 0x4025_206a_155a_ccc6, 8),
            (0.01, 0x4023_2b8c_c58a_1688, 7),
            (0.0025, 0x4028_f0de_9ed4_f74a, 9),
            (0.00125, 0x402b_d387_8b7a_67aa, 10),
            (0.000_625, 0x402e_b630_781f_d80b, 11),
        ];
        for (error, bits, k) in recorded {
            let bpe = bits_per_item(error);
            assert_eq!((bpe.to_bits(), hashes(bpe)), (bits, k), "{error}");
        }
    }

    #[test]
    fn bits_fill_whole_words_and_are_never_zero() {
        assert_eq!([0, 1, 63, 64, 65].map(whole_words), [64, 64, 64, 64, 128]);
        assert_eq!(whole_words(u64::MAX), u64::MAX);
        assert_eq!(bits_for(1, 0.25), 64);
        assert_eq!(bits_for(100, 0.005), 1152);
        assert_eq!(bits_for(u64::MAX, 0.01), u64::MAX);
    }

    /// Each solves what the others state: from n and p to bits and back.
    #[test]
    fn the_three_questions_agree() {
        for error in [0.1, 0.01, 0.001, 0.0001] {
            for capacity in [100, 12_345, 10_000_000] {
                let bits = bits_for(capacity, error);
                let back = capacity_for(bits, error);
                assert!(back >= capacity && back - capacity <= 64, "{capacity} at {error}: {back}");
                let reached = error_for(bits, capacity);
                assert!(
                    reached <= error && reached > error * 0.7,
                    "{capacity} at {error}: {reached}"
                );
            }
        }
    }

    #[test]
    fn fill_gives_the_items_back() {
        for items in [0, 1, 10, 1000, 20_000] {
            let set = (fill_after(100_000, 7.0 * items as f64) * 1e5).round() as u64;
            let told = items_from_fill(100_000, 7, set).unwrap();
            assert!(told.abs_diff(items) <= items / 100, "{items}: {told}");
        }
        assert_eq!(items_from_fill(64, 7, 64), None);
        assert_eq!(items_from_fill(64, 7, 65), None);
    }

    /// The deviation of 400 filters, which is itself uncertain by 1 / sqrt(2 * 400) = 3.5 %.
    #[test]
    fn filters_differ_as_much_as_is_said() {
        for (items, error) in [(500, 0.1), (2000, 0.01), (2000, 0.2)] {
            for filled in [items / 2, items, items * 3] {
                let mut item = 0_u64;
                let mut rate = || {
                    let mut link = crate::Link::new(items, error).unwrap();
                    for _ in 0..filled {
                        item += 1;
                        link.add(&item.to_le_bytes());
                    }
                    (link.error_rate_by_bits(), link.bits(), link.hashes())
                };
                let (_, bits, hashes) = rate();
                let expected = expected_error(bits, hashes, filled);
                let squares: f64 = (0..400).map(|_| (rate().0 - expected).powi(2)).sum();
                let (seen, told) =
                    ((squares / 400.0).sqrt(), error_deviation(bits, hashes, filled));
                let ratio = seen / told;
                assert!((0.85..1.15).contains(&ratio), "{items}, {error}, {filled}: {ratio}");
            }
        }
    }

    #[test]
    fn filters_that_are_empty_or_saturated_do_not_differ() {
        assert!(error_deviation(6400, 7, 0).abs() < 1e-300);
        assert!(error_deviation(64, 7, 1_000_000).abs() < 1e-300);
        assert!(error_deviation(64, 1, 1).is_finite());
    }

    /// The rules of thumb stay within a few hundredths of the formulas where k is the best.
    #[test]
    fn rules_of_thumb_are_near() {
        for error in [0.1, 0.01, 0.001, 0.0001] {
            let bpe = bits_per_item(error);
            assert!((thumb::error_rate(bpe) / error - 1.0).abs() < 0.01);
            assert!((thumb::hashes(bpe) / (LN_2 * bpe) - 1.0).abs() < 0.01);
            let best = LN_2 * bpe;
            let past = fill_after(1_000_000, best * 2e6 / bpe).powf(best);
            assert!((thumb::error_rate_at(2.0, best) / past - 1.0).abs() < 0.01);
        }
    }
}
