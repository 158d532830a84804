//! Cohorts on a simulated server.

use std::fmt::Debug;

use jiff::civil::date;
use macros::blocking_and_async;
use store::{Profile, Store};

use super::{Cohort, Cohorts, Period, PeriodKind, SCRIPTS};
#[cfg(all(feature = "async", feature = "redis"))]
use crate::backend::AsyncBackend;
use crate::backend::{Backend, BackendKind};
use crate::pretend::{Pretend, dump};

/// Returns the results of calls of all kinds.
#[blocking_and_async(all(feature = "async", feature = "redis"))]
async fn scenario<B: Backend>(backend: &B, prefix: &str) -> Vec<String> {
    let mut said = Vec::new();
    let mut say = |what: &dyn Debug| said.push(format!("{what:?}"));
    let cohorts = Cohorts::new(backend).prefix(prefix);
    let days = [date(2015, 5, 16), date(2015, 5, 17), date(2015, 5, 18)];
    for (user, day) in [(1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (900, 1), (1, 2), (1, 2)] {
        say(&cohorts.mark("active", user, days[day].at(13, 0, 0, 0)).await.unwrap());
        say(&cohorts.mark("signup", user, days[0]).await.unwrap());
    }
    say(&cohorts.unmark("active", 3, days[0].at(13, 0, 0, 0)).await.unwrap());
    say(&cohorts.mark_unique("paying", 2).await.unwrap());
    say(&cohorts.mark_unique("paying", 70).await.unwrap());
    say(&cohorts.unmark_unique("paying", 70).await.unwrap());
    let coarse = Cohorts::new(backend).prefix(prefix).kinds([PeriodKind::Day]);
    for day in days {
        for user in [1, 3, 900, 100_000] {
            say(&cohorts.has("active", Period::day(day), user).await.unwrap());
            say(&coarse.has("active", Period::week(day), user).await.unwrap());
        }
        say(&cohorts.count("active", Period::day(day)).await.unwrap());
        say(&coarse.count("active", Period::month(day)).await.unwrap());
        say(&cohorts.users("active", Period::day(day)).await.unwrap());
        say(&coarse.users("active", Period::week(day)).await.unwrap());
    }
    say(&cohorts.retention("signup", "active", Period::day(days[2]).last(3)).await.unwrap());
    let signup = |day| Cohort::of("signup", day);
    let paying = |_| Cohort::unique("paying");
    let first = Period::day(days[0]);
    say(&cohorts.retention_of([first], signup, paying).await.unwrap());
    let of = |day: usize| Cohort::of("active", Period::day(days[day]));
    let kept = format!("{prefix}:kept");
    for cohort in [
        of(0) - of(1) - Cohort::unique("paying"),
        (of(0) ^ of(1)) | !of(2),
        of(1),
        Cohort::key(&kept) & !Cohort::key("nothing"),
        Cohort::key(&kept) | of(2),
        Cohort::all([]),
        of(1) | of(2),
    ] {
        let query = cohorts.query(cohort);
        say(&(
            query.count().await.unwrap(),
            query.users().await.unwrap(),
            query.bitmap().await.unwrap(),
        ));
        say(&(
            query.has(1).await.unwrap(),
            query.has(900).await.unwrap(),
            query.store(&kept).await.unwrap(),
        ));
        say(&cohorts.query(Cohort::key(&kept)).users().await.unwrap());
    }
    say(&cohorts.delete("active", Period::day(days[0])).await.unwrap());
    say(&cohorts.delete("active", Period::day(days[0])).await.unwrap());
    say(&cohorts.mark("active", 1 << 32, days[0]).await.unwrap_err().to_string());
    said
}

fn store() -> Store {
    Store::builder().profile(Profile::Redis70).build()
}

#[test]
fn a_server_answers_as_a_store_does() {
    let plain = store();
    let said = scenario(&plain, "t");
    for kind in [BackendKind::Server, BackendKind::Cluster] {
        let server = Pretend::new(&store(), kind, SCRIPTS);
        assert_eq!(said, scenario(&server, "t"), "{kind:?}");
        assert!(dump(&plain) == dump(&server.store), "{kind:?}");
    }
    let tagged = Pretend::new(&store(), BackendKind::Cluster, SCRIPTS);
    assert_eq!(said, scenario(&tagged, "{t}"));
}

/// A query of a key of another type fails on a server as on a store.
#[test]
fn keys_of_another_type_are_refused() {
    for kind in [BackendKind::Server, BackendKind::Cluster] {
        let server = Pretend::new(&store(), kind, SCRIPTS);
        server.store.sadd("set", ["x"]).unwrap();
        let cohorts = Cohorts::new(&server);
        let query = cohorts.query(Cohort::key("nothing") | Cohort::key("set"));
        for error in [
            query.count().unwrap_err(),
            query.has(1).unwrap_err(),
            query.store("target").unwrap_err(),
            cohorts.query(Cohort::key("set")).count().unwrap_err(),
        ] {
            assert_eq!(error.kind(), store::ErrorKind::WrongType, "{kind:?}");
        }
        assert_eq!(server.store.dbsize().unwrap(), 1, "{kind:?}");
    }
}

#[cfg(feature = "redis")]
#[test]
fn a_live_server_answers_as_a_store_does() {
    use crate::pretend::dump_server;
    use crate::server::Server;
    use testkit::live;

    let Some(live) = live::server() else { return };
    let plain = store();
    let said = scenario(&plain, "t");
    assert_eq!(said, scenario(&Server::redis(live.connect()), "t"));
    assert!(dump(&plain) == dump_server(&mut live.connect()));
    let Some(cluster) = live::cluster() else { return };
    let client = redis::cluster::ClusterClient::new(cluster.nodes()).unwrap();
    for prefix in ["t", "{t}"] {
        assert_eq!(said, scenario(&Server::redis_cluster(client.clone()), prefix));
    }
}

#[cfg(all(feature = "async", feature = "redis"))]
#[tokio::test]
async fn futures_return_what_calls_that_block_do() {
    use crate::server::AsyncServer;

    fn is_send<T: Send>(future: T) -> T {
        future
    }

    let [plain, asked, served] = [(); 3].map(|()| store());
    served.add_scripts(crate::scripts());
    let server = AsyncServer::redis(served.redis_connection());
    for prefix in ["t", "{t}"] {
        let said = scenario(&plain, prefix);
        assert_eq!(said, scenario_async(&asked, prefix).await);
        assert_eq!(said, is_send(scenario_async(&server, prefix)).await);
    }
    assert!(dump(&plain) == dump(&asked));
    assert!(dump(&plain) == dump(&served));
}
