//! The procedures of counting visitors in sets with a fixed number of shards and in bitmaps, and of setting the form of
//! a bucket.

mod adding;
mod beginning;
mod counter;
mod marking;

use store::{Reply, Script};

pub(super) use adding::{
    Counted, add_all_and_count, add_and_count, add_kept, send_all_and_count, send_shard_and_count,
};
pub(super) use beginning::{BeginKeys, Visit, begin, look, set_nx};
pub(super) use counter::count_in;
pub(super) use marking::{mark, mark_all_and_count, mark_and_count};

/// The scripts of [`Visitors`](super::Visitors).
pub(crate) static SCRIPTS: [&Script; 9] = [
    &adding::ADD_AND_COUNT,
    &adding::ADD_ALL_AND_COUNT,
    &adding::ADD,
    &marking::MARK_AND_COUNT,
    &marking::MARK_ALL_AND_COUNT,
    &marking::MARK,
    &beginning::BEGIN,
    &beginning::SET,
    &counter::COUNT,
];

fn int(count: u64) -> Reply {
    Reply::Int(count.try_into().unwrap_or(i64::MAX))
}
