//! Finds the members of a sorted set in a shape, and sorts them.

use core::cmp::Ordering;
use core::ops::Bound::{Excluded, Included, Unbounded};
use core::ops::{Range, RangeBounds};

use geo::{Shape, hash_of_score, score_range};
use skiplist_zset::{Encoding, Entry};

use super::partial;
use super::search::{GeoOrder, Limits};
use crate::value::ZSet;

/// A member in a shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<'z> {
    pub(crate) member: Entry<'z>,
    pub(crate) score: f64,
    /// Distance from the centre in metres; 0 if it is not needed.
    pub(crate) distance: f64,
}

/// The members in a shape, limited and sorted as requested.
pub(crate) fn find<'z>(
    set: &'z ZSet,
    shape: &Shape,
    limits: Limits,
    distances: bool,
) -> Vec<Found<'z>> {
    let Limits { order, count, any } = limits;
    // A COUNT without ANY and without an order returns the nearest.
    let order = order.or((count > 0 && !any).then_some(GeoOrder::Asc));
    let mut found = gather(set, shape, distances || order.is_some());
    if any || order.is_none() {
        found = by_cells(found, shape);
    }
    if any {
        found.truncate(count);
    }
    let Some(order) = order else { return found };
    let wanted = if count == 0 { found.len() } else { count.min(found.len()) };
    sorted(found, order, wanted, |found| if any { found } else { by_cells(found, shape) })
}

/// From this score on, and below 0, a score is not a position: the member was not added by GEOADD. Decoding such a
/// score gives a point too, mostly at the edge of the map.
const NO_POSITION: f64 = 4_503_599_627_370_496.0; // 2^52

/// The members in a shape, lowest hash first.
fn gather<'z>(set: &'z ZSet, shape: &Shape, distances: bool) -> Vec<Found<'z>> {
    let mut found = Vec::new();
    let mut look = |member, score| {
        let hash = hash_of_score(score);
        if distances {
            if let Some(hit) = shape.contains_hash(hash) {
                found.push(Found { member, score, distance: hit.distance });
            }
        } else if shape.holds_hash(hash) {
            found.push(Found { member, score, distance: 0.0 });
        }
    };
    let bounds = |score| shape.bounds_hash(hash_of_score(score));
    let ranges = shape.cover().into_iter().map(|range| score_range(&range));
    let of_positions = |range: Range<f64>| range.start..range.end.min(NO_POSITION);
    let ranges: Vec<_> = ranges.map(of_positions).filter(|range| !range.is_empty()).collect();
    match set.encoding() {
        // One scan of the few members instead of one for each range.
        Encoding::ListPack => {
            for (member, score) in set {
                if ranges.iter().any(|range| range.contains(&score)) {
                    look(member, score);
                }
            }
        }
        Encoding::SkipList => {
            for range in &ranges {
                set.pick(range.clone(), bounds, &mut look);
            }
        }
    }
    let no_positions = [(Unbounded, Excluded(0.0)), (Included(NO_POSITION), Unbounded)];
    let ends = [set.first(), set.last()].map(|end| end.map_or(0.0, |(_, score)| score));
    if ends.iter().any(|end| no_positions.iter().any(|range| range.contains(end))) {
        for range in no_positions {
            set.pick(range, bounds, &mut look);
        }
        found.sort_by_key(|found| hash_of_score(found.score));
    }
    found
}

/// Sorts members that are ordered by score into the order in which Redis finds them: by the cells that it searches.
/// Members that Redis does not find come last.
fn by_cells<'z>(found: Vec<Found<'z>>, shape: &Shape) -> Vec<Found<'z>> {
    if found.len() < 2 {
        return found;
    }
    let cells = shape.redis_cells();
    let mut ordered = Vec::with_capacity(found.len());
    // The members of a cell are consecutive.
    for cell in cells.ranges() {
        let place = |bound| found.partition_point(|hit| hash_of_score(hit.score) < bound);
        ordered.extend_from_slice(&found[place(cell.start)..place(cell.end)]);
    }
    if ordered.len() < found.len() {
        let missed = |hit: &&Found<'_>| cells.position(hash_of_score(hit.score)).is_none();
        ordered.extend(found.iter().filter(missed).copied());
    }
    ordered
}

/// The first `wanted` members by distance. For equal distances the previous order matters: `as_found` sorts members
/// that are ordered by score into it.
fn sorted<'z>(
    found: Vec<Found<'z>>,
    order: GeoOrder,
    wanted: usize,
    as_found: impl FnOnce(Vec<Found<'z>>) -> Vec<Found<'z>>,
) -> Vec<Found<'z>> {
    if wanted == 0 {
        return Vec::new();
    }
    // Distances are not negative, so their bits have the same order; inverted for the reverse order.
    let turn = match order {
        GeoOrder::Asc => 0,
        GeoOrder::Desc => u64::MAX,
    };
    let key = |hit: &Found<'_>| hit.distance.to_bits() ^ turn;
    let mut keys: Vec<(u64, usize)> = found.iter().map(key).zip(0..).collect();
    let mut tied_behind = false;
    if wanted < keys.len() {
        let (_, &mut (last, _), behind) = keys.select_nth_unstable(wanted - 1);
        tied_behind = behind.iter().any(|&(key, _)| key == last);
        keys.truncate(wanted);
    }
    keys.sort_unstable();
    if !tied_behind && keys.is_sorted_by(|a, b| a.0 < b.0) {
        return keys.into_iter().map(|(_, at)| found[at]).collect();
    }
    let mut found = as_found(found);
    ties(&mut found, wanted, |a, b| key(a).cmp(&key(b)));
    found.truncate(wanted);
    found
}

/// Sorts the first `wanted` members, some of which are equal, as Redis does: all of them with a stable sort, some of
/// them with one that is not stable.
fn ties<T: Copy>(found: &mut [T], wanted: usize, compare: impl Fn(&T, &T) -> Ordering + Copy) {
    if wanted == found.len() || !partial::sort(found, wanted, compare) {
        found.sort_by(compare);
    }
}
