//! Sending requests to a server, and handling its replies.

use std::collections::BTreeSet;
use std::sync::Arc;

use bytes::Bytes;
use macros::blocking_and_async;
use parking_lot::Mutex;
use store::{Error, ErrorKind, Reply};

use super::nodes::Nodes;
#[cfg(feature = "async")]
use super::transport::AsyncTransport;
use super::transport::{Packed, Transport};
use crate::backend::BackendKind;
use crate::procedure::Procedure;
use crate::request::Request;
use crate::scan::pattern;

/// The COUNT of SCAN.
const SCANNED: i64 = 1000;

/// A server or a cluster, with its connections.
pub(super) struct Remote<T: ?Sized> {
    kind: BackendKind,
    /// The map from slots to nodes, as last read.
    nodes: Mutex<Option<Arc<Nodes>>>,
    pub(super) transport: T,
}

impl<T> Remote<T> {
    /// Creates it for one server.
    pub(super) const fn server(transport: T) -> Self {
        Self { kind: BackendKind::Server, nodes: Mutex::new(None), transport }
    }

    /// Creates it for a cluster.
    pub(super) const fn cluster(transport: T) -> Self {
        Self { kind: BackendKind::Cluster, nodes: Mutex::new(None), transport }
    }
}

impl<T: ?Sized> Remote<T> {
    pub(super) const fn kind(&self) -> BackendKind {
        self.kind
    }

    fn is_cluster(&self) -> bool {
        self.kind == BackendKind::Cluster
    }
}

#[blocking_and_async(feature = "async")]
impl<T: Transport + ?Sized> Remote<T> {
    /// Runs a procedure.
    pub(super) async fn call<P: Procedure>(&self, procedure: &P) -> Result<P::Output, Error> {
        let reply = self.send(&procedure.request()?).await?;
        procedure.output(reply.into_result()?)
    }

    /// Runs many procedures. Those that cannot run on a server are answered first.
    pub(super) async fn call_many<P: Procedure>(
        &self,
        procedures: &[P],
        mut answer: impl FnMut(usize, Result<P::Output, Error>),
    ) -> Result<(), Error> {
        let mut nodes = None;
        let mut of_nodes: Vec<OfNode> = Vec::new();
        for (number, procedure) in procedures.iter().enumerate() {
            let request = match procedure.request() {
                Ok(request) => request,
                Err(error) => {
                    answer(number, Err(error));
                    continue;
                }
            };
            if self.is_cluster() && nodes.is_none() {
                nodes = Some(self.nodes().await?);
            }
            let node = nodes.as_ref().map_or(0, |nodes| nodes.of_request(&request));
            if of_nodes.len() <= node {
                of_nodes.resize_with(node + 1, OfNode::default);
            }
            of_nodes[node].push(number, &request);
        }
        of_nodes.retain(|of_node| !of_node.numbers.is_empty());
        let replies = self.send_to_nodes(&of_nodes, procedures).await;
        for (of_node, replies) in of_nodes.iter().zip(replies) {
            for (&number, reply) in of_node.numbers.iter().zip(replies) {
                let output = reply.into_result().and_then(|reply| procedures[number].output(reply));
                answer(number, output);
            }
        }
        Ok(())
    }

    /// Returns the keys with this prefix, sorted and without duplicates, by SCAN, on a cluster of each node.
    pub(super) async fn keys_from(&self, start: &[u8]) -> Result<Vec<Bytes>, Error> {
        let pattern = pattern(start);
        let mut keys = BTreeSet::new();
        if self.is_cluster() {
            for guide in self.nodes().await?.guides() {
                self.scan(Some(&guide), &pattern, &mut keys).await?;
            }
        } else {
            self.scan(None, &pattern, &mut keys).await?;
        }
        Ok(keys.into_iter().collect())
    }

