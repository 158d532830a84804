//! Ports that no process listens on.

use std::net::{Ipv4Addr, TcpListener};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// The distance between the port of the cluster bus and that of the clients. This is the default of every server, and
/// 6.2 has no setting for it.
pub(super) const BUS: u16 = 10_000;

/// The first port for clients.
const FIRST: u16 = 10_000;

/// The number of ports for clients. The ports of the bus are above them, and all are below 32768, where Linux's range
/// for outgoing connections begins: such a connection must not take the port of a dead node that will start again. The
/// other nodes try to connect to that port all the time, and from a port of that range a connection could connect to
/// itself.
const COUNT: u16 = 10_000;

/// Returns free ports for clients whose ports for the bus are free as well. Another process may still take one: then
/// the next one is to be tried.
pub(super) fn free() -> impl Iterator<Item = u16> {
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    // Processes that run at the same time have similar numbers: the factor separates them.
    let start = process::id().wrapping_mul(2_654_435_761) >> 8;
    (0..COUNT)
        .map(move |_| {
            let index = start.wrapping_add(TAKEN.fetch_add(1, Ordering::Relaxed));
            // Below COUNT after the division, so it fits.
            FIRST + u16::try_from(index % u32::from(COUNT)).unwrap_or_default()
        })
        .filter(|port| are_free(*port))
}

/// Whether no process listens on a port for clients, or on that of the bus above it.
fn are_free(port: u16) -> bool {
    is_free(port) && is_free(port + BUS)
}

fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, TcpListener};

    use super::{BUS, are_free, free};

    #[test]
    fn a_taken_port_is_not_free() {
        let port = free().next().unwrap();
        let clients = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).unwrap();
        assert!(!are_free(port));
        drop(clients);
        // Checking all free ports would occupy each for a moment, and a server of another test may need it just then.
        let _bus = TcpListener::bind((Ipv4Addr::LOCALHOST, port + BUS)).unwrap();
        assert!(!are_free(port));
    }
}
