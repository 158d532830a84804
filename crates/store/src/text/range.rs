//! Ranges of indexes.

use std::ops::Range;

/// The range of GETRANGE `start` `end` in a string of `len` bytes.
///
/// Both ends are included, and negative ones count from the end of the string. Offsets beyond the ends are clamped.
pub(crate) fn slice(start: i64, end: i64, len: usize) -> Range<usize> {
    if start < 0 && end < 0 && start > end {
        return 0..0;
    }
    let first = resolve(start, len);
    let last = resolve(end, len).min(len.saturating_sub(1));
    // Both are clamped by now, so an inverted range before the string has become its first byte. Redis returns that
    // byte too, except in the case above.
    if len == 0 || first > last { 0..0 } else { first..last + 1 }
}

/// The range of LRANGE or ZRANGE `start` `stop` in a list or a sorted set of `len` elements: as [`slice`], but empty
/// for a stop before the first element.
pub(crate) fn span(start: i64, stop: i64, len: usize) -> Range<usize> {
    let place = |index: i64| match usize::try_from(index) {
        Ok(place) => Some(place),
        Err(_) => len.checked_sub(usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX)),
    };
    let start = place(start).unwrap_or(0).min(len);
    let end = place(stop).map_or(0, |stop| stop.saturating_add(1).min(len));
    start..end.max(start)
}

/// An index from the start; one before the string becomes 0.
fn resolve(index: i64, len: usize) -> usize {
    let distance = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
    if index < 0 { len.saturating_sub(distance) } else { distance }
}

#[cfg(test)]
mod tests {
    use testkit::live::{as_bytes, server};
    use testkit::rng::Rng;

    use super::slice;

    #[test]
    fn the_edges_are_as_in_redis() {
        let max = i64::MAX;
        let min = i64::MIN;
        for (start, end, len, range) in [
            (0, -1, 5, 0..5),
            (0, 0, 5, 0..1),
            (1, 3, 5, 1..4),
            (-3, -1, 5, 2..5),
            (-1, -3, 5, 0..0),
            (3, 1, 5, 0..0),
            (4, 4, 5, 4..5),
            (5, 5, 5, 0..0),
            (4, 100, 5, 4..5),
            (-100, 100, 5, 0..5),
            (-100, -100, 5, 0..1),
            (-100, -99, 5, 0..1),
            (0, -100, 5, 0..1),
            (1, -100, 5, 0..0),
            (min, max, 5, 0..5),
            (max, min, 5, 0..0),
            (min, min, 5, 0..1),
            (max, max, 5, 0..0),
            (0, min, 5, 0..1),
            (0, -1, 0, 0..0),
            (0, 0, 0, 0..0),
            (min, max, 0, 0..0),
        ] {
            assert_eq!(slice(start, end, len), range, "{start} {end} of {len}");
        }
    }

    #[test]
    fn a_live_server_cuts_alike() {
        let Some(server) = server() else { return };
        let mut connection = server.connect();
        let mut rng = Rng::new(11);
        let index = |rng: &mut Rng| match rng.below(8) {
            0 => rng.i64(),
            1 => [i64::MIN, i64::MIN + 1, i64::MAX, i64::MAX - 1, 0, -1][rng.index(6)],
            _ => rng.range(-14..=14),
        };
        for _ in 0..10 {
            let text = b"abcdefghijkl"[..rng.index(13)].to_vec();
            let mut pipe = redis::pipe();
            pipe.cmd("SET").arg("k").arg(&text).ignore();
            let cases: Vec<(i64, i64)> =
                (0..400).map(|_| (index(&mut rng), index(&mut rng))).collect();
            for (start, end) in &cases {
                pipe.cmd("GETRANGE").arg("k").arg(start).arg(end);
            }
            let replies: Vec<redis::Value> = pipe.query(&mut connection).unwrap();
            for ((start, end), reply) in cases.into_iter().zip(replies) {
                let ours = &text[slice(start, end, text.len())];
                assert_eq!(Some(ours), as_bytes(&reply), "{start} {end} of {}", text.len());
            }
        }
    }
}
