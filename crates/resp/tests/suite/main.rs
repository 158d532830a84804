//! Requests and replies. One binary, because linking takes longer than running the tests.

mod live;
mod replies;
mod requests;
