//! Measurement of memory.

use testkit::alloc::Counting;

/// Measures how many bytes a function leaves allocated.
///
/// Only the program's allocator can do this, so the program passes it; tests pass another one.
pub trait Memory: Sync {
    /// Runs the function, and returns how many more bytes are allocated after it, including headers and slack of the
    /// allocator. Negative if it freed more than it allocated.
    fn held(&self, work: &mut dyn FnMut()) -> isize;
}

impl<A: Sync> Memory for Counting<A> {
    fn held(&self, work: &mut dyn FnMut()) -> isize {
        self.counting(work).1.cast_signed()
    }
}
