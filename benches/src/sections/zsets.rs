//! Sorted sets: the structure by itself and through the store, compared with ordered sets with a map and with a live
//! server.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use std::hint::black_box;

use skiplist_zset::ZSet;
use tallis::Store;
use testkit::rng::Rng;

use super::live::{Live, SERVER, command, rival};
use super::yo::{self, Yo};
use super::{built, held};
use crate::inputs::{Turns, Words, shuffled};
use crate::report::{Bench, Result, Row, Sample, Section, Touched, Unit};
use crate::rivals::{IndexSetAndMap, Ranked, Rival, SkipListAndMap};

/// Members of a small sorted set.
const SMALL: usize = 10;

/// The names of the structure and of the store on the page.
const ALONE: &str = "tallis, the structure";
const STORE: &str = "tallis, the store";

struct Input {
    members: Words,
    scores: Vec<f64>,
    /// The members in another order, to query.
    asked: Words,
    /// New scores for them.
    fresh: Vec<f64>,
    /// Calls per turn.
    turn: usize,
}

pub(super) fn measure(bench: &Bench) -> Section {
    let count = if bench.effort().is_quick() { 5_000 } else { 1_000_000 };
    let text = format!(
        "{count} members of 16 bytes with random scores, added in random order; then other members in turn, in another \
         random order. *{ALONE}* is `skiplist-zset`, *{STORE}* is the typed calls on one key. *indexset and HashMap* \
         is that crate's ordered set of scores and members, stored in it as arrays of 16 bytes, and a map from member \
         to score; *skiplist and HashMap* is the same with that crate's `OrderedSkipList`. *yo-kv* is that crate's \
         `Keyspace` without locks, called on one key as the store is; its ranges copy nothing. *Small sorted sets*: \
         {SMALL} members each, added in random order. *redis-server* is measured as in the section on sets."
    );
    let input = Input::new(count);
    let mut live = Live::start();
    let all = Filled {
        store: fill(&input),
        set: filled(&input),
        other: filled(&input),
        list: filled(&input),
    };
    let mut yo = keyspace(&input);
    agree(&input, &all, &mut yo);
    Section::new("Sorted sets", &text)
        .row(add(bench, &input, live.as_mut()))
        .row(score(bench, &input, &all, &mut yo, live.as_mut()))
        .row(rank(bench, &input, &all, &mut yo, live.as_mut()))
        .row(ten(bench, &input, &all, &mut yo, live.as_mut()))
        .row(rescore(bench, &input, &all, &mut yo, live.as_mut()))
        .row(remove(bench, &input, &all, live.as_mut()))
        .row(bytes(bench, &input, live.as_mut()))
        .row(small(bench, count / SMALL))
}

/// All structures, with the same members.
struct Filled {
    store: Store,
    set: ZSet,
    other: IndexSetAndMap,
    list: SkipListAndMap,
}

impl Input {
    fn new(count: usize) -> Self {
        let mut rng = Rng::new(11);
        let member = |number: usize| format!("member:{number:09}");
        let mut scores = || (0..count).map(|_| rng.unit() * 1e9).collect();
        Self {
            members: shuffled(1, count).into_iter().map(member).collect(),
            asked: shuffled(2, count).into_iter().map(member).collect(),
            scores: scores(),
            fresh: scores(),
            turn: count.min(20_000),
        }
    }

    fn pairs(&self) -> impl Iterator<Item = (&[u8], f64)> {
        self.members.iter().zip(self.scores.iter().copied())
    }

    fn turns(&self) -> (u32, [Turns; 5]) {
        let turns = |()| Turns::new(self.turn, self.asked.len());
        (u32::try_from(self.turn).unwrap(), [(); 5].map(turns))
    }
}

fn filled<R: Rival>(input: &Input) -> R {
    let mut rival = R::default();
    input.pairs().for_each(|(member, score)| rival.add(member, score));
    rival
}

fn fill(input: &Input) -> Store {
    let store = Store::new();
    for (member, score) in input.pairs() {
        store.zadd("z", member, score).unwrap();
    }
    store
}

fn keyspace(input: &Input) -> Yo {
    let mut yo = Yo::default();
    input.pairs().for_each(|(member, score)| yo.zadd(b"z", member, score));
    yo
}

