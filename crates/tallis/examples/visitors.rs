//! Unique visitors of each day, exactly: in the process, then on a Redis server or a cluster, with one line changed.
//!
//! ```text
//! cargo run -p tallis --features redis --example visitors
//! cargo run -p tallis --features redis --example visitors redis://127.0.0.1
//! cargo run -p tallis --features redis --example visitors redis://10.0.0.1 redis://10.0.0.2
//! ```
//!
//! It prints the unique visitors of three days, what they take, and how many the days have together. With an address it
//! counts the same visits on that server too, with several on the cluster of which these are some nodes, and compares.
//! What it counts there it removes.
//!
//! Worth knowing:
//!
//! * **Keys.** They begin with `unique:2015-05-17`: shards with the visitors' numbers, and how many shards there are or a
//!   counter. On a cluster each shard's key has a hash tag, `unique:2015-05-17:{x12}`, and its counter lies in the same
//!   slot, so that a visit is one atomic step there.
//! * **Bytes.** About 9 a visitor. A store splits shards as they fill. A server cannot: there the number of shards follows
//!   from a forecast, by the day before or by [`Visitors::default_yesterday`], and one that is far off takes more memory.
//! * **Error.** None but that of the hash: ids are hashed to 60 bits, and of a million visitors some two share a number
//!   with a probability of 0.00004 %.
//! * **Calls.** [`Visitors::count_visits`] sends many visits in one pipeline. In an async program `AsyncServer` and
//!   `count_visits_async` do the same without a thread that waits.

use redis::{Client, cluster::ClusterClient};
use tallis::jiff::civil::{Date, date};
use tallis::{Backend, Error, Server, Store, Visitors, VisitorsForm};

/// The days, each with its first visitor: 10,000 come on each day, 6,000 of them on the next one again.
const DAYS: [(Date, u32); 3] =
    [(date(2015, 5, 17), 0), (date(2015, 5, 18), 4_000), (date(2015, 5, 19), 8_000)];

/// Counts two visits of each visitor, prints what was counted, and removes it.
///
/// Nothing in it depends on where the keys are.
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

/// Counts in the process and, if there are addresses, there.
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
