//! What is sent to a server, and what becomes of its replies.

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

/// How many keys a step of SCAN looks at.
const SCANNED: i64 = 1000;

/// A server or a cluster, and how it is asked.
pub(super) struct Remote<T: ?Sized> {
    kind: BackendKind,
    /// Which node has which slots, as it was last looked up.
    nodes: Mutex<Option<Arc<Nodes>>>,
    pub(super) transport: T,
}

impl<T> Remote<T> {
    /// One server.
    pub(super) const fn server(transport: T) -> Self {
        Self { kind: BackendKind::Server, nodes: Mutex::new(None), transport }
    }

    /// Several nodes, each with its slots.
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
    /// Does a procedure.
    pub(super) async fn call<P: Procedure>(&self, procedure: &P) -> Result<P::Output, Error> {
        let reply = self.send(&procedure.request()?).await?;
        procedure.output(reply.into_result()?)
    }

    /// Does many procedures: those that the server refuses without being asked are answered first.
    pub(super) async fn call_many<P: Procedure>(
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
        let replies = self.send_all(&requests).await?;
        for (number, reply) in numbers.into_iter().zip(replies) {
            let output = reply.into_result().and_then(|reply| procedures[number].output(reply));
            answer(number, output);
        }
        Ok(())
    }

    /// The keys that begin so, sorted, each once: SCAN, on a cluster of each node.
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

    /// The keys of a server, or of the node of a cluster that has the key `guide`, which need not exist: SCAN names no key by
    /// which it would find its way.
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

    /// Sends requests as one pipeline to the node that has their slots, and once more those whose scripts it did not know;
    /// the replies in their order.
    async fn send_to_node(&self, requests: &[&Request]) -> Vec<Reply> {
        let mut packed = Packed::default();
        for request in requests {
            packed.push(request);
        }
        let mut replies = self.pipeline(&packed).await;
        let unknown: Vec<usize> =
            (0..requests.len()).filter(|&at| lacks_script(&replies[at])).collect();
        if !unknown.is_empty() {
            let mut packed = Packed::default();
            let mut sent: Vec<&str> = Vec::new();
            for &at in &unknown {
                let digest = requests[at].as_script().map_or("", |script| script.digest());
                if sent.contains(&digest) {
                    packed.push(requests[at]);
                } else {
                    packed.push_whole(requests[at]);
                    sent.push(digest);
                }
            }
            let again = self.pipeline(&packed).await;
            for (at, reply) in unknown.into_iter().zip(again) {
                replies[at] = reply;
            }
        }
        if self.is_cluster() {
            self.follow(requests, &mut replies).await;
        }
        replies
    }

    /// Sends a pipeline. If the connection fails, that is the reply to each of its requests: what other nodes have replied
    /// stays.
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

    /// Sends one by one what a node of a cluster has not done, because another one has the slot by now.
    async fn follow(&self, requests: &[&Request], replies: &mut [Reply]) {
        let mut packed = Vec::new();
        for (request, reply) in requests.iter().zip(replies) {
            if is_elsewhere(reply) {
                *self.nodes.lock() = None;
                packed.clear();
                request.write_whole(&mut packed);
                *reply = self.transport.send(&packed).await.unwrap_or_else(Reply::Error);
            }
        }
    }

    /// The numbers of the requests of each node, in order.
    async fn by_node(&self, requests: &[Request]) -> Result<Vec<Vec<usize>>, Error> {
        if !self.is_cluster() {
            return Ok(vec![(0..requests.len()).collect()]);
        }
        let nodes = self.nodes().await?;
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
    async fn nodes(&self) -> Result<Arc<Nodes>, Error> {
        let known = self.nodes.lock().clone();
        if let Some(nodes) = known {
            return Ok(nodes);
        }
        let reply = self.send(&Request::command("CLUSTER").arg("SLOTS")).await?.into_result()?;
        let nodes = Nodes::parse(reply).ok_or_else(|| {
            Error::new(ErrorKind::Conversion, "ERR the reply to CLUSTER SLOTS tells no slots")
        })?;
        let nodes = Arc::new(nodes);
        *self.nodes.lock() = Some(Arc::clone(&nodes));
        Ok(nodes)
    }
}

impl<T: Transport + ?Sized> Remote<T> {
    /// Sends many requests, one node's after the other's; the replies in their order.
    fn send_all(&self, requests: &[Request]) -> Result<Vec<Reply>, Error> {
        let mut replies = Replies::to(requests);
        for numbers in self.by_node(requests)? {
            let of_node = self.send_to_node(&some(requests, &numbers));
            replies.put(&numbers, of_node);
        }
        Ok(replies.0)
    }
}

#[cfg(feature = "async")]
impl<T: AsyncTransport + ?Sized> Remote<T> {
    /// Sends many requests, all nodes' at once; the replies in their order.
    async fn send_all_async(&self, requests: &[Request]) -> Result<Vec<Reply>, Error> {
        let mut replies = Replies::to(requests);
        let by_node = self.by_node_async(requests).await?;
        let sent = by_node.iter().map(|numbers| async move {
            let of_node = self.send_to_node_async(&some(requests, numbers)).await;
            (numbers, of_node)
        });
        for (numbers, of_node) in futures_util::future::join_all(sent).await {
            replies.put(numbers, of_node);
        }
        Ok(replies.0)
    }
}

/// The requests with these numbers.
fn some<'r>(requests: &'r [Request], numbers: &[usize]) -> Vec<&'r Request> {
    numbers.iter().map(|&number| &requests[number]).collect()
}

/// The replies to requests.
struct Replies(Vec<Reply>);

impl Replies {
    fn to(requests: &[Request]) -> Self {
        Self(vec![Reply::Nil; requests.len()])
    }

    /// Puts those to the requests with these numbers.
    fn put(&mut self, numbers: &[usize], replies: Vec<Reply>) {
        for (&number, reply) in numbers.iter().zip(replies) {
            self.0[number] = reply;
        }
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

    use super::super::blocking::Server;
    use super::*;
    use crate::backend::Backend;
    use crate::procedure::step;

    /// A cluster of two nodes, the second of which is lost.
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
    fn what_a_node_has_replied_stays_when_another_one_is_lost() {
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
