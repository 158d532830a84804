//! Tables that grow a bucket at a time. One program: each that is linked takes longer than its tests.

mod growth;
mod model;
