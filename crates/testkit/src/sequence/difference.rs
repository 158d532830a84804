//! A difference and its text.

use std::error::Error;
use std::fmt;

/// The shortest sequence that was found for which the two sides differ.
///
/// Its `Debug` form is its `Display` form, so that `unwrap` prints it readably.
pub struct Difference<Op> {
    pub(super) ops: Vec<Op>,
    pub(super) why: String,
    pub(super) before: usize,
}

impl<Op> Difference<Op> {
    /// The operations. The sides differ at the last one; if there are none, they differ before the first.
    #[must_use]
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// The panic message of the step, and its place in the source.
    #[must_use]
    pub fn why(&self) -> &str {
        &self.why
    }

    /// The number of operations before the sequence was shrunk, up to the difference.
    #[must_use]
    pub const fn len_before(&self) -> usize {
        self.before
    }
}

impl<Op: fmt::Debug> fmt::Display for Difference<Op> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ops, why, before } = self;
        let len = ops.len();
        writeln!(
            f,
            "a difference at the last of {len} operations (of {before} before shrinking):"
        )?;
        ops.iter().try_for_each(|op| writeln!(f, "  {op:?}"))?;
        f.write_str(why)
    }
}

impl<Op: fmt::Debug> fmt::Debug for Difference<Op> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<Op: fmt::Debug> Error for Difference<Op> {}
