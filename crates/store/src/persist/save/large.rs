//! Large values, a chunk at a time.

use std::io::Write;
use std::sync::Arc;
use std::thread;

use rdb::lzf::{self, Compressor};
use rdb::{ValueWriter, WriteOptions, Writer};

use super::beside::Source;
use super::error::SaveError;
use crate::persist::value;
use crate::store::handover::{
    Ended, KeptNode, Large, MemberChunk, MemberKind, Origin, Owned, Part,
};
use crate::value::Value;

/// Bytes of a compressed string that are held in memory at most: of one that does not compress as far, the plain bytes
/// are written.
const COMPRESSED: usize = 16 << 20;

/// A compressed string is kept if it is shorter by so many bytes, as servers do it.
const SAVING: usize = 4;

/// Where a large value is, as far as is known.
pub(super) enum Place {
    /// In a stripe, at a key of whichever database.
    Stripe(usize, Box<[u8]>),
    /// In a keyspace that was dropped.
    Dropped(usize, Box<[u8]>),
    /// In no keyspace.
    Owned(Box<Owned>),
    /// It is handed over.
    Nowhere,
}

impl Source<'_> {
    /// Takes over the keyspaces that were dropped.
    pub(super) fn take_dropped(&mut self) {
        while let Some(keyspace) = self.run.take_dropped() {
            self.dropped.push(keyspace);
        }
    }

    /// Lets `work` go on with a large value, wherever it is now, and the value itself. Where `work` has ended it, the rest of
    /// it is returned.
    fn with<R>(
        &mut self,
        place: &mut Place,
        id: u64,
        mut work: impl FnMut(&mut Large, &Value) -> (R, Ended),
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
                    let (result, ended) = work(&mut owned.large, &owned.value);
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

    /// Where a large value is that has left its place.
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
            // It was on its way from a stripe that was not yet looked at to one that was.
            thread::yield_now();
        }
    }

    /// Where a large value was when the snapshot began.
    pub(super) fn origin(&mut self, place: &mut Place, id: u64) -> Result<Arc<Origin>, SaveError> {
        let origin = |large: &mut Large, _: &Value| (Arc::clone(large.origin()), Ended(false));
        Ok(self.with(place, id, origin)?.0)
    }
}

/// The form in which a large value is written.
enum Shape {
    Members(MemberKind, u64),
    Bytes { len: usize, chunks: usize },
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
            Part::Bytes(part) => Shape::Bytes { len: part.len(), chunks: part.chunks() },
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
        Shape::Members(MemberKind::ZSet, count) => {
            let mut scores = writer.zset(count).map_err(at)?;
            write_members(source, place, id, |chunk| {
                let mut members = chunk.scores();
                members.try_for_each(|(member, score)| scores.member(member, score)).map_err(at)
            })?;
            scores.finish().map_err(at)
        }
        Shape::Bytes { len, chunks } => {
            let compressed =
                if options.compression { compress(source, place, id, len, chunks)? } else { None };
            if let Some(stream) = compressed {
                source.with(place, id, |_, _| ((), Ended(true)))?;
                return writer.compressed_string(&stream, len as u64).map_err(at);
            }
            write_bytes(source, place, id, (len, chunks), writer)
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

/// The value itself, copied unless the snapshot has it to itself.
fn take_whole(source: &mut Source<'_>, place: &mut Place, id: u64) -> Result<Value, SaveError> {
    match std::mem::replace(place, Place::Nowhere) {
        Place::Owned(owned) => {
            source.run.large_done();
            Ok(owned.value)
        }
        other @ (Place::Stripe(..) | Place::Dropped(..) | Place::Nowhere) => {
            *place = other;
            let copy = |_: &mut Large, value: &Value| (value.clone(), Ended(true));
            Ok(source.with(place, id, copy)?.0)
        }
    }
}

/// The stream of a string, each chunk compressed by itself; `None` if that is not worth it.
fn compress(
    source: &mut Source<'_>,
    place: &mut Place,
    id: u64,
    len: usize,
    chunks: usize,
) -> Result<Option<Vec<u8>>, SaveError> {
    let most = COMPRESSED.min(len.saturating_sub(SAVING));
    let mut compressor = Compressor::new();
    let (mut stream, mut plain, mut part) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..chunks {
        source.with(place, id, |large, value| {
            if let Part::Bytes(bytes) = large.part() {
                bytes.chunk(value, number, &mut plain);
            }
            ((), Ended(false))
        })?;
        if compressor.compress(&plain, plain.len(), &mut part) {
            stream.extend_from_slice(&part);
        } else {
            lzf::push_literals(&plain, &mut stream);
        }
        if stream.len() > most {
            return Ok(None);
        }
    }
    Ok(Some(stream))
}

/// Writes a string as it is.
fn write_bytes<W: Write>(
    source: &mut Source<'_>,
    place: &mut Place,
    id: u64,
    (len, chunks): (usize, usize),
    writer: ValueWriter<'_, W>,
) -> Result<(), SaveError> {
    let mut parts = writer.string_in_parts(len as u64)?;
    let mut plain = Vec::new();
    for number in 0..chunks {
        source.with(place, id, |large, value| {
            if let Part::Bytes(bytes) = large.part() {
                bytes.chunk(value, number, &mut plain);
                bytes.done(number);
            }
            ((), Ended(number + 1 == chunks))
        })?;
        parts.part(&plain)?;
    }
    Ok(parts.finish()?)
}

/// Hands over all members of a table to `write`, each as it was.
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
