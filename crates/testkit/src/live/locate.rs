//! Finding servers, and skipping tests without one.

use std::env;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{process, thread};

use super::{Options, Server, Version};
use crate::servers;

/// Names the program to start, in place of the first `redis-server` on the `PATH`.
const PROGRAM_VARIABLE: &str = "TALLIS_REDIS_SERVER";

/// Names the file that gets a line for each test left out.
const SKIPPED_VARIABLE: &str = "TALLIS_SKIPPED_LOG";

/// Names the file of RedisBloom, a module that a server can load.
const REDISBLOOM_VARIABLE: &str = "TALLIS_REDISBLOOM";

/// A hint for a missing server.
pub(super) const ADVICE: &str = "redis-server not found; install it with apt-get install redis-server, or name one in \
                                TALLIS_REDIS_SERVER";

/// Starts a server with [`Options::default`]; `None` if the machine has no `redis-server`.
///
/// # Panics
///
/// If the server does not start, or if there is none and `CI` is `true`.
#[must_use]
pub fn server() -> Option<Server> {
    server_with(&Options::default())
}

/// Starts a server with `options`; `None` if the machine has no `redis-server`.
///
/// # Panics
///
/// If the server does not start, or if there is none and `CI` is `true`.
#[must_use]
pub fn server_with(options: &Options) -> Option<Server> {
    let Some(program) = locate() else {
        leave_out(ADVICE);
        return None;
    };
    Some(start(&program, options))
}

/// Starts the server with this name and the [default options](Options::default); `None` if it is not installed.
///
/// # Panics
///
/// If the server does not start, or if there is no such server and `CI` is `true`.
///
/// # Examples
///
/// ```
/// use testkit::live::{Product, named};
///
/// # fn main() {
/// let Some(server) = named("valkey-9.1.2") else { return };
/// assert_eq!(server.product(), Product::Valkey);
/// # }
/// ```
#[must_use]
pub fn named(name: &str) -> Option<Server> {
    named_with(name, &Options::default())
}

/// Starts the server with this name and `options`; `None` if it is not installed. Settings that the server does not
/// have are omitted, and renamed ones are translated.
///
/// # Panics
///
/// If the server does not start, or if there is no such server and `CI` is `true`.
#[must_use]
pub fn named_with(name: &str, options: &Options) -> Option<Server> {
    match try_named_with(name, options)? {
        Ok(server) => Some(server),
        Err(error) => panic!("{name} does not start: {error}"),
    }
}

/// [`named_with`] for a test in which the server may refuse to start, such as with an invalid file.
///
/// # Errors
///
/// If the server does not start.
///
/// # Panics
///
/// If there is no such server and `CI` is `true`.
#[must_use]
pub fn try_named_with(name: &str, options: &Options) -> Option<io::Result<Server>> {
    let program = if name == servers::INSTALLED {
        locate()
    } else {
        Some(servers::program(name)).filter(|path| path.is_file())
    };
    let Some(program) = program else {
        leave_out(&format!("{name} not found; cargo xtask servers fetches it if possible"));
        return None;
    };
    let (_, version) = name.split_once('-').unwrap_or_default();
    let options = Version::parse(version).map(|version| options.known_in(version));
    let server = match Server::start(&program, &options.unwrap_or_default()) {
        Ok(server) => server,
        Err(error) => return Some(Err(error)),
    };
    // The machine's own server may have another version than the name.
    let said = format!("{}-{}", server.product().name(), server.version());
    if said != name && !said.starts_with(&format!("{name}.")) {
        leave_out(&format!("{name} not found; {} is {said}", program.display()));
        return None;
    }
    Some(Ok(server))
}

fn start(program: &Path, options: &Options) -> Server {
    match Server::start(program, options) {
        Ok(server) => server,
        Err(error) => panic!("{} does not start: {error}", program.display()),
    }
}

