//! The number of processors.

use std::num::NonZero;
use std::sync::OnceLock;
use std::thread;

/// Returns the number of threads that can run at the same time; 1 if it is not known.
///
/// It is queried once. On Linux it depends on the control groups of the process: a query reads several files, and takes
/// longer than all else that creates a store.
pub(crate) fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
}
