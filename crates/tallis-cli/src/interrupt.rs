//! An interrupt, or the wish of the system that the program ends.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Failure;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Watches for interrupts: SIGINT, SIGTERM and SIGHUP no longer end the process, which is to look at
/// [`interrupted`] and end by itself. A second one ends it at once.
pub(crate) fn watch() -> Result<(), Failure> {
    static WATCHED: OnceLock<Result<(), String>> = OnceLock::new();
    let watched = WATCHED.get_or_init(|| {
        let note = || {
            if INTERRUPTED.swap(true, Ordering::AcqRel) {
                std::process::exit(STATUS.into());
            }
        };
        ctrlc::set_handler(note).map_err(|error| format!("cannot wait for an interrupt: {error}"))
    });
    watched.clone().map_err(Failure::Trouble)
}

/// The exit status of a process that an interrupt ended: 128 and the number of SIGINT.
pub(crate) const STATUS: u8 = 130;

/// Whether an interrupt has come since [`watch`].
#[inline]
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Acquire)
}
