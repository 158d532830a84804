//! The count.

use std::collections::BTreeMap;

use tallis::{Bucket, Error, ErrorKind, Store, Visitors, VisitorsIn, each};

use super::report::{Bytes, Latest, Report, Row, Total};
use super::scan::Batch;
use super::window::{Window, WindowCount};

/// Counts visits into a store, bucket by bucket.
///
/// For the bucket `2015-05-17` the store then has the keys of [`Visitors`], `unique:2015-05-17` and those with this
/// prefix, and the `HyperLogLog` `uv:2015-05-17` of the same visitors.
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
    /// The buckets, in order of appearance.
    slots: Vec<Slot<'v>>,
    places: BTreeMap<Bucket, usize>,
    /// The slot of the last line.
    last: usize,
    /// The slots of a batch's buckets.
    found: Vec<usize>,
    /// The numbers of visitors that are counted together.
    numbers: Vec<i64>,
    window: Option<Window>,
}

/// The state of one bucket.
#[derive(Debug)]
struct Slot<'v> {
    bucket: Bucket,
    events: u64,
    exact: VisitorsIn<'v>,
    approx_key: String,
}

impl<'v> Tally<'v> {
    /// Creates a count without visits.
    ///
    /// `visitors` must be a recipe on `store`. If the store has a bucket already, its count continues: its visitors are
    /// known, and its events are counted from now on.
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

    /// Also counts the visits of a window. They must be scanned [by minute](super::Scanner::by_minute).
    #[must_use]
    pub fn window(mut self, window: Option<Window>) -> Self {
        self.window = window;
        self
    }

    /// Counts a batch of visits.
    ///
    /// The result depends on the order of the batches, because a new bucket gets a forecast from the one before it.
    ///
    /// # Errors
    ///
    /// Those of the store; [`ErrorKind::NoSuchKey`] for an existing bucket without its `HyperLogLog`.
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
            // Not before its first visit, so that the bucket before it has all of its visits so far.
            let bucket = visits[0].bucket;
            let slot = match self.found[bucket] {
                NONE => self.place(batch.buckets[bucket].bucket)?,
                found => found,
            };
            self.found[bucket] = slot;
            let slot = &mut self.slots[slot];
            // In this order: if the process is killed in between, the bucket can still be continued.
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
                "the key {approx_key}, the approximate count of unique:{bucket}, is missing"
            );
            return Err(Error::new(ErrorKind::NoSuchKey, text));
        }
        let exact = self.visitors.bucket(bucket)?;
        self.slots.push(Slot { bucket, events: 0, exact, approx_key });
        self.places.insert(bucket, place);
        Ok(place)
    }

    /// Returns the figures of the bucket of the last line, and the number of lines of all buckets; `None` before the
    /// first line.
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

    /// Returns the counts, in order of time.
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
