//! One printed figure, and the measured ones.

use serde::Serialize;

use super::super::report::bytes_of;
use crate::bloom::percent;

/// The source of a printed figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Source {
    /// Redis in Action, chapter 9.
    Book,
    /// An article on unique users by `HyperLogLog`.
    Article,
    /// Notes on `HyperLogLog` and Bloom filters.
    Notes,
}

impl Source {
    /// Returns its name in the table.
    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Book => "the book",
            Self::Article => "the article",
            Self::Notes => "the notes",
        }
    }
}

/// The unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Unit {
    /// Bytes that are held in memory.
    BytesHeld,
    /// The bytes of a value in a file: `serializedlength` of DEBUG OBJECT.
    BytesSerialized,
    /// A number of elements, exact or estimated.
    Count,
    /// A number of low zero bits.
    Bits,
    /// A ratio.
    Share,
}

/// A figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Figure {
    Whole(u64),
    Part(f64),
}

impl Figure {
    /// Formats the figure.
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    pub(super) fn show(self, unit: Unit) -> String {
        match (self, unit) {
            (Self::Whole(bytes), Unit::BytesHeld) => bytes_of(bytes as f64),
            (Self::Part(bytes), Unit::BytesHeld) => bytes_of(bytes),
            (Self::Whole(number), _) => number.to_string(),
            (Self::Part(share), Unit::Share) => percent(share),
            (Self::Part(bits), Unit::Bits) => format!("{bits:.1}"),
            (Self::Part(number), _) => format!("{number:.0}"),
        }
    }
}

/// A printed figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Printed {
    pub(super) source: Source,
    /// The name of its row.
    pub(super) name: &'static str,
    pub(super) what: &'static str,
    pub(super) unit: Unit,
    pub(super) figure: Figure,
    /// The printed text, if it is more than the figure.
    pub(super) words: Option<&'static str>,
    /// Whether it follows from the elements alone.
    pub(super) determined: bool,
    /// What a reader has to know for the comparison.
    pub(super) remark: &'static str,
}

impl Printed {
    /// Returns its row with the measured figures.
    pub(super) fn row(&self, tallis: Figure, server: Option<Figure>) -> Row {
        let Self { source, name, what, unit, figure, words, determined, remark } = *self;
        let printed_as = words.map_or_else(|| figure.show(unit), str::to_owned);
        let printed = figure;
        Row { source, name, what, unit, printed, printed_as, tallis, server, determined, remark }
    }
}

/// A printed figure with the measured ones. Its JSON form is a stable interface of the program.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Row {
    pub(super) source: Source,
    pub(super) name: &'static str,
    pub(super) what: &'static str,
    pub(super) unit: Unit,
    pub(super) printed: Figure,
    pub(super) printed_as: String,
    pub(super) tallis: Figure,
    /// `None` if there is no server, or if it has no such value.
    pub(super) server: Option<Figure>,
    pub(super) determined: bool,
    pub(super) remark: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_shown_by_their_unit() {
        let shown = |figure: Figure, unit| figure.show(unit);
        assert_eq!(shown(Figure::Whole(999), Unit::BytesHeld), "999 B");
        assert_eq!(shown(Figure::Whole(14_408), Unit::BytesHeld), "14.4 kB");
        assert_eq!(shown(Figure::Whole(9_574_000), Unit::BytesHeld), "9.57 MB");
        assert_eq!(shown(Figure::Whole(10_888_895), Unit::BytesSerialized), "10888895");
        assert_eq!(shown(Figure::Part(0.0577), Unit::Share), "5.77 %");
        assert_eq!(shown(Figure::Part(14.769), Unit::Bits), "14.8");
        assert_eq!(shown(Figure::Part(97287.38), Unit::Count), "97287");
    }
}
