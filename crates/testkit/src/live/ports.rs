//! Ports that no process listens on.

use std::net::{Ipv4Addr, TcpListener};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// How far the port of the cluster bus lies above that of the clients. This is the default of every server, and 6.2
/// has no setting for it.
pub(super) const BUS: u16 = 10_000;

/// The first port for clients.
const FIRST: u16 = 10_000;

/// How many ports for clients. Those of the bus lie above them, and all lie below 32768, from where on Linux gives
/// ports to connections that go out: such a connection must not take the port of a node that is dead and will start
/// again. The other nodes try to reach that port all the time, and from a port of that range one may connect to itself.
const COUNT: u16 = 10_000;

/// Free ports for clients, whose ports for the bus are free as well. Another process may still take one: then the
/// next is to be tried.
pub(super) fn free() -> impl Iterator<Item = u16> {
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    // Processes that run at the same time have numbers that are close: the factor sets them apart.
    let start = process::id().wrapping_mul(2_654_435_761) >> 8;
    (0..COUNT)
        .map(move |_| {
            let index = start.wrapping_add(TAKEN.fetch_add(1, Ordering::Relaxed));
            // Below COUNT after the division, so it fits.
            FIRST + u16::try_from(index % u32::from(COUNT)).unwrap_or_default()
        })
        .filter(|port| are_free(*port))
}

/// Whether no process listens on a port for clients, nor on that of the bus above it.
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
    fn a_port_that_is_taken_is_not_free() {
        let port = free().next().unwrap();
        let clients = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).unwrap();
        assert!(!are_free(port));
        drop(clients);
        // To look through all that are free would take each for a moment, which a server of another test may need just then.
        let _bus = TcpListener::bind((Ipv4Addr::LOCALHOST, port + BUS)).unwrap();
        assert!(!are_free(port));
    }
}
