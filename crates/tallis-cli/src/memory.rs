//! What a value takes in memory.

use testkit::alloc::Counting;

/// Says how many bytes a piece of work leaves allocated.
///
/// It is the program's allocator that knows; so the program hands it over, and a test hands over another one.
pub trait Memory: Sync {
    /// Does the work, and returns how many bytes more are held after it: headers and slack of the allocator included.
    /// Less than nothing if it freed more than it allocated.
    fn held(&self, work: &mut dyn FnMut()) -> isize;
}

impl<A: Sync> Memory for Counting<A> {
    fn held(&self, work: &mut dyn FnMut()) -> isize {
        self.counting(work).1.cast_signed()
    }
}
