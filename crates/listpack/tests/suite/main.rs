//! Listpacks. One binary, because linking takes longer than running the tests.

mod boundaries;
mod corruption;
mod front;
mod golden;
mod live;
mod model;
