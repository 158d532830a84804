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
        write!(f, "{} dropped of {read}; ", lines(read - written))?;
        if error_rate > 0.0 {
            let one_in = (1.0 / error_rate).round();
            write!(
                f,
                "of new lines about 1 in {one_in} is taken for seen now (error {error_rate:.3e})"
            )
        } else {
            f.write_str("no new line is taken for seen yet (error 0)")
        }
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
            "3 lines dropped of 10; of new lines about 1 in 1020 is taken for seen now (error 9.800e-4)"
        );
        assert_eq!(
            report(1, 0, 0.0),
            "1 line dropped of 1; no new line is taken for seen yet (error 0)"
        );
    }
}
