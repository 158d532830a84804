//! The asynchronous backend for servers and clusters.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use store::{Error, PreparedKey};

use super::remote::Remote;
use super::transport::AsyncTransport;
use crate::backend::{AsyncBackend, BackendKind, Keyspace};
use crate::procedure::Procedure;

/// An [`AsyncBackend`] on a Redis or Valkey server, or on a cluster: the asynchronous form of
/// [`Server`](crate::Server).
///
/// The requests are the same. On a cluster the pipelines of a batch are sent to all nodes concurrently.
///
/// If a future is dropped before it is ready, it is unknown whether its requests were sent.
#[derive(Clone)]
pub struct AsyncServer {
    remote: Arc<Remote<dyn AsyncTransport + Send + Sync>>,
}

impl AsyncServer {
    pub(super) fn on(remote: Remote<impl AsyncTransport + Send + Sync + 'static>) -> Self {
        Self { remote: Arc::new(remote) }
    }
}

impl fmt::Debug for AsyncServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncServer").field("kind", &self.kind()).finish_non_exhaustive()
    }
}

impl Keyspace for AsyncServer {
    fn kind(&self) -> BackendKind {
        self.remote.kind()
    }

    fn prepare(&self, key: &[u8]) -> PreparedKey {
        PreparedKey::unhashed(key)
    }
}

impl AsyncBackend for AsyncServer {
    async fn call_async<P: Procedure>(&self, procedure: &P) -> Result<P::Output, Error> {
        self.remote.call_async(procedure).await
    }

    async fn call_many_async<P: Procedure>(
        &self,
        procedures: &[P],
        answer: impl FnMut(usize, Result<P::Output, Error>),
    ) -> Result<(), Error> {
        self.remote.call_many_async(procedures, answer).await
    }

    async fn keys_from_async(&self, start: &[u8]) -> Result<Vec<Bytes>, Error> {
        self.remote.keys_from_async(start).await
    }
}
