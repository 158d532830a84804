//! Output as JSON, one object per line.

use std::io::{self, Write};

use tallis::file::{Element, ValueError, each_element, has_form};
use tallis::rdb::{ModuleId, RawValue, Record, Value, WriteOptions, dump};

use tallis::Target;

use super::pass::{Output, Stop, passes};
use crate::files::{Damage, Filter, Key, Scan, encode, lossy};

/// Writes a JSON object per key, one per line.
#[derive(Debug)]
pub(super) struct Json<'a, W> {
    pub(super) out: W,
    pub(super) filter: Filter<'a>,
}

/// Why writing a value ends.
#[derive(Debug)]
pub(super) enum Ended {
    Value(ValueError),
    Output(io::Error),
}

impl Ended {
    pub(super) fn of(self, key: &Key) -> Stop {
        match self {
            Self::Value(error) => Stop::of_value(key, &error),
            Self::Output(error) => Stop::Output(error),
        }
    }
}

impl From<ValueError> for Ended {
    fn from(error: ValueError) -> Self {
        Self::Value(error)
    }
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Returns the DUMP payload of a value that is not decoded, for the oldest servers that have its type.
pub(super) fn payload(raw: &RawValue, key: &Key) -> Result<Vec<u8>, Stop> {
    let none = |reason: &str| Stop::NoForm(Damage::of(key, reason, key.at));
    let target = Target::ALL.into_iter().find(|&target| has_form(raw.kind(), target));
    let target = target.ok_or_else(|| none("no RDB version supports this type"))?;
    let options = WriteOptions { target, ..WriteOptions::default() };
    dump::encode(options, |writer| writer.raw(raw)).map_err(|error| none(&error.to_string()))
}

impl<W: Write> Json<'_, W> {
    /// Writes the part before the value.
    fn begin(&mut self, key: &Key, kind: &str) -> io::Result<()> {
        write!(self.out, "{{\"db\":{},\"key\":", key.db)?;
        serde_json::to_writer(&mut self.out, &lossy(&key.name))?;
        if std::str::from_utf8(&key.name).is_err() {
            write!(self.out, ",\"key_b64\":\"{}\"", encode(&key.name))?;
        }
        self.out.write_all(b",\"type\":")?;
        serde_json::to_writer(&mut self.out, kind)?;
        let expiry = key.attributes.expire_at_ms.unwrap_or(-1);
        write!(self.out, ",\"encoding\":\"{}\",\"expire_at_ms\":{expiry},", key.kind.encoding())
    }

    fn opaque(&mut self, raw: &RawValue, key: &Key) -> Result<(), Stop> {
        let name = raw.module().map(ModuleId::name);
        if !passes(self.filter, key, name) {
            return Ok(());
        }
        let payload = payload(raw, key)?;
        let kind =
            name.map_or_else(|| key.kind.type_name().into(), |name| lossy(&name).into_owned());
        self.begin(key, &kind)?;
        writeln!(self.out, "\"dump_b64\":\"{}\"}}", encode(&payload))?;
        Ok(())
    }
}

/// Writes bytes: UTF-8 as a string, other bytes as an object with their Base64.
fn write_bytes(bytes: &[u8], out: &mut impl Write) -> io::Result<()> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(serde_json::to_writer(out, text)?),
        Err(_) => write!(out, "{{\"b64\":\"{}\"}}", encode(bytes)),
    }
}

/// Writes a score, because JSON has no infinity.
fn write_score(score: f64, out: &mut impl Write) -> io::Result<()> {
    if score.is_finite() {
        Ok(serde_json::to_writer(out, &score)?)
    } else {
        write!(out, "\"{score}\"")
    }
}

fn write_element(element: &Element<'_>, out: &mut impl Write) -> io::Result<()> {
    match element {
        Element::One(one) => one.with_bytes(|bytes| write_bytes(bytes, out)),
        Element::Pair(field, value) => {
            out.write_all(b"[")?;
            field.with_bytes(|bytes| write_bytes(bytes, out))?;
            out.write_all(b",")?;
            value.with_bytes(|bytes| write_bytes(bytes, out))?;
            out.write_all(b"]")
        }
        Element::Expiring(field, value, at_ms) => {
            out.write_all(b"[")?;
            field.with_bytes(|bytes| write_bytes(bytes, out))?;
            out.write_all(b",")?;
            value.with_bytes(|bytes| write_bytes(bytes, out))?;
            write!(out, ",{at_ms}]")
        }
        Element::Scored(member, score) => {
            out.write_all(b"[")?;
            member.with_bytes(|bytes| write_bytes(bytes, out))?;
            out.write_all(b",")?;
            write_score(*score, out)?;
            out.write_all(b"]")
        }
    }
}

impl<W: Write> Output for Json<'_, W> {
    fn key(&mut self, key: &Key, scan: &mut Scan) -> Result<(), Stop> {
        let at = scan.offset();
        let value = scan.reader().value();
        let value = value.map_err(|error| Stop::of_value(key, &error.into()))?;
        if let Value::Raw(raw) = value {
            return self.opaque(&raw, key);
        }
        self.begin(key, key.kind.type_name())?;
        self.out.write_all(b"\"value\":")?;
        let many = !matches!(value, Value::String(_));
        if many {
            self.out.write_all(b"[")?;
        }
        let mut first = true;
        let out = &mut self.out;
        let written = each_element(value, at, |element| {
            if !std::mem::take(&mut first) {
                out.write_all(b",")?;
            }
            write_element(&element, out)?;
            Ok::<(), Ended>(())
        });
        written.map_err(|ended| ended.of(key))?;
        self.out.write_all(if many { b"]}\n" } else { b"}\n" })?;
        Ok(())
    }

    fn other(&mut self, _: Record, _: u64) -> Result<(), Stop> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_json_has_another_form() {
        let mut out = Vec::new();
        write_bytes(b"a \"b\"\n", &mut out).unwrap();
        write_bytes(b"\xff\0", &mut out).unwrap();
        for score in [1.0, -0.5, 1e300, f64::INFINITY, f64::NEG_INFINITY] {
            write_score(score, &mut out).unwrap();
            out.push(b' ');
        }
        let want = r#""a \"b\"\n"{"b64":"/wA="}1.0 -0.5 1e+300 "inf" "-inf" "#;
        assert_eq!(String::from_utf8(out).unwrap().replace("1e300", "1e+300"), want);
    }
}
