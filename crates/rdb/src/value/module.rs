//! Values of modules, which can be skipped without the module.
//!
//! A module's value is its id, tagged parts and an end tag. Tags are lengths:
//!
//! ```text
//! id | 1 length (signed) | 2 length (unsigned) | 3 f32 | 4 f64 | 5 string | ... | 0
//! ```

use std::{
    fmt,
    io::{Read, Write},
};

use super::parts::PartsWriter;
use crate::{
    error::{Error, ErrorKind},
    length,
    sink::Sink,
    source::Source,
    string,
    writer::WriteError,
};

const END: u64 = 0;
const SIGNED: u64 = 1;
const UNSIGNED: u64 = 2;
const FLOAT: u64 = 3;
const DOUBLE: u64 = 4;
const STRING: u64 = 5;

/// What is owed of a module's value until it is finished.
const END_TAG: u64 = 1;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const NAME_LEN: usize = 9;
const VERSION_BITS: u32 = 10;

/// The id of a module's type: a name of nine characters, six bits each, and the version of its
/// encoding in the low ten bits.
///
/// ```
/// let id = rdb::ModuleId::from_bits(0x3016_e5a2_89be_f804);
/// assert_eq!((id.name(), id.version()), (*b"MBbloom--", 4));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ModuleId(u64);

impl ModuleId {
    /// Creates an id from its stored number.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Creates an id from a name of nine characters of `A-Z a-z 0-9 - _` and a version of at most 1023; returns `None`
    /// for others.
    ///
    /// ```
    /// let id = rdb::ModuleId::new(*b"MBbloom--", 4).unwrap();
    /// assert_eq!(id.bits(), 0x3016_e5a2_89be_f804);
    /// ```
    #[must_use]
    pub fn new(name: [u8; NAME_LEN], version: u16) -> Option<Self> {
        let name = name.into_iter().try_fold(0, |bits, letter| {
            let place = ALPHABET.iter().position(|&this| this == letter)?;
            Some(bits << 6 | place as u64)
        })?;
        (version >> VERSION_BITS == 0).then_some(Self(name << VERSION_BITS | u64::from(version)))
    }

    /// The stored number.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The type's name, of `A-Z a-z 0-9 - _`.
    #[must_use]
    pub fn name(self) -> [u8; NAME_LEN] {
        let mut rest = self.0 >> VERSION_BITS;
        let mut name = [0; NAME_LEN];
        for letter in name.iter_mut().rev() {
            #[expect(clippy::indexing_slicing, reason = "six bits index 64 letters")]
            {
                *letter = ALPHABET[(rest & 0x3f) as usize];
            }
            rest >>= 6;
        }
        name
    }

    /// The version of the type's encoding.
    #[must_use]
    pub const fn version(self) -> u16 {
        (self.0 & ((1 << VERSION_BITS) - 1)) as u16
    }
}

impl fmt::Debug for ModuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ModuleId({} {})", self.name().escape_ascii(), self.version())
    }
}

/// A part of a module's value. `B` holds the bytes of a string.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ModulePart<B> {
    /// A signed number.
    Signed(i64),
    /// An unsigned number.
    Unsigned(u64),
    /// A float.
    Float(f32),
    /// A double.
    Double(f64),
    /// A string.
    Bytes(B),
}

impl<B: AsRef<[u8]>> ModulePart<B> {
    /// Returns the same part with borrowed bytes.
    #[must_use]
    pub fn borrowed(&self) -> ModulePart<&[u8]> {
        match self {
            Self::Signed(number) => ModulePart::Signed(*number),
            Self::Unsigned(number) => ModulePart::Unsigned(*number),
            Self::Float(number) => ModulePart::Float(*number),
            Self::Double(number) => ModulePart::Double(*number),
            Self::Bytes(bytes) => ModulePart::Bytes(bytes.as_ref()),
        }
    }
}

/// An iterator over the parts of a module's value, in order.
#[derive(Debug)]
pub struct ModuleParts<'a> {
    /// `None` behind the end tag or an error.
    source: Option<Source<&'a [u8]>>,
}

