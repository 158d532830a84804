//! Streams that may be compressed.

use std::fmt;
use std::io::{self, BufReader, Chain, Cursor, Read};

use flate2::bufread::MultiGzDecoder;
use zstd::stream::read::Decoder as ZstdDecoder;

use super::PIECE;

/// The first bytes of a gzip file.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The first bytes of a zstd frame.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The first bytes of a skippable zstd frame, with which a file may begin: the lowest four bits may be any.
const SKIPPABLE_MAGIC: [u8; 4] = [0x50, 0x2a, 0x4d, 0x18];

/// The compression of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    Gzip,
    Zstd,
}

impl Packing {
    /// Returns the compression of a stream with these first bytes.
    fn of(head: &[u8]) -> Option<Self> {
        if head.starts_with(&GZIP_MAGIC) {
            Some(Self::Gzip)
        } else if head.len() == ZSTD_MAGIC.len() && begins_as_zstd(head) {
            Some(Self::Zstd)
        } else {
            None
        }
    }
}

/// Returns whether these are the first bytes of a zstd frame, or a part of them.
fn begins_as_zstd(head: &[u8]) -> bool {
    let mut skippable = head.to_vec();
    if let Some(first) = skippable.first_mut() {
        *first &= 0xf0;
    }
    ZSTD_MAGIC.starts_with(head) || SKIPPABLE_MAGIC.starts_with(&skippable)
}

/// Reads the first bytes of a stream, as few as are needed to detect the compression, so that a stream that is not
/// compressed is not blocked after a short line.
fn head_of(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    while Packing::of(&head).is_none()
        && head.len() < ZSTD_MAGIC.len()
        && (begins_as_zstd(&head) || GZIP_MAGIC.starts_with(&head))
    {
        if input.take(1).read_to_end(&mut head)? == 0 {
            break;
        }
    }
    Ok(head)
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        })
    }
}

/// A stream with its first bytes put back.
type Stream<R> = Counted<Chain<Cursor<Vec<u8>>, R>>;

/// A stream that is decompressed while it is read. Consecutive gzip members and zstd frames are one text.
pub(super) enum Input<R> {
    Plain(Stream<R>),
    Gzip(Box<MultiGzDecoder<BufReader<Stream<R>>>>),
    Zstd(Box<ZstdDecoder<'static, BufReader<Stream<R>>>>),
}

impl<R: Read> Input<R> {
    pub(super) fn new(mut input: R) -> io::Result<Self> {
        let head = head_of(&mut input)?;
        let packing = Packing::of(&head);
        let stream = Counted { inner: Cursor::new(head).chain(input), read: 0 };
        let Some(packing) = packing else { return Ok(Self::Plain(stream)) };
        let stream = BufReader::with_capacity(PIECE, stream);
        Ok(match packing {
            Packing::Gzip => Self::Gzip(Box::new(MultiGzDecoder::new(stream))),
            Packing::Zstd => Self::Zstd(Box::new(ZstdDecoder::with_buffer(stream)?)),
        })
    }

    pub(super) fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(input) => input.read(piece),
            Self::Gzip(input) => input.read(piece),
            Self::Zstd(input) => input.read(piece),
        }
    }

    /// Returns the number of bytes read from the stream, before decompression.
    pub(super) fn bytes_read(&self) -> u64 {
        match self {
            Self::Plain(input) => input.read,
            Self::Gzip(input) => input.get_ref().get_ref().read,
            Self::Zstd(input) => input.get_ref().get_ref().read,
        }
    }
}

impl<R> Input<R> {
    pub(super) const fn packing(&self) -> Option<Packing> {
        match self {
            Self::Plain(_) => None,
            Self::Gzip(_) => Some(Packing::Gzip),
            Self::Zstd(_) => Some(Packing::Zstd),
        }
    }
}

impl<R> fmt::Debug for Input<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input").field("packing", &self.packing()).finish_non_exhaustive()
    }
}

/// A stream that counts the bytes read from it.
#[derive(Debug)]
pub(super) struct Counted<R> {
    inner: R,
    read: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(piece)?;
        self.read += read as u64;
        Ok(read)
    }
}
