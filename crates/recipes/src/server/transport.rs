//! Transports, which send packed requests to a server and return its replies.

#[cfg(feature = "async")]
use std::pin::Pin;

use store::{Error, Reply};

use crate::request::Request;

/// Requests for one node, in RESP.
#[derive(Default)]
pub(super) struct Packed {
    pub(super) bytes: Vec<u8>,
    pub(super) requests: usize,
    /// The slot of the first key.
    pub(super) slot: Option<u16>,
}

impl Packed {
    /// Appends a request, a script by its digest.
    pub(super) fn push(&mut self, request: &Request) {
        request.write(&mut self.bytes);
        self.count(request);
    }

    /// Appends a request, a script as its text.
    pub(super) fn push_whole(&mut self, request: &Request) {
        request.write_whole(&mut self.bytes);
        self.count(request);
    }

    fn count(&mut self, request: &Request) {
        if self.slot.is_none() {
            self.slot = request.slot();
        }
        self.requests += 1;
    }
}

/// A blocking connection.
pub(super) trait Transport {
    /// Sends one request. Redirections of a cluster are followed.
    fn send(&self, packed: &[u8]) -> Result<Reply, Error>;

    /// Sends requests as one pipeline, on a cluster to the node that has their slot.
    fn send_all(&self, packed: &Packed) -> Result<Vec<Reply>, Error>;
}

/// An asynchronous connection.
#[cfg(feature = "async")]
pub(super) trait AsyncTransport {
    /// As [`Transport::send`].
    fn send_async<'a>(&'a self, packed: &'a [u8]) -> Pending<'a, Reply>;

    /// As [`Transport::send_all`].
    fn send_all_async<'a>(&'a self, packed: &'a Packed) -> Pending<'a, Vec<Reply>>;
}

/// The future result of a connection.
#[cfg(feature = "async")]
pub(super) type Pending<'a, R> = Pin<Box<dyn Future<Output = Result<R, Error>> + Send + 'a>>;
