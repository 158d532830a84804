//! Packed locations.

use tallis::{Locations, Store};

use super::bitmap::offset;
use super::keyed::sum;
use super::{Extent, Holder, Result, Shape, Step, Words, Work, key, words};

/// Two bytes per user, packed in strings of 1,048,576 users, as in the book. Users are numbered from 0 on, and are not
/// removed; a user without a location has a code of zeros.
#[derive(Debug)]
pub(in super::super) struct Packed;

/// The number of users in a string.
const SHARD: u64 = 1 << 20;

/// The code of each user.
const CODE: [u8; 2] = [3, 7];

struct Tables {
    of_value: Vec<Locations>,
}

/// Returns the prefix of the keys of a value.
fn prefix(value: usize) -> String {
    format!("{}:", key(value))
}

impl Shape for Packed {
    fn does(&self, work: Work) -> bool {
        matches!(work, Work::Add | Work::Test | Work::Scan)
    }

    fn holder(&self, store: Store, extent: Extent) -> Box<dyn Holder> {
        let table = |value| Locations::new(store.clone()).prefix(key(value));
        Box::new(Tables { of_value: (0..extent.values).map(table).collect() })
    }

    fn command(&self, work: Work, step: &Step<'_>, _: Extent) -> Option<Words> {
        let user = offset(&step.item);
        let key = format!("{}{}", prefix(step.value), user / SHARD);
        let first = user % SHARD * 2;
        let [first, last] = [first, first + 1].map(|at| at.to_string());
        match work {
            Work::Add => words([b"SETRANGE", key.as_bytes(), first.as_bytes(), &CODE]),
            Work::Test => words([b"GETRANGE", key.as_bytes(), first.as_bytes(), last.as_bytes()]),
            // The client reads the codes of the first string only.
            Work::Scan => words([b"GET", key.as_bytes()]),
            Work::Count | Work::Remove => None,
        }
    }

    fn keys(&self, value: usize, extent: Extent) -> Vec<String> {
        (0..extent.size().div_ceil(SHARD))
            .map(|shard| format!("{}{shard}", prefix(value)))
            .collect()
    }
}

impl Holder for Tables {
    fn run(&mut self, work: Work, steps: &[Step<'_>]) -> Result<u64> {
        let of = |step: &Step<'_>| &self.of_value[step.value];
        match work {
            Work::Add => sum(steps, |step| of(step).set_code(offset(&step.item), CODE).map(|()| 1)),
            Work::Test => {
                sum(steps, |step| Ok((of(step).code(offset(&step.item))? != [0, 0]).into()))
            }
            Work::Scan => sum(steps, |step| {
                let counts = of(step).aggregate()?;
                Ok(counts.users() + counts.unknown())
            }),
            Work::Count | Work::Remove => Ok(0),
        }
    }

    fn key(&self) -> Result<String> {
        Ok(format!("{}0", prefix(0)))
    }
}
