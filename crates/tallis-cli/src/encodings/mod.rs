//! `tallis encodings`: measures the memory and the speed of each encoding on this machine.

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
