//! Code that is written for the `redis` crate, in the process: one line changes, the one that opens the connection.
//!
//! ```text
//! cargo run -p tallis --features redis --example redis_connection
//! cargo run -p tallis --features redis --example redis_connection redis://127.0.0.1
//! ```
//!
//! It counts views of pages by the calls of the crate, and prints the pages with the most and their visitors; with an
//! address it does so on that server too, and compares. What it writes there it deletes.
//!
//! Worth knowing:
//!
//! * **What to change.** Let functions take `&mut impl redis::ConnectionLike`, not `&mut redis::Connection`. All that the
//!   crate builds on that trait runs: `Commands`, `cmd`, pipelines, transactions, iterators of scans.
//! * **Tests.** `Store::new().redis_connection()` takes the place of a server: no port, no wait, nothing to delete.
//! * **Replies and errors** are a server's: their kinds, their codes, their texts. Scripts run only if the store has been
//!   given a function for them, and there is no SUBSCRIBE. `docs/redis-crate.md` of the repository has what differs.
//! * **Cost.** GET by a connection takes about twice as long as by `store.execute`, and on a server by a unix socket some
//!   250 times as long as in the process (`cargo xtask report redis`). The store's own calls have the same names, and read
//!   and write the same keys.
//! * **Async.** With the feature `async` the connection has `AsyncCommands` too; of the crate's 2.0 `redis2_connection` is
//!   one, with the feature `redis2`.

use redis::{Client, Commands, ConnectionLike, RedisResult};
use tallis::Store;

const VIEWS: &str = "tallis-example:views";
const PAGES: [&str; 3] = ["/", "/docs", "/blog"];

fn visitors_of(page: &str) -> String {
    format!("tallis-example:visitors:{page}")
}

/// Counts a view of a page: two keys in one transaction.
///
/// This and what follows knows of no store: it is written for any connection.
fn count_view(con: &mut impl ConnectionLike, page: &str, user: &str) -> RedisResult<()> {
    redis::pipe().atomic().zincr(VIEWS, page, 1).pfadd(visitors_of(page), user).exec(con)
}

/// Counts some views, and returns lines with each page's views and unique visitors, the most viewed first.
fn report(con: &mut impl ConnectionLike) -> RedisResult<Vec<String>> {
    for user in ["ann", "bob", "cleo"] {
        count_view(con, "/", user)?;
        count_view(con, "/docs", "ann")?;
    }
    count_view(con, "/docs", "bob")?;
    count_view(con, "/blog", "bob")?;

    let mut lines = vec!["page    views  visitors".to_owned()];
    let pages: Vec<(String, u64)> = con.zrevrange_withscores(VIEWS, 0, -1)?;
    for (page, views) in pages {
        let visitors: u64 = con.pfcount(visitors_of(&page))?;
        lines.push(format!("{page:6}  {views:5}  {visitors:8}"));
    }
    // What cannot be done is refused in a server's words.
    let refused = con.incr::<_, _, i64>(VIEWS, 1).err();
    lines
        .push(format!("INCR: {}", refused.as_ref().and_then(|error| error.code()).unwrap_or("OK")));
    Ok(lines)
}

/// Counts in the process and, if there is an address, there.
pub(crate) fn run(address: Option<&str>) -> Result<(), Box<dyn std::error::Error>> {
    let store = Store::new();
    let embedded = report(&mut store.redis_connection())?;
    println!("{}", embedded.join("\n"));
    assert_eq!(
        embedded[1..],
        [
            "/docs       4         2",
            "/           3         3",
            "/blog       1         1",
            "INCR: WRONGTYPE"
        ]
    );
    // The same keys, by the store's own calls.
    assert_eq!(store.zscore(VIEWS, "/docs")?, Some(4.0));

    if let Some(address) = address {
        let mut connection = Client::open(address)?.get_connection()?;
        let served = report(&mut connection);
        connection.del::<_, ()>(VIEWS)?;
        connection.del::<_, ()>(&PAGES.map(visitors_of))?;
        assert_eq!(served?, embedded);
        println!("\nA server says the same.");
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    run(std::env::args().nth(1).as_deref())
}
