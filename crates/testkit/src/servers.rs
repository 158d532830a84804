//! Where the servers lie that tests ask for by name.
//!
//! `cargo xtask servers` puts them there, and has their versions and checksums; here are only the names of files.

use std::env;
use std::path::{Path, PathBuf};

/// Names the folder to look in, in place of `target/servers` of the workspace.
const FOLDER_VARIABLE: &str = "TALLIS_SERVERS";

/// The name of the server that is installed on the machine and not in the folder.
pub const INSTALLED: &str = "redis-7.0.15";

/// The name of RedisBloom.
pub const REDISBLOOM: &str = "redisbloom-2.8.2";

/// The names of the packages of redis-py, Redis's client for Python.
pub const REDIS_PY: [&str; 2] = ["redis-py-6.4.0", "async-timeout-5.0.1"];

/// The folder with a folder for each server.
#[must_use]
pub fn folder() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = own.ancestors().nth(2).unwrap_or(own);
    let named = env::var_os(FOLDER_VARIABLE).filter(|value| !value.is_empty());
    named.map_or_else(|| workspace.join("target/servers"), PathBuf::from)
}

/// The file of a server's program; it may not exist.
#[must_use]
pub fn program(name: &str) -> PathBuf {
    folder().join(name).join("server")
}

/// The file of a module; it may not exist.
#[must_use]
pub fn module(name: &str) -> PathBuf {
    folder().join(name).join("module.so")
}

/// The file of a Python package; it may not exist.
#[must_use]
pub fn package(name: &str) -> PathBuf {
    folder().join(name).join("package.whl")
}