/// Returns the program to start: the value of `TALLIS_REDIS_SERVER`, or else the first `redis-server` on the `PATH`.
///
/// If the variable is set but is not the path of a file, there is no server.
#[must_use]
pub fn locate() -> Option<PathBuf> {
    if let Some(named) = env::var_os(PROGRAM_VARIABLE).filter(|value| !value.is_empty()) {
        return Some(PathBuf::from(named)).filter(|path| path.is_file());
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join("redis-server")).find(|file| file.is_file())
}

/// Returns the module RedisBloom, for [`Options::module`]; `None` if the machine does not have it.
///
/// # Panics
///
/// If there is none and `CI` is `true`, or if the variable `TALLIS_REDISBLOOM` is not the path of a file.
#[must_use]
pub fn redisbloom() -> Option<PathBuf> {
    let found = locate_redisbloom();
    if found.is_none() {
        leave_out(
            "RedisBloom not found; fetch it with cargo xtask servers, or name it in TALLIS_REDISBLOOM",
        );
    }
    found
}

/// [`redisbloom`] for a test that does not need it: the value of `TALLIS_REDISBLOOM`, or else the module of `cargo
/// xtask servers`.
///
/// # Panics
///
/// If the variable is not the path of a file.
#[must_use]
pub fn locate_redisbloom() -> Option<PathBuf> {
    let Some(named) = env::var_os(REDISBLOOM_VARIABLE).filter(|value| !value.is_empty()) else {
        return servers::module(servers::REDISBLOOM).canonicalize().ok();
    };
    let named = PathBuf::from(named);
    match named.canonicalize() {
        Ok(path) => Some(path),
        Err(error) => panic!("{REDISBLOOM_VARIABLE}: {}: {error}", named.display()),
    }
}

/// Returns a command that runs Python with redis-py, its Redis client; `None` if the machine does not have it.
///
/// # Panics
///
/// If there is no such server and `CI` is `true`.
#[must_use]
pub fn redis_py() -> Option<Command> {
    let mut packages = servers::REDIS_PY.map(servers::package).into_iter();
    let mut python = Command::new("python3");
    let runs = python.arg("--version").stdout(Stdio::null()).status();
    if !packages.all(|package| package.is_file()) || !runs.is_ok_and(|status| status.success()) {
        leave_out("redis-py not found; cargo xtask servers fetches it if python3 is installed");
        return None;
    }
    let mut python = Command::new("python3");
    let path = env::join_paths(servers::REDIS_PY.map(servers::package)).ok()?;
    python.env("PYTHONPATH", path);
    Some(python)
}

/// Records that the test of this thread was left out, with what to do about it.
pub(super) fn leave_out(advice: &str) {
    let thread = thread::current();
    let program = env::current_exe().unwrap_or_default();
    let program = program.file_stem().unwrap_or_default().to_string_lossy();
    // A doctest is the main thread of a process of its own: the number of the process distinguishes it from the others.
    let test = format!("{program}[{}]: {}", process::id(), thread.name().unwrap_or("a thread"));
    assert!(env::var_os("CI").is_none_or(|value| value != "true"), "{test}: {advice}");
    // The harness captures the output of the print macros, but not writes to the handle. A closed standard error must
    // not fail the test.
    let _ = writeln!(std::io::stderr(), "LEFT OUT: {test}: {advice}");
    if let Some(log) = env::var_os(SKIPPED_VARIABLE).filter(|value| !value.is_empty()) {
        append_line(Path::new(&log), &test);
    }
}

/// Appends in one write, so that lines of concurrent tests are not mixed.
fn append_line(log: &Path, test: &str) {
    let written = OpenOptions::new()
        .create(true)
        .append(true)
        .open(log)
        .and_then(|mut file| file.write_all(format!("{test}\n").as_bytes()));
    if let Err(error) = written {
        panic!("cannot write {} ({SKIPPED_VARIABLE}): {error}", log.display());
    }
}
