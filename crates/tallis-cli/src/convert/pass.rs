//! One pass over a file, to any output.

use std::io;

use tallis::file::{Meter, RewriteError, ValueError};
use tallis::rdb::{Record, ValueType, WriteError};

use crate::files::{Damage, Filter, Key, Scan, Step};
use crate::interrupt::interrupted;

/// The output of a pass.
pub(super) trait Output {
    /// Writes a key, whose value is next.
    fn key(&mut self, key: &Key, scan: &mut Scan) -> Result<(), Stop>;

    /// Writes any other record.
    fn other(&mut self, record: Record, at: u64) -> Result<(), Stop>;
}

/// An output that writes nothing, but decodes every value, so that damage is found that copying would not detect.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) meter: Meter,
}

impl Output for Checked {
    fn key(&mut self, key: &Key, scan: &mut Scan) -> Result<(), Stop> {
        let found = self.meter.measure(scan.reader(), key.kind);
        found.map(drop).map_err(|error| Stop::of_value(key, &error))
    }

    fn other(&mut self, _: Record, _: u64) -> Result<(), Stop> {
        Ok(())
    }
}

/// Why a pass ends early.
#[derive(Debug)]
pub(super) enum Stop {
    /// The file is damaged.
    Damage(Damage),
    /// A record cannot be written in the output format.
    NoForm(Damage),
    /// The output failed.
    Output(io::Error),
    /// An interrupt has come.
    Interrupted,
}

impl Stop {
    /// Returns how rewriting the value of this key ended.
    pub(super) fn rewriting(error: RewriteError, key: &Key) -> Self {
        if let RewriteError::Value(error) = &error {
            return Self::of_value(key, error);
        }
        if let RewriteError::Write(WriteError::Io(error)) = error {
            return Self::Output(error);
        }
        Self::NoForm(Damage::of(key, &error.to_string(), key.at))
    }

    pub(super) fn of_value(key: &Key, error: &ValueError) -> Self {
        Self::Damage(Damage::of_value(key, error))
    }
}

impl From<Damage> for Stop {
    fn from(damage: Damage) -> Self {
        Self::Damage(damage)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// The settings of a pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass<'a> {
    pub(super) filter: Filter<'a>,
    /// The most records to read: those that are known to be valid.
    pub(super) most: u64,
}

impl Pass<'_> {
    /// Passes the records of a file to `output`; `done` counts those that were written.
    pub(super) fn run(
        self,
        scan: &mut Scan,
        output: &mut impl Output,
        done: &mut u64,
    ) -> Result<(), Stop> {
        while *done < self.most {
            if interrupted() {
                return Err(Stop::Interrupted);
            }
            let at = scan.offset();
            match scan.next()? {
                None => break,
                Some(Step::Key(key)) => {
                    if self.filter.takes(&key) {
                        output.key(&key, scan)?;
                    } else {
                        // Read first, so that damage is found before it is passed on.
                        let passed = scan.reader().pass_value();
                        passed.map_err(|error| Stop::of_value(&key, &error.into()))?;
                    }
                }
                Some(Step::Other(record)) => output.other(record, at)?,
            }
            *done += 1;
        }
        Ok(())
    }
}

/// Returns whether a module's value has to be read before it is known whether it matches the filter.
pub(super) fn passes(filter: Filter<'_>, key: &Key, module: Option<[u8; 9]>) -> bool {
    key.kind != ValueType::Module
        || module.is_some_and(|name| filter.takes_type(&String::from_utf8_lossy(&name)))
}
