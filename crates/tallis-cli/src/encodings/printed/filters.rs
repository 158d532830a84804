//! The notes' Bloom filters, with twice as many items as their capacity.

use bloom::{Link, Settings};

use super::super::server::Live;
use super::bench::Bench;
use super::row::{Figure, Printed, Row, Source, Unit};
use crate::failure::Failure;

/// The capacity of a filter, and the number of lookups of items that were not added.
const ITEMS: u64 = 10_000;
const OTHERS: u64 = 100_000;

/// The error rates of the filters, and the notes' figures for them.
const FILTERS: [(f64, Printed); 3] = [
    (
        0.1,
        printed(
            "bloom_overfilled_10",
            "a Bloom filter of 10 % with twice its items",
            0.4,
            "near 40 %",
            "filters for 10000 items, queried for 100000 others; the notes calculate 0.75^k with k = 3.3, \
             a filter has 4 hashes",
        ),
    ),
    (
        0.01,
        printed(
            "bloom_overfilled_1",
            "a Bloom filter of 1 % with twice its items",
            0.15,
            "15 %",
            "k = 6.6, which a filter rounds up to 7; BF.ADD never overfills a filter: it adds another one \
             or fails, so these bits are sent to the server by BF.LOADCHUNK",
        ),
    ),
    (
        0.001,
        printed(
            "bloom_overfilled_01",
            "a Bloom filter of 0.1 % with twice its items",
            0.05,
            "5 %",
            "k = 10",
        ),
    ),
];

const fn printed(
    name: &'static str,
    what: &'static str,
    share: f64,
    words: &'static str,
    remark: &'static str,
) -> Printed {
    Printed {
        source: Source::Notes,
        name,
        what,
        unit: Unit::Share,
        figure: Figure::Part(share),
        words: Some(words),
        determined: false,
        remark,
    }
}

/// Returns the rows of the filters.
pub(super) fn rows(bench: &mut Bench<'_>) -> Result<Vec<Row>, Failure> {
    FILTERS.iter().map(|(rate, printed)| row(bench, *rate, printed)).collect()
}

fn row(bench: &mut Bench<'_>, rate: f64, printed: &Printed) -> Result<Row, Failure> {
    let link = overfilled(rate)?;
    let wrong = others().filter(|item| link.contains(item.as_bytes())).count() as u64;
    let server = bench.served(|live| {
        if live.has_bloom() { wrong_on(live, rate, &link).map(Some) } else { Ok(None) }
    })?;
    Ok(printed.row(share(wrong), server.flatten().map(share)))
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^53")]
const fn share(wrong: u64) -> Figure {
    Figure::Part(wrong as f64 / OTHERS as f64)
}

fn others() -> impl Iterator<Item = String> {
    (0..OTHERS).map(|item| format!("other{item}"))
}

/// Returns a filter with twice as many items as its capacity.
fn overfilled(rate: f64) -> Result<Link, Failure> {
    let mut link = Link::new(ITEMS, rate).map_err(|error| Failure::Trouble(error.to_string()))?;
    for item in 0..2 * ITEMS {
        link.add(format!("item{item}").as_bytes());
    }
    Ok(link)
}

/// Returns how many false positives a server finds in a filter with these bits.
fn wrong_on(live: &mut Live, rate: f64, link: &Link) -> Result<u64, Failure> {
    const KEY: &str = "overfilled";
    live.clear()?;
    let (error_rate, items) = (format!("{rate:?}"), ITEMS.to_string());
    live.ask(["BF.RESERVE", KEY, &error_rate, &items, "NONSCALING"])?;
    let filter = Settings::new(ITEMS, rate).non_scaling().build();
    let filter = filter.map_err(|error| Failure::Trouble(error.to_string()))?;
    // The one chunk of the bits follows the header.
    let cursor = filter.chunk_at(1).map_or(0, |chunk| chunk.cursor).to_string();
    let load = [b"BF.LOADCHUNK".to_vec(), KEY.into(), cursor.into(), link.as_bytes().to_vec()];
    live.ask_words(&load)?;
    live.found(KEY, others())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The false positive rate is that of the formula with an integer number of hashes, and close to the notes' result,
    /// which used a fractional one.
    #[test]
    fn errors_are_those_of_filters_with_twice_their_items() {
        let wrong = FILTERS.map(|(rate, _)| {
            let link = overfilled(rate).unwrap();
            let wrong = others().filter(|item| link.contains(item.as_bytes())).count() as u64;
            let Figure::Part(share) = share(wrong) else { panic!("no share") };
            let expected = bloom::plan::expected_error(link.bits(), link.hashes(), 2 * ITEMS);
            let deviation = bloom::plan::error_deviation(link.bits(), link.hashes(), 2 * ITEMS)
                .hypot((expected * (1.0 - expected) / 100_000.0).sqrt());
            assert!((share - expected).abs() < 4.0 * deviation, "{share} in place of {expected}");
            let reckoned = 0.75_f64.powf(-rate.log2());
            assert!((0.7..1.4).contains(&(share / reckoned)), "{share} beside {reckoned}");
            wrong
        });
        assert!(wrong[0] > wrong[1] && wrong[1] > wrong[2]);
    }
}
