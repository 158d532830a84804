//! The unique visitors of the last so many minutes.
//!
//! # Idea
//!
//! A window is a stretch of whole minutes of UTC. It ends at a time that was given, or with the minute of the latest event, and
//! then it moves on as events come. Events come in any order, but the end of a window that moves only ever rises. So what has once
//! fallen out of it never comes back, and of each visitor the minute in which it was seen last is all that an exact count
//! needs:
//!
//! ```text
//!                  from                      end
//! ... A . . B . A . | . B . . . C . . B . . . |         B: last seen here, counts
//!         A is seen no later, and is forgotten          C: counts
//! ```
//!
//! The approximate count is that of [`UvWindows`] with roll-up, in a store of its own so that the saved file does not have its
//! keys. Its clock shows the minute of the latest event, whatever the time may be: minutes that are over are merged into their
//! hours and days, and what has fallen out of the window expires.
//!
//! # Complexity
//!
//! An event takes constant time; what has fallen out is forgotten when the window has moved on by an eighth of its length. Memory
//! is that of the visitors in the window, 17 to 34 bytes each, and of a `HyperLogLog` for each minute, hour and day in it that
//! had an event: some two bytes a visitor, and about 200 beside them.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Serialize, Serializer};
use tallis::{Error, ManualClock, SessionIds, Store, UvFilling, UvLevel, UvWindows};

use super::period::{END_MINUTE, FIRST_MINUTE, WindowEnd, WindowLength, moment};
use super::report::error_percent;
use super::stamp::Stamp;
use super::visitor::VisitorId;

/// What has fallen out of a window is not looked for before this many minutes of events.
const TIDY: i64 = 60;

/// Counts the unique visitors of a window.
///
/// Events that lie outside of the years 1900 to 2299 are of no window, and none begins before them.
///
/// # Examples
///
/// ```
/// use tallis_cli::uv::{Stamp, VisitorId, Window};
///
/// let mut window = Window::new("1h".parse()?);
/// assert_eq!(window.count()?, None);
/// for (visitor, time) in [("A", "09:15:00"), ("B", "10:14:59"), ("C", "09:14:59"), ("B", "09:50:00")] {
///     let stamp = Stamp::parse(format!("17/May/2015:{time} +0000").as_bytes())?;
///     window.visit(&VisitorId::of(visitor.as_bytes()), &stamp)?;
/// }
/// let counted = window.count()?.unwrap();
/// assert_eq!(counted.from.to_string(), "2015-05-17T09:15:00Z");
/// assert_eq!(counted.to.to_string(), "2015-05-17T10:15:00Z");
/// assert_eq!((counted.exact, counted.approx, counted.keys), (2, 2, 60));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Window {
    /// Minutes.
    length: i64,
    /// The minutes of the window, counted from 1970; `None` if it ends after an event that has not come yet.
    range: Option<Range<i64>>,
    /// Whether it moves on with the events.
    moves: bool,
    /// The end from which on it is time to forget.
    tidy_at: i64,
    /// By the visitor's number, the last minute before the end.
    last_seen: HashMap<i64, i64>,
    store: Store,
    clock: Arc<ManualClock>,
    windows: UvWindows,
}

/// The unique visitors of a window. Its JSON form is part of the program's contract, the order of the fields included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WindowCount {
    /// Its beginning.
    #[serde(serialize_with = "as_text")]
    pub from: Timestamp,
    /// Its end, which is left out.
    #[serde(serialize_with = "as_text")]
    pub to: Timestamp,
    /// Unique visitors.
    pub exact: u64,
    /// Unique visitors by the `HyperLogLog`s.
    pub approx: u64,
    /// How many keys cover it: the fewest that [`UvWindows`] can have of it.
    pub keys: u64,
}

impl Window {
    /// A window that ends with the minute of the latest event.
    #[must_use]
    pub fn new(length: WindowLength) -> Self {
        let length = i64::from(length.minutes());
        let clock = Arc::new(ManualClock::new(0));
        let store = Store::builder().clock(clock.clone()).build();
        // A bucket that lies in the window ends after its beginning, and so is kept for longer than the window goes on.
        let kept = std::time::Duration::from_mins(length.unsigned_abs());
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

    /// A window that ends there.
    #[must_use]
    pub fn ending_at(length: WindowLength, end: WindowEnd) -> Self {
        let mut window = Self::new(length);
        window.range = Some(window.range_to(end.minute()));
        window.moves = false;
        // By then every minute of it is over.
        window.clock.set(moment(end.minute()).as_millisecond());
        window
    }

    /// Takes note of an event.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub fn visit(&mut self, id: &VisitorId, at: &Stamp) -> Result<(), Error> {
        let minute = at.minute_of_utc();
        if !(FIRST_MINUTE..END_MINUTE).contains(&minute) {
            return Ok(());
        }
        if self.moves && self.range.as_ref().is_none_or(|range| range.end <= minute) {
            self.move_on(minute);
        }
        if !self.range.as_ref().is_some_and(|range| range.contains(&minute)) {
            return Ok(());
        }
        let seen = self.last_seen.entry(SessionIds::First15.id(id.as_bytes())?).or_insert(i64::MIN);
        if *seen != minute {
            *seen = minute.max(*seen);
            self.windows.record(id.as_bytes(), moment(minute))?;
        }
        Ok(())
    }

    /// How it stands; `None` if it ends with the latest event and there is none.
    ///
    /// O(visitors and keys).
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub fn count(&self) -> Result<Option<WindowCount>, Error> {
        let Some(Range { start, end }) = self.range else { return Ok(None) };
        let (from, to) = (moment(start), moment(end));
        self.windows.roll_up()?;
        Ok(Some(WindowCount {
            from,
            to,
            exact: self.last_seen.values().filter(|&&minute| minute >= start).count() as u64,
            approx: self.windows.count(from, to)?,
            keys: self.windows.cover(from, to)?.len() as u64,
        }))
    }

    /// Lets the window end with that minute, which is later than any before.
    fn move_on(&mut self, latest: i64) {
        let range = self.range_to(latest + 1);
        self.clock.set(moment(latest).as_millisecond());
        if self.tidy_at <= range.end {
            self.last_seen.retain(|_, minute| *minute >= range.start);
            self.store.sweep(usize::MAX);
            self.tidy_at = range.end + TIDY.max(self.length / 8);
        }
        self.range = Some(range);
    }

    fn range_to(&self, end: i64) -> Range<i64> {
        (end - self.length).max(FIRST_MINUTE)..end
    }
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

fn as_text<S: Serializer>(moment: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(moment)
}

#[cfg(test)]
mod tests;
