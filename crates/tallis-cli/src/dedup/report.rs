//! What is said at the end, on standard error.

use std::fmt;

use crate::uv::lines;

/// What became of the lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report {
    pub(super) read: u64,
    pub(super) written: u64,
    /// How often a new line is now taken for one that was seen.
    pub(super) error_rate: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { read, written, error_rate } = *self;
        write!(f, "{} dropped of {read}; error to expect now: ", lines(read - written))?;
        if error_rate <= 0.0 {
            return f.write_str("0");
        }
        let one_in = 1.0 / error_rate;
        let one_in = if one_in < 1e9 { format!("{one_in:.0}") } else { format!("{one_in:.0e}") };
        write!(f, "{error_rate:.3e} (of new lines 1 in {one_in} is taken for seen)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_how_many_and_how_often() {
        let report = |read, written, error_rate| Report { read, written, error_rate }.to_string();
        assert_eq!(
            report(10, 7, 0.000_98),
            "3 lines dropped of 10; error to expect now: 9.800e-4 (of new lines 1 in 1020 is taken for seen)"
        );
        assert_eq!(
            report(10, 9, 3.2e-20),
            "1 line dropped of 10; error to expect now: 3.200e-20 (of new lines 1 in 3e19 is taken for seen)"
        );
        assert_eq!(report(1, 0, 0.0), "1 line dropped of 1; error to expect now: 0");
    }
}
