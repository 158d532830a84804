//! Numbers on the command line.

/// Parses an integer from 1 on, in a readable form: `1000000`, `1_000_000`, `1000k`, `1M` or `1e6`.
pub(crate) fn count(text: &str) -> Result<u64, String> {
    match whole(text) {
        Some(0) => Err("it must be at least 1".to_owned()),
        Some(number) => Ok(number),
        None if text.trim_start_matches('-').starts_with(|first: char| first.is_ascii_digit()) => {
            Err("it is not an integer from 1 to 2^64 - 1, such as 1000000 or 1M".to_owned())
        }
        None => Err("it is not a number".to_owned()),
    }
}

/// Parses a [`count`] up to `most`.
pub(crate) fn count_to(text: &str, most: u64) -> Result<u64, String> {
    let number = count(text)?;
    if number <= most { Ok(number) } else { Err(format!("it must be at most {most}")) }
}

/// Parses a number between 0 and 1, both excluded.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "it is not a number".to_owned())?;
    if share > 0.0 && share < 1.0 {
        Ok(share)
    } else {
        Err("it must be above 0 and below 1".to_owned())
    }
}

/// Formats a probability above 0: `1 in 1020` or `1 in 3.2 billion`.
pub(crate) fn one_in(share: f64) -> String {
    let of = 1.0 / share;
    let words = [(1e12, "trillion"), (1e9, "billion"), (1e6, "million")];
    match words.into_iter().find(|&(size, _)| of >= size) {
        _ if of >= 1e15 => "fewer than 1 in 10^15".to_owned(),
        Some((size, word)) => {
            // Three digits are enough.
            let number = of / size;
            let decimals = usize::from(number < 9.95) + usize::from(number < 99.5);
            format!("1 in {number:.decimals$} {word}")
        }
        // More than a half would be rounded to 1 in 1.
        None if of < 9.95 => format!("1 in {of:.1}"),
        None => format!("1 in {of:.0}"),
    }
}

/// Parses digits with underscores, and an optional letter or exponent for the number of zeros that follow.
fn whole(text: &str) -> Option<u64> {
    let (digits, zeros) = match text.split_once(['e', 'E']) {
        Some((digits, zeros)) => (digits, unsigned(zeros)?.try_into().ok()?),
        None => match text.chars().next_back()? {
            'k' | 'K' => (text.get(..text.len() - 1)?, 3),
            'M' => (text.get(..text.len() - 1)?, 6),
            'G' => (text.get(..text.len() - 1)?, 9),
            _ => (text, 0),
        },
    };
    if digits.starts_with('_') || digits.ends_with('_') {
        return None;
    }
    unsigned(&digits.replace('_', ""))?.checked_mul(10_u64.checked_pow(zeros)?)
}

/// Parses digits only, without a sign, which `parse` would accept.
pub(crate) fn unsigned(digits: &str) -> Option<u64> {
    digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_written_in_several_ways() {
        for (text, want) in [
            ("1", 1),
            ("10000000", 10_000_000),
            ("10_000_000", 10_000_000),
            ("10M", 10_000_000),
            ("3k", 3000),
            ("3K", 3000),
            ("2G", 2_000_000_000),
            ("1e7", 10_000_000),
            ("25E1", 250),
            ("007", 7),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(count(text), Ok(want), "{text}");
        }
    }

    #[test]
    fn some_counts_have_an_end() {
        assert_eq!(count_to("1k", 1000), Ok(1000));
        assert_eq!(count_to("1001", 1000), Err("it must be at most 1000".to_owned()));
        assert_eq!(count_to("0", 1000), count("0"));
    }

    #[test]
    fn what_is_no_count_is_refused_and_says_why() {
        for text in ["0", "0k", "0e9", "000"] {
            assert_eq!(count(text), Err("it must be at least 1".to_owned()), "{text}");
        }
        for text in ["1.5", "-1", "1e20", "18446744073709551616", "20000000000G", "1_", "1e", "1kk"]
        {
            assert!(count(text).unwrap_err().contains("integer"), "{text}");
        }
        for text in ["", "k", "_1", "e5", "+1", "x", "-", "1\u{e9}"] {
            assert!(count(text).is_err(), "{text}");
        }
    }

    #[test]
    fn shares_are_shown_as_one_in_many() {
        for (share, want) in [
            (1.0, "1 in 1.0"),
            (0.7, "1 in 1.4"),
            (0.1, "1 in 10"),
            (0.000_98, "1 in 1020"),
            (1e-6, "1 in 1.00 million"),
            (1.0 / 52_340_000.0, "1 in 52.3 million"),
            (1.0 / 523.4e9, "1 in 523 billion"),
            (3.2e-15, "1 in 312 trillion"),
            (9.9e-16, "fewer than 1 in 10^15"),
            (f64::MIN_POSITIVE, "fewer than 1 in 10^15"),
        ] {
            assert_eq!(one_in(share), want, "{share}");
        }
    }

    #[test]
    fn shares_are_between_nothing_and_all() {
        assert_eq!(share("0.01").map(f64::to_bits), Ok(0.01_f64.to_bits()));
        assert_eq!(share("1e-300").map(f64::to_bits), Ok(1e-300_f64.to_bits()));
        for text in ["0", "-0", "1", "1.0", "1e-400", "-0.1", "2", "inf", "nan"] {
            assert_eq!(share(text).unwrap_err(), "it must be above 0 and below 1", "{text}");
        }
        for text in ["", "x", "1%", "0,1"] {
            assert_eq!(share(text).unwrap_err(), "it is not a number", "{text}");
        }
    }
}
