//! The count itself.

use std::collections::BTreeMap;

use tallis::{Bucket, Error, ErrorKind, Store, Visitors, VisitorsIn, each};

use super::report::{Bytes, Latest, Report, Row, Total};
use super::scan::Batch;
use super::window::{Window, WindowCount};

/// Counts visits into a store, bucket by bucket.
///
/// For the bucket `2015-05-17` the store then has the keys of [`Visitors`], `unique:2015-05-17` and those that begin
/// with it, and the `HyperLogLog` `uv:2015-05-17` of the same visitors.
///
/// # Examples
///
/// ```
/// use tallis::{Store, Visitors};
/// use tallis_cli::uv::{Batch, Every, Layout, Scanner, Tally};
///
/// let store = Store::new();
/// let visitors = Visitors::book(store.clone());
/// let (mut tally, mut batch) = (Tally::new(&store, &visitors), Batch::default());
/// let mut scanner = Scanner::new(Layout::default(), Every::Day);
/// let line = r#"::1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 512"#;
/// scanner.scan(format!("{line}\n{line}\n").as_bytes(), &mut batch);
/// tally.count(&batch)?;
/// let report = tally.report()?;
/// assert_eq!((report.total.events, report.total.exact, report.total.approx), (2, 1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Tally<'v> {
    store: &'v Store,
    visitors: &'v Visitors,
    /// In the order in which the buckets were found.
    slots: Vec<Slot<'v>>,
    places: BTreeMap<Bucket, usize>,
    /// The slot of the last line.
    last: usize,
    /// The slots of a batch's buckets.
    found: Vec<usize>,
    /// The numbers of visitors who are counted together.
    numbers: Vec<i64>,
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

impl<'v> Tally<'v> {
    /// Nothing counted yet.
    ///
    /// `visitors` is a recipe on `store`. A bucket that the store has already is counted on: its visitors were there
    /// before, and its events are those that are counted from now on.
    #[must_use]
    pub const fn new(store: &'v Store, visitors: &'v Visitors) -> Self {
        Self {
            store,
            visitors,
            slots: Vec::new(),
            places: BTreeMap::new(),
            last: 0,
            found: Vec::new(),
            numbers: Vec::new(),
            window: None,
        }
    }

    /// Counts the visits of a window too, which are to be scanned [by minute](super::Scanner::by_minute).
    #[must_use]
    pub fn window(mut self, window: Option<Window>) -> Self {
        self.window = window;
        self
    }

    /// Counts what was found in lines.
    ///
    /// The result depends on the order of the batches, since a bucket is begun with a forecast from the one before it.
    ///
    /// # Errors
    ///
    /// Those of the store; [`ErrorKind::NoSuchKey`] for a bucket that is there without its `HyperLogLog`.
    pub fn count(&mut self, batch: &Batch) -> Result<(), Error> {
        const NONE: usize = usize::MAX;
        self.found.clear();
        self.found.resize(batch.buckets.len(), NONE);
        for visits in batch.visits.chunk_by(|a, b| a.bucket == b.bucket) {
            if let Some(window) = &mut self.window {
                for visit in visits {
                    window.visit(&visit.id, visit.minute)?;
                }
            }
            // With the first visit and not before, so that the bucket before it has all of its visits so far.
            let bucket = visits[0].bucket;
            let slot = match self.found[bucket] {
                NONE => self.place(batch.buckets[bucket].bucket)?,
                found => found,
            };
            self.found[bucket] = slot;
            let slot = &mut self.slots[slot];
            // In this order: a process that is killed between the two leaves a bucket that can be counted on.
            self.store
                .pfadd(&slot.approx_key, each(visits.iter().map(|visit| visit.id.as_bytes())))?;
            self.numbers.clear();
            self.numbers.extend(visits.iter().map(|visit| visit.id.number()));
            slot.exact.count_ids(&self.numbers)?;
        }
        for events in &batch.buckets {
            let slot = self.place(events.bucket)?;
            self.slots[slot].events += events.lines;
        }
        if let Some(events) = batch.buckets.get(batch.last) {
            self.last = self.place(events.bucket)?;
        }
        Ok(())
    }

    fn place(&mut self, bucket: Bucket) -> Result<usize, Error> {
        if let Some(&place) = self.places.get(&bucket) {
            return Ok(place);
        }
        let place = self.slots.len();
        let approx_key = format!("uv:{bucket}");
        if self.visitors.count(bucket)? > 0 && !self.store.exists(&approx_key)? {
            let text = format!(
                "the key {approx_key} is missing, which counts what unique:{bucket} counts"
            );
            return Err(Error::new(ErrorKind::NoSuchKey, text));
        }
        let exact = self.visitors.bucket(bucket)?;
        self.slots.push(Slot { bucket, events: 0, exact, approx_key });
        self.places.insert(bucket, place);
        Ok(place)
    }

    /// The figures of the bucket of the last line, and how many lines there were in all; `None` before the first.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub fn latest(&self) -> Result<Option<Latest>, Error> {
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
    pub fn report(&self) -> Result<Report, Error> {
        let slots: Vec<_> = self.places.values().map(|&place| &self.slots[place]).collect();
        let buckets: Vec<_> =
            slots.iter().map(|slot| self.row(slot)).collect::<Result<_, Error>>()?;
        let total = Total {
            events: buckets.iter().map(|row| row.events).sum(),
            exact: self.visitors.count_union(slots.iter().map(|slot| slot.bucket))?,
            approx: self.store.pfcount(each(slots.iter().map(|slot| &slot.approx_key)))?,
        };
        let bytes = Bytes {
            sets: buckets.iter().map(|row| row.bytes.sets).sum(),
            hll: buckets.iter().map(|row| row.bytes.hll).sum(),
        };
        Ok(Report {
            buckets,
            total,
            skipped: 0,
            bytes,
            saved: None,
            loaded: None,
            window: self.in_window()?,
            columns: None,
        })
    }

    fn in_window(&self) -> Result<Option<WindowCount>, Error> {
        self.window.as_ref().map_or(Ok(None), Window::count)
    }

    fn row(&self, slot: &Slot<'_>) -> Result<Row, Error> {
        Ok(Row {
            bucket: slot.bucket.to_string(),
            key: slot.bucket,
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
