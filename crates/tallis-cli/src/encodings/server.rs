//! Measurements on a live `redis-server`: the time is that of `INFO commandstats`, the memory that of `MEMORY USAGE`.

#![expect(
    clippy::cast_precision_loss,
    reason = "bytes and elements of a measurement are far below 2^53"
)]

use tallis::Store;
use testkit::live::{Options, Protocol, Reply, Server, Wire, locate, locate_redisbloom};

use super::form::{Family, Form};
use super::measure::{Load, Times, not_interrupted};
use super::shape::{Step, Words, Work};
use crate::failure::Failure;

/// A server process, which is stopped when this value is dropped.
pub(super) struct Live {
    wire: Wire,
    /// The product and its version.
    name: String,
    has_bloom: bool,
    _server: Server,
}

/// The result of measuring a form on the server.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OnServer {
    /// Bytes per element, by `MEMORY USAGE` of a sample of keys.
    pub(super) bytes: f64,
    pub(super) times: Times,
    /// The result of OBJECT ENCODING for the first key that exists.
    pub(super) encoding: String,
}

/// How many commands are sent before their replies are read.
const PIPELINED: usize = 1000;

/// The most values for which the memory is read.
const ASKED: usize = 100;

impl Live {
    /// Starts the installed `redis-server`, with RedisBloom if it is installed.
    pub(super) fn start() -> Result<Self, Failure> {
        let missing = "redis-server not found: install it, or set TALLIS_REDIS_SERVER to its path";
        let program = locate().ok_or_else(|| Failure::Trouble(missing.to_owned()))?;
        let options = Options::new();
        let module = locate_redisbloom();
        let with = module.iter().fold(options.clone(), Options::module);
        // A module may be of another version than the server.
        let (started, has_bloom) = match Server::start(&program, &with) {
            Ok(server) => (Ok(server), module.is_some()),
            Err(_) if module.is_some() => (Server::start(&program, &options), false),
            Err(error) => (Err(error), false),
        };
        let server =
            started.map_err(|error| Failure::Trouble(format!("{}: {error}", program.display())))?;
        let wire = Wire::open(&server, Protocol::Resp2).map_err(|error| trouble(&error))?;
        let name = format!("{} {}", server.product().name(), server.version());
        Ok(Self { wire, name, has_bloom, _server: server })
    }

    /// Returns the name and version that the server reports.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether it has the BF commands.
    pub(super) const fn has_bloom(&self) -> bool {
        self.has_bloom
    }

    /// Measures a form with a load; `None` if the server has no such form.
    pub(super) fn measure(
        &mut self,
        form: &Form,
        load: &Load,
    ) -> Result<Option<OnServer>, Failure> {
        let first = load.step(Work::Add, 0);
        let has_form = form.shape.command(Work::Add, &first, load.extent).is_some();
        if !has_form || (form.family == Family::Bloom && !self.has_bloom) {
            return Ok(None);
        }
        self.ask(["FLUSHALL"])?;
        self.limit(form)?;
        self.send(form.shape.begin(load.extent))?;
        let (mut bytes, mut encoding) = (0.0, String::new());
        let mut figures = [None; Work::ALL.len()];
        for (work, figure) in Work::ALL.into_iter().zip(&mut figures) {
            *figure = self.time(form, load, work)?;
            if work == Work::Add {
                bytes = self.bytes(form, load)?;
                encoding = self.encoding(form, load)?;
            }
        }
        let times = Times::from_rounds(|work| figures[work as usize].into_iter().collect());
        Ok(Some(OnServer { bytes, times, encoding }))
    }

    /// Sets the limits of the form, by the names that the store has for them.
    fn limit(&mut self, form: &Form) -> Result<(), Failure> {
        let limits = form.limits.limits();
        let store = Store::builder().limits(limits).build();
        let settings = store.session().execute(&["CONFIG", "GET", "*-max-*"]);
        for (name, value) in settings.convert::<Vec<(Vec<u8>, Vec<u8>)>>()? {
            // A server of another version may lack some.
            let set = [b"CONFIG".to_vec(), b"SET".to_vec(), name, value];
            self.wire.run(&set).map_err(|error| trouble(&error))?;
        }
        Ok(())
    }

