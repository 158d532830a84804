//! How closely a second run must agree with the first one.

use super::cache::Place;
use super::{Run, Sample};

/// The share of factors that must agree for two runs to agree.
pub(super) const SHARE: f64 = 0.9;

/// The largest ratio of a factor of one run to that of another, in either direction, where the data are in a cache that
/// only one processor uses.
pub(super) const NEAR: f64 = 1.1;

/// The same limit where the data are in a shared cache or in memory. Other programs use these too, on a virtual machine
/// also those of other machines, and their load changes over time. Both limits are from two runs an hour apart.
pub(super) const FAR: f64 = 1.4;

/// The last level of the caches that only one processor uses.
const OWN: u8 = 2;

/// Returns `true` if the factor of a second run, divided by that of the first, is within the limits that the page
/// states.
pub(super) fn agrees(quotient: Sample, place: Place) -> bool {
    let limit = match place {
        Place::Cache(cache) if cache.level <= OWN => NEAR,
        Place::Cache(_) | Place::Memory | Place::Unknown | Place::Nowhere => FAR,
    };
    let Sample { median, low, high, .. } = quotient;
    (1.0 / limit..=limit).contains(&median) || (low..=high).contains(&1.0)
}

/// How far the middle half of the rounds reaches from the median, as a share of it, over all factors of a run whose
/// rivals ran in the same rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spreads {
    /// The number of factors.
    pub factors: usize,
    /// Half of the factors are within this share.
    pub half: f64,
    /// Nine in ten factors are within this share.
    pub most: f64,
}

impl Spreads {
    /// Returns the spreads of a run, or `None` if no rival ran in its rounds.
    #[must_use]
    pub fn of(run: &Run) -> Option<Self> {
        let sections = run.sections.iter().filter(|section| section.family.is_some());
        let rows = sections.flat_map(|measured| measured.section.rows());
        let mut ends: Vec<f64> = rows
            .flat_map(|row| {
                let raced = row.rivals().filter(|rival| !rival.rounds.is_empty());
                raced.map(|rival| end(row.behind(rival)))
            })
            .collect();
        ends.sort_by(f64::total_cmp);
        let last = ends.len().checked_sub(1)?;
        Some(Self { factors: ends.len(), half: ends[last / 2], most: ends[last * 9 / 10] })
    }
}

/// Returns the distance from the median to the farther end of the middle half, as a share of the median.
fn end(factor: Sample) -> f64 {
    let Sample { median, low, high, .. } = factor;
    (high / median - 1.0).max(1.0 - low / median)
}

#[cfg(test)]
mod tests {
    use super::super::cache::Cache;
    use super::super::tests::{about, run};
    use super::super::{Result, Row, Sample, Section, Touched, Unit};
    use super::{Place, Spreads, agrees, end};

    #[test]
    fn a_factor_may_change_more_where_the_data_are_in_a_shared_cache() {
        let of = |median, low, high, place| {
            agrees(Sample { median, low, high, ..Sample::exact(median) }, place)
        };
        let [own, shared] = [2, 3].map(|level| Place::Cache(Cache { level, bytes: 1 }));
        assert!(of(1.09, 1.08, 1.1, own) && of(0.92, 0.9, 0.94, own));
        assert!(!of(1.12, 1.11, 1.13, own) && !of(0.9, 0.88, 0.92, own));
        // Middle halves that overlap.
        assert!(of(1.3, 0.99, 1.5, own) && of(0.5, 0.3, 1.01, shared));
        for place in [shared, Place::Memory, Place::Unknown] {
            assert!(of(1.39, 1.3, 1.5, place) && of(0.72, 0.7, 0.75, place));
            assert!(!of(1.45, 1.4, 1.5, place) && !of(0.7, 0.6, 0.75, place));
        }
    }

    #[test]
    fn the_farther_end_counts() {
        let sample = Sample { median: 2.0, min: 0.5, low: 1.0, high: 2.5, max: 9.0 };
        assert!((end(sample) - 0.5).abs() < 1e-12);
        assert!(end(Sample::exact(3.0)) < 1e-12);
    }

    #[test]
    fn factors_without_rounds_have_no_spread() {
        let of = |percent: f64| {
            let ours = Result::of("tallis", false, about(10.0, percent));
            let theirs = Result::of("hashbrown", true, about(5.0, 0.0));
            let server = Result::rival("redis-server", Sample::exact(5.0));
            Row::new("add", Unit::Nanos, Touched::bytes(1), vec![ours, theirs, server])
        };
        let section = (1..=10)
            .fold(Section::new("Sets", ""), |section, percent| section.row(of(f64::from(percent))));
        let spreads = Spreads::of(&run(vec![("sets", Some("sets"), section.clone())]));
        let Some(Spreads { factors, half, most }) = spreads else { panic!("{spreads:?}") };
        // The middle half of five rounds that are this many per cent apart.
        assert_eq!(factors, 10);
        assert!((half - 0.05).abs() < 1e-9 && (most - 0.09).abs() < 1e-9, "{half} {most}");
        assert_eq!(Spreads::of(&run(vec![("baseline", None, section)])), None);
    }
}
