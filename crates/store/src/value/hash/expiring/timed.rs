//! Any number of fields with expiries, in a table.

use std::ops::ControlFlow;

use extendible::{BucketId, Extendible, FieldBucket};

use super::{Field, NEVER};
use crate::member::Member;
use crate::policy::EncodingPolicy;
use crate::store::CommandTime;
use crate::value::hash::Fields;

/// The number of bytes of a time.
const TIME: usize = 8;

/// The location of a field, until one is added or removed.
#[derive(Clone, Copy, Debug)]
pub(in crate::value::hash) struct Place {
    bucket: BucketId,
    position: usize,
}

/// A table of fields, in which the expiry of a field is stored before its value. For each bucket a lower bound of the
/// expiries is stored, so that due fields are found without visiting all others.
#[derive(Clone, Debug)]
pub(crate) struct Timed {
    fields: Fields,
    /// For each bucket, in their order.
    earliest: Vec<i64>,
    /// The minimum of these.
    first: i64,
}

impl Timed {
    pub(super) const fn new() -> Self {
        Self { fields: Extendible::new(0), earliest: Vec::new(), first: NEVER }
    }

    /// Converts a table of fields without expiries.
    pub(super) fn of(mut fields: Fields) -> Self {
        fields.buckets_mut().for_each(|bucket| bucket.prefix_values(&NEVER.to_le_bytes()));
        let earliest = vec![NEVER; fields.bucket_count()];
        Self { fields, earliest, first: NEVER }
    }

    /// The table, whose values are preceded by a time.
    pub(crate) const fn fields(&self) -> &Fields {
        &self.fields
    }

    pub(super) fn len(&self) -> usize {
        self.fields.len()
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let noted = self.earliest.capacity() * size_of::<i64>();
        crate::value::allocated(noted) + self.fields.heap_bytes()
    }

    /// The earliest expiry of a field; [`NEVER`] if there is none.
    pub(super) fn first_expiry(&self) -> i64 {
        self.fields.buckets().flat_map(times).min().unwrap_or(NEVER)
    }

    /// A lower bound of the expiries.
    pub(super) const fn earliest(&self) -> i64 {
        self.first
    }

    /// The value of a field, and its expiry.
    pub(super) fn get(
        &self,
        field: Member<'_>,
        policy: &EncodingPolicy<'_>,
    ) -> Option<(Member<'_>, i64)> {
        field.with_bytes(|field| {
            let hashed = policy.hash(field);
            let (value, expires_at) = split(self.fields.bucket(hashed)?.get(hashed, field)?)?;
            Some((Member::Bytes(value), expires_at))
        })
    }

    /// The location of a field, and its expiry.
    pub(super) fn find(
        &self,
        field: Member<'_>,
        policy: &EncodingPolicy<'_>,
    ) -> Option<(Place, i64)> {
        field.with_bytes(|field| {
            let hashed = policy.hash(field);
            let at = self.fields.locate(hashed);
            let bucket = self.fields.get(at)?;
            let position = bucket.position(hashed, field)?;
            let (_, expires_at) = split(bucket.nth(position)?.1)?;
            Some((Place { bucket: at, position }, expires_at))
        })
    }

    /// Sets the value and the expiry of a field.
    pub(super) fn set(&mut self, new: Field<'_>, policy: &EncodingPolicy<'_>) {
        let mut record = new.expires_at.to_le_bytes().to_vec();
        new.value.with_bytes(|value| record.extend_from_slice(value));
        new.name.with_bytes(|field| {
            let hashed = policy.hash(field);
            let bucket = self.fields.bucket_mut(hashed);
            if !bucket.is_some_and(|it| it.replace(hashed, field, &record)) {
                let rehash = |field: &[u8]| policy.hash(field);
                self.fields.insert(hashed, &rehash, |it| it.insert(hashed, field, &record));
                self.note_new_buckets();
            }
            self.note(self.fields.locate(hashed), new.expires_at);
        });
    }

    /// Updates the bound of a bucket for the time of a field.
    fn note(&mut self, bucket: BucketId, expires_at: i64) {
        if let Some(earliest) = self.earliest.get_mut(bucket.index()) {
            *earliest = expires_at.min(*earliest);
        }
        self.first = self.first.min(expires_at);
    }

    /// Computes the bounds of buckets that were added by splits.
    fn note_new_buckets(&mut self) {
        let known = self.earliest.len();
        if known < self.fields.bucket_count() {
            let new = self.fields.buckets().skip(known);
            self.earliest.extend(new.map(|bucket| times(bucket).min().unwrap_or(NEVER)));
        }
    }

    /// Sets the expiry of the field there, or [`NEVER`].
    pub(super) fn set_expiry(&mut self, Place { bucket, position }: Place, expires_at: i64) {
        let record = self.fields.get_mut(bucket).and_then(|it| it.nth_mut(position));
        if let Some(time) = record.and_then(|record| record.first_chunk_mut()) {
            *time = expires_at.to_le_bytes();
        }
        self.note(bucket, expires_at);
    }

    pub(super) fn remove(&mut self, field: Member<'_>, policy: &EncodingPolicy<'_>) -> bool {
        let removed = field.with_bytes(|field| {
            self.fields.remove(policy.hash(field), field, &|field| policy.hash(field))
        });
        if self.fields.is_empty() {
            *self = Self::new();
        }
        removed
    }

    /// Iterates over the buckets that may have expired fields.
    fn due_buckets<'a>(&'a self, time: &CommandTime<'_>) -> impl Iterator<Item = &'a FieldBucket> {
        let noted = self.fields.buckets().zip(&self.earliest);
        noted.filter(|&(_, &earliest)| time.has_come(earliest)).map(|(bucket, _)| bucket)
    }

    pub(super) fn count_due(&self, time: &CommandTime<'_>) -> usize {
        let due = |bucket| times(bucket).filter(|&at| time.has_come(at)).count();
        self.due_buckets(time).map(due).sum()
    }

    pub(super) fn due(&self, most: usize, time: &CommandTime<'_>) -> Vec<Vec<u8>> {
        let mut due = Vec::new();
        for bucket in self.due_buckets(time) {
            let _: ControlFlow<()> = bucket.try_for_each(&mut |field, record| {
                if split(record).is_some_and(|(_, at)| time.has_come(at)) {
                    due.push(field.to_vec());
                }
                if due.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            if due.len() >= most {
                break;
            }
        }
        due
    }

    /// Updates the bound of each bucket that had expired fields. It stops at a bucket that still has such fields: later
    /// ones have not changed, since [`due`](Self::due) visits buckets in order.
    pub(super) fn settle(&mut self, time: &CommandTime<'_>) {
        for (bucket, earliest) in self.fields.buckets().zip(&mut self.earliest) {
            if time.has_come(*earliest) {
                *earliest = times(bucket).min().unwrap_or(NEVER);
                if time.has_come(*earliest) {
                    break;
                }
            }
        }
        self.first = self.earliest.iter().copied().min().unwrap_or(NEVER);
    }
}

/// Iterates over the times of the fields of a bucket.
fn times(bucket: &FieldBucket) -> impl Iterator<Item = i64> {
    let all = (0..).map_while(|position| bucket.nth(position));
    all.map(|(_, record)| split(record).map_or(NEVER, |(_, at)| at))
}

/// Splits a record into the value and the expiry.
pub(crate) fn split(record: &[u8]) -> Option<(&[u8], i64)> {
    let (time, value) = record.split_first_chunk::<TIME>()?;
    Some((value, i64::from_le_bytes(*time)))
}
