//! Code that was written for the `redis` crate, run in the process. Only the line that opens the connection changes.
//!
//! ```text
//! cargo run -p tallis --features redis --example redis_connection
//! cargo run -p tallis --features redis --example redis_connection redis://127.0.0.1
//! ```
//!
//! It counts page views with the methods of the crate, and prints the pages with the most views and their visitors.
//! With an address, it does the same on that server and compares the results. Then it deletes the keys on the server.
//!
//! Notes:
//!
//! * **Required change.** Functions accept `&mut impl redis::ConnectionLike` instead of `&mut redis::Connection`. Then
//!   all features of the crate that use this trait work: `Commands`, `cmd`, pipelines, transactions, iterators of
//!   scans.
//! * **Tests.** Use `Store::new().redis_connection()` instead of a server: it needs no port, no waiting and no cleanup.
//! * **Replies and errors** are those of a server, with the same kinds, codes and texts. Scripts run only if a function
//!   for them is registered with the store, and SUBSCRIBE is not available. `docs/redis-crate.md` in the repository
//!   lists the differences.
//! * **Cost.** GET over a connection takes about twice as long as `store.execute`. On a server over a unix socket it
//!   takes some 250 times as long as in the process (`cargo xtask report redis`). The store's own methods have the same
//!   names, and read and write the same keys.
//! * **Async.** With the feature `async`, the connection also has `AsyncCommands`. With the feature `redis2`,
//!   `redis2_connection` returns a connection of version 2.0 of the crate.

use redis::{Client, Commands, ConnectionLike, RedisResult};
use tallis::Store;

const VIEWS: &str = "tallis-example:views";
const PAGES: [&str; 3] = ["/", "/docs", "/blog"];

fn visitors_of(page: &str) -> String {
    format!("tallis-example:visitors:{page}")
}

/// Counts a view of a page: writes two keys in one transaction.
///
/// This function and `report` accept any connection.
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
    // Errors have the same codes as on a server.
    let refused = con.incr::<_, _, i64>(VIEWS, 1).err();
    lines
        .push(format!("INCR: {}", refused.as_ref().and_then(|error| error.code()).unwrap_or("OK")));
    Ok(lines)
}

/// Counts in the process and, with an address, also on that server.
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
    // The store's own methods read the same keys.
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
