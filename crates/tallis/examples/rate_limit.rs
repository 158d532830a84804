//! An axum service that allows each client five requests at once, then one per second.
//!
//! Run it with `cargo run -p tallis --example rate_limit`, and `curl -i localhost:3000` several times. The sixth
//! response is `429 Too Many Requests`, and its headers contain the time until the next request is allowed.
//!
//! ```text
//! HTTP/1.1 429 Too Many Requests
//! x-ratelimit-limit: 5         requests at once
//! x-ratelimit-remaining: 0     requests that are allowed now
//! x-ratelimit-reset: 5         seconds until all five are allowed
//! retry-after: 1               seconds until one is allowed
//! ```
//!
//! Notes:
//!
//! * **Keys.** One key per client, such as `limit:192.0.2.7`, which contains a time. It expires when the client's full
//!   limit is available again. If a client sends no more requests, its key is not accessed again, so a sweeper must
//!   remove it. Without a sweeper, the store grows with each new address.
//! * **Cost.** About 70 bytes per client, and half a microsecond per request: `spawn_blocking` is not needed.
//! * **Error.** The limit is exact: any period of n seconds has at most 5 + n requests, for any number of threads.
//! * **Clients.** Behind a proxy, all requests come from the proxy's address. Use a client address that the proxy adds
//!   to the request, and never a header that the client can set.
//! * **Several processes** can share limits on a server: `Funnel::new(AsyncServer::redis(..), quota)` and `take_async`.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{StatusCode, header::RETRY_AFTER};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::{Router, routing::get};
use tallis::{Funnel, Quota, Store};
use tokio::net::TcpListener;

/// Returns the key of a client's limit. An IPv6 network is one client, because it has 2^64 addresses to choose from.
pub(crate) fn key(client: IpAddr) -> String {
    match client.to_canonical() {
        IpAddr::V4(address) => format!("limit:{address}"),
        IpAddr::V6(address) => {
            let network = Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX));
            format!("limit:{network}/64")
        }
    }
}

/// Responds with status 429 to a client that has made too many requests, and adds the limits to all responses.
async fn limit(
    State(limits): State<Funnel>,
    ConnectInfo(client): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Result<Response, StatusCode> {
    let throttle =
        limits.take(key(client.ip()), 1).map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    let mut response = if throttle.limited {
        StatusCode::TOO_MANY_REQUESTS.into_response()
    } else {
        next.run(request).await
    };
    // Times are in seconds, rounded up, so that clients do not retry too early.
    let [_, limit, remaining, retry_after, reset] = throttle.to_reply();
    let headers = response.headers_mut();
    headers.insert("x-ratelimit-limit", limit.into());
    headers.insert("x-ratelimit-remaining", remaining.into());
    headers.insert("x-ratelimit-reset", reset.into());
    if throttle.limited {
        headers.insert(RETRY_AFTER, retry_after.into());
    }
    Ok(response)
}

/// Serves requests until the program is stopped, with the limits in `store`.
pub(crate) async fn serve(listener: TcpListener, store: Store) -> std::io::Result<()> {
    let quota = Quota::new(5, 1, Duration::from_secs(1)).map_err(std::io::Error::other)?;
    let app = Router::new()
        .route("/", get(|| async { "welcome\n" }))
        .layer(from_fn_with_state(Funnel::new(store, quota), limit));
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = Store::new();
    // The sweeper removes expired keys until it is dropped.
    let _sweeper = store.sweeper(Duration::from_secs(1))?;
    let listener = TcpListener::bind("localhost:3000").await?;
    println!("listening on http://{}", listener.local_addr()?);
    Ok(serve(listener, store).await?)
}
