//! Redis's data structures inside your process.

mod reply;

pub use reply::Reply;
