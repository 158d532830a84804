//! One server of a cluster.

use std::fmt::Write;
use std::io;
use std::path::Path;
use std::time::Duration;

use redis::FromRedisValue;

use super::view::View;
use super::{Options, Server, ports};

/// The milliseconds without a reply after which a node is considered failed: a replica takes over about two seconds
/// later.
const NODE_TIMEOUT: &str = "1500";

/// The time limit for a reply of a running node.
const ANSWER: Duration = Duration::from_secs(10);

/// The number of ports to try. Each of them was free just before.
const TRIES: usize = 20;

/// A server of a cluster, which listens on TCP.
#[derive(Debug)]
pub(super) struct Node {
    server: Server,
    /// The options, without the settings of the cluster.
    options: Options,
    port: u16,
    pub(super) state: State,
}

/// The state of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Running,
    Paused,
    Killed,
}

impl Node {
    /// Starts a node that knows no other one, on a free port.
    pub(super) fn start(program: &Path, options: &Options) -> io::Result<Self> {
        let start = |port| Server::start(program, &as_node(options, port));
        let (server, port) = on_free_port(ports::free(), start)?;
        Ok(Self { server, options: options.clone(), port, state: State::Running })
    }

    /// Starts a killed node again on its directory, and on its port if that is still free.
    pub(super) fn restart(&mut self) -> io::Result<()> {
        let ports = std::iter::once(self.port).chain(ports::free());
        let (server, options) = (&mut self.server, &self.options);
        let ((), port) = on_free_port(ports, |port| server.restart(&as_node(options, port)))?;
        self.port = port;
        self.state = State::Running;
        Ok(())
    }

    pub(super) fn kill(&mut self) {
        self.server.kill();
        self.state = State::Killed;
    }

    pub(super) fn pause(&mut self) {
        // The number of an ended process may have been reused.
        assert_eq!(self.state, State::Running, "cannot pause {}: it is not running", self.url());
        self.server.signal("STOP");
        self.state = State::Paused;
    }

    pub(super) fn resume(&mut self) {
        assert_eq!(self.state, State::Paused, "cannot resume {}: it is not paused", self.url());
        self.server.signal("CONT");
        self.state = State::Running;
    }

    pub(super) fn server(&self) -> &Server {
        &self.server
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn url(&self) -> String {
        url(self.port)
    }

    /// Sends a command on the unix socket, where no other program can answer. The error names the node and the command.
    pub(super) fn ask<T: FromRedisValue>(&self, words: &[impl AsRef<[u8]>]) -> io::Result<T> {
        let mut request = redis::Cmd::new();
        for word in words {
            request.arg(word.as_ref());
        }
        let reply = self.server.try_connect().and_then(|mut connection| {
            connection.set_read_timeout(Some(ANSWER))?;
            request.query(&mut connection)
        });
        reply.map_err(|error| {
            let mut what = self.url();
            // A few words are enough to identify a command that may have thousands.
            for word in words.iter().take(4) {
                let _ = write!(what, " {}", word.as_ref().escape_ascii());
            }
            io::Error::other(format!("{what}: {error}"))
        })
    }

    /// Returns the node's view of the cluster.
    pub(super) fn view(&self) -> io::Result<View> {
        self.ask::<String>(&["CLUSTER", "NODES"]).map(|text| View::parse(&text))
    }

    /// Returns a field of `INFO` or of `CLUSTER INFO`; empty if it does not exist.
    pub(super) fn field(&self, command: &[&str], name: &str) -> io::Result<String> {
        let text = self.ask::<String>(command)?;
        let mut fields = text.lines().filter_map(|line| line.split_once(':'));
        let field = fields.find(|(field, _)| *field == name);
        Ok(field.map(|(_, value)| value.trim().to_owned()).unwrap_or_default())
    }
}

pub(super) fn url(port: u16) -> String {
    format!("redis://127.0.0.1:{port}")
}

/// The options, followed by the settings of a cluster's node: the last value of a setting applies.
fn as_node(options: &Options, port: u16) -> Options {
    options
        .clone()
        .config("port", &port.to_string())
        .config("bind", "127.0.0.1")
        .config("cluster-enabled", "yes")
        .config("cluster-announce-ip", "127.0.0.1")
        .config("cluster-node-timeout", NODE_TIMEOUT)
        // A replica takes over no matter how long its link to the master has been down.
        .config("cluster-replica-validity-factor", "0")
        // Without this a master waits five seconds for more replicas before it sends its data.
        .config("repl-diskless-sync-delay", "0")
}

/// Tries ports until one is free. A server on a taken port exits, and its log says so.
fn on_free_port<T>(
    ports: impl Iterator<Item = u16>,
    mut start: impl FnMut(u16) -> io::Result<T>,
) -> io::Result<(T, u16)> {
    let mut last = io::Error::other("no free port");
    for port in ports.take(TRIES) {
        match start(port) {
            Ok(started) => return Ok((started, port)),
            Err(error) if error.to_string().contains("Address already in use") => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, TcpListener};

    use super::super::{Options, Server, locate, ports};
    use super::{Node, as_node, on_free_port};

    #[test]
    fn a_taken_port_is_skipped() {
        let Some(program) = locate() else { return };
        for above in [0, ports::BUS] {
            // Another program may take a port that was free just before.
            let listener = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port + above)).ok();
            let (taken, _other) =
                ports::free().find_map(|port| Some((port, listener(port)?))).unwrap();
            let start = |port| Server::start(&program, &as_node(&Options::new(), port));
            let all = std::iter::once(taken).chain(ports::free());
            let (_server, port) = on_free_port(all, start).unwrap();
            assert_ne!(port, taken);
        }
    }

    #[test]
    fn a_node_restarts_on_its_port_or_on_another_one() {
        let Some(program) = locate() else { return };
        let options = Options::new().config("hll-sparse-max-bytes", "100").config("port", "0");
        let mut node = Node::start(&program, &options).unwrap();
        let (port, id) = (node.port(), node.ask::<String>(&["CLUSTER", "MYID"]).unwrap());
        node.kill();
        node.restart().unwrap();
        assert_eq!(node.port(), port);
        node.kill();
        let _other = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).unwrap();
        node.restart().unwrap();
        assert_ne!(node.port(), port);
        assert_eq!(node.ask::<String>(&["CLUSTER", "MYID"]).unwrap(), id);
        let [_, set]: [String; 2] = node.ask(&["CONFIG", "GET", "hll-sparse-max-bytes"]).unwrap();
        assert_eq!(set, "100");
    }
}