    /// Returns the server's nanoseconds per element of an operation; `None` if it has no command for it.
    fn time(&mut self, form: &Form, load: &Load, work: Work) -> Result<Option<f64>, Failure> {
        let command = |step: &Step<'_>| form.shape.command(work, step, load.extent);
        let first = load.step(work, 0);
        let Some(name) = command(&first).map(|words| name_of(&words)) else { return Ok(None) };
        self.ask(["CONFIG", "RESETSTAT"])?;
        let steps = (0..load.steps(work)).filter_map(|number| command(&load.step(work, number)));
        self.send(steps)?;
        let stats = self.ask(["INFO", "commandstats"])?;
        let micros = stats.bytes().and_then(|stats| micros(stats, &name));
        let micros = micros
            .ok_or_else(|| Failure::Trouble(format!("{}: no commandstats of {name}", self.name)))?;
        Ok(Some(micros * 1000.0 / load.pieces(work) as f64))
    }

    /// Returns the bytes per element in a sample of values.
    fn bytes(&mut self, form: &Form, load: &Load) -> Result<f64, Failure> {
        let values = load.extent.values;
        let step = values.div_ceil(ASKED);
        let (mut bytes, mut asked) = (0, 0);
        for value in (0..values).step_by(step) {
            asked += 1;
            for key in form.shape.keys(value, load.extent) {
                // All elements, not a sample of them. A shard may be empty.
                if let Reply::Int(usage) = self.ask(["MEMORY", "USAGE", &key, "SAMPLES", "0"])? {
                    bytes += usage;
                }
            }
        }
        Ok(bytes as f64 / (asked * load.extent.size) as f64)
    }

    /// Returns the result of OBJECT ENCODING for the first key that exists.
    fn encoding(&mut self, form: &Form, load: &Load) -> Result<String, Failure> {
        for key in form.shape.keys(0, load.extent) {
            if let Reply::Bulk(encoding) = self.ask(["OBJECT", "ENCODING", &key])? {
                return Ok(String::from_utf8_lossy(&encoding).into_owned());
            }
        }
        Ok(String::new())
    }

    /// Sends one command, whose reply must not be an error.
    pub(super) fn ask<const N: usize>(&mut self, words: [&str; N]) -> Result<Reply, Failure> {
        self.ask_words(&words.map(|word| word.as_bytes().to_vec()))
    }

    /// As [`ask`](Self::ask), for any bytes.
    pub(super) fn ask_words(&mut self, words: &[Vec<u8>]) -> Result<Reply, Failure> {
        let reply = self.wire.run(words).map_err(|error| trouble(&error))?;
        self.accept(reply)
    }

    /// Sends commands, and waits for their replies, none of which may be an error. An interrupt ends it.
    pub(super) fn send(
        &mut self,
        commands: impl IntoIterator<Item = Words>,
    ) -> Result<(), Failure> {
        let mut commands = commands.into_iter().peekable();
        while commands.peek().is_some() {
            not_interrupted()?;
            let some: Vec<Words> = commands.by_ref().take(PIPELINED).collect();
            let replies = self.wire.run_all(some.iter().map(Vec::as_slice));
            for reply in replies.map_err(|error| trouble(&error))? {
                self.accept(reply)?;
            }
        }
        Ok(())
    }

    fn accept(&self, reply: Reply) -> Result<Reply, Failure> {
        if let Reply::Error(what) = reply {
            return Err(Failure::Trouble(format!("{}: {what}", self.name)));
        }
        Ok(reply)
    }
}

fn trouble(error: &std::io::Error) -> Failure {
    Failure::Trouble(format!("the server: {error}"))
}

/// Returns the name of a command in commandstats.
fn name_of(words: &Words) -> String {
    String::from_utf8_lossy(&words[0]).to_lowercase()
}

/// Returns the microseconds of all calls of a command: `cmdstat_sadd:calls=7,usec=9,...`.
fn micros(stats: &[u8], name: &str) -> Option<f64> {
    let stats = String::from_utf8_lossy(stats);
    let head = format!("cmdstat_{name}:");
    let line = stats.lines().find_map(|line| line.strip_prefix(&*head))?;
    let usec = line.split(',').find_map(|field| field.strip_prefix("usec="))?;
    usec.parse().ok()
}
