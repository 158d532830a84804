//! Locations: two bytes per user.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use redis::Cmd;

use super::live::{Live, SERVER, command, rival};
use crate::inputs::{Located, Turns, USERS_PER_SHARD};
use crate::report::{Bench, Row, Section, Touched, Unit};

pub(super) fn measure(bench: &Bench) -> Section {
    let users: usize = if bench.effort().is_quick() { 3_000_000 } else { 100_000_000 };
    let list = if bench.effort().is_quick() { 20_000 } else { 1_000_000 };
    let text = format!(
        "{users} users, numbered from 0: two fifths of them are in a random region of the United States and the others \
         in a random country; {shards} strings of 2 MiB. *SETRANGE* writes two bytes at a random offset of one of \
         these strings; *set* sets the location of a random user of one shard, or of all shards, where nearly every \
         call is a cache miss; the user is never the largest one. *aggregate_list* takes {list} random users of all. \
         *a plain loop* has the codes in one array, without keys or locks, and counts them in one table of 65,536 \
         entries. *redis-server* is measured as in the section on sets: SETRANGE and GETRANGE of two bytes.",
        shards = users.div_ceil(USERS_PER_SHARD),
    );
    let mut live = Live::start();
    let located = Located::new(users, list);
    Section::new("Locations", &text)
        .row(setrange(bench, &located, live.as_mut()))
        .row(
            set(bench, &located, "a random user of one shard", USERS_PER_SHARD, live.as_mut())
                .beside(SERVER, [45.0, 89.0]),
        )
        .row(set(bench, &located, "a random user of all", users, None))
        .row(aggregate(bench, &located))
        .row(aggregate_list(bench, &located, live.as_mut()))
}

/// Returns the bytes of the strings of `users` users.
fn two_bytes_of(users: usize) -> Touched {
    Touched::bytes(2 * users)
}

fn setrange(bench: &Bench, located: &Located, live: Option<&mut Live>) -> Row {
    let users: Vec<usize> = located.list.iter().map(|&user| user % USERS_PER_SHARD).collect();
    let store = &located.store;
    let mut plain = located.plain[..USERS_PER_SHARD.min(located.plain.len())].to_vec();
    let size = users.len().min(20_000);
    let (mut ours, mut theirs) = (Turns::new(size, users.len()), Turns::new(size, users.len()));
    let pieces = u32::try_from(size).unwrap();
    let mut results = bench
        .race()
        .contender("tallis", pieces, || {
            for &user in &users[ours.turn()] {
                store.setrange("location:0", 2 * user, &[9, 9][..]).unwrap();
            }
        })
        .rivals()
        .contender("a plain loop", pieces, || {
            for &user in &users[theirs.turn()] {
                plain[user] = [9, 9];
            }
        })
        .run();
    let write = users.iter().map(|&user| setrange_command(2 * user as u64));
    results.extend(rival(live.map(|live| live.nanos("SETRANGE", write))));
    Row::new("SETRANGE, two bytes", Unit::Nanos, two_bytes_of(plain.len()), results)
        .beside(SERVER, [25.0, 89.0])
}

fn setrange_command(offset: u64) -> Cmd {
    command([b"SETRANGE", b"location:0", offset.to_string().as_bytes(), &[9, 9]])
}

fn set(bench: &Bench, located: &Located, what: &str, of: usize, live: Option<&mut Live>) -> Row {
    let places = Located::places();
    let users: Vec<(u64, &(String, String))> = located
        .list
        .iter()
        .zip(places.iter().cycle())
        .map(|(user, place)| ((user % of) as u64, place))
        .collect();
    let size = users.len().min(20_000);
    let mut turns = Turns::new(size, users.len());
    let mut results = bench
        .race()
        .contender("tallis", u32::try_from(size).unwrap(), || {
            for &(user, (country, region)) in &users[turns.turn()] {
                located.locations.set(user, country, &**region).unwrap();
            }
        })
        .run();
    let write = users.iter().map(|(user, _)| setrange_command(2 * user));
    results.extend(rival(live.map(|live| live.nanos("SETRANGE", write))));
    Row::new(&format!("set, {what}"), Unit::Nanos, two_bytes_of(of), results)
}

fn aggregate(bench: &Bench, located: &Located) -> Row {
    // The previous rows have changed some codes.
    let located = &Located::new(located.plain.len(), 0);
    let users = located.plain.len() as u64;
    let counts = located.locations.aggregate().unwrap();
    assert_eq!((counts.users(), counts.unknown()), (users, 0));
    assert_eq!(
        counts.country("USA"),
        located.plain.iter().filter(|code| code[0] == 235).count() as u64
    );
    let results = bench
        .race()
        .contender("tallis", 1, || located.locations.aggregate().unwrap())
        .rivals()
        .contender("a plain loop", 1, || count(located.plain.iter().copied()))
        .run();
    let work = format!("aggregate, {users} users");
    let row = Row::new(&work, Unit::Nanos, two_bytes_of(located.plain.len()), results);
    row.beside("a plain loop", [1e8, 7.74e7])
}

fn aggregate_list(bench: &Bench, located: &Located, live: Option<&mut Live>) -> Row {
    let list = || located.list.iter().map(|&user| user as u64);
    let counts = located.locations.aggregate_list(list()).unwrap();
    assert_eq!(counts.users(), located.list.len() as u64);
    let pieces = u32::try_from(located.list.len()).unwrap();
    let mut results = bench
        .race()
        .contender("tallis", pieces, || located.locations.aggregate_list(list()).unwrap())
        .rivals()
        .contender("a plain loop", pieces, || {
            count(located.list.iter().map(|&user| located.plain[user]))
        })
        .run();
    let ask = located.list.iter().map(|&user| {
        let key = format!("location:{}", user % 4);
        let offset = 2 * (user % USERS_PER_SHARD);
        let [from, to] = [offset, offset + 1].map(|at| at.to_string());
        command([b"GETRANGE", key.as_bytes(), from.as_bytes(), to.as_bytes()])
    });
    results.extend(rival(live.map(|live| {
        // A few shards represent all of them.
        let shard = vec![7; 2 * USERS_PER_SHARD];
        live.run((0..4).map(|n| command([b"SET", format!("location:{n}").as_bytes(), &shard])));
        live.nanos("GETRANGE", ask)
    })));
    Row::new("aggregate_list, a user", Unit::Nanos, two_bytes_of(located.plain.len()), results)
        .beside(SERVER, [25.0, 89.0])
}

/// Returns the number of occurrences of each code.
fn count(codes: impl Iterator<Item = [u8; 2]>) -> Vec<u32> {
    let mut counts = vec![0_u32; 1 << 16];
    for code in codes {
        counts[usize::from(u16::from_le_bytes(code))] += 1;
    }
    counts
}