/// Checks that all structures return the same results.
fn agree(input: &Input, all: &Filled, yo: &mut Yo) {
    let Filled { store, set, other, list } = all;
    assert_eq!(store.zcard("z").unwrap(), yo.zcard(b"z"));
    for member in input.asked.iter().take(1000) {
        assert_eq!(store.zscore("z", member).unwrap(), yo.zscore(b"z", member));
        assert_eq!(store.zrank("z", member).unwrap(), yo.zrank(b"z", member));
        let score = store.zscore("z", member).unwrap();
        assert_eq!([set.score(member), Rival::score(other, member)], [score; 2]);
        assert_eq!(Rival::score(list, member), score);
        let rank = store.zrank("z", member).unwrap().unwrap();
        assert_eq!([Ranked::rank(set, member), other.rank(member), list.rank(member)], [rank; 3]);
    }
    assert_eq!(yo.zrange(b"z", 100, 109), 10);
}

fn zadd(key: &str, member: &[u8], score: f64) -> redis::Cmd {
    command([b"ZADD", key.as_bytes(), score.to_string().as_bytes(), member])
}

/// Returns a row whose targets were set beside a server's figure and beside that of the best crate.
fn row(work: &str, touched: Touched, results: Vec<Result>, [target, redis, best]: [f64; 3]) -> Row {
    Row::new(work, Unit::Nanos, touched, results)
        .beside(SERVER, [target, redis])
        .beside(IndexSetAndMap::NAME, [target, best])
}

fn add(bench: &Bench, input: &Input, live: Option<&mut Live>) -> Row {
    let pieces = u32::try_from(input.members.len()).unwrap();
    let mut results = bench
        .race()
        .contender_from(ALONE, pieces, || (), |()| filled::<ZSet>(input))
        .contender_from(STORE, pieces, || (), |()| fill(input))
        .rivals()
        .contender_from(yo::NAME, pieces, || (), |()| keyspace(input))
        .contender_from(IndexSetAndMap::NAME, pieces, || (), |()| filled::<IndexSetAndMap>(input))
        .contender_from(SkipListAndMap::NAME, pieces, || (), |()| filled::<SkipListAndMap>(input))
        .run();
    let all = || input.pairs().map(|(member, score)| zadd("z", member, score));
    results.extend(rival(live.map(|live| live.nanos("ZADD", all()))));
    row("add", built(bench, || filled::<ZSet>(input)), results, [350.0, 1558.0, 325.0])
}

/// Calls all five contenders with members in turn.
fn race<'a>(
    bench: &'a Bench,
    input: &'a Input,
    mut alone: impl FnMut(&[u8]) + 'a,
    mut stored: impl FnMut(&[u8]) + 'a,
    mut keyspace: impl FnMut(&[u8]) + 'a,
    mut other: impl FnMut(&[u8]) + 'a,
    mut list: impl FnMut(&[u8]) + 'a,
) -> Vec<Result> {
    let (pieces, [mut a, mut b, mut c, mut d, mut e]) = input.turns();
    let asked = |turn| input.asked.range(turn);
    let race = bench.race();
    race.contender(ALONE, pieces, move || asked(a.turn()).for_each(&mut alone))
        .contender(STORE, pieces, move || asked(b.turn()).for_each(&mut stored))
        .rivals()
        .contender(yo::NAME, pieces, move || asked(c.turn()).for_each(&mut keyspace))
        .contender(IndexSetAndMap::NAME, pieces, move || asked(d.turn()).for_each(&mut other))
        .contender(SkipListAndMap::NAME, pieces, move || asked(e.turn()).for_each(&mut list))
        .run()
}

/// Queries the server for members in turn. The server has the members of [`add`].
fn asked(
    live: Option<&mut Live>,
    name: &'static str,
    input: &Input,
    most: usize,
) -> Option<Result> {
    let ask = |member| command([name.as_bytes(), b"z", member]);
    rival(live.map(|live| live.nanos(name, input.asked.iter().take(most).map(ask))))
}

