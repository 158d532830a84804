//! Starting clusters, and skipping tests without a server.

use std::path::Path;

use super::locate::{ADVICE, leave_out};
use super::{Cluster, Options, locate, named};

/// Starts a [`Cluster`] of the program that [`server`](super::server) uses; `None` if the machine has no
/// `redis-server`.
///
/// # Panics
///
/// If the cluster does not start, or if there is no server and `CI` is `true`.
#[must_use]
pub fn cluster() -> Option<Cluster> {
    let Some(program) = locate() else {
        leave_out(ADVICE);
        return None;
    };
    Some(start_cluster(&program, &Options::default()))
}

/// Starts a [`Cluster`] of the server with this name and the [default options](Options::default); `None` if it is not
/// installed.
///
/// # Panics
///
/// If the cluster does not start, or if there is no such server and `CI` is `true`.
///
/// # Examples
///
/// ```no_run
/// let Some(cluster) = testkit::live::cluster_named("valkey-9.1.2") else { return };
/// assert_eq!(cluster.masters().len(), 3);
/// ```
#[must_use]
pub fn cluster_named(name: &str) -> Option<Cluster> {
    cluster_named_with(name, &Options::default())
}

/// Starts a [`Cluster`] of the server with this name, each node with `options`; `None` if it is not installed. Settings
/// are treated as in [`named_with`](super::named_with).
///
/// # Panics
///
/// If the cluster does not start, or if there is no such server and `CI` is `true`.
#[must_use]
pub fn cluster_named_with(name: &str, options: &Options) -> Option<Cluster> {
    // A single server reports its version.
    let server = named(name)?;
    Some(start_cluster(server.program(), &options.known_in(server.version())))
}

fn start_cluster(program: &Path, options: &Options) -> Cluster {
    match Cluster::start(program, options) {
        Ok(cluster) => cluster,
        Err(error) => panic!("cannot start a cluster of {}: {error}", program.display()),
    }
}
