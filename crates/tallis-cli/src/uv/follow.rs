//! A log that grows.
//!
//! # Idea
//!
//! A file is read again and again from where it ended. It may be cut to nothing and begin anew, or another file may
//! take its name, as happens when logs are rotated: then that one is read from its beginning. A pipe is read by a
//! thread of its own, since a thread that waits for it could not print a line each second.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::thread;

use crate::input::is_standard_input;
use crate::source::{Source, TooLong};

/// Bytes of a pipe that are read at once, and how many such chunks may wait.
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

/// Which file it is, whatever its name.
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

    /// The lines that there are now.
    pub(super) fn next_lines(&mut self) -> io::Result<Option<Result<&[u8], TooLong>>> {
        self.source.next_lines()
    }

    /// Sees to it that what comes next is found, when there is no line now. `false` if nothing will come.
    pub(super) fn look_again(&mut self) -> io::Result<bool> {
        match &mut self.origin {
            Origin::Pipe(ended) => Ok(!ended.load(Ordering::Acquire)),
            Origin::File { path, identity } => {
                let found = match fs::metadata(&*path) {
                    Ok(found) => found,
                    // Between the old file and the new one there may be none.
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

    /// Takes what has come for all: then the last line needs no line feed.
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

/// Elsewhere only a file that has become shorter is known to have begun anew.
#[cfg(not(unix))]
const fn identity(_: &fs::Metadata) -> Identity {
    Identity(0, 0)
}

/// What has come of a stream that another thread reads.
struct Pipe {
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: io::Cursor<Vec<u8>>,
    ended: Arc<AtomicBool>,
}

impl Pipe {
    fn new(ended: Arc<AtomicBool>) -> Self {
        let (sender, pieces) = sync_channel(WAITING);
        // It ends with the stream, or with the process.
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

/// Nothing where nothing has come.
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
