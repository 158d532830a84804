//! All recipes on all backends: they return the same, and leave the same keys with the same bytes.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

mod asynchronous;
mod book;
mod clusters;
mod dedup;
mod failover;
mod moving;
mod place;
mod suite;

use jiff::Timestamp;
use place::{Keys, of_server, of_store, same};
use suite::{Recipes, Setting, run};
use tallis::{Backend, Bucket, Profile, Protocol, Server, Store, Visitors, VisitorsForm, scripts};

/// The results of the recipes on a store of that profile, and the keys that it then has.
fn embedded(setting: Setting, profile: Profile) -> (Vec<String>, Keys) {
    let store = Store::builder().profile(profile).build();
    (run(&store, setting), of_store(&store))
}

/// The setting of a server without Bloom filters.
fn setting() -> Setting {
    Setting { now: Timestamp::now(), recipes: Recipes::WithoutDedup }
}

/// Runs the suite, and compares with a store of that profile.
fn check<B: Backend + Clone>(
    name: &str,
    backend: &B,
    profile: Profile,
    setting: Setting,
    keys: impl FnOnce() -> Keys,
) {
    compare(name, &run(backend, setting), profile, setting, keys);
}

/// Compares the results of the suite, and the keys that now exist, with those of a store of that profile.
fn compare(
    name: &str,
    lines: &[String],
    profile: Profile,
    setting: Setting,
    keys: impl FnOnce() -> Keys,
) {
    let (wanted, wanted_keys) = embedded(setting, profile);
    for (at, (line, wanted)) in lines.iter().zip(&wanted).enumerate() {
        assert_eq!(line, wanted, "{name}, line {at}");
    }
    assert_eq!(lines.len(), wanted.len(), "{name}");
    same(name, &keys(), &wanted_keys);
}

#[test]
fn a_transaction_on_all_keys_is_a_backend() {
    let setting = Setting { recipes: Recipes::All, ..setting() };
    let store = Store::builder().profile(Profile::Redis70).build();
    check("a reference", &&store, Profile::Redis70, setting, || of_store(&store));
}

#[test]
fn a_connection_of_a_store() {
    let setting = Setting { recipes: Recipes::All, ..setting() };
    let store = Store::builder().profile(Profile::Redis70).build();
    store.add_scripts(scripts());
    let server = Server::redis(store.redis_connection());
    check("redis", &server, Profile::Redis70, setting, || of_store(&store));

    let store = Store::builder().profile(Profile::Redis70).build();
    store.add_scripts(scripts());
    let server = Server::redis(store.redis_connection().with_protocol(Protocol::Resp3));
    check("RESP3", &server, Profile::Redis70, setting, || of_store(&store));

    let store = Store::builder().profile(Profile::Redis70).build();
    store.add_scripts(scripts());
    let server = Server::redis2(store.redis2_connection());
    check("redis 2", &server, Profile::Redis70, setting, || of_store(&store));
}

fn check_server(name: &str, profile: Profile) {
    let Some(live) = testkit::live::named(name) else { return };
    let server = Server::redis(live.connect());
    check(name, &server, profile, setting(), || of_server(&mut live.connect()));
}

#[test]
fn redis_7_0() {
    check_server("redis-7.0.15", Profile::Redis70);
}

#[test]
fn redis_8_2() {
    check_server("redis-8.2.3", Profile::Redis82);
}

#[test]
fn valkey_9_1() {
    check_server("valkey-9.1.2", Profile::Valkey91);
}

#[test]
fn memory_usage_is_that_of_the_server() {
    let Some(live) = testkit::live::named("redis-7.0.15") else { return };
    let mut connection = live.connect();
    for form in [VisitorsForm::Forecast, VisitorsForm::Tagged, VisitorsForm::Bitmap] {
        let visitors = Visitors::on(Server::redis(live.connect())).form(form);
        let visitors = visitors.default_yesterday(1000);
        assert_eq!(visitors.memory_usage(Bucket::All).unwrap(), 0);
        visitors.count_ids(0..3000, Bucket::All).unwrap();
        let keys: Vec<String> = redis::cmd("KEYS").arg("unique:*").query(&mut connection).unwrap();
        let usage = |key: &String| -> usize {
            redis::cmd("MEMORY").arg("USAGE").arg(key).query(&mut live.connect()).unwrap()
        };
        let wanted: usize = keys.iter().map(usage).sum();
        assert_eq!(visitors.memory_usage(Bucket::All).unwrap(), wanted, "{form:?}");
        assert!(visitors.remove(Bucket::All).unwrap());
        let left: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut connection).unwrap();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn an_r2d2_pool() {
    let Some(live) = testkit::live::named("redis-7.0.15") else { return };
    let client = live.client();
    let pool = r2d2::Pool::builder().max_size(2).build(client).unwrap();
    let server = Server::redis_pool(move || pool.get());
    check("a pool", &server, Profile::Redis70, setting(), || of_server(&mut live.connect()));
}

#[test]
fn connections_of_a_client() {
    let Some(live) = testkit::live::named("redis-7.0.15") else { return };
    let client = live.client();
    let get = move || client.get_connection().map(Box::new);
    let server = Server::redis_pool(get);
    check("connections", &server, Profile::Redis70, setting(), || of_server(&mut live.connect()));
}
