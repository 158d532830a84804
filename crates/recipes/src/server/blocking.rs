//! The blocking backend for servers and clusters.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use store::{Error, PreparedKey};

use super::remote::Remote;
use super::transport::Transport;
use crate::backend::{Backend, BackendKind, Keyspace};
use crate::procedure::Procedure;

/// A [`Backend`] on a Redis or Valkey server, or on a cluster.
///
/// A recipe takes it in place of a store. Each [procedure](Procedure) is one command there, or one Lua script, sent by
/// EVALSHA, and by EVAL if the server does not know the script yet. A batch is one pipeline, on a cluster one per node.
///
/// # Errors
///
/// Errors of a server have the same kinds as those of a store, or [`ErrorKind::Server`](store::ErrorKind::Server) if a
/// store has no such error: CROSSSLOT, READONLY, LOADING. [`ErrorKind::Io`](store::ErrorKind::Io) means that the
/// connection failed: it is unknown whether the request was executed.
#[derive(Clone)]
pub struct Server {
    remote: Arc<Remote<dyn Transport + Send + Sync>>,
}

impl Server {
    pub(super) fn on(remote: Remote<impl Transport + Send + Sync + 'static>) -> Self {
        Self { remote: Arc::new(remote) }
    }

    /// Sends one packed request.
    #[cfg(all(test, feature = "redis"))]
    pub(crate) fn send(&self, packed: &[u8]) -> Result<store::Reply, Error> {
        self.remote.transport.send(packed)
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("kind", &self.kind()).finish_non_exhaustive()
    }
}

impl Keyspace for Server {
    fn kind(&self) -> BackendKind {
        self.remote.kind()
    }

    fn prepare(&self, key: &[u8]) -> PreparedKey {
        PreparedKey::unhashed(key)
    }
}

impl Backend for Server {
    fn call<P: Procedure>(&self, procedure: &P) -> Result<P::Output, Error> {
        self.remote.call(procedure)
    }

    fn call_many<P: Procedure>(
        &self,
        procedures: &[P],
        answer: impl FnMut(usize, Result<P::Output, Error>),
    ) -> Result<(), Error> {
        self.remote.call_many(procedures, answer)
    }

    fn keys_from(&self, start: &[u8]) -> Result<Vec<Bytes>, Error> {
        self.remote.keys_from(start)
    }
}
