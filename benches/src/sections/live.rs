//! A live `redis-server`, and the times and bytes that it reports.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use redis::{Cmd, Connection, Pipeline, Value};
use testkit::live::{Options, Server, locate, named};

use crate::report::{Result, Sample};

/// The name on the page.
pub(super) const SERVER: &str = "redis-server";

/// How many commands are sent before the replies are read.
const PIPELINED: usize = 1000;

/// A separate, empty server, which stops when this value is dropped.
pub(super) struct Live {
    connection: Connection,
    _server: Server,
}

impl Live {
    /// Starts a server, if the machine has one.
    pub(super) fn start() -> Option<Self> {
        Self::start_with(&Options::new())
    }

    /// Starts a server with these options, if the machine has one.
    pub(super) fn start_with(options: &Options) -> Option<Self> {
        Some(Self::of(Server::start(&locate()?, options).unwrap()))
    }

    /// Starts the server of this name, if the machine has it.
    pub(super) fn named(name: &str) -> Option<Self> {
        named(name).map(Self::of)
    }

    fn of(server: Server) -> Self {
        Self { connection: server.connect(), _server: server }
    }

    /// Sends the commands and waits for their replies, none of which may be an error.
    pub(super) fn run(&mut self, commands: impl IntoIterator<Item = Cmd>) {
        let mut commands = commands.into_iter().peekable();
        while commands.peek().is_some() {
            let mut pipeline = Pipeline::with_capacity(PIPELINED);
            for command in commands.by_ref().take(PIPELINED) {
                pipeline.add_command(command);
            }
            let _: Vec<Value> = pipeline.query(&mut self.connection).unwrap();
        }
    }

    /// Sends the commands, all of the given name, and returns the server's own time per command in nanoseconds. It does
    /// not include the socket, the parsing or the transfer of the reply.
    pub(super) fn nanos(&mut self, name: &str, commands: impl IntoIterator<Item = Cmd>) -> f64 {
        self.stats(name, commands).1
    }

    /// As [`nanos`](Self::nanos), for commands of several names, of each of which the same number is sent. Returns the
    /// time of one command of each name together.
    pub(super) fn nanos_of_each(
        &mut self,
        names: &[&str],
        commands: impl IntoIterator<Item = Cmd>,
    ) -> f64 {
        let () = redis::cmd("CONFIG").arg("RESETSTAT").query(&mut self.connection).unwrap();
        self.run(commands);
        names.iter().map(|name| self.stat(name).1).sum()
    }

    /// As [`nanos`](Self::nanos), for all commands together.
    pub(super) fn nanos_of_all(
        &mut self,
        name: &str,
        commands: impl IntoIterator<Item = Cmd>,
    ) -> f64 {
        let (calls, each) = self.stats(name, commands);
        calls * each
    }

    /// Returns the number of calls, and nanoseconds per call.
    fn stats(&mut self, name: &str, commands: impl IntoIterator<Item = Cmd>) -> (f64, f64) {
        let () = redis::cmd("CONFIG").arg("RESETSTAT").query(&mut self.connection).unwrap();
        self.run(commands);
        self.stat(name)
    }

    /// Returns the server's figures for a command since the last reset: calls, and nanoseconds per call.
    fn stat(&mut self, name: &str) -> (f64, f64) {
        let stats = self.info("commandstats");
        let line = stats.split(&format!("cmdstat_{}:", name.to_lowercase())).nth(1).unwrap();
        let field = |field: &str| -> f64 {
            line.split(field).nth(1).unwrap().split([',', '\r']).next().unwrap().parse().unwrap()
        };
        (field("calls="), field("usec=") * 1000.0 / field("calls="))
    }

    /// Returns how many bytes the commands add to an empty server.
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53 bytes")]
    pub(super) fn held(&mut self, commands: impl IntoIterator<Item = Cmd>) -> f64 {
        self.run([redis::cmd("FLUSHALL")]);
        let before = self.used_memory();
        self.run(commands);
        (self.used_memory() - before) as f64
    }

    fn used_memory(&mut self) -> usize {
        used_memory(&mut self.connection)
    }

    fn info(&mut self, section: &str) -> String {
        info(&mut self.connection, section)
    }
}

/// Returns the bytes that a server uses.
pub(super) fn used_memory(connection: &mut Connection) -> usize {
    let text = info(connection, "memory");
    text.split("used_memory:").nth(1).unwrap().split('\r').next().unwrap().parse().unwrap()
}

fn info(connection: &mut Connection, section: &str) -> String {
    redis::cmd("INFO").arg(section).query(connection).unwrap()
}

/// Returns a command of these words.
pub(super) fn command<const N: usize>(words: [&[u8]; N]) -> Cmd {
    let mut command = Cmd::new();
    for word in words {
        command.arg(word);
    }
    command
}

/// Returns the server's figure as a rival, or `None` without a server.
pub(super) fn rival(figure: Option<f64>) -> Option<Result> {
    figure.map(|figure| Result::rival(SERVER, Sample::exact(figure)))
}
