//! The rows in which a rival is ahead.

use super::rival::Kind;
use super::{Measured, Result, Row, Run, Sample};

/// A row with the rivals that are ahead of ours.
#[derive(Clone, Debug, PartialEq)]
pub struct Loss<'a> {
    /// The section of the row.
    pub section: &'a Measured,
    /// The row.
    pub row: &'a Row,
    /// The rivals that are ahead, the one that is farthest ahead first, and their factors.
    pub ahead: Vec<(&'a Result, Sample)>,
}

impl Loss<'_> {
    /// Returns the factor of the rival that is farthest ahead.
    fn worst(&self) -> f64 {
        self.ahead.first().map_or(1.0, |(_, factor)| factor.median)
    }
}

/// Returns every row in which a rival that does the same work is ahead beyond the spread: the factor, which is above 1
/// if ours is behind, is above 1 in the whole middle half of the rounds. The worst row is first.
///
/// Sections without a family have no result of ours and are left out.
#[must_use]
pub fn losses(run: &Run) -> Vec<Loss<'_>> {
    let sections = run.sections.iter().filter(|section| section.family.is_some());
    let rows = sections
        .flat_map(|measured| measured.section.rows().iter().map(move |row| (measured, row)));
    let mut losses: Vec<Loss<'_>> = rows
        .map(|(section, row)| Loss { section, row, ahead: ahead(row) })
        .filter(|loss| !loss.ahead.is_empty())
        .collect();
    losses.sort_by(|a, b| b.worst().total_cmp(&a.worst()));
    losses
}

/// Returns the number of rows that have a competing rival.
#[must_use]
pub(super) fn contested(run: &Run) -> usize {
    let sections = run.sections.iter().filter(|section| section.family.is_some());
    let rows = sections.flat_map(|measured| measured.section.rows());
    rows.filter(|row| row.rivals().any(|rival| Kind::competes(&rival.name))).count()
}

fn ahead(row: &Row) -> Vec<(&Result, Sample)> {
    let rivals = row.rivals().filter(|rival| Kind::competes(&rival.name));
    let mut ahead: Vec<(&Result, Sample)> = rivals
        .map(|rival| (rival, row.behind(rival)))
        .filter(|(_, factor)| factor.median > 1.0 && factor.low > 1.0)
        .collect();
    ahead.sort_by(|(_, a), (_, b)| b.median.total_cmp(&a.median));
    ahead
}

#[cfg(test)]
mod tests {
    use super::super::tests::{about, run};
    use super::super::{Result, Row, Sample, Section, Touched, Unit};
    use super::{contested, losses};

    fn row(work: &str, unit: Unit, ours: f64, rivals: &[(&str, f64)]) -> Row {
        let mut results = vec![Result::of("tallis", false, about(ours, 1.0))];
        let theirs = rivals.iter();
        results.extend(theirs.map(|(name, nanos)| Result::of(name, true, about(*nanos, 1.0))));
        Row::new(work, unit, Touched::bytes(1), results)
    }

    #[test]
    fn lost_rows_come_worst_first() {
        let sets = Section::new("Sets", "")
            .row(row("a little", Unit::Nanos, 11.0, &[("hashbrown", 10.0)]))
            .row(row("won", Unit::Nanos, 9.0, &[("hashbrown", 10.0)]))
            .row(row("twice", Unit::Nanos, 40.0, &[("yo-kv", 20.0), ("hashbrown", 4.0)]));
        let rates = Section::new("Rates", "")
            .row(row("half as many", Unit::PerSecond, 10.0, &[("governor", 20.0)]))
            .row(row("more", Unit::PerSecond, 30.0, &[("governor", 20.0)]));
        let run = run(vec![("sets", Some("sets"), sets), ("rates", Some("rates"), rates)]);
        let found: Vec<(&str, &str, Vec<&str>)> = losses(&run)
            .iter()
            .map(|loss| {
                let ahead = loss.ahead.iter().map(|(rival, _)| rival.name.as_str()).collect();
                (loss.section.name.as_str(), loss.row.work(), ahead)
            })
            .collect();
        assert_eq!(
            found,
            [
                ("sets", "twice", vec!["hashbrown", "yo-kv"]),
                ("rates", "half as many", vec!["governor"]),
                ("sets", "a little", vec!["hashbrown"]),
            ]
        );
        assert_eq!(contested(&run), 5);
    }

    #[test]
    fn a_row_within_the_spread_is_not_lost() {
        let of = |spread: f64| {
            let results = vec![
                Result::new("tallis", Sample::of(about(10.2, spread))),
                Result::rival("hashbrown", Sample::exact(10.0)),
            ];
            let section = Section::new("Sets", "").row(Row::new(
                "add",
                Unit::Nanos,
                Touched::bytes(1),
                results,
            ));
            losses(&run(vec![("sets", Some("sets"), section)])).len()
        };
        assert_eq!([of(0.5), of(5.0)], [1, 0]);
    }

    #[test]
    fn bounds_and_sections_without_ours_are_left_out() {
        let bound = row("count", Unit::Nanos, 10.0, &[("a plain read", 5.0), ("one by one", 4.0)]);
        let section = Section::new("Bits", "").row(bound);
        let other = Section::new("Std", "").row(row("x", Unit::Nanos, 10.0, &[("BTreeSet", 5.0)]));
        let all = run(vec![("bits", Some("bits"), section), ("baseline", None, other)]);
        assert_eq!((losses(&all).len(), contested(&all)), (0, 0));
    }
}
