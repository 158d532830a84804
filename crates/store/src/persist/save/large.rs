//! Writing large values in chunks.

use std::io::Write;
use std::sync::Arc;

use bloom::Field as BloomField;
use rdb::{Field, ModulePart, ModuleWriter, WriteOptions, Writer};

use super::beside::Source;
use super::bytes::Stretch;
use super::error::SaveError;
use crate::persist::value;
use crate::store::handover::{
    Ended, KeptNode, Large, MemberChunk, MemberKind, Origin, Owned, Part,
};
use crate::sync::thread;
use crate::value::{NEVER, Value, split};

/// The last known location of a large value.
pub(super) enum Place {
    /// In a stripe, at a key of any database.
    Stripe(usize, Box<[u8]>),
    /// In a keyspace that was dropped.
    Dropped(usize, Box<[u8]>),
    /// In no keyspace.
    Owned(Box<Owned>),
    /// It is handed over.
    Nowhere,
}

impl Source<'_> {
    /// Takes the keyspaces that were dropped.
    pub(super) fn take_dropped(&mut self) {
        while let Some(keyspace) = self.run.take_dropped() {
            self.dropped.push(keyspace);
        }
    }

    /// Calls `work` with a large value, at its current location. If `work` has ended it, its rest is returned.
    pub(super) fn with<R>(
        &mut self,
        place: &mut Place,
        id: u64,
        mut work: impl FnMut(&mut Large, &mut Value) -> (R, Ended),
    ) -> Result<(R, Option<Large>), SaveError> {
        loop {
            self.control.check()?;
            let shared = self.shared;
            let done = match place {
                Place::Stripe(stripe, key) => shared.in_stripe(*stripe, |stripe| {
                    let mut keyspaces = stripe.keyspaces_mut();
                    keyspaces
                        .find_map(|(_, keyspace)| keyspace.with_large(shared, key, id, &mut work))
                }),
                Place::Dropped(at, key) => self
                    .dropped
                    .get_mut(*at)
                    .and_then(|keyspace| keyspace.with_large(shared, key, id, &mut work)),
                Place::Owned(owned) => {
                    let (result, ended) = work(&mut owned.large, &mut owned.value);
                    if ended == Ended(false) {
                        return Ok((result, None));
                    }
                    let Place::Owned(owned) = std::mem::replace(place, Place::Nowhere) else {
                        return Ok((result, None));
                    };
                    Some((result, Some(owned.large)))
                }
                Place::Nowhere => None,
            };
            if let Some((result, ended)) = done {
                if ended.is_some() {
                    self.run.large_done();
                }
                return Ok((result, ended));
            }
            *place = self.find(id);
        }
    }

    /// Finds a large value that has left its location.
    fn find(&mut self, id: u64) -> Place {
        loop {
            if let Some(owned) = self.run.take_owned(Some(id)) {
                return Place::Owned(Box::new(owned));
            }
            for number in 0..self.shared.stripe_count() {
                let key = self.shared.in_stripe(number, |stripe| {
                    stripe.keyspaces_mut().find_map(|(_, keyspace)| keyspace.key_of_large(id))
                });
                if let Some(key) = key {
                    return Place::Stripe(number, key);
                }
            }
            self.take_dropped();
            let dropped = self.dropped.iter().enumerate();
            let mut keys =
                dropped.filter_map(|(at, keyspace)| Some((at, keyspace.key_of_large(id)?)));
            if let Some((at, key)) = keys.next() {
                return Place::Dropped(at, key);
            }
            // It was being moved from a stripe that was not yet visited to one that was.
            thread::yield_now();
        }
    }

    /// The location of a large value at the start of the snapshot.
    pub(super) fn origin(&mut self, place: &mut Place, id: u64) -> Result<Arc<Origin>, SaveError> {
        let origin = |large: &mut Large, _: &mut Value| (Arc::clone(large.origin()), Ended(false));
        Ok(self.with(place, id, origin)?.0)
    }

    /// Ends a large value, all of which is handed over.
    fn end(&mut self, place: &mut Place, id: u64) -> Result<(), SaveError> {
        self.with(place, id, |_, _| ((), Ended(true)))?;
        Ok(())
    }
}

/// The form in which a large value is written.
enum Shape {
    Members(MemberKind, u64),
    Bytes(usize),
    Bloom(Vec<BloomField<usize>>),
    Nodes(u64),
    Whole,
}

