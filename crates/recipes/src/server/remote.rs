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
            self.send_to_node(requests, &of_node, &mut replies);
        }
        Ok(replies)
    }

    /// Sends the requests with these numbers as one pipeline, and once more those whose scripts the node did not know.
    fn send_to_node(&self, requests: &[Request], numbers: &[usize], replies: &mut [Reply]) {
        let mut packed = Vec::new();
        for &number in numbers {
            requests[number].write(&mut packed);
        }
        self.send_packed(&packed, numbers, replies);
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
            self.send_packed(&packed, &unknown, replies);
        }
        if self.transport.is_cluster() {
            self.follow(requests, numbers, replies);
        }
    }

    /// Sends a pipeline of the requests with these numbers. If the connection fails, that is the reply to each of them: what
    /// other nodes have replied stays.
    fn send_packed(&self, packed: &[u8], numbers: &[usize], replies: &mut [Reply]) {
        match self.pipeline(packed, numbers.len()) {
            Ok(of_node) => {
                for (&number, reply) in numbers.iter().zip(of_node) {
                    replies[number] = reply;
                }
            }
            Err(error) => {
                for &number in numbers {
                    replies[number] = Reply::Error(error.clone());
                }
            }
        }
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
    fn follow(&self, requests: &[Request], numbers: &[usize], replies: &mut [Reply]) {
        let mut packed = Vec::new();
        for &number in numbers {
            if is_elsewhere(&replies[number]) {
                *self.nodes.lock() = None;
                packed.clear();
                requests[number].write_whole(&mut packed);
                replies[number] = self.transport.send(&packed).unwrap_or_else(Reply::Error);
            }
        }
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

#[cfg(test)]
mod tests {
    use store::KeyRef;

    use super::*;
    use crate::procedure::step;

    /// A cluster of two nodes, the second of which is lost.
    struct Half(Mutex<usize>);

    impl Transport for Half {
        fn is_cluster(&self) -> bool {
            true
        }

        fn send(&self, packed: &[u8]) -> Result<Reply, Error> {
            assert!(packed.ends_with(b"$7\r\nCLUSTER\r\n$5\r\nSLOTS\r\n"));
            let range = |first: i64, last: i64, port: i64| {
                let master = Reply::Array(vec!["127.0.0.1".into(), Reply::Int(port)]);
                Reply::Array(vec![Reply::Int(first), Reply::Int(last), master])
            };
            Ok(Reply::Array(vec![range(0, 8191, 1), range(8192, 16_383, 2)]))
        }

        fn send_all(&self, _: &[u8], requests: usize) -> Result<Vec<Reply>, Error> {
            let mut calls = self.0.lock();
            *calls += 1;
            match *calls {
                1 => Ok(vec![Reply::Int(1); requests]),
                _ => Err(Error::new(ErrorKind::Io, "ERR lost")),
            }
        }
    }

    #[test]
    fn what_a_node_has_replied_stays_when_another_one_is_lost() {
        let server = Server::on(Half(Mutex::new(0)));
        let keys: Vec<String> = (0..100).map(|number| format!("key:{number}")).collect();
        let add = |key: &'_ String| {
            let request = Request::command("INCR").key(key);
            step([KeyRef::new(b"")], |_| Ok(0_i64)).on_server(move || request.clone())
        };
        let procedures: Vec<_> = keys.iter().map(add).collect();
        let mut outcomes = vec![None; keys.len()];
        server.call_many(&procedures, |at, outcome| outcomes[at] = Some(outcome)).unwrap();
        for (key, outcome) in keys.iter().zip(outcomes) {
            let is_lost = crate::slot::key_slot(key) >= 8192;
            let kind = outcome.unwrap().map_err(|error| error.kind());
            assert_eq!(kind, if is_lost { Err(ErrorKind::Io) } else { Ok(1) }, "{key}");
        }
    }
}