impl<'a> ModuleParts<'a> {
    /// The id, and the parts behind it.
    pub(super) fn of(body: &'a [u8]) -> Result<(ModuleId, Self), Error> {
        let mut source = Source::new(body, Some(body.len() as u64), false);
        let id = read_id(&mut source)?;
        Ok((id, Self { source: Some(source) }))
    }
}

impl Iterator for ModuleParts<'_> {
    type Item = Result<ModulePart<Vec<u8>>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut source = self.source.take()?;
        match read_part(&mut source) {
            Ok(None) => None,
            Ok(Some(part)) => {
                self.source = Some(source);
                Some(Ok(part))
            }
            Err(error) => Some(Err(error)),
        }
    }
}

/// The next part; `None` for the end tag.
fn read_part<R: Read>(source: &mut Source<R>) -> Result<Option<ModulePart<Vec<u8>>>, Error> {
    let at = source.offset();
    Ok(Some(match length::read(source)? {
        END => return Ok(None),
        SIGNED => ModulePart::Signed(length::read(source)?.cast_signed()),
        UNSIGNED => ModulePart::Unsigned(length::read(source)?),
        FLOAT => ModulePart::Float(f32::from_le_bytes(source.array()?)),
        DOUBLE => ModulePart::Double(f64::from_le_bytes(source.array()?)),
        STRING => ModulePart::Bytes(string::read(source)?),
        tag => return Err(Error::new(at, ErrorKind::BadModulePart(tag))),
    }))
}

/// Writes a part as it is read.
pub(super) fn write_part<W: Write>(
    sink: &mut Sink<W>,
    part: ModulePart<&[u8]>,
) -> Result<(), WriteError> {
    match part {
        ModulePart::Signed(number) => {
            length::write(sink, SIGNED)?;
            length::write(sink, number.cast_unsigned())
        }
        ModulePart::Unsigned(number) => {
            length::write(sink, UNSIGNED)?;
            length::write(sink, number)
        }
        ModulePart::Float(number) => {
            length::write(sink, FLOAT)?;
            sink.put(&number.to_le_bytes())
        }
        ModulePart::Double(number) => {
            length::write(sink, DOUBLE)?;
            sink.put(&number.to_le_bytes())
        }
        ModulePart::Bytes(bytes) => {
            write_string_tag(sink)?;
            string::write(sink, bytes)
        }
    }
}

/// Writes the tag of a string.
pub(super) fn write_string_tag<W: Write>(sink: &mut Sink<W>) -> Result<(), WriteError> {
    length::write(sink, STRING)
}

/// Writes the end tag.
pub(super) fn write_end<W: Write>(sink: &mut Sink<W>) -> Result<(), WriteError> {
    length::write(sink, END)
}

pub(crate) fn read_id<R: Read>(source: &mut Source<R>) -> Result<ModuleId, Error> {
    length::read(source).map(ModuleId)
}

/// Skips the parts up to and including the end tag, with a pause after each string.
pub(crate) fn scan_parts<R: Read, E: From<Error>>(
    source: &mut Source<R>,
    pause: &mut impl FnMut(&mut Source<R>) -> Result<(), E>,
) -> Result<(), E> {
    loop {
        let at = source.offset();
        match length::read(source)? {
            END => return Ok(()),
            SIGNED | UNSIGNED => drop(length::read(source)?),
            FLOAT => drop(source.array::<4>()?),
            DOUBLE => drop(source.array::<8>()?),
            STRING => {
                string::scan_with(source, pause)?;
            }
            tag => return Err(Error::new(at, ErrorKind::BadModulePart(tag)).into()),
        }
    }
}

/// Skips the data that a module stores apart from the keys: id, time of writing, parts.
pub(crate) fn scan_aux<R: Read>(source: &mut Source<R>) -> Result<ModuleId, Error> {
    let id = read_id(source)?;
    let at = source.offset();
    match length::read(source)? {
        UNSIGNED => {}
        tag => return Err(Error::new(at, ErrorKind::BadModulePart(tag))),
    }
    length::read(source)?;
    scan_parts(source, &mut |_| Ok::<(), Error>(()))?;
    Ok(id)
}

