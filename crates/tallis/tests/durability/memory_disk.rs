//! A disk in memory that loses unsynced data, fails and becomes full.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use tallis::disk::{Disk, DiskFile, DiskLock};
use testkit::rng::Rng;

/// The calls that fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Only the call with that number.
    Once(usize),
    /// That call and all later ones.
    From(usize),
    /// Writes, as soon as the files have this many bytes.
    FullAt(usize),
}

/// A disk in memory. Clones are the same disk.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemoryDisk(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    files: Vec<Content>,
    folders: BTreeSet<PathBuf>,
    /// The file number of each name: as processes see it, and as it is on the disk.
    names: BTreeMap<PathBuf, usize>,
    durable: BTreeMap<PathBuf, usize>,
    locked: BTreeSet<PathBuf>,
    fault: Option<Fault>,
    calls: usize,
    failed: usize,
}

#[derive(Clone, Debug, Default)]
struct Content {
    bytes: Vec<u8>,
    synced: Vec<u8>,
}

impl MemoryDisk {
    fn state(&self) -> MutexGuard<'_, State> {
        // Other threads may run before a call of the disk.
        #[cfg(shuttle)]
        shuttle::thread::yield_now();
        self.0.lock().unwrap()
    }

    /// Sets the calls that fail from now on, if any; counting begins again.
    pub(crate) fn set_fault(&self, fault: Option<Fault>) {
        let mut state = self.state();
        (state.fault, state.calls, state.failed) = (fault, 0, 0);
    }

    /// Blocks every call until the result is dropped.
    pub(crate) fn hold(&self) -> impl Drop + '_ {
        self.state()
    }

    /// Returns the number of calls that have failed.
    pub(crate) fn failed(&self) -> usize {
        self.state().failed
    }

    /// Returns another disk with the same files.
    pub(crate) fn copy(&self) -> Self {
        let state = self.state();
        let (files, folders) = (state.files.clone(), state.folders.clone());
        let (names, durable) = (state.names.clone(), state.durable.clone());
        Self(Arc::new(Mutex::new(State { files, folders, names, durable, ..State::default() })))
    }

    /// Returns the bytes of a file.
    pub(crate) fn bytes(&self, path: impl AsRef<Path>) -> Option<Vec<u8>> {
        let state = self.state();
        state.names.get(path.as_ref()).map(|&file| state.files[file].bytes.clone())
    }

    /// Returns the bytes of all files, concatenated, that would be left if the machine stopped now.
    #[cfg(shuttle)]
    pub(crate) fn synced(&self) -> Vec<u8> {
        let state = self.state();
        state.durable.values().flat_map(|&file| state.files[file].synced.clone()).collect()
    }

    /// Returns every file with its bytes.
    pub(crate) fn contents(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let state = self.state();
        let with_bytes =
            |(name, &file): (&PathBuf, &usize)| (name.clone(), state.files[file].bytes.clone());
        state.names.iter().map(with_bytes).collect()
    }

    /// Writes a file to the disk.
    pub(crate) fn put(&self, path: impl Into<PathBuf>, bytes: Vec<u8>) {
        let mut state = self.state();
        let path = path.into();
        state.folders.extend(path.ancestors().skip(1).map(Path::to_path_buf));
        let file = state.files.len();
        state.files.push(Content { synced: bytes.clone(), bytes });
        state.names.insert(path.clone(), file);
        state.durable.insert(path, file);
    }

    /// Returns the names of the files, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        self.state().names.keys().map(|name| name.display().to_string()).collect()
    }

    /// Returns the disk after the machine has stopped: the synced names and bytes, and some of the others.
    pub(crate) fn after_a_crash(&self, rng: &mut Rng) -> Self {
        let state = self.state();
        let mut keep = |content: &Content| {
            let Content { bytes, synced } = content;
            let mut left = synced.clone();
            if bytes.starts_with(synced) {
                let more = usize::try_from(rng.below((bytes.len() - synced.len()) as u64 + 1));
                left.extend_from_slice(&bytes[synced.len()..][..more.unwrap()]);
            }
            Content { synced: left.clone(), bytes: left }
        };
        let files = state.files.iter().map(&mut keep).collect();
        let (names, durable) = (state.durable.clone(), state.durable.clone());
        let folders = state.folders.clone();
        Self(Arc::new(Mutex::new(State { files, folders, names, durable, ..State::default() })))
    }

    fn file(&self, number: usize) -> Box<dyn DiskFile> {
        Box::new(MemoryFile { disk: self.clone(), number, at: 0 })
    }
}

