//! An axum handler that counts the unique visitors of each day. Run it with `cargo run --example visits -p tallis`, and
//! `curl -X POST localhost:3000/visits/alice`.

use axum::extract::{Path, State};
use axum::{Router, http::StatusCode, routing::post};
use tallis::{Store, Visitors, jiff::Zoned};

async fn visit(visitors: State<Visitors>, id: Path<String>) -> Result<String, StatusCode> {
    let today = Zoned::now().date();
    visitors.count_visit(&*id, today).map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    let count = visitors.count(today).map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    Ok(count.to_string())
}

pub(crate) fn app() -> Router {
    Router::new().route("/visits/{id}", post(visit)).with_state(Visitors::new(Store::new()))
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> std::io::Result<()> {
    axum::serve(tokio::net::TcpListener::bind("localhost:3000").await?, app()).await
}
