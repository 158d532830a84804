//! Hashes whose fields can expire.

use std::fmt;
use std::io::{Read, Write};

use super::kind::ValueType;
use super::read::{Body, State};
use crate::error::{Error, ErrorKind};
use crate::sink::Sink;
use crate::source::Source;
use crate::writer::WriteError;
use crate::{length, string};

/// How the expiry of a field is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExpiryForm {
    /// Before the field: a time, or 0.
    Absolute,
    /// Before the field: 1 and the time since the earliest one, or 0.
    Since(i64),
    /// Behind the value: 8 bytes, or -1. Valkey's form.
    Behind,
}

impl ExpiryForm {
    /// The form of a type, and what stands before the number of its fields.
    pub(super) fn read<R: Read>(source: &mut Source<R>, kind: ValueType) -> Result<Self, Error> {
        if kind == ValueType::HashTtl {
            return Ok(Self::Since(i64::from_le_bytes(source.array()?)));
        }
        Ok(if kind == ValueType::ValkeyHashTtl { Self::Behind } else { Self::Absolute })
    }
}

/// A field of a hash, its value, and its expiry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field<'a> {
    /// The field.
    pub field: &'a [u8],
    /// Its value.
    pub value: &'a [u8],
    /// The expiry in milliseconds since 1970; `None` if the field does not expire.
    pub expire_at_ms: Option<i64>,
}

/// Reads the fields of a hash whose fields can expire, one at a time.
///
/// The file may have duplicate fields, or none; the caller must handle this. Fields that are not read are skipped.
pub struct Fields<'r, R> {
    body: &'r mut Body<R>,
    value: Vec<u8>,
}

impl<'r, R> Fields<'r, R> {
    pub(super) const fn of(body: &'r mut Body<R>) -> Self {
        Self { body, value: Vec::new() }
    }
}

impl<R: Read> Fields<'_, R> {
    /// Reads the next field, which is valid until the next call; `None` after the last.
    ///
    /// # Errors
    /// [`Error`] if the bytes are malformed; [`ErrorKind::FieldExpiry`] for an expiry that is not valid.
    #[expect(
        clippy::should_implement_trait,
        reason = "a field is borrowed from the reader, which `Iterator` cannot express"
    )]
    pub fn next(&mut self) -> Result<Option<Field<'_>>, Error> {
        match self.body.take_state() {
            State::Fields { left: left @ 1.., form } => {
                let source = &mut self.body.source;
                let before = read_before(source, form)?;
                string::read_into(source, &mut self.body.string)?;
                string::read_into(source, &mut self.value)?;
                let expire_at_ms = before.or(read_behind(source, form)?);
                self.body.state = State::Fields { left: left - 1, form };
                Ok(Some(Field { field: &self.body.string, value: &self.value, expire_at_ms }))
            }
            State::Fields { left: 0, .. } | State::Between => {
                self.body.state = State::Between;
                Ok(None)
            }
            State::Value(_)
            | State::Strings(_)
            | State::Nodes(_)
            | State::Scores { .. }
            | State::Ended
            | State::Failed => Err(self.body.source.error(ErrorKind::Failed)),
        }
    }

    /// The earliest expiry of a field according to the file, in milliseconds since 1970; 0 if the file does not have
    /// it.
    #[must_use]
    pub fn earliest_ms(&self) -> i64 {
        if let State::Fields { form: ExpiryForm::Since(earliest), .. } = self.body.state {
            earliest
        } else {
            0
        }
    }

    /// The number of fields not yet read, according to the file.
    #[must_use]
    pub fn announced(&self) -> u64 {
        if let State::Fields { left, .. } = self.body.state { left } else { 0 }
    }
}

impl<R> fmt::Debug for Fields<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fields").field("state", &self.body.state).finish_non_exhaustive()
    }
}

/// The expiry that Valkey writes for a field that does not expire.
const NO_EXPIRY: i64 = -1;

