//! Ports that no process listens on.

use std::net::{Ipv4Addr, TcpListener};
use std::ops::Range;
use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, Ordering};

/// The distance between the port of the cluster bus and that of the clients. This is the default of every server, and
/// 6.2 has no setting for it.
pub(super) const BUS: u16 = 10_000;

/// The first port for clients.
const FIRST: u16 = 10_000;

/// The number of blocks of ports. The ports of the bus are above those for clients, and all are below 32768, where
/// Linux's range for outgoing connections begins: such a connection must not take the port of a dead node that will
/// start again. The other nodes try to connect to that port all the time, and from a port of that range a connection
/// could connect to itself.
const BLOCKS: u16 = 25;

/// The number of ports for clients in a block.
const BLOCK: u16 = 400;

/// The first of the ports that reserve a block.
const RESERVATIONS: u16 = FIRST + BLOCKS * BLOCK + BUS;

/// Returns free ports for clients whose ports for the bus are free as well. Another program may still take one: then
/// the next one is to be tried.
pub(super) fn free() -> impl Iterator<Item = u16> {
    static RESERVED: OnceLock<Block> = OnceLock::new();
    static TAKEN: AtomicU16 = AtomicU16::new(0);
    let first = RESERVED.get_or_init(|| Block::reserve(0..BLOCKS)).first;
    (0..BLOCK)
        .map(move |_| first + TAKEN.fetch_add(1, Ordering::Relaxed) % BLOCK)
        .filter(|port| are_free(*port))
}

/// The ports for clients that one process uses, and those of the bus above them. Otherwise processes that look for free
/// ports at the same time would occupy them for each other.
struct Block {
    first: u16,
    /// No other process can listen on the port of this block.
    _reservation: Option<TcpListener>,
}

impl Block {
    /// Reserves one of `blocks` until the value is dropped. If each is reserved already, the block is shared with
    /// another process.
    fn reserve(mut blocks: Range<u16>) -> Self {
        let reserved = blocks.find_map(|block| {
            let reservation =
                TcpListener::bind((Ipv4Addr::LOCALHOST, RESERVATIONS + block)).ok()?;
            Some((block, reservation))
        });
        // Below BLOCKS after the division, so it fits.
        let shared = || u16::try_from(process::id() % u32::from(BLOCKS)).unwrap_or_default();
        let (block, reservation) = reserved.unzip();
        Self { first: FIRST + block.unwrap_or_else(shared) * BLOCK, _reservation: reservation }
    }
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

    use super::{BLOCK, BLOCKS, BUS, Block, FIRST, are_free, free};

    #[test]
    fn a_block_is_of_one_process() {
        let [one, two] = [(); 2].map(|()| Block::reserve(0..BLOCKS));
        let port = free().next().unwrap();
        assert_ne!(free().next(), Some(port));
        for (one, other) in [(one.first, two.first), (one.first, port), (two.first, port)] {
            assert_ne!((one - FIRST) / BLOCK, (other - FIRST) / BLOCK);
        }
        let shared = Block::reserve(0..0);
        assert!((FIRST..FIRST + BLOCKS * BLOCK).contains(&shared.first));
    }

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
