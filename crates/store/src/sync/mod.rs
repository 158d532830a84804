//! Locks, threads, channels, and atomics that synchronize threads.
//!
//! With `--cfg shuttle` they are shuttle's, which runs one thread at a time and chooses at every lock and every atomic
//! which thread continues: `cargo xtask faults schedules` runs the store with many such schedules. Counters that do not
//! influence control flow use the standard library, since scheduling points there would only make others rarer.

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