/// Reads the expiry before a field.
fn read_before<R: Read>(source: &mut Source<R>, form: ExpiryForm) -> Result<Option<i64>, Error> {
    let start = match form {
        ExpiryForm::Behind => return Ok(None),
        ExpiryForm::Absolute => 0,
        // The earliest one has the number 1.
        ExpiryForm::Since(earliest) => i128::from(earliest) - 1,
    };
    let at = source.offset();
    let number = length::read(source)?;
    if number == 0 {
        return Ok(None);
    }
    // The number of the last time that there is does not fit 63 bits where the earliest is 0.
    let time = i64::try_from(start + i128::from(number)).ok().filter(|&time| time >= 0);
    time.map(Some).ok_or(Error::new(at, ErrorKind::FieldExpiry))
}

/// Reads the expiry after a value. Valkey refuses a time before 1970.
fn read_behind<R: Read>(source: &mut Source<R>, form: ExpiryForm) -> Result<Option<i64>, Error> {
    if form != ExpiryForm::Behind {
        return Ok(None);
    }
    let at = source.offset();
    match i64::from_le_bytes(source.array()?) {
        NO_EXPIRY => Ok(None),
        time @ 0.. => Ok(Some(time)),
        _ => Err(Error::new(at, ErrorKind::FieldExpiry)),
    }
}

/// Skips a field, with a pause as in [`scan_with`](super::scan::scan_with).
pub(super) fn scan_with<R: Read, E: From<Error>>(
    source: &mut Source<R>,
    form: ExpiryForm,
    pause: &mut impl FnMut(&mut Source<R>) -> Result<(), E>,
) -> Result<(), E> {
    read_before(source, form)?;
    string::scan_with(source, pause)?;
    string::scan_with(source, pause)?;
    read_behind(source, form)?;
    Ok(())
}

/// The number that says an expiry: 1 and the time since the earliest one, or 0.
fn number_of(expire_at_ms: Option<i64>, earliest_ms: i64) -> Result<u64, WriteError> {
    let Some(at) = expire_at_ms else { return Ok(0) };
    let since = at.checked_sub(earliest_ms).and_then(|since| u64::try_from(since).ok());
    since.map_or(Err(WriteError::Malformed(Error::new(0, ErrorKind::FieldExpiry))), |since| {
        Ok(since + 1)
    })
}

/// Writes the fields of a hash whose fields can expire.
///
/// If it is dropped before the last one was written, the next call on the writer fails.
#[must_use = "the fields must still be written"]
pub struct FieldsWriter<'a, W> {
    pub(super) sink: &'a mut Sink<W>,
    /// The first expiry, since which the others count; none in Valkey's form.
    pub(super) earliest_ms: Option<i64>,
}

impl<W: Write> FieldsWriter<'_, W> {
    /// Writes one field.
    ///
    /// # Errors
    /// [`WriteError`] if there are more fields than announced or an expiry is before the earliest; nothing is written
    /// then.
    pub fn field(&mut self, field: Field<'_>) -> Result<(), WriteError> {
        let Field { field, value, expire_at_ms } = field;
        let earliest_ms = self.earliest_ms;
        self.sink.one(|sink| {
            if let Some(earliest) = earliest_ms {
                length::write(sink, number_of(expire_at_ms, earliest)?)?;
            }
            string::write(sink, field)?;
            string::write(sink, value)?;
            if earliest_ms.is_none() {
                sink.put(&expire_at_ms.unwrap_or(NO_EXPIRY).to_le_bytes())?;
            }
            Ok(())
        })
    }

    /// Finishes the hash.
    ///
    /// # Errors
    /// [`WriteError`] if fields are missing; the file cannot be finished then.
    pub fn finish(self) -> Result<(), WriteError> {
        self.sink.check_complete()
    }
}

impl<W> fmt::Debug for FieldsWriter<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FieldsWriter")
            .field("earliest_ms", &self.earliest_ms)
            .finish_non_exhaustive()
    }
}