impl State {
    fn call(&mut self) -> io::Result<()> {
        self.calls += 1;
        let fails = match self.fault {
            Some(Fault::Once(call)) => self.calls == call,
            Some(Fault::From(call)) => self.calls >= call,
            Some(Fault::FullAt(_)) | None => false,
        };
        if fails {
            self.failed += 1;
            return Err(io::Error::other("the disk fails"));
        }
        Ok(())
    }

    fn find(&self, path: &Path) -> io::Result<usize> {
        self.names.get(path).copied().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn make(&mut self, path: &Path) -> io::Result<usize> {
        if !path.parent().is_some_and(|folder| self.folders.contains(folder)) {
            return Err(io::ErrorKind::NotFound.into());
        }
        self.files.push(Content::default());
        self.names.insert(path.to_path_buf(), self.files.len() - 1);
        Ok(self.files.len() - 1)
    }
}

impl Disk for MemoryDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut state = self.state();
        state.call()?;
        if state.find(path).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let number = state.make(path)?;
        Ok(self.file(number))
    }

    fn append(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut state = self.state();
        state.call()?;
        let found = state.find(path);
        let number = found.or_else(|_| state.make(path))?;
        Ok(self.file(number))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut state = self.state();
        state.call()?;
        let number = state.find(path)?;
        Ok(self.file(number))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.call()?;
        let number = state.find(from)?;
        state.names.remove(from);
        state.names.insert(to.to_path_buf(), number);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.call()?;
        state.find(path)?;
        state.names.remove(path);
        Ok(())
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.call()?;
        state.folders.extend(path.ancestors().map(Path::to_path_buf));
        Ok(())
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.call()?;
        let within = |name: &PathBuf| name.parent() == Some(path);
        let here: Vec<_> = state.names.iter().filter(|(name, _)| within(name)).collect();
        let here: Vec<_> = here.into_iter().map(|(name, &file)| (name.clone(), file)).collect();
        state.durable.retain(|name, _| !within(name));
        state.durable.extend(here);
        Ok(())
    }

    fn list(&self, path: &Path) -> io::Result<Vec<OsString>> {
        let mut state = self.state();
        state.call()?;
        if !state.folders.contains(path) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let within = state.names.keys().filter(|name| name.parent() == Some(path));
        Ok(within.filter_map(|name| name.file_name()).map(Into::into).collect())
    }

    fn lock(&self, path: &Path) -> io::Result<Box<dyn DiskLock>> {
        let mut state = self.state();
        state.call()?;
        if !state.locked.insert(path.to_path_buf()) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        Ok(Box::new(Locked { disk: self.clone(), path: path.to_path_buf() }))
    }
}

#[derive(Debug)]
struct Locked {
    disk: MemoryDisk,
    path: PathBuf,
}

impl DiskLock for Locked {}

impl Drop for Locked {
    fn drop(&mut self) {
        self.disk.state().locked.remove(&self.path);
    }
}

#[derive(Debug)]
struct MemoryFile {
    disk: MemoryDisk,
    number: usize,
    /// The position of the next read.
    at: usize,
}

impl Read for MemoryFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut state = self.disk.state();
        state.call()?;
        let rest = state.files[self.number].bytes.get(self.at..).unwrap_or_default();
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        Ok(count)
    }
}

impl Write for MemoryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.disk.state();
        if let Err(error) = state.call() {
            // A part of the bytes may have been written nevertheless.
            let half = &bytes[..bytes.len() / 2];
            state.files[self.number].bytes.extend_from_slice(half);
            return Err(error);
        }
        let mut count = bytes.len();
        if let Some(Fault::FullAt(most)) = state.fault {
            let used: usize = state.names.values().map(|&file| state.files[file].bytes.len()).sum();
            count = count.min(most.saturating_sub(used));
            if count == 0 && !bytes.is_empty() {
                state.failed += 1;
                return Err(io::Error::new(io::ErrorKind::StorageFull, "no space left"));
            }
        }
        state.files[self.number].bytes.extend_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl DiskFile for MemoryFile {
    fn size(&self) -> io::Result<u64> {
        let mut state = self.disk.state();
        state.call()?;
        Ok(state.files[self.number].bytes.len() as u64)
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.disk.state();
        state.call()?;
        let content = &mut state.files[self.number];
        content.synced.clone_from(&content.bytes);
        Ok(())
    }

    fn truncate(&self, size: u64) -> io::Result<()> {
        let mut state = self.disk.state();
        state.call()?;
        let size = usize::try_from(size).unwrap();
        state.files[self.number].bytes.resize(size, 0);
        Ok(())
    }
}
