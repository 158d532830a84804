//! Lists of nodes. One binary, because linking takes longer than running the tests.

mod boundaries;
mod corruption;
mod golden;
mod live;
mod model;
