//! `tallis encodings --printed`: compares figures printed in a book, an article and notes on Redis with measurements.
//!
//! * The book is *Redis in Action*, chapter 9: sharded sets of visitors, packed locations.
//! * The article counts the users who log in, in a set and in a HyperLogLog.
//! * The notes explain HyperLogLog and Bloom filters by experiments.
//!
//! A figure that follows from the elements alone is *determined*: it is the same in Tallis, on a server and in print.

mod article;
mod bench;
mod book;
mod filters;
mod on_server;
mod report;
mod row;
mod run;
mod sketches;
mod zeros;

#[cfg(test)]
mod tests;

pub(super) use run::run;
