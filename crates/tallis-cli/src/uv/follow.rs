//! Following a log that grows.
//!
//! # Idea
//!
//! A file is read repeatedly from where it ended. If it was truncated, or another file has its name, as after a
//! rotation of logs, the file with this name is read from its beginning. A pipe is read by a thread of its own, because
//! a thread that is blocked by it could not print a line each second.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::thread;

use crate::input::is_standard_input;
use crate::source::{Source, TooLong};

/// The number of bytes that are read from a pipe at once, and of such chunks that may wait.
const PIECE: usize = 64 << 10;
const WAITING: usize = 16;

/// A log that is followed.
pub(super) struct Growing {
    source: Source<Box<dyn Read>>,
    origin: Origin,
}

enum Origin {
    File {
        path: PathBuf,
        identity: Identity,
    },
    /// Standard input, and whether it has ended.
    Pipe(Arc<AtomicBool>),
}

/// The identity of a file, independent of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity(u64, u64);

impl Growing {
    /// Opens a file, or standard input for `-`.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        if is_standard_input(path) {
            let ended = Arc::new(AtomicBool::new(false));
            let pipe: Box<dyn Read> = Box::new(Pipe::new(ended.clone()));
            let mut source = Source::new(pipe)?;
            source.follow()?;
            return Ok(Self { source, origin: Origin::Pipe(ended) });
        }
        let (source, identity) = open_file(path)?;
        Ok(Self { source, origin: Origin::File { path: path.to_owned(), identity } })
    }

    /// Returns the lines that are available now.
    pub(super) fn next_lines(&mut self) -> io::Result<Option<Result<&[u8], TooLong>>> {
        self.source.next_lines()
    }

    /// Checks for more input, if no line is available; returns `false` if there will be none.
    pub(super) fn look_again(&mut self) -> io::Result<bool> {
        match &mut self.origin {
            Origin::Pipe(ended) => Ok(!ended.load(Ordering::Acquire)),
            Origin::File { path, identity } => {
                let found = match fs::metadata(&*path) {
                    Ok(found) => found,
                    // Between the old file and the new one the name may not exist.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
                    Err(error) => return Err(error),
                };
                let other = self::identity(&found) != *identity;
                if other || found.len() < self.source.bytes_read() {
                    (self.source, *identity) = open_file(path)?;
                }
                Ok(true)
            }
        }
    }

    /// Treats the input as complete: then the last line needs no line feed.
    pub(super) const fn end(&mut self) {
        self.source.stop_following();
    }
}

fn open_file(path: &Path) -> io::Result<(Source<Box<dyn Read>>, Identity)> {
    let file = File::open(path)?;
    let identity = identity(&file.metadata()?);
    let file: Box<dyn Read> = Box::new(file);
    let mut source = Source::new(file)?;
    source.follow()?;
    Ok((source, identity))
}

#[cfg(unix)]
fn identity(found: &fs::Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    Identity(found.dev(), found.ino())
}

/// On other systems only a file that has become shorter is detected as truncated.
#[cfg(not(unix))]
const fn identity(_: &fs::Metadata) -> Identity {
    Identity(0, 0)
}

/// The bytes of a stream that another thread reads.
struct Pipe {
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: io::Cursor<Vec<u8>>,
    ended: Arc<AtomicBool>,
}

impl Pipe {
    fn new(ended: Arc<AtomicBool>) -> Self {
        let (sender, pieces) = sync_channel(WAITING);
        // The thread ends with the stream, or with the process.
        thread::spawn(move || {
            let mut input = io::stdin().lock();
            loop {
                let mut piece = vec![0; PIECE];
                let read = match input.read(&mut piece) {
                    Ok(0) => return,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    read => read,
                };
                let failed = read.is_err();
                let read = read.map(|length| {
                    piece.truncate(length);
                    piece
                });
                if sender.send(read).is_err() || failed {
                    return;
                }
            }
        });
        Self { pieces, piece: io::Cursor::default(), ended }
    }
}

/// Returns no bytes if none are available.
impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.piece.read(buffer)?;
            if read > 0 {
                return Ok(read);
            }
            match self.pieces.try_recv() {
                Ok(piece) => self.piece = io::Cursor::new(piece?),
                Err(TryRecvError::Empty) => return Ok(0),
                Err(TryRecvError::Disconnected) => {
                    self.ended.store(true, Ordering::Release);
                    return Ok(0);
                }
            }
        }
    }
}
