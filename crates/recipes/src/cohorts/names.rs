//! The keys of events.

use super::period::{Period, PeriodKind};
use crate::text::{Text, concat};

/// The prefix of keys, and the kinds of periods that have keys.
#[derive(Clone, Debug)]
pub(super) struct Names {
    /// The prefix of every key, including the separator.
    base: Text,
    /// A bit for each kind.
    kinds: u8,
}

impl Names {
    pub(super) fn new(prefix: &[u8], kinds: impl IntoIterator<Item = PeriodKind>) -> Self {
        let mut names = Self { base: Text::new(), kinds: 0 };
        names.set_prefix(prefix);
        names.set_kinds(kinds);
        names
    }

    pub(super) fn set_prefix(&mut self, prefix: &[u8]) {
        self.base = concat([prefix, b"_"]);
    }

    pub(super) fn set_kinds(&mut self, kinds: impl IntoIterator<Item = PeriodKind>) {
        self.kinds = kinds.into_iter().fold(0, |all, kind| all | 1 << kind as u8);
    }

    /// Returns the prefix of every key.
    pub(super) fn base(&self) -> &[u8] {
        &self.base
    }

    /// Returns whether marks write this kind of period.
    #[inline]
    pub(super) const fn writes(&self, kind: PeriodKind) -> bool {
        self.kinds & 1 << kind as u8 != 0
    }

    /// Returns the prefix of the keys of an event.
    #[inline]
    pub(super) fn event(&self, event: &[u8]) -> Text {
        concat([&self.base, event, b"_"])
    }

    /// Returns the key of an event in a period.
    #[inline]
    pub(super) fn key(&self, event: &[u8], period: Period) -> Text {
        period.key(&self.event(event))
    }

    /// Parses the event and the period of a key. No period has a separator in it, so there is at most one way to parse
    /// a key, for any event name.
    pub(super) fn parse<'k>(&self, key: &'k [u8]) -> Option<(&'k [u8], Period)> {
        let rest = key.strip_prefix(self.base.as_slice())?;
        let at = rest.iter().rposition(|&byte| byte == b'_')?;
        Some((&rest[..at], Period::parse(&rest[at + 1..])?))
    }

    /// Returns the periods with keys that make up this one: itself, or its longest parts. Itself too if none of its
    /// parts is written.
    pub(super) fn written(&self, period: Period) -> impl Iterator<Item = Period> {
        let kind = period.kind();
        let mut kinds = std::iter::once(kind).chain(kind.parts().iter().copied());
        period.cut(kinds.find(|&kind| self.writes(kind)).unwrap_or(kind))
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_key_is_parsed_in_one_way_whatever_the_name_of_the_event() {
        let names = Names::new(b"trackist", PeriodKind::ALL);
        let time = date(2015, 5, 17).at(3, 0, 0, 0);
        for event in
            ["a", "a_b", "a_2015", "a_2015-5-17", "a_u", "u", "", "_", "W2015-20", "\u{e9}:_"]
        {
            for kind in PeriodKind::ALL {
                let key = names.key(event.as_bytes(), kind.at(time));
                assert_eq!(names.parse(&key), Some((event.as_bytes(), kind.at(time))));
            }
        }
        for other in [
            "trackist_a",
            "trackist_2015",
            "trackist_a_",
            "trackist_a_05",
            "track_a_u",
            "xtrackist_a_u",
        ] {
            assert_eq!(names.parse(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn a_period_that_is_not_written_consists_of_its_longest_parts() {
        use PeriodKind::{Day, Hour, Month, Week, Year};
        let time = date(2016, 2, 29).at(23, 0, 0, 0);
        let table: [(&[PeriodKind], PeriodKind, usize, &str, &str); 12] = [
            (&PeriodKind::ALL, Year, 1, "2016", "2016"),
            (&[Month, Day], Year, 12, "2016-1", "2016-12"),
            (&[Day, Week], Year, 366, "2016-1-1", "2016-12-31"),
            (&[Hour], Year, 366 * 24, "2016-1-1-0", "2016-12-31-23"),
            (&[Week], Year, 1, "2016", "2016"),
            (&[Day, Hour], Month, 29, "2016-2-1", "2016-2-29"),
            (&[Year], Month, 1, "2016-2", "2016-2"),
            (&[Day, Month], Week, 7, "2016-2-29", "2016-3-6"),
            (&[Hour], Week, 168, "2016-2-29-0", "2016-3-6-23"),
            (&[Hour], Day, 24, "2016-2-29-0", "2016-2-29-23"),
            (&[Day], Hour, 1, "2016-2-29-23", "2016-2-29-23"),
            (&[], PeriodKind::Unique, 1, "u", "u"),
        ];
        for (kinds, of, count, first, last) in table {
            let names = Names::new(b"t", kinds.iter().copied());
            let parts: Vec<Period> = names.written(of.at(time)).collect();
            let ends = [parts[0].to_string(), parts[parts.len() - 1].to_string()];
            assert_eq!(
                (parts.len(), ends),
                (count, [first.into(), last.into()]),
                "{kinds:?} {of:?}"
            );
        }
        // The last periods of the calendar end with it.
        let names = Names::new(b"t", [Hour]);
        assert_eq!(names.written(Period::year(date(9999, 1, 1))).count(), 365 * 24);
        assert_eq!(names.written(Period::week(date(9999, 12, 31))).count(), 5 * 24);
    }
}
