//! Tables that grow a bucket at a time. One binary, because linking takes longer than running the tests.

mod growth;
mod model;
