//! Which `redis-server` there is, and what happens when there is none.

use std::env;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::{process, thread};

use super::{Options, Server};

/// Names the program to start, in place of the first `redis-server` on the `PATH`.
const PROGRAM_VARIABLE: &str = "TALLIS_REDIS_SERVER";

/// Names the file that gets a line for each test left out.
const SKIPPED_VARIABLE: &str = "TALLIS_SKIPPED_LOG";

/// Names the file of RedisBloom, a module that a server can load.
const REDISBLOOM_VARIABLE: &str = "TALLIS_REDISBLOOM";

/// What to do about a missing server.
const ADVICE: &str = "no redis-server; install it with apt-get install redis-server, or name one in TALLIS_REDIS_SERVER";

/// A server as [`Options::default`] describes it, or `None` on a machine that has no `redis-server`.
///
/// # Panics
///
/// If there is a server but it does not start, or if there is none and `CI` is `true`.
#[must_use]
pub fn server() -> Option<Server> {
    server_with(&Options::default())
}

/// A server with `options`, or `None` on a machine that has no `redis-server`.
///
/// # Panics
///
/// If there is a server but it does not start, or if there is none and `CI` is `true`.
#[must_use]
pub fn server_with(options: &Options) -> Option<Server> {
    if let Some(program) = locate() {
        match Server::start(&program, options) {
            Ok(server) => Some(server),
            Err(error) => panic!("{} does not start: {error}", program.display()),
        }
    } else {
        leave_out();
        None
    }
}

/// The program to start: the one that `TALLIS_REDIS_SERVER` names, else the first `redis-server` on the `PATH`.
///
/// A variable that is set is taken at its word: when it names no file, there is no server.
#[must_use]
pub fn locate() -> Option<PathBuf> {
    if let Some(named) = env::var_os(PROGRAM_VARIABLE).filter(|value| !value.is_empty()) {
        return Some(PathBuf::from(named)).filter(|path| path.is_file());
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join("redis-server")).find(|file| file.is_file())
}

/// The module RedisBloom that the variable `TALLIS_REDISBLOOM` names, for [`Options::module`].
///
/// Unlike a server it is nothing that a machine is expected to have: without the variable a test that asks returns
/// early and is not counted as left out. What RedisBloom says is recorded for such machines.
///
/// # Panics
///
/// If the variable names no file.
#[must_use]
pub fn redisbloom() -> Option<PathBuf> {
    let named = PathBuf::from(env::var_os(REDISBLOOM_VARIABLE).filter(|value| !value.is_empty())?);
    match named.canonicalize() {
        Ok(path) => Some(path),
        Err(error) => panic!("{REDISBLOOM_VARIABLE}: {}: {error}", named.display()),
    }
}

/// Records that the test of this thread was left out.
fn leave_out() {
    let thread = thread::current();
    let program = env::current_exe().unwrap_or_default();
    let program = program.file_stem().unwrap_or_default().to_string_lossy();
    // A doctest is the main thread of a process of its own: the number of the process distinguishes it from the others.
    let test = format!("{program}[{}]: {}", process::id(), thread.name().unwrap_or("a thread"));
    assert!(env::var_os("CI").is_none_or(|value| value != "true"), "{test}: {ADVICE}");
    // The harness captures what the print macros write, not what is written to the handle.
    // A closed standard error is no reason to fail.
    let _ = writeln!(std::io::stderr(), "LEFT OUT: {test}: {ADVICE}");
    if let Some(log) = env::var_os(SKIPPED_VARIABLE).filter(|value| !value.is_empty()) {
        append_line(Path::new(&log), &test);
    }
}

/// Appends in one write, so that lines of tests that run side by side do not mix.
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
