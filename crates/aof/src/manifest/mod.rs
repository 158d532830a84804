//! The manifest: the files of a log, and their order.

mod entry;
mod error;
mod parse;

pub use entry::{BaseFormat, Entry, Kind};
pub use error::{AddError, ManifestError, ManifestErrorKind};

use entry::is_file_name;

/// The manifest of a log: at most one base, the increments in the order in which they are loaded, and the history,
/// which should be removed.
///
/// ```text
/// # a comment
/// file appendonly.aof.2.base.rdb seq 2 type b
/// file appendonly.aof.1.incr.aof seq 1 type h
/// file appendonly.aof.2.incr.aof seq 2 type i
/// ```
///
/// A line consists of pairs of a key and a value, in any order. The keys `file`, `seq` and `type` are required; others
/// are ignored. Words are quoted as for [`resp::split_words`]. Comments and other keys are not kept.
///
/// # A rewrite
///
/// A manifest is replaced atomically (a temporary file, synced and renamed), so a log always has either the old or the
/// new one:
///
/// 1. [`add_increment`](Self::add_increment): further commands go to a new file. The manifest is replaced.
/// 2. The new base is written under a temporary name. Its content is the data at the time when the increment began.
/// 3. [`add_base`](Self::add_base) and [`retire_increments`](Self::retire_increments): the new base is renamed, and all
///    but the last increment become history. The manifest is replaced.
/// 4. The files of the history are removed; [`take_history`](Self::take_history), and the manifest is replaced.
///
/// # Examples
///
/// ```
/// use aof::{BaseFormat, Manifest};
///
/// let mut manifest = Manifest::parse(
///     b"file a.aof.1.base.aof seq 1 type b\nfile a.aof.1.incr.aof seq 1 type i\n",
/// )?;
/// manifest.add_increment(b"a.aof")?;
/// manifest.add_base(b"a.aof", BaseFormat::Rdb)?;
/// manifest.retire_increments(1);
/// let files: Vec<_> = manifest.files().map(|file| file.name()).collect();
/// assert_eq!(files, [&b"a.aof.2.base.rdb"[..], b"a.aof.2.incr.aof"]);
/// let history: Vec<_> = manifest.take_history().iter().map(|file| file.name().to_vec()).collect();
/// assert_eq!(history, [&b"a.aof.1.incr.aof"[..], b"a.aof.1.base.aof"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    base: Option<Entry>,
    history: Vec<Entry>,
    increments: Vec<Entry>,
    /// The sequence number of the last base.
    base_sequence: i64,
    /// The sequence number of the last increment.
    increment_sequence: i64,
}

impl Manifest {
    /// The maximum length of a line in bytes, including the line feed.
    pub const MAX_LINE: usize = 1024;

