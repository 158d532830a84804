//! Which clusters there are, and what happens when there is none.

use std::path::Path;

use super::locate::{ADVICE, leave_out};
use super::{Cluster, Options, locate, named};

/// A [`Cluster`] of the program that [`server`](super::server) starts, or `None` on a machine that has no `redis-server`.
///
/// # Panics
///
/// If there is a server but the cluster does not start, or if there is none and `CI` is `true`.
#[must_use]
pub fn cluster() -> Option<Cluster> {
    let Some(program) = locate() else {
        leave_out(ADVICE);
        return None;
    };
    Some(start_cluster(&program, &Options::default()))
}

/// A [`Cluster`] of the server of that name with the [default options](Options::default), or `None` where it is not
/// there.
///
/// # Panics
///
/// If there is the server but the cluster does not start, or if there is none and `CI` is `true`.
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

/// A [`Cluster`] of the server of that name, each node with `options`, or `None` where it is not there. Settings are
/// treated as by [`named_with`](super::named_with).
///
/// # Panics
///
/// If there is the server but the cluster does not start, or if there is none and `CI` is `true`.
#[must_use]
pub fn cluster_named_with(name: &str, options: &Options) -> Option<Cluster> {
    // One server by itself says which it is.
    let server = named(name)?;
    Some(start_cluster(server.program(), &options.known_in(server.version())))
}

fn start_cluster(program: &Path, options: &Options) -> Cluster {
    match Cluster::start(program, options) {
        Ok(cluster) => cluster,
        Err(error) => panic!("no cluster of {}: {error}", program.display()),
    }
}
