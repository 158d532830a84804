//! Retention tables: how many users of a period return in later ones.

use std::fmt;

use bitpack::bits::{self, Op};
use macros::blocking_and_async;
use store::Error;

use super::Cohorts;
use super::cohort::Cohort;
use super::period::Period;
use super::procedures::{ask, ask_async};
use super::program::{Blocks, Program, Sources, ranges};
use crate::backend::{AsyncBackend, Backend};

/// A retention table: a row for the cohort of each period, a column for each period from the row's own on.
///
/// When formatted, its cells are percentages of the row's users; with `{:#}` they are numbers of users.
///
/// ```text
/// period       users      +0      +1      +2
/// 2015-5-16        3   100.0    66.7    33.3
/// 2015-5-17        1   100.0     0.0
/// 2015-5-18        0       -
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Retention {
    rows: Vec<RetentionRow>,
}

/// A row of a [`Retention`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RetentionRow {
    /// The period in which the row's users had the first event.
    pub period: Period,
    /// The number of the row's users.
    pub users: u64,
    /// How many of them had the second event in that period, in the next one of the table, and so on to the last.
    pub returned: Vec<u64>,
}

impl Retention {
    /// Returns the rows, in the order of the periods of the call.
    #[must_use]
    pub fn rows(&self) -> &[RetentionRow] {
        &self.rows
    }
}

impl RetentionRow {
    /// Returns the percentage of the row's users who returned `after` periods later; `None` if it has no users, or if
    /// the table ends before.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "there are fewer users than 2^53")]
    pub fn percent(&self, after: usize) -> Option<f64> {
        let returned = *self.returned.get(after)?;
        (self.users > 0).then(|| returned as f64 / self.users as f64 * 100.0)
    }
}

