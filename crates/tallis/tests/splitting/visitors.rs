//! Visitors in sets that split, compared with the book's.

use jiff::civil::{Date, date};
use tallis::{Bucket, Store, Visitors, VisitorsForm};
use testkit::rng::Rng;

use super::{Model, number, validate};

fn day() -> Date {
    date(2015, 5, 17)
}

#[test]
fn counts_do_not_depend_on_the_forecast() {
    let mut rng = Rng::new(1);
    // Some of them repeat.
    let ids: Vec<i64> =
        (0..20_000).map(|_| i64::try_from(rng.below(15_000)).unwrap() << 40).collect();
    let model: Model = ids.iter().map(i64::to_string).collect();
    let mut sizes = Vec::new();
    for forecast in [100, 10_000, 1_000_000] {
        let [book, split] = [VisitorsForm::Forecast, VisitorsForm::Splitting].map(|form| {
            let store = Store::builder().hash_seed(1).build();
            let visitors = Visitors::book(store.clone()).default_yesterday(forecast).form(form);
            let new: Vec<bool> =
                ids.iter().map(|&id| visitors.count_id(id, day()).unwrap()).collect();
            assert_eq!(visitors.count(day()).unwrap(), model.len() as u64);
            assert_eq!(visitors.count_union([day(), day()]).unwrap(), model.len() as u64);
            let mut found: Vec<String> =
                visitors.ids(day()).unwrap().iter().map(i64::to_string).collect();
            found.sort_unstable();
            assert!(found.iter().eq(&model));
            (store, new, visitors.memory_usage(day()).unwrap())
        });
        assert_eq!(book.1, split.1);
        validate(&split.0, "unique:2015-05-17", &model);
        assert!(!split.0.exists("unique:2015-05-17:expected").unwrap());
        assert!(!book.0.exists("unique:2015-05-17:shards").unwrap());
        // With so few shards, the store's tables have some slack.
        assert!(split.2 * 10 <= model.len() * 95, "{} bytes", split.2);
        sizes.push((book.2, split.2));
    }
    assert!(sizes.iter().all(|&(_, split)| split == sizes[0].1), "{sizes:?}");
    assert!(sizes[0].0 > 2 * sizes[0].1 && sizes[2].0 > 2 * sizes[2].1, "{sizes:?}");
}

#[test]
fn a_bucket_keeps_the_form_in_which_it_was_begun() {
    let store = Store::new();
    let book = || Visitors::book(store.clone()).default_yesterday(10);
    let split = || book().form(VisitorsForm::Splitting);
    let (first, second) = (Bucket::hour(day(), 1), Bucket::hour(day(), 2));
    for id in 0..300 {
        book().count_id(id, first).unwrap();
        split().count_id(id + 1, first).unwrap();
        split().count_id(id, second).unwrap();
        book().count_id(id + 1, second).unwrap();
    }
    for visitors in [book(), split()] {
        assert_eq!(visitors.count(first).unwrap(), 301);
        assert_eq!(visitors.count(second).unwrap(), 301);
        assert_eq!(visitors.count_union([first, second]).unwrap(), 301);
        assert!(!visitors.bucket(second).unwrap().count_id(5).unwrap());
    }
    assert!(!store.exists("unique:2015-05-17T01:shards").unwrap());
    assert_eq!(store.scard("unique:2015-05-17T01:0").unwrap(), 301);
    assert!(!store.exists("unique:2015-05-17T02:expected").unwrap());
    assert_eq!(number(&store, "unique:2015-05-17T02:shards"), Some(1));
    assert!(!store.exists("unique:2015-05-17T02").unwrap());
    assert_eq!(store.scard("unique:2015-05-17T02:1").unwrap(), 301);
    // The forecast of one form uses the count of the other one.
    book().count_id(1, Bucket::hour(day(), 3)).unwrap();
    assert_eq!(number(&store, "unique:2015-05-17T03:expected"), Some(512));
    assert_eq!(split().ids(Bucket::All).unwrap(), [0_i64; 0]);
}
