//! What is sent to a server, and what becomes of its replies.

use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;
use store::{Error, ErrorKind, PreparedKey, Reply};

use super::nodes::Nodes;
use crate::procedure::{Backend, BackendKind, Procedure};
use crate::request::Request;

/// How packed requests come to a server, and its replies back.
pub(super) trait Transport {
    /// Whether there are several nodes, each with its slots.
    fn is_cluster(&self) -> bool;

    /// Sends one request. A cluster's redirections are followed.
    fn send(&self, packed: &[u8]) -> Result<Reply, Error>;

    /// Sends requests as one pipeline, on a cluster to the node of the first one's key.
    fn send_all(&self, packed: &[u8], requests: usize) -> Result<Vec<Reply>, Error>;
}

/// A Redis or Valkey server, or a cluster of them, as the [`Backend`] of recipes.
///
/// A recipe is given it in place of a store. Each [procedure](Procedure) is one command there, or one Lua script: EVALSHA,
/// and EVAL where the server does not know the script yet. A batch is one pipeline, on a cluster one for each node.
///
/// # Errors
///
/// A server's errors have the kinds that a store's have, and [`ErrorKind::Server`] where a store has none: CROSSSLOT,
/// READONLY, LOADING. [`ErrorKind::Io`] says that the connection failed: then what was sent was done or was not.
#[derive(Clone)]
pub struct Server {
    shared: Arc<Shared>,
}

struct Shared {
    transport: Box<dyn Transport + Send + Sync>,
    /// Which node has which slots, as it was last looked up.
    nodes: Mutex<Option<Arc<Nodes>>>,
}

impl Server {
    pub(super) fn on(transport: impl Transport + Send + Sync + 'static) -> Self {
        let transport = Box::new(transport);
        Self { shared: Arc::new(Shared { transport, nodes: Mutex::new(None) }) }
    }

    /// Sends one packed request.
    #[cfg(all(test, feature = "redis"))]
    pub(crate) fn send(&self, packed: &[u8]) -> Result<Reply, Error> {
        self.shared.transport.send(packed)
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("kind", &self.kind()).finish_non_exhaustive()
    }
}

impl Shared {
    /// Sends a request.
    fn send(&self, request: &Request) -> Result<Reply, Error> {
        let mut packed = Vec::new();
        request.write(&mut packed);
        let reply = self.transport.send(&packed)?;
        if !lacks_script(&reply) {
            return Ok(reply);
        }
        packed.clear();
        request.write_whole(&mut packed);
        self.transport.send(&packed)
    }

    /// Sends many requests, each node's as one pipeline; the replies in their order.
    fn send_all(&self, requests: &[Request]) -> Result<Vec<Reply>, Error> {
        let mut replies = vec![Reply::Nil; requests.len()];
        for of_node in self.by_node(requests)? {
            self.send_to_node(requests, &of_node, &mut replies)?;
        }
        Ok(replies)
    }

    /// Sends the requests with these numbers as one pipeline, and once more those whose scripts the node did not know.
    fn send_to_node(
        &self,
        requests: &[Request],
        numbers: &[usize],
        replies: &mut [Reply],
    ) -> Result<(), Error> {
        let mut packed = Vec::new();
        for &number in numbers {
            requests[number].write(&mut packed);
        }
        for (&number, reply) in numbers.iter().zip(self.pipeline(&packed, numbers.len())?) {
            replies[number] = reply;
        }
        let unknown = numbers.iter().filter(|&&number| lacks_script(&replies[number]));
        let unknown: Vec<usize> = unknown.copied().collect();
        if !unknown.is_empty() {
            packed.clear();
            let mut sent: Vec<&str> = Vec::new();
            for &number in &unknown {
                let request = &requests[number];
                let digest = request.as_script().map_or("", |script| script.digest());
                if sent.contains(&digest) {
                    request.write(&mut packed);
                } else {
                    request.write_whole(&mut packed);
                    sent.push(digest);
                }
            }
            for (&number, reply) in unknown.iter().zip(self.pipeline(&packed, unknown.len())?) {
                replies[number] = reply;
            }
        }
        if self.transport.is_cluster() {
            self.follow(requests, numbers, replies)?;
        }
        Ok(())
    }