impl fmt::Display for Retention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<String> = self.rows.iter().map(|row| row.period.to_string()).collect();
        let wide = texts.iter().map(String::len).max().unwrap_or(0).max("period".len());
        let columns = self.rows.iter().map(|row| row.returned.len()).max().unwrap_or(0);
        write!(f, "{:wide$}  {:>10}", "period", "users")?;
        for column in 0..columns {
            write!(f, " {:>7}", format_args!("+{column}").to_string())?;
        }
        writeln!(f)?;
        for (row, text) in self.rows.iter().zip(&texts) {
            write!(f, "{text:wide$}  {:>10}", row.users)?;
            for (column, returned) in row.returned.iter().enumerate() {
                match row.percent(column) {
                    _ if f.alternate() => write!(f, " {returned:>7}")?,
                    Some(percent) => write!(f, " {percent:>7.1}")?,
                    None => write!(f, " {:>7}", '-')?,
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[blocking_and_async]
impl<B: Backend> Cohorts<B> {
    /// Computes a retention table: of the users who had `first` in a period, how many had `then` in that period and in
    /// each later one, for all periods of the list.
    ///
    /// All bitmaps are read in one atomic step. O(n^2) for n periods, times the bytes of a bitmap.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if a key holds no string.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::jiff::civil::date;
    /// use tallis::{Cohorts, Period, Store};
    ///
    /// let cohorts = Cohorts::new(Store::new());
    /// let days = [date(2015, 5, 16), date(2015, 5, 17), date(2015, 5, 18)];
    /// for user in [1, 2, 3] {
    ///     cohorts.mark("signup", user, days[0])?;
    /// }
    /// for (user, day) in [(1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (1, 2)] {
    ///     cohorts.mark("active", user, days[day])?;
    /// }
    /// let table = cohorts.retention("signup", "active", Period::day(days[2]).last(3))?;
    /// assert_eq!(table.rows()[0].users, 3);
    /// assert_eq!(table.rows()[0].returned, [3, 2, 1]);
    /// assert_eq!(table.rows()[0].percent(2).map(f64::round), Some(33.0));
    /// assert_eq!(
    ///     table.to_string(),
    ///     "period          users      +0      +1      +2\n\
    ///      2015-5-16           3   100.0    66.7    33.3\n\
    ///      2015-5-17           0       -       -\n\
    ///      2015-5-18           0       -\n",
    /// );
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub async fn retention(
        &self,
        first: impl AsRef<[u8]>,
        then: impl AsRef<[u8]>,
        periods: impl IntoIterator<Item = Period>,
    ) -> Result<Retention, Error> {
        let of = |event: &[u8]| {
            let event = event.to_vec();
            move |period| Cohort::of(&event, period)
        };
        self.retention_of(periods, of(first.as_ref()), of(then.as_ref())).await
    }

    /// As [`retention`](Self::retention), for any cohorts: `first` and `then` return the cohort of a period.
    ///
    /// # Errors
    ///
    /// As [`retention`](Self::retention).
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::jiff::civil::date;
    /// use tallis::{Cohort, Cohorts, Period, Store};
    ///
    /// let cohorts = Cohorts::new(Store::new());
    /// cohorts.mark("signup", 1, date(2015, 5, 16))?;
    /// cohorts.mark("signup", 2, date(2015, 5, 16))?;
    /// cohorts.mark_unique("paying", 2)?;
    /// cohorts.mark("active:web", 2, date(2015, 5, 17))?;
    /// let table = cohorts.retention_of(
    ///     Period::day(date(2015, 5, 17)).last(2),
    ///     |day| Cohort::of("signup", day) & Cohort::unique("paying"),
    ///     |day| Cohort::of("active:web", day) | Cohort::of("active:ios", day),
    /// )?;
    /// assert_eq!((table.rows()[0].users, &table.rows()[0].returned[..]), (1, &[0, 1][..]));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub async fn retention_of(
        &self,
        periods: impl IntoIterator<Item = Period>,
        first: impl Fn(Period) -> Cohort,
        then: impl Fn(Period) -> Cohort,
    ) -> Result<Retention, Error> {
        let periods: Vec<Period> = periods.into_iter().collect();
        let mut sources = Sources::new(&self.names);
        let mut programs = |cohort: &dyn Fn(Period) -> Cohort| -> Vec<Program> {
            periods.iter().map(|&period| sources.program(&cohort(period))).collect()
        };
        let (first, then) = (programs(&first), programs(&then));
        let counts =
            ask(&self.backend, &sources.keys(), |strings| tally(&first, &then, strings)).await?;
        let rows = periods.into_iter().zip(counts);
        let row = |(period, (users, returned))| RetentionRow { period, users, returned };
        Ok(Retention { rows: rows.map(row).collect() })
    }
}

/// Counts the users of each row and of each of its cells, block by block for the whole table, so that each bitmap is
/// read from memory once.
fn tally(first: &[Program], then: &[Program], strings: &[&[u8]]) -> Vec<(u64, Vec<u64>)> {
    let mut counts: Vec<(u64, Vec<u64>)> =
        (0..first.len()).map(|row| (0, vec![0; then.len() - row])).collect();
    let (mut blocks, mut both) = (Blocks::default(), Vec::new());
    for range in ranges(strings) {
        let mut run = |program: &Program| program.run(strings, &range, &mut blocks);
        let then: Vec<_> = then.iter().map(&mut run).collect();
        let first: Vec<_> = first.iter().map(&mut run).collect();
        for (row, first) in first.iter().enumerate() {
            let here = bits::count(first);
            counts[row].0 += here;
            if here == 0 {
                continue;
            }
            for (then, count) in then[row..].iter().zip(&mut counts[row].1) {
                // Beyond the end of the shorter one, the intersection is empty.
                both.resize(first.len().min(then.len()), 0);
                if bits::combine_into(Op::And, &[first, then], &mut both).is_ok() {
                    *count += bits::count(&both);
                }
            }
        }
        for block in first.into_iter().chain(then) {
            blocks.give(block);
        }
    }
    counts
}