    /// Scans the keys of a server, or of the node of a cluster that has the slot of the key `guide`, which need not
    /// exist: SCAN has no key from which the node would follow.
    async fn scan(
        &self,
        guide: Option<&str>,
        pattern: &[u8],
        keys: &mut BTreeSet<Bytes>,
    ) -> Result<(), Error> {
        let guide = guide.map(|key| Request::command("EXISTS").key(key));
        let mut cursor = "0".to_owned();
        loop {
            let scan = Request::command("SCAN").arg(&cursor).arg("MATCH").arg(pattern);
            let scan = scan.arg("COUNT").arg(SCANNED);
            let mut packed = Packed::default();
            for request in guide.iter().chain([&scan]) {
                packed.push(request);
            }
            let mut found = Reply::Nil;
            for reply in self.pipeline(&packed).await {
                if is_elsewhere(&reply) {
                    *self.nodes.lock() = None;
                }
                found = reply.into_result()?;
            }
            let (next, some): (String, Vec<Bytes>) = found.convert()?;
            keys.extend(some);
            if next == "0" {
                return Ok(());
            }
            cursor = next;
        }
    }

    /// Sends a request.
    async fn send(&self, request: &Request) -> Result<Reply, Error> {
        let mut packed = Vec::new();
        request.write(&mut packed);
        let reply = self.transport.send(&packed).await?;
        if !lacks_script(&reply) {
            return Ok(reply);
        }
        packed.clear();
        request.write_whole(&mut packed);
        self.transport.send(&packed).await
    }

    /// Sends the requests for a node as one pipeline, and again those whose scripts it did not know; returns the
    /// replies in order.
    async fn send_to_node<P: Procedure>(&self, of_node: &OfNode, procedures: &[P]) -> Vec<Reply> {
        let mut replies = self.pipeline(&of_node.packed).await;
        let mut again = OfNode::default();
        let mut whole: Vec<&str> = Vec::new();
        for (reply, &number) in replies.iter().zip(&of_node.numbers) {
            if !lacks_script(reply) {
                continue;
            }
            let Ok(request) = procedures[number].request() else { continue };
            let digest = request.as_script().map_or("", |script| script.digest());
            if whole.contains(&digest) {
                again.push(number, &request);
            } else {
                again.push_whole(number, &request);
                whole.push(digest);
            }
        }
        if !again.numbers.is_empty() {
            let known = self.pipeline(&again.packed).await;
            let mut known = again.numbers.iter().zip(known).peekable();
            for (reply, number) in replies.iter_mut().zip(&of_node.numbers) {
                if let Some((_, known)) = known.next_if(|&(one, _)| one == number) {
                    *reply = known;
                }
            }
        }
        if self.is_cluster() {
            self.follow(of_node, procedures, &mut replies).await;
        }
        replies
    }

    /// Sends a pipeline. If the connection fails, the reply to each of its requests is that error, so that the replies
    /// of other nodes are kept.
    async fn pipeline(&self, packed: &Packed) -> Vec<Reply> {
        let requests = packed.requests;
        let error = match self.transport.send_all(packed).await {
            Ok(replies) if replies.len() == requests => return replies,
            Ok(replies) => {
                let text = format!("ERR {} replies to {requests} requests", replies.len());
                Error::new(ErrorKind::Conversion, text)
            }
            Err(error) => error,
        };
        vec![Reply::Error(error); requests]
    }

    /// Sends again, one by one, the requests that a node refused because another one has the slot now.
    async fn follow<P: Procedure>(
        &self,
        of_node: &OfNode,
        procedures: &[P],
        replies: &mut [Reply],
    ) {
        let mut packed = Vec::new();
        for (reply, &number) in replies.iter_mut().zip(&of_node.numbers) {
            if !is_elsewhere(reply) {
                continue;
            }
            *self.nodes.lock() = None;
            let Ok(request) = procedures[number].request() else { continue };
            packed.clear();
            request.write_whole(&mut packed);
            *reply = self.transport.send(&packed).await.unwrap_or_else(Reply::Error);
        }
    }

