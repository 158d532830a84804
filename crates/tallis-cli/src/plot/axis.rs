//! An axis: what it measures, from where to where, and the ticks with their texts.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// The most ticks of an axis of powers.
const TICKS: usize = 10;

/// An axis. Values are mapped to places on it, which are as far apart on paper as they are in number.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    pub(super) label: String,
    logarithmic: bool,
    range: Range<f64>,
    ticks: Vec<(f64, String)>,
}

impl Axis {
    /// From 0 up to a whole number, with so many ticks for each of its units.
    pub(crate) fn linear(
        label: &str,
        to: u32,
        ticks_of_unit: u32,
        text: impl Fn(f64) -> String,
    ) -> Self {
        let tick = |tick: u32| f64::from(tick) / f64::from(ticks_of_unit);
        let ticks = (0..=to * ticks_of_unit).map(tick).map(|at| (at, text(at))).collect();
        Self { label: label.to_owned(), logarithmic: false, range: 0.0..f64::from(to), ticks }
    }

    /// From one power of ten to another, with a tick at each of them, or at every second, third... if they are many.
    pub(crate) fn decades(label: &str, [from, to]: [i32; 2], text: impl Fn(i32) -> String) -> Self {
        let powers = from..=to;
        let step = powers.clone().count().div_ceil(TICKS);
        // From above, so that the highest power always has one.
        let ticks = powers.rev().step_by(step).map(|power| (f64::from(power), text(power)));
        let range = f64::from(from)..f64::from(to);
        Self { label: label.to_owned(), logarithmic: true, range, ticks: ticks.collect() }
    }

    /// The place of a value. It may lie outside of the range.
    pub(super) fn place(&self, value: f64) -> f64 {
        if self.logarithmic { value.log10() } else { value }
    }
}

/// By its places.
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
    fn ticks_of_powers_stay_readable() {
        let axis = Axis::decades("y", [-4, 0], |power| power.to_string());
        assert_eq!(axis.key_points(9), [0.0, -1.0, -2.0, -3.0, -4.0]);
        assert!((axis.place(0.01) + 2.0).abs() < 1e-12);
        assert!(axis.place(0.0).is_infinite());
        let axis = Axis::decades("y", [-310, 0], |power| power.to_string());
        assert!(axis.key_points(9).len() <= TICKS && axis.format_ext(&0.0) == "0", "{axis:?}");
    }
}
