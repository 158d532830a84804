//! Batches of visits on a simulated server, some of which fail.

use store::{ErrorKind, Store};

use super::{BATCH, SCRIPTS, Visitors, VisitorsForm};
use crate::backend::{Backend, BackendKind};
use crate::bucket::Bucket;
use crate::pretend::{Pretend, dump};

/// The outcomes of batches.
type Said = Vec<Result<u64, (ErrorKind, String)>>;

/// Returns the outcomes of batches where a shard has another type, and counters are close to overflow.
fn scenario<B: Backend>(backend: B, store: &Store, form: VisitorsForm) -> Vec<Said> {
    let visitors = Visitors::new(backend).form(form).default_yesterday(4_000);
    // In batches as large as a store takes at once.
    let count = |ids: std::ops::Range<i64>| {
        let ids: Vec<i64> = ids.collect();
        let each =
            ids.chunks(BATCH).map(|ids| visitors.count_ids(ids.iter().copied(), Bucket::All));
        each.map(|counted| counted.map_err(|error| (error.kind(), error.to_string()))).collect()
    };
    let mut said: Vec<Said> = vec![count(0..600), count(300..900)];
    let (shard, counter) = match form {
        VisitorsForm::Tagged => ("unique:all:{3}", "unique:all:{5}:count"),
        VisitorsForm::Bitmap => ("unique:all:bitmap", "unique:all"),
        VisitorsForm::Forecast | VisitorsForm::Splitting | VisitorsForm::Compact => {
            ("unique:all:3", "unique:all")
        }
    };
    let spoilt: [&[u8]; 6] =
        [b"-1", b"0", b"999999999999999", b"-00", b"text", b"9223372036854775800"];
    for (spoilt, first) in spoilt.into_iter().zip((0..).step_by(1_000)) {
        let before = store.get(counter).unwrap().unwrap();
        store.set(counter, spoilt).unwrap();
        said.push(count(first + 890..first + 1_500));
        said.push(count(0..10));
        store.set(counter, before).unwrap();
    }
    if form == VisitorsForm::Bitmap {
        store.del([shard]).unwrap();
        store.sadd(shard, [1]).unwrap();
    } else {
        store.set(shard, "text").unwrap();
    }
    said.push(count(6_500..7_000));
    store.del([counter]).unwrap();
    store.sadd(counter, [1]).unwrap();
    said.push(count(0..7_100));
    said
}

#[test]
fn a_server_refuses_the_same_visits_of_a_batch_as_a_store() {
    for form in [VisitorsForm::Forecast, VisitorsForm::Tagged, VisitorsForm::Bitmap] {
        let [alone, served] = [Store::new(), Store::new()];
        let server = Pretend::new(&served, BackendKind::Server, SCRIPTS);
        let said = scenario(server, &served, form);
        assert_eq!(said, scenario(alone.clone(), &alone, form), "{form:?}");
        assert!(dump(&served) == dump(&alone), "{form:?}: other keys");
        for kind in [ErrorKind::WrongType, ErrorKind::NotInteger] {
            let is =
                |one: &Result<_, (ErrorKind, _)>| one.as_ref().is_err_and(|error| error.0 == kind);
            assert!(said.iter().flatten().any(is), "{form:?}: no {kind:?}");
        }
    }
}