    /// Creates a manifest without files.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            base: None,
            history: Vec::new(),
            increments: Vec::new(),
            base_sequence: 0,
            increment_sequence: 0,
        }
    }

    /// Creates the manifest of a log from before Redis 7, which was a single file: this file becomes the base.
    ///
    /// # Errors
    ///
    /// [`AddError`] if the name is not valid or too long.
    pub fn of_single_file(name: &[u8]) -> Result<Self, AddError> {
        let mut manifest = Self::new();
        manifest.base = Some(new_entry(name.to_vec(), 1, Kind::Base)?);
        manifest.base_sequence = 1;
        Ok(manifest)
    }

    /// Returns the file name of the manifest of the log `log` (`appendonly.aof`, or the value of `appendfilename`).
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(aof::Manifest::file_name(b"appendonly.aof"), b"appendonly.aof.manifest");
    /// ```
    #[must_use]
    pub fn file_name(log: &[u8]) -> Vec<u8> {
        [log, b".manifest"].concat()
    }

    /// Returns the file name under which a server writes a new manifest before it replaces the old one.
    #[must_use]
    pub fn temporary_file_name(log: &[u8]) -> Vec<u8> {
        [b"temp-", log, b".manifest"].concat()
    }

    /// Parses a manifest by the rules of Redis 7. O(bytes).
    ///
    /// Redis does not check two things that are refused here: a name that no file can have (empty, `.` or `..`), and a
    /// name so long that the manifest could not be read again after it is written.
    ///
    /// # Errors
    ///
    /// [`ManifestError`] with the first invalid line.
    ///
    /// # Examples
    ///
    /// ```
    /// use aof::{Manifest, ManifestErrorKind};
    ///
    /// let error = Manifest::parse(b"file a seq 1 type b\nfile b seq 2 type b\n").unwrap_err();
    /// assert_eq!((error.line, error.kind), (2, ManifestErrorKind::SecondBase));
    /// assert_eq!(error.to_string(), "line 2 of the manifest: more than one base file");
    /// ```
    pub fn parse(text: &[u8]) -> Result<Self, ManifestError> {
        parse::parse(text)
    }

    /// Returns the text of the manifest as Redis writes it: base, history, increments.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for entry in self.base.iter().chain(&self.history).chain(&self.increments) {
            entry.write(&mut out);
        }
        out
    }

    /// What was there when the log was last rewritten.
    #[must_use]
    pub const fn base(&self) -> Option<&Entry> {
        self.base.as_ref()
    }

    /// The files with the commands since the base, in the order of loading.
    #[must_use]
    pub fn increments(&self) -> &[Entry] {
        &self.increments
    }

    /// The files that a rewrite has replaced.
    #[must_use]
    pub fn history(&self) -> &[Entry] {
        &self.history
    }

    /// Iterates over the files to load, in order: the base and the increments.
    #[must_use]
    pub fn files(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.base.iter().chain(&self.increments)
    }

    /// Adds the next base, `LOG.N.base.rdb` or `.base.aof`; the previous one becomes history.
    ///
    /// N is the next number whose file name is not in the manifest.
    ///
    /// # Errors
    ///
    /// [`AddError`] if the name of the log is not valid or too long. The manifest is unchanged.
    pub fn add_base(&mut self, log: &[u8], format: BaseFormat) -> Result<&Entry, AddError> {
        let suffix = match format {
            BaseFormat::Rdb => b".base.rdb",
            BaseFormat::Commands => b".base.aof",
        };
        let entry = self.next_entry(log, suffix, self.base_sequence, Kind::Base)?;
        self.base_sequence = entry.sequence;
        if let Some(mut old) = self.base.take() {
            old.kind = Kind::History;
            self.history.insert(0, old);
        }
        Ok(self.base.insert(entry))
    }

    /// Adds the next increment, `LOG.N.incr.aof`, after the existing ones.
    ///
    /// N is the next number whose file name is not in the manifest.
    ///
    /// # Errors
    ///
    /// [`AddError`] if the name of the log is not valid or too long. The manifest is unchanged.
    pub fn add_increment(&mut self, log: &[u8]) -> Result<&Entry, AddError> {
        let entry = self.next_entry(log, b".incr.aof", self.increment_sequence, Kind::Increment)?;
        self.increment_sequence = entry.sequence;
        let at = self.increments.len();
        self.increments.push(entry);
        Ok(&self.increments[at])
    }

    /// Moves all increments but the last `keep` to the history.
    pub fn retire_increments(&mut self, keep: usize) {
        let retired = self.increments.len().saturating_sub(keep);
        let retired = self.increments.drain(..retired);
        self.history
            .splice(..0, retired.map(|entry| Entry { kind: Kind::History, ..entry }))
            .for_each(drop);
    }

    /// Clears the history and returns the files to remove: those that are not also among the files to load.
    pub fn take_history(&mut self) -> Vec<Entry> {
        let mut history = std::mem::take(&mut self.history);
        history.retain(|entry| self.files().all(|file| file.name != entry.name));
        history
    }

    /// Takes an entry that was read.
    fn push(&mut self, entry: Entry) -> Result<(), ManifestErrorKind> {
        match entry.kind {
            Kind::Base if self.base.is_some() => return Err(ManifestErrorKind::SecondBase),
            Kind::Base => {
                self.base_sequence = entry.sequence;
                self.base = Some(entry);
            }
            Kind::History => self.history.push(entry),
            Kind::Increment if entry.sequence <= self.increment_sequence => {
                return Err(ManifestErrorKind::Order);
            }
            Kind::Increment => {
                self.increment_sequence = entry.sequence;
                self.increments.push(entry);
            }
        }
        Ok(())
    }

    /// The entry with the first sequence number above `last` whose name is free.
    fn next_entry(
        &self,
        log: &[u8],
        suffix: &[u8],
        last: i64,
        kind: Kind,
    ) -> Result<Entry, AddError> {
        // Redis reads numbers below 0, and none that is 0.
        let mut sequence = last.max(0);
        loop {
            sequence = sequence.checked_add(1).ok_or(AddError::Sequence)?;
            let mut digits = itoa::Buffer::new();
            let name = [log, b".", digits.format(sequence).as_bytes(), suffix].concat();
            if self.files().chain(&self.history).all(|file| file.name != name) {
                return new_entry(name, sequence, kind);
            }
        }
    }
}

fn new_entry(name: Vec<u8>, sequence: i64, kind: Kind) -> Result<Entry, AddError> {
    let entry = Entry { name, sequence, kind };
    if !is_file_name(&entry.name) {
        Err(AddError::Name)
    } else if entry.fits() {
        Ok(entry)
    } else {
        Err(AddError::LineTooLong)
    }
}
