//! Expressions compared with a model that works bit by bit.

use jiff::civil::date;
use tallis::{Cohort, Cohorts, Period, PeriodKind, Store};
use testkit::rng::{Rng, rounds};

/// A bitmap by definition: a bit for each id, up to the end of a byte.
type Bits = Vec<bool>;

fn at(bits: &Bits, id: usize) -> bool {
    bits.get(id).copied().unwrap_or(false)
}

fn combined(a: &Bits, b: &Bits, of: impl Fn(bool, bool) -> bool) -> Bits {
    (0..a.len().max(b.len())).map(|id| of(at(a, id), at(b, id))).collect()
}

fn marked(users: &[usize]) -> Bits {
    let len = users.iter().max().map_or(0, |max| max / 8 * 8 + 8);
    let mut bits = vec![false; len];
    for &user in users {
        bits[user] = true;
    }
    bits
}

fn bytes(bits: &Bits) -> Vec<u8> {
    bits.chunks(8).map(|byte| byte.iter().fold(0, |all, &bit| all << 1 | u8::from(bit))).collect()
}

/// Events in the store, and their model.
struct Events {
    cohorts: Cohorts,
    known: Vec<(Cohort, Bits)>,
}

impl Events {
    /// Bitmaps of many lengths: empty, one byte, up to several blocks.
    fn new(rng: &mut Rng) -> Self {
        let cohorts = Cohorts::new(Store::new()).kinds([PeriodKind::Day, PeriodKind::Unique]);
        let mut known = vec![(Cohort::unique("none"), Vec::new())];
        for (event, bound) in
            [8, 9, 100, 1 << 17, (1 << 17) + 1, 300_000, 300_000].iter().enumerate()
        {
            let event = event.to_string();
            let mut users = vec![*bound - 1];
            for _ in 0..200 {
                users.push(usize::try_from(rng.below(*bound as u64)).unwrap());
            }
            for &user in &users {
                cohorts.mark(&event, user as u64, date(2015, 5, 17)).unwrap();
            }
            known.push((Cohort::of(&event, Period::day(date(2015, 5, 17))), marked(&users)));
        }
        Self { cohorts, known }
    }

    fn expression(&self, rng: &mut Rng, depth: u64) -> (Cohort, Bits) {
        if depth == 0 || rng.below(5) == 0 {
            return rng.pick(&self.known).unwrap().clone();
        }
        let (a, a_bits) = self.expression(rng, depth - 1);
        match rng.below(7) {
            0 => (!a, a_bits.iter().map(|bit| !bit).collect()),
            1 => {
                let (b, b_bits) = self.expression(rng, depth - 1);
                let (c, c_bits) = self.expression(rng, depth - 1);
                let and = |a: &Bits, b: &Bits| combined(a, b, |a, b| a && b);
                (Cohort::all([a, b, c]), and(&and(&a_bits, &b_bits), &c_bits))
            }
            2 => {
                let (b, b_bits) = self.expression(rng, depth - 1);
                let (c, c_bits) = self.expression(rng, depth - 1);
                let or = |a: &Bits, b: &Bits| combined(a, b, |a, b| a || b);
                (Cohort::any([a, b, c]), or(&or(&a_bits, &b_bits), &c_bits))
            }
            operator => {
                let (b, b_bits) = self.expression(rng, depth - 1);
                match operator {
                    3 => (a & b, combined(&a_bits, &b_bits, |a, b| a && b)),
                    4 => (a | b, combined(&a_bits, &b_bits, |a, b| a || b)),
                    5 => (a ^ b, combined(&a_bits, &b_bits, |a, b| a != b)),
                    _ => (a - b, combined(&a_bits, &b_bits, |a, b| a && !b)),
                }
            }
        }
    }
}

#[test]
fn nested_expressions_match_the_model() {
    let mut rng = Rng::new(7);
    let events = Events::new(&mut rng);
    for round in 0..rounds(20, 150) {
        let (cohort, bits) = events.expression(&mut rng, 1 + round % 5);
        let query = events.cohorts.query(cohort.clone());
        assert!(query.bitmap().unwrap() == bytes(&bits), "{cohort:?}");
        assert_eq!(query.count().unwrap(), bits.iter().filter(|&&bit| bit).count() as u64);
        let users = bits.iter().enumerate().filter(|(_, bit)| **bit).map(|(id, _)| id as u64);
        assert!(query.users().unwrap().into_iter().eq(users), "{cohort:?}");
        for _ in 0..20 {
            let id = usize::try_from(rng.below(310_000)).unwrap();
            assert_eq!(query.has(id as u64).unwrap(), at(&bits, id), "{cohort:?} {id}");
        }
        assert!(!query.has(u64::from(u32::MAX)).unwrap(), "{cohort:?}");
        assert_eq!(query.store("kept").unwrap(), bits.len() as u64 / 8);
        let kept = events.cohorts.query(Cohort::key("kept"));
        assert!(kept.bitmap().unwrap() == bytes(&bits));
    }
}

