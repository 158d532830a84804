//! Reading the codes of shards: in place on a store, in blocks from a server.

use std::cell::RefCell;
use std::ops::Range;

use bitpack::packed::{PackedView, Record};
use macros::blocking_and_async;
use parking_lot::Mutex;
use store::Error;

use super::procedures;
use super::{CodecOf, Locations, Precision, RecordOf};
use crate::backend::{AsyncBackend, Backend, batch, call_all, call_all_async};
use crate::text::Text;

/// The bytes of a block, as in the book; fewer if a code would be split.
const BLOCK: usize = 128 << 10;

/// The most bytes that are read in one pipeline.
const IN_ONE_PIPELINE: usize = 64 * BLOCK;

/// The overhead of reading a single code, in bytes of a block: a request, and the header of its reply.
const OF_REQUEST: usize = 64;

/// The listed users of a shard.
#[derive(Debug)]
pub(super) struct Listed {
    shard: u64,
    /// Their slots, ascending.
    places: Vec<usize>,
}

impl Listed {
    /// Creates it from slots in any order.
    pub(super) fn new(shard: u64, slots: &[u32]) -> Self {
        let mut places: Vec<usize> = slots.iter().map(|&slot| slot as usize).collect();
        places.sort_unstable();
        Self { shard, places }
    }
}

/// Codes of a shard that are read at once.
struct Read<'l> {
    shard: &'l [u8],
    codes: Range<usize>,
    /// The indexes of those that count; all codes if it is empty.
    listed: &'l [usize],
}

impl<B: Backend, P: Precision> Locations<B, P> {
    /// Reads the codes of a shard in place, on a store.
    #[inline]
    pub(super) fn read_shard<R>(
        &self,
        shard: u64,
        read: impl FnMut(PackedView<'_, CodecOf<P>>) -> R,
    ) -> Result<R, Error> {
        let read = RefCell::new(read);
        let look = |string: &[u8]| (read.borrow_mut())(PackedView::new(string));
        self.backend.call(&procedures::look_at::<RecordOf<P>, _>(&self.shard_key(shard), look))
    }
}

impl<B: AsyncBackend, P: Precision> Locations<B, P> {
    /// As [`read_shard`](Self::read_shard), under a lock, so that the future can be sent to another thread.
    pub(super) async fn read_shard_async<R>(
        &self,
        shard: u64,
        read: impl FnMut(PackedView<'_, CodecOf<P>>) -> R,
    ) -> Result<R, Error> {
        let (key, read) = (self.shard_key(shard), Mutex::new(read));
        let look = |string: &[u8]| (read.lock())(PackedView::new(string));
        self.backend.call_async(&procedures::look_at::<RecordOf<P>, _>(&key, look)).await
    }
}

#[blocking_and_async]
impl<B: Backend, P: Precision> Locations<B, P> {
    /// Passes all codes of the first shards to a function, block by block, in any order.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if the key of a shard holds another type.
    pub(super) async fn read_shards(
        &self,
        shards: u64,
        mut read: impl FnMut(PackedView<'_, CodecOf<P>>),
    ) -> Result<(), Error> {
        let mut numbers = 0..shards;
        loop {
            let some: Vec<Text> = numbers
                .by_ref()
                .take(batch(&self.backend))
                .map(|shard| self.shard_key(shard))
                .collect();
            if some.is_empty() {
                return Ok(());
            }
            let lens = self.lens(&some).await?;
            let blocks = some.iter().zip(lens).flat_map(|(shard, len)| {
                let block = move |from| Read {
                    shard,
                    codes: from..len.min(from + of_block::<P>()),
                    listed: &[],
                };
                (0..len).step_by(of_block::<P>()).map(block)
            });
            self.read_all(blocks, |_, codes| read(codes)).await?;
        }
    }

    /// Passes codes to a function, with the slots of listed users; returns how many users are beyond the ends of their
    /// shards, including those that `read` reports.
    ///
    /// # Errors
    ///
    /// As [`read_shards`](Self::read_shards).
    pub(super) async fn read_listed(
        &self,
        listed: &[Listed],
        mut read: impl FnMut(PackedView<'_, CodecOf<P>>, &mut dyn Iterator<Item = usize>) -> u64,
    ) -> Result<u64, Error> {
        let keys: Vec<Text> = listed.iter().map(|listed| self.shard_key(listed.shard)).collect();
        let lens = self.lens(&keys).await?;
        let mut beyond = 0;
        let mut reads = Vec::new();
        for ((listed, shard), len) in listed.iter().zip(&keys).zip(lens) {
            let there = listed.places.partition_point(|&place| place < len);
            let (places, others) = listed.places.split_at(there);
            beyond += others.len() as u64;
            for listed in places.chunk_by(|a, b| a / of_block::<P>() == b / of_block::<P>()) {
                let from = listed[0] / of_block::<P>() * of_block::<P>();
                let block = from..len.min(from + of_block::<P>());
                if listed.len() * OF_REQUEST >= block.len() * RecordOf::<P>::WIDTH {
                    reads.push(Read { shard, codes: block, listed });
                } else {
                    let alone = |listed: &'_ [usize]| listed[0]..listed[0] + 1;
                    reads.extend(listed.chunk_by(|a, b| a == b).map(|listed| Read {
                        shard,
                        codes: alone(listed),
                        listed,
                    }));
                }
            }
        }
        self.read_all(reads.into_iter(), |of, codes| {
            let mut places = of.listed.iter().map(|place| place - of.codes.start);
            beyond += read(codes, &mut places);
        })
        .await?;
        Ok(beyond)
    }

    /// Returns the number of codes in each shard.
    async fn lens(&self, shards: &[Text]) -> Result<Vec<usize>, Error> {
        let mut lens = vec![0; shards.len()];
        let all: Vec<_> =
            shards.iter().map(|shard| procedures::len::<RecordOf<P>>(shard)).collect();
        call_all(&self.backend, &all, |at, len| lens[at] = len).await?;
        Ok(lens)
    }

    /// Reads codes, in pipelines of a bounded size.
    async fn read_all<'l>(
        &self,
        mut reads: impl Iterator<Item = Read<'l>>,
        mut read: impl FnMut(&Read<'l>, PackedView<'_, CodecOf<P>>),
    ) -> Result<(), Error> {
        let mut some: Vec<Read<'l>> = Vec::new();
        let mut bytes = 0;
        loop {
            let next = reads.next();
            let ends = next.is_none();
            if let Some(next) = next {
                bytes += next.codes.len() * RecordOf::<P>::WIDTH + OF_REQUEST;
                some.push(next);
            }
            if !ends && bytes < IN_ONE_PIPELINE {
                continue;
            }
            let ranges: Vec<_> = some
                .iter()
                .map(|of| procedures::range::<RecordOf<P>>(of.shard, of.codes.clone()))
                .collect();
            call_all(&self.backend, &ranges, |at, codes| read(&some[at], PackedView::new(&codes)))
                .await?;
            if ends {
                return Ok(());
            }
            some.clear();
            bytes = 0;
        }
    }
}

/// Returns the number of codes in a block.
fn of_block<P: Precision>() -> usize {
    BLOCK / RecordOf::<P>::WIDTH
}
