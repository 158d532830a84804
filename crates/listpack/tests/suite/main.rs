//! Listpacks. One program: each that is linked takes longer than its tests.

mod boundaries;
mod corruption;
mod front;
mod golden;
mod live;
mod model;
