//! Atomics and thread-locals: those of shuttle with `--cfg shuttle`, as in the store.

#[cfg(not(shuttle))]
pub(crate) use std::sync::atomic;
#[cfg(all(feature = "calendar", not(shuttle)))]
pub(crate) use std::thread_local;

#[cfg(shuttle)]
pub(crate) use shuttle::sync::atomic;
#[cfg(all(feature = "calendar", shuttle))]
pub(crate) use shuttle::thread_local;
