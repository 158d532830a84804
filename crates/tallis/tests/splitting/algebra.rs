//! Sets of different levels, combined and stored.

use tallis::{Error, ErrorKind, ShardedSet, Store};
use testkit::rng::Rng;

use super::{Model, filled, gathered, is_right, validate};

fn some_model(rng: &mut Rng) -> Model {
    let sizes = [0, 1, 150, 201, 500, 1_100, 3_000];
    let size = sizes[rng.index(sizes.len())];
    let mut model: Model = (0..size).map(|_| rng.below(size.max(500) * 2).to_string()).collect();
    if rng.below(2) == 0 {
        model.extend((0..20).map(|_| format!("text {}", rng.below(40))));
    }
    model
}

#[test]
fn sets_of_any_levels_are_combined() {
    let mut rng = Rng::new(11);
    for round in 0..60 {
        let store = Store::builder().hash_seed(1).build();
        let models: Vec<Model> = (0..=rng.index(3)).map(|_| some_model(&mut rng)).collect();
        let mut sets: Vec<ShardedSet> = models
            .iter()
            .enumerate()
            .map(|(at, model)| filled(&store, &format!("s{at}"), model))
            .collect();
        let first = &models[0];
        let (set, others) = (sets[0].clone(), sets[1..].to_vec());
        let inter = models[1..].iter().fold(first.clone(), |all, other| &all & other);
        let union = models[1..].iter().fold(first.clone(), |all, other| &all | other);
        let diff = models[1..].iter().fold(first.clone(), |all, other| &all - other);
        assert_eq!(gathered(set.inter(&others).unwrap()), inter);
        assert_eq!(gathered(set.union(&others).unwrap()), union);
        assert_eq!(gathered(set.diff(&others).unwrap()), diff);
        assert_eq!(set.inter_card(&others).unwrap(), inter.len() as u64);

        // Into one of the sets, or into one with other members and another level.
        let stale = some_model(&mut rng);
        sets.push(filled(&store, "target", &stale));
        let at = rng.index(sets.len());
        let target = &sets[at];
        let (stored, want) = match round % 3 {
            0 => (set.inter_store(&others, target), inter),
            1 => (set.union_store(&others, target), union),
            _ => (set.diff_store(&others, target), diff),
        };
        assert_eq!(stored.unwrap(), want.len() as u64);
        let base = if at + 1 == sets.len() { "target".to_owned() } else { format!("s{at}") };
        let shards = validate(&store, &base, &want);
        // The result has the shape of a set of its size.
        assert!(is_right(shards, want.len() as u64), "{shards} for {}", want.len());
        assert_eq!(want.is_empty(), store.keys(format!("{base}*")).unwrap().is_empty());
        for (other, model) in models.iter().enumerate().filter(|&(other, _)| other != at) {
            validate(&store, &format!("s{other}"), model);
        }
    }
}

#[test]
fn sets_of_another_form_are_refused() {
    let store = Store::new();
    let fixed = ShardedSet::new(store.clone(), "fixed", 1000, 100);
    let split = ShardedSet::splitting(store.clone(), "split");
    fixed.add(1).unwrap();
    split.add(1).unwrap();
    let changes = store.changes();
    let refused = |error: Option<Error>, text: &str| {
        let error = error.unwrap();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert_eq!(error.to_string(), text);
    };
    let text = "ERR sharded sets 'fixed' (20 shards) and 'split' (splitting) differ in shape";
    refused(fixed.inter([&split]).err(), text);
    refused(fixed.union_store([&fixed], &split).err(), text);
    let text = "ERR sharded sets 'split' (splitting) and 'fixed' (20 shards) differ in shape";
    refused(split.union([&fixed]).err(), text);
    refused(split.inter_card([&split, &fixed]).err(), text);
    refused(split.diff_store([], &fixed).err(), text);
    assert_eq!(store.changes(), changes);
}

#[test]
fn another_type_under_a_shards_key_is_an_error() {
    let store = Store::new();
    let of = |name: &str| ShardedSet::splitting(store.clone(), name);
    let (a, b, target) = (of("a"), of("b"), of("target"));
    a.add_many(0..1000).unwrap();
    store.set("b:1", "text").unwrap();
    for error in [
        a.union_store([&b], &target).unwrap_err(),
        b.diff_store([&a], &target).unwrap_err(),
        a.inter_card([&b]).unwrap_err(),
        a.inter([&b]).unwrap().find_map(Result::err).unwrap(),
        b.members().find_map(Result::err).unwrap(),
        b.add(1).unwrap_err(),
        b.contains(1).unwrap_err(),
        b.remove(1).unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::WrongType);
    }
    assert_eq!(b.members().count(), 1, "the error is the last that comes");
    // A target is overwritten, whatever its type was.
    assert_eq!(a.union_store([], &b).unwrap(), 1000);
    validate(&store, "b", &(0..1000).map(|id| id.to_string()).collect());
}
