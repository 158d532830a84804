//! Locks, threads, channels, and the atomics that threads go by.
//!
//! With `--cfg shuttle` they are shuttle's, which runs one thread at a time and chooses at every lock and every atomic
//! which one goes on: `cargo xtask faults schedules` runs the store under many such choices. Counters that decide
//! nothing stay the standard library's, since each choice there would only make the others rarer.

#[cfg(shuttle)]
mod condvar;

#[cfg(not(shuttle))]
pub(crate) use std::{
    sync::{self as plain, atomic, mpsc},
    thread, thread_local,
};

#[cfg(not(shuttle))]
pub(crate) use parking_lot::{
    Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard,
};

#[cfg(shuttle)]
pub(crate) use parking_lot_of_shuttle::{
    Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard,
};
#[cfg(shuttle)]
pub(crate) use shuttle::{
    sync::{self as plain, atomic, mpsc},
    thread, thread_local,
};

#[cfg(shuttle)]
pub(crate) use condvar::Condvar;
