//! The unique visitors of a sliding window of minutes.
//!
//! # Idea
//!
//! A window is a range of whole minutes of UTC. It ends at a given time, or with the minute of the latest event, and
//! then moves forward with the events. Events come in any order, but the end of a moving window never decreases. So a
//! minute that has left the window never returns, and an exact count needs only the last minute of each visitor:
//!
//! ```text
//!                  from                      end
//! ... A . . B . A . | . B . . . C . . B . . . |         B: last seen here, counts
//!         A is seen no later, and is forgotten          C: counts
//! ```
//!
//! The approximate count is that of [`UvWindows`] with roll-up, in a store of its own so that the saved file does not
//! have its keys. The clock of that store is the end of the window, independent of the real time: so every minute of
//! the window is over and can be merged into its hour and its day, and minutes that have left it expire.
//!
//! # Complexity
//!
//! An event takes constant time. Expired entries are removed each time that the window has moved by an eighth of its
//! length, or by an hour if that is more. The memory is that of the visitors in the window, 19 to 39 bytes each, and of
//! a `HyperLogLog` for each minute, hour, day and month in it that had an event.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Serialize, Serializer};
use tallis::{Error, ManualClock, Store, UvFilling, UvLevel, UvWindows, VisitorId};

use super::period::{END_MINUTE, FIRST_MINUTE, WindowEnd, WindowLength, timestamp};
use super::report::error_percent;

/// Counts the unique visitors of a window.
///
/// Events outside of the years 1900 to 2299 are in no window, and no window begins before them.
///
/// # Examples
///
/// ```
/// use tallis::VisitorId;
/// use tallis_cli::uv::{Stamp, Window};
///
/// let mut window = Window::new("1h".parse()?);
/// assert_eq!(window.count()?, None);
/// for (visitor, time) in [("A", "09:15:00"), ("B", "10:14:59"), ("C", "09:14:59"), ("B", "09:50:00")] {
///     let stamp = Stamp::parse(format!("17/May/2015:{time} +0000").as_bytes())?;
///     window.visit(&VisitorId::of(visitor), stamp.minute_of_utc())?;
/// }
/// let counted = window.count()?.unwrap();
/// assert_eq!(counted.from.to_string(), "2015-05-17T09:15:00Z");
/// assert_eq!(counted.to.to_string(), "2015-05-17T10:15:00Z");
/// assert_eq!((counted.exact, counted.approx, counted.keys), (2, 2, 60));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Window {
    /// In minutes.
    length: i64,
    /// The minutes of the window, counted from 1970; `None` if it ends with the latest event and there was none yet.
    range: Option<Range<i64>>,
    /// Whether it moves with the events.
    moves: bool,
    /// The end at which expired entries are removed next.
    tidy_at: i64,
    /// The last minute before the end, by the visitor's number.
    last_seen: HashMap<i64, i64>,
    store: Store,
    clock: Arc<ManualClock>,
    windows: UvWindows,
}

/// The unique visitors of a window. Its JSON form is a stable interface of the program, including the order of the
/// fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WindowCount {
    /// Its beginning.
    #[serde(serialize_with = "as_text")]
    pub from: Timestamp,
    /// Its end, excluded.
    #[serde(serialize_with = "as_text")]
    pub to: Timestamp,
    /// The number of unique visitors.
    pub exact: u64,
    /// The number of unique visitors by the `HyperLogLog`s.
    pub approx: u64,
    /// The number of keys that cover it: the minimum for [`UvWindows`].
    pub keys: u64,
}

impl Window {
    /// Creates a window that ends with the minute of the latest event.
    #[must_use]
    pub fn new(length: WindowLength) -> Self {
        let length = i64::from(length.minutes());
        let clock = Arc::new(ManualClock::new(0));
        let store = Store::builder().clock(clock.clone()).build();
        // A bucket with a minute of the window ends after the window begins. So it is kept until the window has moved
        // by more than the slack, and by then no open bucket is in it.
        let kept = Duration::from_secs((length + slack(length)).unsigned_abs() * 60);
        let windows = UvWindows::new(store.clone(), "uv:").filling(UvFilling::RollUp);
        let windows =
            UvLevel::ALL.into_iter().fold(windows, |windows, level| windows.keep(level, kept));
        let last_seen = HashMap::new();
        Self {
            length,
            range: None,
            moves: true,
            tidy_at: i64::MIN,
            last_seen,
            store,
            clock,
            windows,
        }
    }

    /// Creates a window that ends at a given time.
    #[must_use]
    pub fn ending_at(length: WindowLength, end: WindowEnd) -> Self {
        let mut window = Self::new(length);
        window.end_with(end.minute());
        window.moves = false;
        window
    }

    /// Takes note of an event in a minute of UTC, counted from that with which 1970 began.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub fn visit(&mut self, id: &VisitorId, minute: i64) -> Result<(), Error> {
        if !(FIRST_MINUTE..END_MINUTE).contains(&minute) {
            return Ok(());
        }
        if self.moves && self.range.as_ref().is_none_or(|range| range.end <= minute) {
            self.move_on(minute + 1)?;
        }
        if !self.range.as_ref().is_some_and(|range| range.contains(&minute)) {
            return Ok(());
        }
        let seen = self.last_seen.entry(id.number()).or_insert(i64::MIN);
        if *seen != minute {
            *seen = minute.max(*seen);
            self.windows.record(id.as_bytes(), timestamp(minute))?;
        }
        Ok(())
    }

    /// Returns the counts; `None` if it ends with the latest event and there is none.
    ///
    /// O(visitors and keys).
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub fn count(&self) -> Result<Option<WindowCount>, Error> {
        let Some(Range { start, end }) = self.range else { return Ok(None) };
        let (from, to) = (timestamp(start), timestamp(end));
        // So that the keys of the window are all that has to be read.
        self.windows.roll_up()?;
        Ok(Some(WindowCount {
            from,
            to,
            exact: self.last_seen.values().filter(|&&minute| minute >= start).count() as u64,
            approx: self.windows.count(from, to)?,
            keys: self.windows.cover(from, to)?.len() as u64,
        }))
    }

    /// Sets the end of the window, before which every minute is over.
    fn end_with(&mut self, end: i64) {
        self.range = Some((end - self.length).max(FIRST_MINUTE)..end);
        self.clock.set(timestamp(end).as_millisecond());
    }

    /// Moves the end of the window forward, and removes what is no longer in it, if that may be much.
    fn move_on(&mut self, end: i64) -> Result<(), Error> {
        if end < self.tidy_at {
            self.end_with(end);
            return Ok(());
        }
        // Once while the hours and days of all events since the last time are kept, and once for those that were not
        // over.
        self.windows.roll_up()?;
        self.end_with(end);
        self.windows.roll_up()?;
        self.store.sweep(usize::MAX)?;
        let start = end - self.length;
        self.last_seen.retain(|_, minute| *minute >= start);
        self.tidy_at = end + slack(self.length);
        Ok(())
    }
}

/// Returns by how many minutes a window moves before expired entries are removed.
fn slack(length: i64) -> i64 {
    (length / 8).max(60)
}

impl fmt::Display for WindowCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to, exact, approx, keys } = self;
        let error = error_percent(*exact, *approx);
        let named = if *keys == 1 { "key" } else { "keys" };
        writeln!(f, "window from {from} to {to}")?;
        write!(f, "exact {exact}, approx {approx}, error {error} %, {keys} {named}")
    }
}

fn as_text<S: Serializer>(timestamp: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(timestamp)
}

#[cfg(test)]
mod tests;
