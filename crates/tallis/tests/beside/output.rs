//! An output that calls a function whenever the snapshot writes, when it holds no lock: so the writes between two parts
//! of the snapshot are the same in every run.

use std::io::{self, Write};
use std::sync::Arc;

use tallis::{LoadOptions, ManualClock, SaveOptions, Store};

/// Stores the output, and calls a function before each write.
pub(crate) struct Output<F> {
    bytes: Vec<u8>,
    before: F,
}

impl<F: FnMut()> Output<F> {
    pub(crate) fn new(before: F) -> Self {
        Self { bytes: Vec::new(), before }
    }
}

impl<F: FnMut()> Write for Output<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (self.before)();
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// DEBUG DIGEST: all keys of all databases, their values and expiries.
pub(crate) fn digest(store: &Store) -> String {
    store.execute(&["DEBUG", "DIGEST"]).convert().unwrap()
}

/// Takes a snapshot of a store, calling `meanwhile` between its parts, and loads it at that time.
pub(crate) fn snapshot(
    store: &Store,
    options: SaveOptions,
    now_ms: i64,
    meanwhile: impl FnMut(),
) -> Store {
    let output = store.snapshot_to(Output::new(meanwhile), options).unwrap();
    let loaded = Store::builder().clock(Arc::new(ManualClock::new(now_ms))).build();
    loaded.load_from(&output.bytes[..], LoadOptions::default()).unwrap();
    loaded
}
