//! Requests and replies. One program: each that is linked takes longer than its tests.

mod live;
mod replies;
mod requests;
