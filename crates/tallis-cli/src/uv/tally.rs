//! The count itself.

use std::collections::BTreeMap;
use std::fmt;

use tallis::{Bucket, Store, VisitorId, Visitors, VisitorsIn, each};

use super::every::Every;
use super::line::{LineError, LogLine};
use super::report::{Bytes, Latest, Report, Row, Total};
use super::visitor::By;
use super::window::{Window, WindowCount};

/// Counts the visits of lines into a store, bucket by bucket.
///
/// For the bucket `2015-05-17` the store then has the keys of [`Visitors`], `unique:2015-05-17` and those that begin
/// with it, and the `HyperLogLog` `uv:2015-05-17` of the same visitors.
///
/// # Examples
///
/// ```
/// use tallis::{Store, Visitors};
/// use tallis_cli::uv::{By, Every, Tally};
///
/// let store = Store::new();
/// let visitors = Visitors::book(store.clone());
/// let mut tally = Tally::new(&store, &visitors, By::Ip, Every::Day);
/// tally.add(br#"::1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 512"#)?;
/// tally.add(br#"::1 - - [17/May/2015:10:06:03 +0000] "GET / HTTP/1.1" 200 512"#)?;
/// let report = tally.report()?;
/// assert_eq!((report.total.events, report.total.exact, report.total.approx), (2, 1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Tally<'v> {
    store: &'v Store,
    visitors: &'v Visitors,
    by: By,
    every: Every,
    /// In the order in which the buckets were found.
    slots: Vec<Slot<'v>>,
    places: BTreeMap<Bucket, usize>,
    /// The slot of the last line, which is that of nearly every next one.
    last: usize,
    /// Room for a visitor's name.
    scratch: Vec<u8>,
    window: Option<Window>,
}

/// What is counted of one bucket.
#[derive(Debug)]
struct Slot<'v> {
    bucket: Bucket,
    events: u64,
    exact: VisitorsIn<'v>,
    approx_key: String,
}

/// Why a line was not counted.
#[derive(Debug)]
#[non_exhaustive]
pub enum Refused {
    /// The line does not parse.
    Line(LineError),
    /// The store refused the visit.
    Store(tallis::Error),
}

impl<'v> Tally<'v> {
    /// Nothing counted yet.
    ///
    /// `visitors` is a recipe on `store`.
    #[must_use]
    pub const fn new(store: &'v Store, visitors: &'v Visitors, by: By, every: Every) -> Self {
        Self {
            store,
            visitors,
            by,
            every,
            slots: Vec::new(),
            places: BTreeMap::new(),
            last: 0,
            scratch: Vec::new(),
            window: None,
        }
    }

    /// Counts the visits of a window too.
    #[must_use]
    pub fn window(mut self, window: Option<Window>) -> Self {
        self.window = window;
        self
    }

    /// Counts a line, given without its line feed.
    ///
    /// # Errors
    ///
    /// A line that does not parse, or that lacks what names its visitor, is [`Refused::Line`] and changes nothing.
    pub fn add(&mut self, line: &[u8]) -> Result<(), Refused> {
        let line = LogLine::parse(line).map_err(Refused::Line)?;
        // The scratch is taken for as long as the name lives in it.
        let mut scratch = std::mem::take(&mut self.scratch);
        let id = self.by.name(&line, &mut scratch).map(VisitorId::of);
        self.scratch = scratch;
        let id = id.map_err(Refused::Line)?;
        if let Some(window) = &mut self.window {
            window.visit(&id, &line.time).map_err(Refused::Store)?;
        }
        self.count(&id, self.every.bucket(&line.time)).map_err(Refused::Store)
    }

    fn count(&mut self, id: &VisitorId, bucket: Bucket) -> Result<(), tallis::Error> {
        let slot = match self.slots.get(self.last).filter(|slot| slot.bucket == bucket) {
            Some(_) => self.last,
            None => self.place(bucket)?,
        };
        self.last = slot;
        let slot = &mut self.slots[slot];
        slot.exact.count_id(id.number())?;
        self.store.pfadd(&slot.approx_key, [id.as_bytes()])?;
        slot.events += 1;
        Ok(())
    }

    fn place(&mut self, bucket: Bucket) -> Result<usize, tallis::Error> {
        if let Some(&place) = self.places.get(&bucket) {
            return Ok(place);
        }
        let place = self.slots.len();
        self.slots.push(Slot {
            bucket,
            events: 0,
            exact: self.visitors.bucket(bucket)?,
            approx_key: format!("uv:{bucket}"),
        });
        self.places.insert(bucket, place);
        Ok(place)
    }

    /// The figures of the bucket of the last line, and how many lines there were in all; `None` before the first.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub fn latest(&self) -> Result<Option<Latest>, tallis::Error> {
        let Some(slot) = self.slots.get(self.last) else { return Ok(None) };
        Ok(Some(Latest {
            bucket: slot.bucket.to_string(),
            events: slot.events,
            exact: self.visitors.count(slot.bucket)?,
            approx: self.store.pfcount([&slot.approx_key])?,
            total_events: self.slots.iter().map(|slot| slot.events).sum(),
            window: self.in_window()?,
        }))
    }

    /// What was counted, in the order of the calendar.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub fn report(&self) -> Result<Report, tallis::Error> {
        let slots: Vec<_> = self.places.values().map(|&place| &self.slots[place]).collect();
        let buckets: Vec<_> =
            slots.iter().map(|slot| self.row(slot)).collect::<Result<_, tallis::Error>>()?;
        let total = Total {
            events: buckets.iter().map(|row| row.events).sum(),
            exact: self.visitors.count_union(slots.iter().map(|slot| slot.bucket))?,
            approx: self.store.pfcount(each(slots.iter().map(|slot| &slot.approx_key)))?,
        };
        let bytes = Bytes {
            sets: buckets.iter().map(|row| row.bytes.sets).sum(),
            hll: buckets.iter().map(|row| row.bytes.hll).sum(),
        };
        Ok(Report { buckets, total, skipped: 0, bytes, saved: None, window: self.in_window()? })
    }

    fn in_window(&self) -> Result<Option<WindowCount>, tallis::Error> {
        self.window.as_ref().map_or(Ok(None), Window::count)
    }

    fn row(&self, slot: &Slot<'_>) -> Result<Row, tallis::Error> {
        Ok(Row {
            bucket: slot.bucket.to_string(),
            events: slot.events,
            exact: self.visitors.count(slot.bucket)?,
            approx: self.store.pfcount([&slot.approx_key])?,
            bytes: Bytes {
                sets: self.visitors.memory_usage(slot.bucket)?,
                hll: self.store.memory_usage(&slot.approx_key)?.unwrap_or(0),
            },
        })
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(error) => error.fmt(f),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Refused {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Line(error) => Some(error),
            Self::Store(error) => Some(error),
        }
    }
}
