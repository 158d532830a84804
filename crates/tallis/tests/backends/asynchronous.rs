//! The same suite with asynchronous calls.

use std::fmt::Debug;

use redis::aio::ConnectionManager;
use tallis::{AsyncBackend, AsyncServer, Profile, Protocol, Store, scripts};

use super::place::{Keys, of_server, of_store};
use super::suite::{Recipes, Setting, run_async};
use super::{compare, setting};

/// Runs the suite, and compares with a store of that profile.
async fn check<B: AsyncBackend + Clone>(
    name: &str,
    backend: &B,
    profile: Profile,
    setting: Setting,
    keys: impl FnOnce() -> Keys,
) {
    compare(name, &run_async(backend, setting).await, profile, setting, keys);
}

/// The same in its own task, which requires futures that are `Send`.
pub(crate) async fn check_task(
    name: &str,
    server: AsyncServer,
    profile: Profile,
    setting: Setting,
    keys: impl FnOnce() -> Keys,
) {
    let lines = tokio::spawn(async move { run_async(&server, setting).await }).await.unwrap();
    compare(name, &lines, profile, setting, keys);
}

#[tokio::test]
async fn a_store() {
    let setting = Setting { recipes: Recipes::All, ..setting() };
    let store = Store::builder().profile(Profile::Redis70).build();
    check("a store", &store, Profile::Redis70, setting, || of_store(&store)).await;
    let store = Store::builder().profile(Profile::Redis70).build();
    check("a reference", &&store, Profile::Redis70, setting, || of_store(&store)).await;
}

#[tokio::test]
async fn a_connection_of_a_store() {
    let setting = Setting { recipes: Recipes::All, ..setting() };
    let store = Store::builder().profile(Profile::Redis70).build();
    store.add_scripts(scripts());
    let server = AsyncServer::redis(store.redis_connection());
    check_task("redis", server, Profile::Redis70, setting, || of_store(&store)).await;

    let store = Store::builder().profile(Profile::Redis70).build();
    store.add_scripts(scripts());
    let server = AsyncServer::redis(store.redis_connection().with_protocol(Protocol::Resp3));
    check_task("RESP3", server, Profile::Redis70, setting, || of_store(&store)).await;

    let store = Store::builder().profile(Profile::Redis70).build();
    store.add_scripts(scripts());
    let server = AsyncServer::redis2(store.redis2_connection());
    check_task("redis 2", server, Profile::Redis70, setting, || of_store(&store)).await;
}

/// Runs the suite on the server that `connect` creates from a client.
async fn check_server<E: Debug>(
    name: &str,
    profile: Profile,
    connect: impl AsyncFnOnce(redis::Client) -> Result<AsyncServer, E>,
) {
    let Some(live) = testkit::live::named(name) else { return };
    let server = connect(live.client()).await.unwrap();
    check_task(name, server, profile, setting(), || of_server(&mut live.connect())).await;
}

async fn multiplexed(client: redis::Client) -> redis::RedisResult<AsyncServer> {
    client.get_multiplexed_async_connection().await.map(AsyncServer::redis)
}

#[tokio::test]
async fn redis_7_0() {
    check_server("redis-7.0.15", Profile::Redis70, multiplexed).await;
}

#[tokio::test]
async fn redis_8_2() {
    check_server("redis-8.2.3", Profile::Redis82, multiplexed).await;
}

#[tokio::test]
async fn valkey_9_1() {
    check_server("valkey-9.1.2", Profile::Valkey91, multiplexed).await;
}

#[tokio::test]
async fn a_connection_manager() {
    let manager = async |client| ConnectionManager::new(client).await.map(AsyncServer::redis);
    check_server("redis-7.0.15", Profile::Redis70, manager).await;
}

#[tokio::test]
async fn a_bb8_pool() {
    let pool = async |client| {
        let pool = bb8::Pool::builder().max_size(2).build(client).await?;
        let get = move || {
            let pool = pool.clone();
            async move { pool.get_owned().await }
        };
        redis::RedisResult::Ok(AsyncServer::redis_pool(get))
    };
    check_server("redis-7.0.15", Profile::Redis70, pool).await;
}
