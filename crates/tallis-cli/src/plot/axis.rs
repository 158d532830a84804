//! An axis: its label, its range, and its ticks with their texts.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// The most ticks of a logarithmic axis.
const TICKS: usize = 10;

/// The most names of an axis of names with up to this many letters; of longer names there are fewer.
const NAMES: usize = 7;
const LETTERS: usize = 10;

/// An axis. Values are mapped to positions on it linearly.
#[derive(Clone, Debug)]
pub struct Axis {
    pub(super) label: String,
    logarithmic: bool,
    range: Range<f64>,
    ticks: Vec<(f64, String)>,
}

impl Axis {
    /// Creates an axis from 0 to an integer, with this number of ticks per unit.
    #[must_use]
    pub fn linear(label: &str, to: u32, ticks_of_unit: u32, text: impl Fn(f64) -> String) -> Self {
        let tick = |tick: u32| f64::from(tick) / f64::from(ticks_of_unit);
        let ticks = (0..=to * ticks_of_unit).map(tick).map(|at| (at, text(at))).collect();
        Self { label: label.to_owned(), logarithmic: false, range: 0.0..f64::from(to), ticks }
    }

    /// Creates an axis from one power of ten to another, with a tick at each of them, or at every second, third and so
    /// on if there are many.
    #[must_use]
    pub fn decades(label: &str, [from, to]: [i32; 2], text: impl Fn(i32) -> String) -> Self {
        let powers = from..=to;
        let step = powers.clone().count().div_ceil(TICKS);
        // Backwards, so that the highest power always has a tick.
        let ticks = powers.rev().step_by(step).map(|power| (f64::from(power), text(power)));
        let range = f64::from(from)..f64::from(to);
        Self { label: label.to_owned(), logarithmic: true, range, ticks: ticks.collect() }
    }

    /// Creates an axis from 0 to a round number that is at least `most`, with ticks at round numbers.
    #[must_use]
    pub fn counts(label: &str, most: u64, text: impl Fn(u64) -> String) -> Self {
        /// The approximate number of ticks above 0.
        const STEPS: u64 = 5;
        let least = most.div_ceil(STEPS).max(1);
        let power = 10_u64.pow(least.ilog10());
        let steps = [power, power.saturating_mul(2), power.saturating_mul(5)];
        let step = steps.into_iter().find(|&step| step >= least);
        let step = step.unwrap_or(power.saturating_mul(10));
        let ticks = (0..=most.div_ceil(step).max(1)).map(|tick| tick.saturating_mul(step));
        #[expect(clippy::cast_precision_loss, reason = "a place on paper")]
        let ticks: Vec<_> = ticks.map(|count| (count as f64, text(count))).collect();
        let end = ticks.last().map_or(1.0, |&(end, _)| end);
        Self { label: label.to_owned(), logarithmic: false, range: 0.0..end, ticks }
    }

    /// Creates an axis with a position for each name: 0 for the first, 1 for the second. If there are many, only every
    /// second, third and so on is shown.
    #[must_use]
    pub fn names(label: &str, names: &[String]) -> Self {
        let letters = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let most = (NAMES * LETTERS / letters.max(LETTERS)).max(1);
        let step = names.len().div_ceil(most).max(1);
        #[expect(clippy::cast_precision_loss, reason = "a place on paper")]
        let place = |at: usize| at as f64;
        let ticks = names.iter().enumerate().step_by(step);
        let ticks = ticks.map(|(at, name)| (place(at), name.clone())).collect();
        let range = -0.5..place(names.len().max(1)) - 0.5;
        Self { label: label.to_owned(), logarithmic: false, range, ticks }
    }

    /// Creates an axis with a position for each text, all of which are shown: 0 for the last, 1 for the one before it.
    /// So on a y axis the first is on top.
    #[must_use]
    pub fn rows(texts: &[String]) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a place on paper")]
        let place = |at: usize| at as f64;
        let ticks = texts.iter().rev().enumerate().map(|(at, text)| (place(at), text.clone()));
        Self::with_ticks("", -0.5..place(texts.len().max(1)) - 0.5, ticks.collect())
    }

    /// Creates an axis with these ticks.
    pub(super) fn with_ticks(label: &str, range: Range<f64>, ticks: Vec<(f64, String)>) -> Self {
        Self { label: label.to_owned(), logarithmic: false, range, ticks }
    }

    /// Returns the positions of the ticks, and their texts.
    #[cfg(test)]
    pub(super) fn ticks(&self) -> &[(f64, String)] {
        &self.ticks
    }

    /// Returns the position of a value, which may be outside of the range.
    pub(super) fn place(&self, value: f64) -> f64 {
        if self.logarithmic { value.log10() } else { value }
    }
}

