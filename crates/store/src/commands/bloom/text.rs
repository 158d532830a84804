//! Filters and their settings as text.

use bloom::{BloomFilter, Settings};
use bytes::Bytes;

/// The arguments of BF.RESERVE for these settings; `None` if it cannot express them.
pub(super) fn reserve_words(settings: &Settings) -> Option<Vec<Bytes>> {
    let mut words = vec![error_rate(settings), settings.capacity().to_string()];
    match (settings.is_scaling(), settings.expansion_rate()) {
        (true, expansion) | (false, expansion @ 0) => {
            words.extend(["EXPANSION".to_owned(), expansion.to_string()]);
        }
        (false, Settings::DEFAULT_EXPANSION) => words.push("NONSCALING".to_owned()),
        (false, _) => return None,
    }
    Some(words.into_iter().map(Bytes::from).collect())
}

/// The arguments of BF.INSERT for these settings, up to the items.
pub(super) fn insert_words(settings: &Settings) -> Vec<Bytes> {
    let (capacity, expansion) = (settings.capacity(), settings.expansion_rate());
    let mut words = vec!["CAPACITY".to_owned(), capacity.to_string()];
    words.extend(["ERROR".to_owned(), error_rate(settings)]);
    words.extend(["EXPANSION".to_owned(), expansion.to_string()]);
    if !settings.is_scaling() {
        words.push("NONSCALING".to_owned());
    }
    words.push("ITEMS".to_owned());
    words.into_iter().map(Bytes::from).collect()
}

/// Enough digits to parse the same number again.
fn error_rate(settings: &Settings) -> String {
    format!("{:?}", settings.error_rate())
}

/// The lines of BF.DEBUG.
pub(super) fn debug(filter: &BloomFilter) -> Vec<String> {
    let links = filter.links().map(|link| {
        let (bytes, bits, hashes) = (link.bits() / 8, link.bits(), link.hashes());
        let (capacity, size, ratio) = (link.capacity(), link.len(), general(link.error_rate()));
        format!(
            "bytes:{bytes} bits:{bits} hashes:{hashes} hashwidth:64 capacity:{capacity} size:{size} ratio:{ratio}"
        )
    });
    std::iter::once(format!("size:{}", filter.len())).chain(links).collect()
}

/// Formats a number as C's `%g` does.
fn general(number: f64) -> String {
    /// Significant digits.
    const DIGITS: i32 = 6;
    let rounded = format!("{number:.5e}");
    let Some((digits, exponent)) = rounded.split_once('e') else { return rounded };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let trimmed = |text: &str| text.trim_end_matches('0').trim_end_matches('.').to_owned();
    if (-4..DIGITS).contains(&exponent) {
        let places = usize::try_from(DIGITS - 1 - exponent).unwrap_or_default();
        return trimmed(&format!("{number:.places$}"));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(digits), exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `printf` of glibc formats them.
    #[test]
    fn numbers_are_those_of_c() {
        for (number, text) in [
            (0.005, "0.005"),
            (0.25, "0.25"),
            (0.000_625, "0.000625"),
            (0.000_1, "0.0001"),
            (0.000_099_999_99, "0.0001"),
            (0.000_078_125, "7.8125e-05"),
            (1.220_703_125e-6, "1.2207e-06"),
            (1e-300, "1e-300"),
            (0.123_456_789, "0.123457"),
        ] {
            assert_eq!(general(number), text);
        }
    }

    #[test]
    fn settings_are_arguments() {
        let words = |settings: Settings| {
            let words = reserve_words(&settings)?;
            Some(
                words
                    .iter()
                    .map(|word| String::from_utf8_lossy(word))
                    .collect::<Vec<_>>()
                    .join(" "),
            )
        };
        let plain = Settings::new(1000, 0.001);
        assert_eq!(words(plain).as_deref(), Some("0.001 1000 EXPANSION 2"));
        assert_eq!(words(plain.non_scaling()).as_deref(), Some("0.001 1000 NONSCALING"));
        assert_eq!(words(plain.expansion(0)).as_deref(), Some("0.001 1000 EXPANSION 0"));
        assert_eq!(words(plain.expansion(4).non_scaling()), None);
    }
}