fn score(bench: &Bench, input: &Input, all: &Filled, yo: &mut Yo, live: Option<&mut Live>) -> Row {
    let mut results = race(
        bench,
        input,
        |name| _ = black_box(all.set.score(name)),
        |name| _ = black_box(all.store.zscore("z", name).unwrap()),
        |name| _ = black_box(yo.zscore(b"z", name)),
        |name| _ = black_box(all.other.score(name)),
        |name| _ = black_box(all.list.score(name)),
    );
    results.extend(asked(live, "ZSCORE", input, usize::MAX));
    row("score of a member", held(&all.store), results, [60.0, 909.0, 59.0])
}

fn rank(bench: &Bench, input: &Input, all: &Filled, yo: &mut Yo, live: Option<&mut Live>) -> Row {
    let mut results = race(
        bench,
        input,
        |name| _ = black_box(all.set.rank(name)),
        |name| _ = black_box(all.store.zrank("z", name).unwrap()),
        |name| _ = black_box(yo.zrank(b"z", name)),
        |name| _ = black_box(all.other.rank(name)),
        |name| _ = black_box(all.list.rank(name)),
    );
    results.extend(asked(live, "ZRANK", input, usize::MAX));
    row("rank of a member", held(&all.store), results, [450.0, 1626.0, 469.0])
}

fn ten(bench: &Bench, input: &Input, all: &Filled, yo: &mut Yo, live: Option<&mut Live>) -> Row {
    let ranks = shuffled(3, input.members.len() - 10);
    let turns = || Turns::new(ranks.len().min(20_000), ranks.len());
    let [mut a, mut b, mut c, mut d, mut e] = [(); 5].map(|()| turns());
    let pieces = u32::try_from(ranks.len().min(20_000)).unwrap();
    let range = |&rank: &usize| rank..rank + 10;
    let first = |rank: usize| i64::try_from(rank).unwrap();
    let mut results = bench
        .race()
        .contender(ALONE, pieces, || {
            ranks[a.turn()].iter().map(range).for_each(|ranks| Ranked::range(&all.set, ranks));
        })
        .contender(STORE, pieces, || {
            for &rank in &ranks[b.turn()] {
                let ten = all.store.zrange_withscores("z", first(rank), first(rank + 9));
                black_box(ten.unwrap());
            }
        })
        .rivals()
        .contender(yo::NAME, pieces, || {
            let ten = |&rank: &usize| yo.zrange(b"z", first(rank), first(rank + 9));
            ranks[c.turn()].iter().map(ten).sum::<usize>()
        })
        .contender(IndexSetAndMap::NAME, pieces, || {
            ranks[d.turn()].iter().map(range).for_each(|ranks| all.other.range(ranks));
        })
        .contender(SkipListAndMap::NAME, pieces, || {
            ranks[e.turn()].iter().map(range).for_each(|ranks| all.list.range(ranks));
        })
        .run();
    let ask = || {
        ranks.iter().take(200_000).map(|rank| {
            let [first, last] = [*rank, rank + 9].map(|rank| rank.to_string());
            command([b"ZRANGE", b"z", first.as_bytes(), last.as_bytes(), b"WITHSCORES"])
        })
    };
    results.extend(rival(live.map(|live| live.nanos("ZRANGE", ask()))));
    row("ten by rank", held(&all.store), results, [150.0, 4224.0, 148.0])
}

fn rescore(
    bench: &Bench,
    input: &Input,
    all: &Filled,
    yo: &mut Yo,
    live: Option<&mut Live>,
) -> Row {
    let (mut set, mut other, mut list) =
        (all.set.clone(), all.other.clone(), filled::<SkipListAndMap>(input));
    // Scores that continue from turn to turn.
    let fresh = || input.fresh.iter().copied().cycle();
    let [mut alone, mut stored, mut keyspace, mut others, mut lists] = [(); 5].map(|()| fresh());
    let mut results = race(
        bench,
        input,
        |name| Rival::add(&mut set, name, alone.next().unwrap()),
        |name| _ = all.store.zadd("z", name, stored.next().unwrap()).unwrap(),
        |name| yo.zadd(b"z", name, keyspace.next().unwrap()),
        |name| other.add(name, others.next().unwrap()),
        |name| list.add(name, lists.next().unwrap()),
    );
    let again =
        || input.asked.iter().zip(&input.fresh).map(|(name, &score)| zadd("z", name, score));
    results.extend(rival(live.map(|live| live.nanos("ZADD", again()))));
    row("new random score", held(&all.store), results, [1000.0, 2960.0, 1330.0])
}

