//! Geometric means of factors, by family.

use super::rival::Side;
use super::{Row, Run};

/// A geometric mean of the factors of some rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean. Below 1 ours takes less.
    pub factor: f64,
    /// The number of rows.
    pub rows: usize,
}

impl Mean {
    /// Returns the mean of these factors, or `None` if there are none.
    fn of(factors: impl IntoIterator<Item = f64>) -> Option<Self> {
        let (mut sum, mut rows, mut count) = (0.0, 0, 0.0);
        for factor in factors {
            sum += factor.ln();
            rows += 1;
            count += 1.0;
        }
        (rows > 0).then(|| Self { factor: (sum / count).exp(), rows })
    }
}

/// The quantity whose factors are averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Times, including rates.
    Time,
    /// Bytes.
    Bytes,
}

impl Of {
    fn has(self, row: &Row) -> bool {
        row.unit.is_time() == (self == Self::Time)
    }
}

/// The means of one family, for each [`Side`].
#[derive(Clone, Debug, PartialEq)]
pub struct FamilyMeans {
    /// The name of the family.
    pub family: String,
    /// The means, in the order of [`Side::ALL`].
    pub means: [Option<Mean>; 3],
}

/// Returns the means over all families. Each row counts once: the first result of ours compared with the best rival of
/// the side. Rows without such a rival are left out.
#[must_use]
pub fn overall(run: &Run, of: Of) -> [Option<Mean>; 3] {
    Side::ALL.map(|side| Mean::of(rows(run, of).filter_map(|(_, row)| row.beside_best(side))))
}

/// Returns the means of each family, in the order of the page.
#[must_use]
pub fn by_family(run: &Run, of: Of) -> Vec<FamilyMeans> {
    let mut families: Vec<&str> = Vec::new();
    for (family, _) in rows(run, of) {
        if !families.contains(&family) {
            families.push(family);
        }
    }
    let means = families.into_iter().map(|family| FamilyMeans {
        family: family.to_owned(),
        means: Side::ALL.map(|side| {
            let rows = rows(run, of).filter(|(other, _)| *other == family);
            Mean::of(rows.filter_map(|(_, row)| row.beside_best(side)))
        }),
    });
    means.filter(|family| family.means.iter().any(Option::is_some)).collect()
}

/// Returns the rows that have a family, each with the family's name.
fn rows(run: &Run, of: Of) -> impl Iterator<Item = (&str, &Row)> {
    let families = run.sections.iter().filter_map(|measured| {
        let family = measured.family.as_deref()?;
        Some((family, measured.section.rows()))
    });
    let rows = families.flat_map(|(family, rows)| rows.iter().map(move |row| (family, row)));
    rows.filter(move |(_, row)| of.has(row))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{run, sections};
    use super::{Mean, Of, by_family, overall};

    fn shown(mean: Option<Mean>) -> Option<(f64, usize)> {
        mean.map(|mean| ((mean.factor * 1e6).round() / 1e6, mean.rows))
    }

    #[test]
    fn a_mean_is_the_root_of_the_product() {
        assert_eq!(Mean::of([]), None);
        assert_eq!(shown(Mean::of([0.5, 2.0])), Some((1.0, 2)));
        assert_eq!(shown(Mean::of([0.1, 10.0, 8.0])), Some((2.0, 3)));
    }

    #[test]
    fn each_row_counts_once_beside_the_best_of_a_side() {
        let run = run(sections());
        // Ours takes 10 where two crates take 20 and 5 and a server 40, and 10 where yo-kv takes 40: the square root of
        // 2 times 0.25.
        assert_eq!(
            overall(&run, Of::Time).map(shown),
            [Some((0.25, 1)), Some(((0.5_f64.sqrt() * 1e6).round() / 1e6, 2)), Some((0.25, 1))]
        );
        assert_eq!(overall(&run, Of::Bytes).map(shown), [None, Some((0.5, 1)), None]);
    }

    #[test]
    fn families_keep_their_order_and_rows_without_one_are_left_out() {
        let run = run(sections());
        let times = by_family(&run, Of::Time);
        let names: Vec<&str> = times.iter().map(|means| means.family.as_str()).collect();
        assert_eq!(names, ["sets", "strings"]);
        assert_eq!(times[0].means.map(shown), [Some((0.25, 1)), Some((2.0, 1)), None]);
        assert_eq!(times[1].means.map(shown), [None, Some((0.25, 1)), Some((0.25, 1))]);
    }
}