/// The range of positions.
impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    #[expect(clippy::cast_possible_truncation, reason = "pixels")]
    fn map(&self, place: &f64, (first, last): (i32, i32)) -> i32 {
        let share = (place - self.range.start) / (self.range.end - self.range.start);
        first + (f64::from(last - first) * share).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.iter().map(|&(at, _)| at).collect()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

/// The texts of ticks.
impl ValueFormatter<f64> for Axis {
    fn format(place: &f64) -> String {
        format!("{place}")
    }

    fn format_ext(&self, place: &f64) -> String {
        let tick = self.ticks.iter().find(|(at, _)| at.total_cmp(place).is_eq());
        tick.map_or_else(|| Self::format(place), |(_, text)| text.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_of_a_linear_axis_divide_its_units() {
        let axis = Axis::linear("x", 3, 2, |at| format!("{at}!"));
        assert_eq!(axis.key_points(9), [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0]);
        assert_eq!([1.5, 1.6].map(|at| axis.format_ext(&at)), ["1.5!", "1.6"]);
        assert_eq!([0.0, 1.5, 3.0, 6.0].map(|at| axis.map(&at, (100, 40))), [100, 70, 40, -20]);
        assert!(axis.place(7.0).total_cmp(&7.0).is_eq());
    }

    #[test]
    fn ticks_of_counts_are_round() {
        for (most, ticks) in [
            (0, &["0", "1"][..]),
            (1, &["0", "1"]),
            (4, &["0", "1", "2", "3", "4"]),
            (9, &["0", "2", "4", "6", "8", "10"]),
            (23, &["0", "5", "10", "15", "20", "25"]),
            (627, &["0", "200", "400", "600", "800"]),
        ] {
            let axis = Axis::counts("y", most, |count| count.to_string());
            let texts: Vec<_> = axis.ticks.iter().map(|(_, text)| text.as_str()).collect();
            assert_eq!(texts, ticks, "{most}");
            assert!(axis.range.end.total_cmp(&axis.ticks.last().unwrap().0).is_eq());
        }
        assert!(Axis::counts("y", u64::MAX, |count| count.to_string()).ticks.len() < 9);
    }

    #[test]
    fn names_stay_apart() {
        let axis = |count: usize, letters: usize| {
            let names: Vec<_> = (0..count).map(|at| format!("{at:0>letters$}")).collect();
            Axis::names("x", &names)
        };
        assert_eq!(axis(3, 10).key_points(9), [0.0, 1.0, 2.0]);
        assert_eq!(axis(3, 10).range, -0.5..2.5);
        assert_eq!(axis(0, 0).range, -0.5..0.5);
        assert_eq!(axis(8, 10).key_points(9), [0.0, 2.0, 4.0, 6.0]);
        assert_eq!(axis(96, 13).ticks.len(), 5);
        assert_eq!(axis(2, 1000).ticks.len(), 1);
    }

    #[test]
    fn rows_begin_on_top() {
        let axis = Axis::rows(&["first".to_owned(), "second".to_owned()]);
        assert_eq!([0.0, 1.0].map(|at| axis.format_ext(&at)), ["second", "first"]);
        assert_eq!((axis.range.clone(), Axis::rows(&[]).range), (-0.5..1.5, -0.5..0.5));
        assert_eq!(axis.key_points(9).len(), 2);
    }

    #[test]
    fn ticks_of_powers_stay_readable() {
        let axis = Axis::decades("y", [-4, 0], |power| power.to_string());
        assert_eq!(axis.key_points(9), [0.0, -1.0, -2.0, -3.0, -4.0]);
        assert!((axis.place(0.01) + 2.0).abs() < 1e-12);
        assert!(axis.place(0.0).is_infinite());
        let axis = Axis::decades("y", [-310, 0], |power| power.to_string());
        assert!(axis.key_points(9).len() <= TICKS && axis.format_ext(&0.0) == "0", "{axis:?}");
    }
}