#[test]
fn not_ends_with_the_byte_of_the_largest_id_and_minus_does_not() {
    let cohorts = Cohorts::new(Store::new());
    for user in [0, 9, 500] {
        cohorts.mark_unique("active", user).unwrap();
    }
    cohorts.mark_unique("paying", 9).unwrap();
    let [active, paying] = ["active", "paying"].map(Cohort::unique);
    let users = |cohort: Cohort| cohorts.query(cohort).users().unwrap();
    let not: Vec<u64> = (0..16).filter(|&id| id != 9).collect();
    assert_eq!(users(!paying.clone()), not);
    assert_eq!(users(active.clone() & !paying.clone()), [0]);
    assert_eq!(users(active.clone() - paying.clone()), [0, 500]);
    assert_eq!(users(!!paying.clone()), [9]);
    assert_eq!(users(paying.clone() - active.clone()), [0; 0]);
    // Differences are left-associative.
    assert_eq!(users(active.clone() - paying.clone() - Cohort::unique("none")), [0, 500]);
    assert_eq!(users(active.clone() - (paying.clone() - active)), [0, 9, 500]);
    // An empty bitmap has no bytes, so its complement is empty, too.
    assert_eq!(users(!Cohort::unique("none")), [0; 0]);
}

#[test]
fn operations_on_no_cohorts_give_no_users() {
    let cohorts = Cohorts::new(Store::new());
    cohorts.mark_unique("e", 1).unwrap();
    let one = || Cohort::unique("e");
    let users = |cohort: Cohort| cohorts.query(cohort).users().unwrap();
    for nobody in [Cohort::all([]), Cohort::any([])] {
        assert_eq!(users(nobody.clone()), [0; 0]);
        assert_eq!(users(nobody.clone() & one()), [0; 0]);
        assert_eq!(users(one() & nobody.clone()), [0; 0]);
        assert_eq!(users(Cohort::all([nobody.clone(), one(), one()])), [0; 0]);
        assert_eq!(users(nobody.clone() | one()), [1]);
        assert_eq!(users(one() ^ nobody.clone()), [1]);
        assert_eq!(users(one() - nobody.clone()), [1]);
        assert!(!cohorts.query(!nobody.clone()).has(0).unwrap());
        assert_eq!(cohorts.query(nobody).store("kept").unwrap(), 0);
    }
    assert_eq!(users(Cohort::all([one()])), [1]);
    assert_eq!(users(Cohort::all([one() & one()])), [1]);
    assert_eq!(Cohort::any([one(), one() | one()]), one() | one() | one());
}

#[test]
fn expressions_are_nested_as_deep_as_memory_allows() {
    let cohorts = Cohorts::new(Store::new());
    cohorts.mark_unique("e", 3).unwrap();
    let mut not = Cohort::unique("e");
    for _ in 0..100_001 {
        not = !not;
    }
    let not = cohorts.query(not);
    assert_eq!(not.users().unwrap(), [0, 1, 2, 4, 5, 6, 7]);
    drop(not.clone());
    let mut mixed = Cohort::unique("e");
    for round in 0..3_000 {
        let one = Cohort::unique("e");
        mixed = if round % 2 == 0 { one & mixed } else { one | mixed };
    }
    assert_eq!(cohorts.query(mixed).users().unwrap(), [3]);
}

#[test]
fn a_result_can_replace_an_operand() {
    let store = Store::new();
    let cohorts = Cohorts::new(store.clone());
    for user in [1, 200_000] {
        cohorts.mark_unique("a", user).unwrap();
    }
    store.expire("trackist_a_u", 100).unwrap();
    let not = cohorts.query(!Cohort::unique("a"));
    assert_eq!(not.store("trackist_a_u").unwrap(), 25_001);
    assert_eq!(store.ttl("trackist_a_u").unwrap().secs(), -1, "as BITOP, it takes the expiry away");
    assert_eq!(cohorts.count("a", Period::UNIQUE).unwrap(), 25_001 * 8 - 2);
    // The target may hold anything; an empty result creates no key.
    store.sadd("set", [1]).unwrap();
    cohorts.query(Cohort::unique("a")).store("set").unwrap();
    assert_eq!(store.strlen("set").unwrap(), 25_001);
    assert_eq!(cohorts.query(Cohort::unique("none")).store("set").unwrap(), 0);
    assert!(!store.exists("set").unwrap());
}

#[test]
fn a_period_that_is_not_written_is_the_union_of_its_parts() {
    let cohorts = Cohorts::new(Store::new());
    let mut rng = Rng::new(5);
    let days = cohorts.clone().kinds([PeriodKind::Day]).prefix("days");
    let bitmapist = cohorts
        .clone()
        .kinds([PeriodKind::Day, PeriodKind::Week, PeriodKind::Month])
        .prefix("bitmapist");
    for _ in 0..2_000 {
        let day = date(2014, 12, 1);
        let day = day.checked_add(jiff::Span::new().days(rng.range(0..=450))).unwrap();
        let user = rng.below(1000);
        for cohorts in [&cohorts, &days, &bitmapist] {
            cohorts.mark("e", user, day).unwrap();
        }
    }
    for text in ["2015", "2016", "2015-2", "W2015-1", "W2015-53", "2015-7-9"] {
        let period: Period = text.parse().unwrap();
        let users = cohorts.users("e", period).unwrap();
        assert!(!users.is_empty());
        for other in [&days, &bitmapist] {
            assert_eq!(other.users("e", period).unwrap(), users, "{text}");
            assert_eq!(other.count("e", period).unwrap(), users.len() as u64);
            assert!(other.has("e", period, users[0]).unwrap());
            let query = other.query(Cohort::of("e", period) - Cohort::key("none"));
            assert_eq!(query.users().unwrap(), users);
        }
    }
}
