//! Reading RDB files and logs key by key, for `check`, `inspect` and `convert`.

mod damage;
mod filter;
mod log;
mod scan;
mod text;

pub(crate) use damage::Damage;
pub(crate) use filter::Filter;
pub(crate) use log::{file_of_log, is_log};
pub(crate) use scan::{Key, Scan, Step};
pub(crate) use text::{encode, lossy};