    /// Returns the map from slots to nodes, as last read.
    async fn nodes(&self) -> Result<Arc<Nodes>, Error> {
        let known = self.nodes.lock().clone();
        if let Some(nodes) = known {
            return Ok(nodes);
        }
        let reply = self.send(&Request::command("CLUSTER").arg("SLOTS")).await?.into_result()?;
        let nodes = Nodes::parse(reply).ok_or_else(|| {
            Error::new(ErrorKind::Conversion, "ERR the reply to CLUSTER SLOTS has no slots")
        })?;
        let nodes = Arc::new(nodes);
        *self.nodes.lock() = Some(Arc::clone(&nodes));
        Ok(nodes)
    }
}

impl<T: Transport + ?Sized> Remote<T> {
    /// Sends the requests for each node, to one node after the other.
    fn send_to_nodes<P: Procedure>(
        &self,
        of_nodes: &[OfNode],
        procedures: &[P],
    ) -> Vec<Vec<Reply>> {
        of_nodes.iter().map(|of_node| self.send_to_node(of_node, procedures)).collect()
    }
}

#[cfg(feature = "async")]
impl<T: AsyncTransport + ?Sized> Remote<T> {
    /// Sends the requests for each node, to all nodes concurrently.
    async fn send_to_nodes_async<P: Procedure>(
        &self,
        of_nodes: &[OfNode],
        procedures: &[P],
    ) -> Vec<Vec<Reply>> {
        let sent = of_nodes.iter().map(|of_node| self.send_to_node_async(of_node, procedures));
        futures_util::future::join_all(sent).await
    }
}

/// The requests for a node.
#[derive(Default)]
struct OfNode {
    packed: Packed,
    /// The indexes of their procedures, in order.
    numbers: Vec<usize>,
}

impl OfNode {
    /// Appends the request of a procedure, as the bytes to send. It can be built again if needed.
    fn push(&mut self, number: usize, request: &Request) {
        self.packed.push(request);
        self.numbers.push(number);
    }

    /// As [`push`](Self::push), with the text of the script.
    fn push_whole(&mut self, number: usize, request: &Request) {
        self.packed.push_whole(request);
        self.numbers.push(number);
    }
}

/// Returns whether a server did not know a script.
fn lacks_script(reply: &Reply) -> bool {
    begins(reply, "NOSCRIPT ")
}

/// Returns whether a node does not have the key, or could not be reached.
fn is_elsewhere(reply: &Reply) -> bool {
    ["MOVED ", "ASK ", "TRYAGAIN "].iter().any(|code| begins(reply, code))
}

fn begins(reply: &Reply, code: &str) -> bool {
    reply.as_error().is_some_and(|error| error.to_string().starts_with(code))
}

#[cfg(test)]
mod tests {
    use store::KeyRef;

    use super::super::blocking::Server;
    use super::*;
    use crate::backend::Backend;
    use crate::procedure::step;

    /// A cluster of two nodes, the second of which has failed.
    struct Half(Mutex<usize>);

    impl Transport for Half {
        fn send(&self, packed: &[u8]) -> Result<Reply, Error> {
            assert!(packed.ends_with(b"$7\r\nCLUSTER\r\n$5\r\nSLOTS\r\n"));
            let range = |first: i64, last: i64, port: i64| {
                let master = Reply::Array(vec!["127.0.0.1".into(), Reply::Int(port)]);
                Reply::Array(vec![Reply::Int(first), Reply::Int(last), master])
            };
            Ok(Reply::Array(vec![range(0, 8191, 1), range(8192, 16_383, 2)]))
        }

        fn send_all(&self, packed: &Packed) -> Result<Vec<Reply>, Error> {
            let mut calls = self.0.lock();
            *calls += 1;
            match *calls {
                1 => Ok(vec![Reply::Int(1); packed.requests]),
                _ => Err(Error::new(ErrorKind::Io, "ERR lost")),
            }
        }
    }

    #[test]
    fn replies_of_a_node_are_kept_when_another_one_is_lost() {
        let server = Server::on(Remote::cluster(Half(Mutex::new(0))));
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
