//! The stores whose locks a thread holds while the caller's code runs.

use std::cell::{Cell, RefCell};

use super::Shared;
use crate::error::{Error, ErrorKind};
use crate::sync::thread_local;

thread_local! {
    /// The innermost store whose locks this thread holds while the caller's code runs; 0 for none.
    static HELD: Cell<u64> = const { Cell::new(0) };
    /// The stores around it.
    static OUTER: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Notes that this thread holds locks of a store while the caller's code runs.
#[expect(unnameable_types, reason = "only this crate creates it")]
#[derive(Debug)]
pub struct Holding {
    before: u64,
    /// Whether another store's locks are held around these.
    nested: bool,
}

impl Holding {
    #[inline]
    pub(crate) fn new(shared: &Shared) -> Self {
        let before = HELD.with(|held| held.replace(shared.id));
        let nested = before != 0 && before != shared.id;
        if nested {
            OUTER.with(|outer| outer.borrow_mut().push(before));
        }
        Self { before, nested }
    }
}

impl Drop for Holding {
    #[inline]
    fn drop(&mut self) {
        HELD.with(|held| held.set(self.before));
        if self.nested {
            OUTER.with(|outer| outer.borrow_mut().pop());
        }
    }
}

/// Returns an error if this thread holds locks of the store, since it would wait for itself.
#[inline]
pub(super) fn check_free(shared: &Shared) -> Result<(), Error> {
    let held = HELD.with(Cell::get);
    if held == 0 { Ok(()) } else { check_held(shared.id, held) }
}

#[cold]
fn check_held(store: u64, held: u64) -> Result<(), Error> {
    if held != store && !OUTER.with(|outer| outer.borrow().contains(&store)) {
        return Ok(());
    }
    Err(locked())
}

#[cold]
pub(super) fn locked() -> Error {
    Error::new(
        ErrorKind::Locked,
        "ERR the store is locked by the transaction, entry or sink that makes this call",
    )
}
