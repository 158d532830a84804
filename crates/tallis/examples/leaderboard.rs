//! A leaderboard: the top ten, the rank and the neighbours of a player, and the sum of a week.
//!
//! Run it with `cargo run -p tallis --example leaderboard`. It adds points for 1,000 players on seven days, then prints
//! the top ten of the last day, the neighbours of a player, and the top three of the week.
//!
//! Notes:
//!
//! * **Keys.** A sorted set for each day, such as `points:2026-11-23`, and `points:week`, which ZUNIONSTORE computes
//!   from the days. The keys of the days expire after 30 days. The key of the week expires after a minute, and must
//!   then be computed again.
//! * **Cost.** A rank and a page of ten take O(log n), a score O(1), and the week O(n log n).
//! * **Bytes.** 37 per player in this example, including the name.
//! * **Ties.** Players with equal points are in the reverse order of their names. To give them the same place, count
//!   the players with more points with ZCOUNT.
//! * **Points.** Scores are doubles: integers are exact up to 2^53. ZINCRBY ([`Store::zincr`]) adds points. To keep
//!   only the best result of a player, use ZADD with GT ([`Store::zadd_options`]).
//! * **On a cluster** all keys of ZUNIONSTORE must be in one slot: use names with a hash tag, `{points}:2026-11-23`.

use std::ops::Bound;

use tallis::{Aggregate, Error, Store};

const DAYS: [&str; 7] = [
    "points:2026-11-23",
    "points:2026-11-24",
    "points:2026-11-25",
    "points:2026-11-26",
    "points:2026-11-27",
    "points:2026-11-28",
    "points:2026-11-29",
];
const WEEK: &str = "points:week";
const PLAYERS: u32 = 1_000;

/// Players and their points, in descending order of points.
type Ranked = Vec<(String, f64)>;

/// Adds the points of three games of each player on each day.
fn play(store: &Store) -> Result<(), Error> {
    for (number, day) in (1_u32..).zip(DAYS) {
        for game in 0..3 * PLAYERS {
            let player = format!("player-{}", game % PLAYERS);
            // Any points that differ between games are suitable.
            let points = (game * 7_919 * number + 104_729) % 1_009;
            store.zincr(day, player, points)?;
        }
        store.expire(day, 30 * 86_400)?;
    }
    Ok(())
}

/// Returns a player with up to `around` neighbours on each side, and the place of the first one, counted from 1.
fn neighbours(store: &Store, player: &str, around: i64) -> Result<(i64, Ranked), Error> {
    let Some(rank) = store.zrevrank(DAYS[6], player)? else { return Ok((0, Vec::new())) };
    let rank = i64::try_from(rank).unwrap_or(i64::MAX);
    let first = (rank - around).max(0);
    Ok((first + 1, store.zrevrange_withscores_as(DAYS[6], first, rank + around)?))
}

fn print(title: &str, first: i64, players: &Ranked) {
    println!("{title}");
    for (place, (player, points)) in (first..).zip(players) {
        println!("{place:5}  {player:10}  {points:5}");
    }
}

pub(crate) fn main() -> Result<(), Error> {
    let store = Store::new();
    play(&store)?;

    let first_ten: Ranked = store.zrevrange_withscores_as(DAYS[6], 0, 9)?;
    print("First ten of the day", 1, &first_ten);
    assert!(first_ten.is_sorted_by(|(_, more), (_, less)| more >= less));

    let (first, around) = neighbours(&store, "player-42", 2)?;
    print("\nAround player-42", first, &around);
    assert_eq!((around.len(), around[2].0.as_str()), (5, "player-42"));
    let points = around[2].1;
    let more = store.zcount(DAYS[6], (Bound::Excluded(points), Bound::Unbounded))?;
    println!("{more} players have more than {points} points: place {}", more + 1);

    // The sum of the days. `Aggregate::Max` selects the best day of each player instead.
    store.zunionstore(WEEK, DAYS, &[], Aggregate::Sum)?;
    store.expire(WEEK, 60)?;
    let week: Ranked = store.zrevrange_withscores_as(WEEK, 0, 2)?;
    print("\nFirst three of the week", 1, &week);
    let winner = week[0].0.as_str();
    let mut points = 0.0;
    for day in DAYS {
        points += store.zscore(day, winner)?.unwrap_or(0.0);
    }
    assert_eq!(store.zscore(WEEK, winner)?, Some(points));

    let bytes = store.memory_usage(WEEK)?.unwrap_or(0);
    println!("\n{} players of the week take {bytes} bytes", store.zcard(WEEK)?);
    Ok(())
}
