//! The cache that holds the data of a row.

use std::fmt::{self, Display, Formatter};
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Unit;

/// The folder in which Linux describes the caches of the first processor.
const FOLDER: &str = "/sys/devices/system/cpu/cpu0/cache";

/// The bytes that a row accesses: those of our structure, allocator overhead included. Arguments, which are read in
/// order, are not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Touched(u64);

impl Touched {
    /// For a row that measures bytes, not time.
    pub const NOTHING: Self = Self(0);

    /// Creates the value for this number of bytes, at least one.
    #[must_use]
    pub fn bytes(bytes: usize) -> Self {
        Self(u64::try_from(bytes).unwrap_or(u64::MAX).max(1))
    }

    /// Returns the number of bytes.
    #[must_use]
    pub const fn count(self) -> u64 {
        self.0
    }
}

/// A data cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    /// The level; 1 is the nearest.
    pub level: u8,
    /// The size in bytes.
    pub bytes: u64,
}

impl Cache {
    /// Returns the name: L1d, L2, ...
    fn name(self) -> String {
        format!("L{}{}", self.level, if self.level == 1 { "d" } else { "" })
    }
}

/// The data caches of one processor, nearest first. Empty if the system does not report them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Caches(Vec<Cache>);

impl Caches {
    /// Returns the caches of this machine.
    #[must_use]
    pub fn here() -> Self {
        Self::of(Path::new(FOLDER))
    }

    /// Reads the caches from a folder in the form of [`FOLDER`].
    fn of(folder: &Path) -> Self {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let caches = entries.filter_map(|entry| {
            let read = |file| fs::read_to_string(entry.path().join(file)).ok();
            one(&read("level")?, &read("type")?, &read("size")?)
        });
        Self::new(caches.collect())
    }

    /// Creates the list from caches in any order.
    #[must_use]
    pub fn new(mut caches: Vec<Cache>) -> Self {
        caches.sort_unstable_by_key(|cache| cache.level);
        Self(caches)
    }

    /// Returns `true` if no cache is known.
    #[must_use]
    pub const fn are_unknown(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the nearest cache that holds this number of bytes.
    #[must_use]
    pub fn place(&self, touched: Option<Touched>) -> Place {
        match touched {
            Some(Touched::NOTHING) => Place::Nowhere,
            Some(touched) if !self.are_unknown() => {
                let holds = |cache: &&Cache| cache.bytes >= touched.count();
                self.0.iter().find(holds).map_or(Place::Memory, |cache| Place::Cache(*cache))
            }
            Some(_) | None => Place::Unknown,
        }
    }
}

/// Formats the caches as the page lists them.
impl Display for Caches {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.are_unknown() {
            return write!(f, "unknown");
        }
        for (at, cache) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{} {} KiB", cache.name(), cache.bytes >> 10)?;
        }
        Ok(())
    }
}

/// The location of the data of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The row measures bytes, not the time to access them.
    Nowhere,
    /// The system does not report its caches, or the run is older than the bytes of rows.
    Unknown,
    /// The cache holds all data.
    Cache(Cache),
    /// No cache holds all data.
    Memory,
}

/// Formats the location as the page shows it.
impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nowhere => write!(f, "-"),
            Self::Unknown => write!(f, "unknown"),
            Self::Cache(cache) => write!(f, "{}", cache.name()),
            Self::Memory => write!(f, "memory"),
        }
    }
}

/// Returns a cell of the page: the location, and the number of bytes.
pub(super) fn cell(caches: &Caches, touched: Option<Touched>) -> String {
    let place = caches.place(touched);
    match touched {
        Some(touched) if touched != Touched::NOTHING => {
            #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
            let bytes = touched.count() as f64;
            format!("{place}, {}", Unit::Bytes.shown(bytes))
        }
        Some(_) | None => place.to_string(),
    }
}

/// Parses the texts of the files of a cache. Returns `None` if it is not a data cache or a text is not valid.
fn one(level: &str, kind: &str, size: &str) -> Option<Cache> {
    if !["Data", "Unified"].contains(&kind.trim()) {
        return None;
    }
    let size = size.trim();
    let bytes = match size.as_bytes().last()? {
        b'K' => size[..size.len() - 1].parse::<u64>().ok()?.checked_mul(1 << 10)?,
        b'M' => size[..size.len() - 1].parse::<u64>().ok()?.checked_mul(1 << 20)?,
        _ => size.parse().ok()?,
    };
    Some(Cache { level: level.trim().parse().ok()?, bytes })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Cache, Caches, Place, Touched, cell};

    fn machine() -> Caches {
        let [near, middle, far] = [(1, 48 << 10), (2, 1 << 20), (3, 32 << 20)]
            .map(|(level, bytes)| Cache { level, bytes });
        Caches::new(vec![far, near, middle])
    }

    #[test]
    fn the_place_is_the_nearest_cache_that_holds_the_data() {
        let caches = machine();
        for (bytes, place) in [
            (1, "L1d"),
            (48 << 10, "L1d"),
            ((48 << 10) + 1, "L2"),
            (1 << 20, "L2"),
            ((1 << 20) + 1, "L3"),
            ((32 << 20) + 1, "memory"),
        ] {
            assert_eq!(caches.place(Some(Touched::bytes(bytes))).to_string(), place, "{bytes}");
        }
        assert_eq!(caches.place(None), Place::Unknown);
        assert_eq!(caches.place(Some(Touched::NOTHING)), Place::Nowhere);
        assert_eq!(Caches::default().place(Some(Touched::bytes(9))), Place::Unknown);
    }

    #[test]
    fn cells_show_the_bytes_too() {
        let some = Some(Touched::bytes(2_000_000));
        assert_eq!(cell(&machine(), some), "L3, 2.00 MB");
        assert_eq!(cell(&Caches::default(), some), "unknown, 2.00 MB");
        assert_eq!(cell(&machine(), None), "unknown");
        assert_eq!(cell(&machine(), Some(Touched::NOTHING)), "-");
    }

    #[test]
    fn caches_are_read_from_the_files_of_linux() {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, level, kind, size) in [
            ("index0", "1\n", "Data\n", "48K\n"),
            ("index1", "1\n", "Instruction\n", "32K\n"),
            ("index3", "3\n", "Unified\n", "32M\n"),
            ("index2", "2\n", "Unified\n", "1024K\n"),
            ("index4", "4\n", "Unified\n", "?\n"),
        ] {
            let index = folder.path().join(name);
            fs::create_dir(&index).expect("a folder in it");
            for (file, text) in [("level", level), ("type", kind), ("size", size)] {
                fs::write(index.join(file), text).expect("a file");
            }
        }
        fs::write(folder.path().join("uevent"), "").expect("a file");
        let caches = Caches::of(folder.path());
        assert_eq!(caches, machine());
        assert_eq!(caches.to_string(), "L1d 48 KiB, L2 1024 KiB, L3 32768 KiB");
        assert_eq!(Caches::of(&folder.path().join("missing")).to_string(), "unknown");
    }
}