    fn pipeline(&self, packed: &[u8], requests: usize) -> Result<Vec<Reply>, Error> {
        let replies = self.transport.send_all(packed, requests)?;
        if replies.len() == requests {
            return Ok(replies);
        }
        let text = format!("ERR {} replies to {requests} requests", replies.len());
        Err(Error::new(ErrorKind::Conversion, text))
    }

    /// Sends one by one what a node of a cluster has not done, because another one has the slot by now.
    fn follow(
        &self,
        requests: &[Request],
        numbers: &[usize],
        replies: &mut [Reply],
    ) -> Result<(), Error> {
        let mut packed = Vec::new();
        for &number in numbers {
            if is_elsewhere(&replies[number]) {
                *self.nodes.lock() = None;
                packed.clear();
                requests[number].write_whole(&mut packed);
                replies[number] = self.transport.send(&packed)?;
            }
        }
        Ok(())
    }

    /// The numbers of the requests of each node, in order.
    fn by_node(&self, requests: &[Request]) -> Result<Vec<Vec<usize>>, Error> {
        if !self.transport.is_cluster() {
            return Ok(vec![(0..requests.len()).collect()]);
        }
        let nodes = self.nodes()?;
        let mut all: Vec<Vec<usize>> = Vec::new();
        for (number, request) in requests.iter().enumerate() {
            let node = request.slot().map_or(0, |slot| nodes.of_slot(slot));
            if all.len() <= node {
                all.resize_with(node + 1, Vec::new);
            }
            all[node].push(number);
        }
        all.retain(|numbers| !numbers.is_empty());
        Ok(all)
    }

    /// Which node has which slots, as far as is known.
    fn nodes(&self) -> Result<Arc<Nodes>, Error> {
        if let Some(nodes) = &*self.nodes.lock() {
            return Ok(Arc::clone(nodes));
        }
        let reply = self.send(&Request::command("CLUSTER").arg("SLOTS"))?.into_result()?;
        let nodes = Nodes::parse(reply).ok_or_else(|| {
            Error::new(ErrorKind::Conversion, "ERR the reply to CLUSTER SLOTS tells no slots")
        })?;
        let nodes = Arc::new(nodes);
        *self.nodes.lock() = Some(Arc::clone(&nodes));
        Ok(nodes)
    }
}

impl Backend for Server {
    fn kind(&self) -> BackendKind {
        if self.shared.transport.is_cluster() { BackendKind::Cluster } else { BackendKind::Server }
    }

    fn call<P: Procedure>(&self, procedure: &P) -> Result<P::Output, Error> {
        let reply = self.shared.send(&procedure.request()?)?;
        procedure.output(reply.into_result()?)
    }

    fn call_many<P: Procedure>(
        &self,
        procedures: &[P],
        mut answer: impl FnMut(usize, Result<P::Output, Error>),
    ) -> Result<(), Error> {
        let mut requests = Vec::with_capacity(procedures.len());
        let mut numbers = Vec::with_capacity(procedures.len());
        for (number, procedure) in procedures.iter().enumerate() {
            match procedure.request() {
                Ok(request) => {
                    requests.push(request);
                    numbers.push(number);
                }
                Err(error) => answer(number, Err(error)),
            }
        }
        if requests.is_empty() {
            return Ok(());
        }
        let replies = self.shared.send_all(&requests)?;
        for (number, reply) in numbers.into_iter().zip(replies) {
            let output = reply.into_result().and_then(|reply| procedures[number].output(reply));
            answer(number, output);
        }
        Ok(())
    }

    fn prepare(&self, key: &[u8]) -> PreparedKey {
        PreparedKey::unhashed(key)
    }
}

/// Whether a server has refused a digest.
fn lacks_script(reply: &Reply) -> bool {
    begins(reply, "NOSCRIPT ")
}

/// Whether a node has refused the key, or could not say.
fn is_elsewhere(reply: &Reply) -> bool {
    ["MOVED ", "ASK ", "TRYAGAIN "].iter().any(|code| begins(reply, code))
}

fn begins(reply: &Reply, code: &str) -> bool {
    reply.as_error().is_some_and(|error| error.to_string().starts_with(code))
}
