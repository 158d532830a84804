//! An axum service that lets each client make five requests at once, and then one a second.
//!
//! Run it with `cargo run -p tallis --example rate_limit`, and `curl -i localhost:3000` several times: the sixth answer
//! is `429 Too Many Requests`, and its headers say when to come back.
//!
//! ```text
//! HTTP/1.1 429 Too Many Requests
//! x-ratelimit-limit: 5         requests at once
//! x-ratelimit-remaining: 0     that may be made now
//! x-ratelimit-reset: 5         seconds until all five may be made
//! retry-after: 1               seconds until one may be made
//! ```
//!
//! Worth knowing:
//!
//! * **Keys.** One for each client, `limit:192.0.2.7`, with a time in it. It expires when the client may do all again.
//!   The key of a client who does not come back is not asked for again, so a sweeper removes what has expired: without
//!   it the store grows with each new address.
//! * **Cost.** About 70 bytes a client, and half a microsecond a request: no `spawn_blocking` is needed.
//! * **Error.** None: in no span of time is more allowed than five and one a second, by any number of threads at once.
//! * **Clients.** Behind a proxy all requests come from its address: take the client from what the proxy adds to the
//!   request, and from nothing that clients can write themselves.
//! * **Several processes** share limits on a server: `Funnel::new(AsyncServer::redis(..), quota)` and `take_async`.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{StatusCode, header::RETRY_AFTER};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::{Router, routing::get};
use tallis::{Funnel, Quota, Store};
use tokio::net::TcpListener;

/// The key of a client's limit. An IPv6 network is one client: it has 2^64 addresses to choose from.
pub(crate) fn key(client: IpAddr) -> String {
    match client.to_canonical() {
        IpAddr::V4(address) => format!("limit:{address}"),
        IpAddr::V6(address) => {
            let network = Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX));
            format!("limit:{network}/64")
        }
    }
}

/// Answers 429 to a client who has made too many requests, and tells all how many they have left.
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
    // Times in whole seconds, rounded up: no client comes back too early.
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

/// Serves until it is stopped, with limits in that store.
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
    // It looks for expired keys until it is dropped.
    let _sweeper = store.sweeper(Duration::from_secs(1))?;
    let listener = TcpListener::bind("localhost:3000").await?;
    println!("listening on http://{}", listener.local_addr()?);
    Ok(serve(listener, store).await?)
}
