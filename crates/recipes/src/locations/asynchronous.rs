//! Tests of the asynchronous forms.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::fmt::Debug;

use bitpack::packed::NumberCode;
use macros::blocking_and_async;
use store::Store;

use super::{CityTable, Locations, USERS_PER_SHARD};
use crate::backend::{AsyncBackend, Backend};
use crate::pretend::dump;
use crate::server::AsyncServer;

fn say(said: &mut Vec<String>, what: impl Debug) {
    said.push(format!("{what:?}"));
}

/// Returns the results of calls of all kinds.
#[blocking_and_async]
async fn scenario<B: Backend>(backend: &B) -> Vec<String> {
    let mut said = Vec::new();
    regions(backend, &mut said).await;
    other_widths(backend, &mut said).await;
    many(backend, &mut said).await;
    refused(backend, &mut said).await;
    said
}

#[blocking_and_async]
async fn regions<B: Backend>(backend: &B, said: &mut Vec<String>) {
    let locations = Locations::new(backend);
    say(said, locations.largest_user().await);
    say(said, locations.aggregate().await);
    say(said, locations.aggregate_list([0, 1 << 30]).await);
    for (user, country, region) in [(0, "USA", "CA"), (9, "FRA", ""), (7, "CAN", "QC")] {
        say(said, locations.set(user, country, region).await);
        say(said, locations.set_lenient(user + 20, country, "ZZ").await);
    }
    say(said, locations.set(USERS_PER_SHARD, "USA", None).await);
    say(said, locations.set_lenient(3, "ZZZ", None).await);
    say(said, locations.set(3, "ZZZ", None).await);
    for user in [0, 3, 7, 9, 20, 50, USERS_PER_SHARD, USERS_PER_SHARD + 1] {
        say(said, locations.get(user).await);
    }
    say(said, locations.largest_user().await);
    say(said, locations.aggregate().await);
    say(said, locations.aggregate_list([7, 9, 7, 8, 1 << 30]).await);
}

#[blocking_and_async]
async fn other_widths<B: Backend>(backend: &B, said: &mut Vec<String>) {
    let countries = Locations::new(backend).countries().prefix("country");
    say(said, countries.set(0, "USA").await);
    say(said, countries.set_lenient(1, "ZZZ").await);
    say(said, (countries.get(0).await, countries.get(1).await));
    say(said, countries.aggregate().await);

    let rows = [("USA", "CA", "Los Angeles"), ("USA", "CA", "San Jose"), ("SGP", "", "Singapore")];
    let cities = Locations::new(backend).cities(CityTable::from_rows(rows).unwrap()).prefix("city");
    say(said, cities.set(0, "USA", "CA", "San Jose").await);
    say(said, cities.set_lenient(1, "SGP", None, "Nowhere").await);
    say(said, (cities.get(0).await, cities.get(1).await));
    say(said, cities.aggregate().await);

    let codes = Locations::new(backend).codec::<NumberCode>().prefix("code");
    say(said, codes.set(5, 90210).await);
    say(said, codes.set_code(6, [1, 2, 3, 4]).await);
    say(said, (codes.get(5).await, codes.code(6).await));
    say(said, codes.aggregate().await);
}

/// Users of many shards, some of which are read one by one and some in blocks.
#[blocking_and_async]
async fn many<B: Backend>(backend: &B, said: &mut Vec<String>) {
    let locations = Locations::new(backend).prefix("many");
    let user = |number: u64| number % 7 * USERS_PER_SHARD + number * number % 90_001;
    let code = |number: u64| [(number % 250) as u8, (number % 3) as u8];
    let codes = (0..3000).map(|number| (user(number), code(number)));
    say(said, locations.set_codes(codes).await);
    say(said, locations.aggregate().await);
    let everyone = (0..3000).map(user);
    say(said, locations.aggregate_list(everyone).await);
    let some = (0..3000).step_by(97).map(|number| user(number) + number % 2);
    say(said, locations.aggregate_list(some).await);
    let too_large = [(1, [1, 1]), (1 << 40, [1, 1]), (2, [2, 2])];
    say(said, locations.set_codes(too_large).await);
}

/// Returns the results where a key holds another type.
#[blocking_and_async]
async fn refused<B: Backend>(backend: &B, said: &mut Vec<String>) {
    let locations = Locations::new(backend).prefix("set");
    say(said, locations.set(0, "USA", "CA").await.unwrap_err().kind());
    say(said, locations.get(0).await.unwrap_err().kind());
    say(said, locations.set(1 << 40, "USA", "CA").await.unwrap_err().kind());
    let codes = [(USERS_PER_SHARD, [1, 1]), (0, [1, 1])];
    say(said, locations.set_codes(codes).await.unwrap_err().kind());
    say(said, locations.aggregate().await.unwrap_err().kind());
    say(said, locations.aggregate_list([0]).await.unwrap_err().kind());
}

#[tokio::test]
async fn futures_return_what_calls_that_block_do() {
    fn is_send<T: Send>(future: T) -> T {
        future
    }

    let [plain, asked, served] = [(); 3].map(|()| {
        let store = Store::new();
        store.sadd("set:0", ["x"]).unwrap();
        store
    });
    served.add_scripts(crate::scripts());
    let server = AsyncServer::redis(served.redis_connection());
    let said = scenario(&plain);
    assert_eq!(said, scenario_async(&asked).await);
    assert_eq!(said, is_send(scenario_async(&server)).await);
    assert!(dump(&plain) == dump(&asked));
    assert!(dump(&plain) == dump(&served));
}
