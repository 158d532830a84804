//! The paths of the servers that tests refer to by name.
//!
//! `cargo xtask servers` installs them, and has their versions and checksums; this module has only the file names.

use std::env;
use std::path::{Path, PathBuf};

/// The variable with the directory of the servers, instead of `target/servers` of the workspace.
const FOLDER_VARIABLE: &str = "TALLIS_SERVERS";

/// The name of the server that is installed on the machine and not in the directory.
pub const INSTALLED: &str = "redis-7.0.15";

/// The name of RedisBloom.
pub const REDISBLOOM: &str = "redisbloom-2.8.2";

/// The names of the packages of redis-py, Redis's client for Python.
pub const REDIS_PY: [&str; 2] = ["redis-py-6.4.0", "async-timeout-5.0.1"];

/// The directory with a subdirectory for each server.
#[must_use]
pub fn folder() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = own.ancestors().nth(2).unwrap_or(own);
    let named = env::var_os(FOLDER_VARIABLE).filter(|value| !value.is_empty());
    named.map_or_else(|| workspace.join("target/servers"), PathBuf::from)
}

/// The path of a server's program, which may not exist.
#[must_use]
pub fn program(name: &str) -> PathBuf {
    folder().join(name).join("server")
}

/// The path of a module, which may not exist.
#[must_use]
pub fn module(name: &str) -> PathBuf {
    folder().join(name).join("module.so")
}

/// The path of a Python package, which may not exist.
#[must_use]
pub fn package(name: &str) -> PathBuf {
    folder().join(name).join("package.whl")
}