/// Skips the metadata that modules store with a key: for each module the bits of its class, and parts.
pub(crate) fn scan_metadata<R: Read>(source: &mut Source<R>) -> Result<(), Error> {
    for _ in 0..length::read(source)? {
        source.array::<4>()?; // class
        scan_parts(source, &mut |_| Ok::<(), Error>(()))?;
    }
    Ok(())
}

/// Validates that bytes are exactly what [`scan_metadata`] skips.
pub(super) fn check_metadata(bytes: &[u8]) -> Result<(), Error> {
    let mut source = Source::new(bytes, Some(bytes.len() as u64), false);
    scan_metadata(&mut source)?;
    source.check_end()
}

/// Validates that bytes are exactly what [`scan_aux`] skips.
pub(crate) fn check_aux(body: &[u8]) -> Result<(), Error> {
    let mut source = Source::new(body, Some(body.len() as u64), false);
    scan_aux(&mut source)?;
    source.check_end()
}

/// Writes the parts of a module's value.
///
/// If it is dropped before [`finish`](Self::finish), the next call on the writer fails.
#[must_use = "the parts must still be written"]
pub struct ModuleWriter<'a, W> {
    sink: &'a mut Sink<W>,
}

impl<'a, W: Write> ModuleWriter<'a, W> {
    pub(super) fn new(sink: &'a mut Sink<W>, id: ModuleId) -> Result<Self, WriteError> {
        length::write(sink, id.bits())?;
        sink.owed = END_TAG;
        Ok(Self { sink })
    }

    /// Writes one part; a string is compressed if servers do so.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn part(&mut self, part: ModulePart<&[u8]>) -> Result<(), WriteError> {
        self.sink.check_owed(END_TAG)?;
        write_part(self.sink, part)
    }

    /// Begins a string of `len` bytes that is written in parts, not compressed.
    ///
    /// # Errors
    /// [`WriteError`].
    ///
    /// ```
    /// use rdb::{ModuleId, ModulePart, WriteOptions, dump};
    ///
    /// let options = WriteOptions::default();
    /// let id = ModuleId::new(*b"MBbloom--", 4).unwrap();
    /// let whole = dump::encode(options, |value| {
    ///     let mut value = value.module(id)?;
    ///     value.part(ModulePart::Bytes(b"hello"))?;
    ///     value.finish()
    /// })?;
    /// let in_parts = dump::encode(options, |value| {
    ///     let mut value = value.module(id)?;
    ///     let mut parts = value.bytes_in_parts(5)?;
    ///     parts.part(b"he")?;
    ///     parts.part(b"llo")?;
    ///     parts.finish()?;
    ///     value.finish()
    /// })?;
    /// assert_eq!(in_parts, whole);
    /// # Ok::<(), rdb::WriteError>(())
    /// ```
    pub fn bytes_in_parts(&mut self, len: u64) -> Result<PartsWriter<'_, W>, WriteError> {
        self.sink.check_owed(END_TAG)?;
        write_string_tag(self.sink)?;
        PartsWriter::new(self.sink, len)
    }

    /// Writes a string of `plain_len` bytes as this LZF stream.
    ///
    /// # Errors
    /// [`WriteError`] if the stream is malformed or decompresses to another number of bytes.
    pub fn compressed_bytes(&mut self, stream: &[u8], plain_len: u64) -> Result<(), WriteError> {
        string::check_stream(stream, plain_len)?;
        self.sink.check_owed(END_TAG)?;
        write_string_tag(self.sink)?;
        string::write_stream(self.sink, stream, plain_len)
    }

    /// Finishes the value.
    ///
    /// # Errors
    /// [`WriteError`] if bytes of a string are missing; the file cannot be finished then.
    pub fn finish(self) -> Result<(), WriteError> {
        self.sink.check_owed(END_TAG)?;
        write_end(self.sink)?;
        self.sink.owed = 0;
        Ok(())
    }
}

impl<W> fmt::Debug for ModuleWriter<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModuleWriter").finish_non_exhaustive()
    }
}