fn remove(bench: &Bench, input: &Input, all: &Filled, live: Option<&mut Live>) -> Row {
    fn take<R: Rival>(input: &Input, turn: std::ops::Range<usize>, mut from: R) -> (usize, R) {
        (input.asked.range(turn).filter(|name| from.remove(name)).count(), from)
    }
    let (pieces, [mut a, mut c, mut d, ..]) = input.turns();
    let mut results = bench
        .race()
        .contender_from(ALONE, pieces, || all.set.clone(), |set| take(input, a.turn(), set))
        .rivals()
        .contender_from(
            IndexSetAndMap::NAME,
            pieces,
            || all.other.clone(),
            |other| take(input, c.turn(), other),
        )
        .contender_from(
            SkipListAndMap::NAME,
            pieces,
            || all.list.clone(),
            |list| take(input, d.turn(), list),
        )
        .run();
    results.extend(asked(live, "ZREM", input, 200_000));
    row("remove", held(&all.store), results, [700.0, 1656.0, 876.0])
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53 bytes")]
fn bytes(bench: &Bench, input: &Input, live: Option<&mut Live>) -> Row {
    let each = |bytes: f64| bytes / input.members.len() as f64;
    let mut results = vec![
        Result::new(STORE, Sample::exact(each(bench.held(|| fill(input)).1 as f64))),
        Result::rival(yo::NAME, Sample::exact(each(bench.held(|| keyspace(input)).1 as f64))),
        Result::rival(
            IndexSetAndMap::NAME,
            Sample::exact(each(bench.held(|| filled::<IndexSetAndMap>(input)).1 as f64)),
        ),
        Result::rival(
            SkipListAndMap::NAME,
            Sample::exact(each(bench.held(|| filled::<SkipListAndMap>(input)).1 as f64)),
        ),
    ];
    let all = || input.pairs().map(|(member, score)| zadd("z", member, score));
    results.extend(rival(live.map(|live| each(live.held(all())))));
    Row::new("bytes a member", Unit::Bytes, Touched::NOTHING, results)
        .target(46.0)
        .beside(SERVER, [46.0, 110.0])
        .note("the best crate: 46")
}

fn small(bench: &Bench, sets: usize) -> Row {
    let count = sets * SMALL;
    let order: Vec<usize> = shuffled(4, count).into_iter().map(|n| n % sets).collect();
    let members: Words = (0..count).map(|n| format!("member:{n:09}")).collect();
    let keys: Vec<String> = (0..sets).map(|set| format!("z:{set}")).collect();
    let mut rng = Rng::new(12);
    let scores: Vec<f64> = (0..count).map(|_| (rng.unit() * 1e6).round()).collect();
    let all = || order.iter().zip(members.iter()).zip(&scores);
    let filled = || {
        let store = Store::new();
        for ((&at, member), &score) in all() {
            store.zadd(&keys[at], member, score).unwrap();
        }
        store
    };
    let pieces = u32::try_from(count).unwrap();
    let mut results = bench
        .race()
        .contender_from(
            ALONE,
            pieces,
            || vec![ZSet::default(); sets],
            |mut sets| {
                for ((&at, member), &score) in all() {
                    Rival::add(&mut sets[at], member, score);
                }
                sets
            },
        )
        .contender_from(STORE, pieces, || (), |()| filled())
        .rivals()
        .contender_from(yo::NAME, pieces, Yo::default, |mut yo| {
            for ((&at, member), &score) in all() {
                yo.zadd(keys[at].as_bytes(), member, score);
            }
            yo
        })
        .run();
    let zadds = || all().map(|((&at, member), &score)| zadd(&keys[at], member, score));
    results.extend(rival(Live::start().map(|mut live| live.nanos("ZADD", zadds()))));
    let work = format!("add to {sets} small sorted sets, whole scores");
    Row::new(&work, Unit::Nanos, built(bench, filled), results).beside(SERVER, [250.0, 1469.0])
}
