//! `tallis encodings`: what each encoding costs on this machine, in bytes and in nanoseconds.

mod advice;
mod form;
mod items;
mod measure;
mod page;
mod printed;
mod report;
mod run;
mod server;
mod shape;

pub use advice::{Advice, Choice, Data, advise};
pub use form::Family;
pub use run::run;
