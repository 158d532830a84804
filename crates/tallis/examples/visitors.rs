//! Counts unique visitors of each day exactly, in the process, then on a Redis server or a cluster with one line
//! changed.
//!
//! ```text
//! cargo run -p tallis --features redis --example visitors
//! cargo run -p tallis --features redis --example visitors redis://127.0.0.1
//! cargo run -p tallis --features redis --example visitors redis://10.0.0.1 redis://10.0.0.2
//! ```
//!
//! It prints the unique visitors of three days, the bytes per visitor, and the unique visitors of all days together.
//! With an address, it also counts the same visits on that server and compares the results. With several addresses,
//! which are nodes of a cluster, it uses the cluster. Then it deletes the keys.
//!
//! Notes:
//!
//! * **Keys.** The keys begin with `unique:2015-05-17`: the shards with the numbers of the visitors, and the number of
//!   shards or a counter. On a cluster the key of each shard has a hash tag, `unique:2015-05-17:{x12}`, and its counter
//!   is in the same slot, so that a visit is one atomic step.
//! * **Bytes.** About 9 per visitor. A store splits shards as they fill. On a server, the number of shards is set by a
//!   forecast: the count of the day before, or [`Visitors::default_yesterday`]. A wrong forecast costs memory.
//! * **Error.** The only error is that of the hash. Ids are hashed to 60 bits: among a million visitors, the
//!   probability that any two share a number is 0.00004 %.
//! * **Calls.** [`Visitors::count_visits`] sends many visits in one pipeline. In an async program, `AsyncServer` and
//!   `count_visits_async` do the same without blocking a thread.

use redis::{Client, cluster::ClusterClient};
use tallis::jiff::civil::{Date, date};
use tallis::{Backend, Error, Server, Store, Visitors, VisitorsForm};

/// The days, each with its first visitor. Each day has 10,000 visitors, and 6,000 of them return on the next day.
const DAYS: [(Date, u32); 3] =
    [(date(2015, 5, 17), 0), (date(2015, 5, 18), 4_000), (date(2015, 5, 19), 8_000)];

/// Counts two visits of each visitor, prints the counts, and removes the keys.
///
/// The function is the same for a store, a server and a cluster.
fn report<B: Backend>(visitors: Visitors<B>) -> Result<Vec<u64>, Error> {
    let visitors = visitors.default_yesterday(10_000);
    let mut counts = Vec::new();
    println!("day         visitors  bytes a visitor");
    for (day, first) in DAYS {
        let visits = (0..20_000).map(|visit| format!("user-{}", first + visit % 10_000));
        visitors.count_visits(visits, day)?;
        let count = visitors.count(day)?;
        println!("{day}  {count:8}  {:15}", visitors.memory_usage(day)? as u64 / count);
        counts.push(count);
    }
    let all = visitors.count_union(DAYS.map(|(day, _)| day))?;
    println!("together    {all:8}");
    counts.push(all);
    for (day, _) in DAYS {
        visitors.remove(day)?;
    }
    Ok(counts)
}

/// Counts in the process and, with addresses, also on that server or cluster.
pub(crate) fn run(addresses: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    println!("In the process");
    let embedded = report(Visitors::on(Store::new()))?;
    assert_eq!(embedded, [10_000, 10_000, 10_000, 18_000]);

    let served = match addresses {
        [] => return Ok(()),
        [address] => {
            let connection = Client::open(address.as_str())?.get_connection()?;
            println!("\nOn a server");
            report(Visitors::on(Server::redis(connection)))?
        }
        nodes => {
            let client = ClusterClient::new(nodes.to_vec())?;
            println!("\nOn a cluster");
            report(Visitors::on(Server::redis_cluster(client)).form(VisitorsForm::Tagged))?
        }
    };
    assert_eq!(served, embedded);
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    run(&std::env::args().skip(1).collect::<Vec<_>>())
}