/// Writes a large value.
pub(super) fn write_large<W: Write>(
    source: &mut Source<'_>,
    writer: &mut Writer<W>,
    options: WriteOptions,
    mut place: Place,
    id: u64,
) -> Result<(), SaveError> {
    let place = &mut place;
    let ((origin, shape), _) = source.with(place, id, |large, _| {
        let shape = match large.part() {
            Part::Members(part) => Shape::Members(part.kind(), part.count()),
            Part::Bytes(part) => Shape::Bytes(part.len()),
            Part::Bloom(part) => Shape::Bloom(part.fields().to_vec()),
            Part::Nodes(part) => Shape::Nodes(part.count()),
            Part::Whole => Shape::Whole,
        };
        ((Arc::clone(large.origin()), shape), Ended(false))
    })?;
    let key = origin.key.as_bytes();
    let run = Arc::clone(&source.run);
    let writer = writer.key(key, origin.attributes);
    let writer = run.records.with_metadata(origin.db, key, writer);
    let at = |fault| SaveError::at(key, fault);
    match shape {
        Shape::Members(MemberKind::Set, count) => {
            let mut members = writer.set(count).map_err(at)?;
            write_members(source, place, id, |chunk| {
                chunk.strings().try_for_each(|member| members.member(member)).map_err(at)
            })?;
            members.finish().map_err(at)
        }
        Shape::Members(MemberKind::Hash, count) => {
            let mut fields = writer.hash(count).map_err(at)?;
            write_members(source, place, id, |chunk| {
                chunk.strings().try_for_each(|string| fields.member(string)).map_err(at)
            })?;
            fields.finish().map_err(at)
        }
        Shape::Members(MemberKind::ExpiringHash(earliest), count) => {
            let mut fields = writer.hash_ttl(count, earliest).map_err(at)?;
            write_members(source, place, id, |chunk| {
                let mut strings = chunk.strings();
                while let (Some(field), Some(record)) = (strings.next(), strings.next()) {
                    let (value, expires_at) = split(record).unwrap_or((record, NEVER));
                    let expire_at_ms = (expires_at != NEVER).then_some(expires_at);
                    fields.field(Field { field, value, expire_at_ms }).map_err(at)?;
                }
                Ok(())
            })?;
            fields.finish().map_err(at)
        }
        Shape::Members(MemberKind::ZSet, count) => {
            let mut scores = writer.zset(count).map_err(at)?;
            write_members(source, place, id, |chunk| {
                let mut members = chunk.scores();
                members.try_for_each(|(member, score)| scores.member(member, score)).map_err(at)
            })?;
            scores.finish().map_err(at)
        }
        Shape::Bytes(len) => {
            let mut bytes = Stretch { source, place, id, start: 0, len };
            if let Some(stream) = bytes.compressed(options)? {
                writer.compressed_string(&stream, len as u64).map_err(at)?;
            } else {
                bytes.write_to(writer.string_in_parts(len as u64)?)?;
            }
            source.end(place, id)
        }
        Shape::Bloom(fields) => {
            let filter = value::begin_bloom(writer).map_err(at)?;
            write_bloom(source, place, id, options, fields, filter)?;
            source.end(place, id)
        }
        Shape::Nodes(count) => {
            let mut nodes = writer.list_nodes(count).map_err(at)?;
            let mut chunk: Vec<KeptNode> = Vec::new();
            loop {
                let ((), ended) = source.with(place, id, |large, value| {
                    let Part::Nodes(part) = large.part() else { return ((), Ended(true)) };
                    ((), Ended(!part.next(value, &mut chunk)))
                })?;
                for KeptNode { is_plain, bytes } in &chunk {
                    let written = if *is_plain { nodes.plain(bytes) } else { nodes.packed(bytes) };
                    written.map_err(at)?;
                }
                if ended.is_some() {
                    return nodes.finish().map_err(at);
                }
            }
        }
        Shape::Whole => value::write(&take_whole(source, place, id)?, writer).map_err(at),
    }
}

/// Writes the fields of a Bloom filter.
fn write_bloom<W: Write>(
    source: &mut Source<'_>,
    place: &mut Place,
    id: u64,
    options: WriteOptions,
    fields: Vec<BloomField<usize>>,
    mut filter: ModuleWriter<'_, W>,
) -> Result<(), SaveError> {
    let mut start = 0;
    for field in fields {
        match field {
            BloomField::Unsigned(number) => filter.part(ModulePart::Unsigned(number))?,
            BloomField::Double(number) => filter.part(ModulePart::Double(number))?,
            BloomField::Bytes(len) => {
                let mut bits = Stretch { source, place, id, start, len };
                if let Some(stream) = bits.compressed(options)? {
                    filter.compressed_bytes(&stream, len as u64)?;
                } else {
                    bits.write_to(filter.bytes_in_parts(len as u64)?)?;
                }
                start += len;
            }
        }
    }
    Ok(filter.finish()?)
}

/// The value itself: owned by the snapshot, or else copied or shared.
fn take_whole(source: &mut Source<'_>, place: &mut Place, id: u64) -> Result<Value, SaveError> {
    match std::mem::replace(place, Place::Nowhere) {
        Place::Owned(owned) => {
            source.run.large_done();
            Ok(owned.value)
        }
        other @ (Place::Stripe(..) | Place::Dropped(..) | Place::Nowhere) => {
            *place = other;
            let copy = |_: &mut Large, value: &mut Value| (value.share(), Ended(true));
            Ok(source.with(place, id, copy)?.0)
        }
    }
}

/// Calls `write` with all old members of a table.
fn write_members(
    source: &mut Source<'_>,
    place: &mut Place,
    id: u64,
    mut write: impl FnMut(&MemberChunk) -> Result<(), SaveError>,
) -> Result<(), SaveError> {
    let shared = source.shared;
    let mut chunk = MemberChunk::default();
    loop {
        let ((), ended) = source.with(place, id, |large, value| {
            let Part::Members(part) = large.part() else { return ((), Ended(true)) };
            ((), Ended(!part.next(value, &shared.policy(), &mut chunk)))
        })?;
        write(&chunk)?;
        if let Some(large) = ended {
            let Part::Members(part) = large.into_part() else { return Ok(()) };
            return part.rest(write);
        }
    }
}
