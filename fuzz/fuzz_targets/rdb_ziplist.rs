//! Any bytes as a ziplist: the entries of an accepted one are returned, and they fit into its bytes.
#![no_main]

use rdb::ziplist::{self, Entry};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    // Most inputs do not begin with their own length, so the same bytes are also tried with a corrected header.
    let mut bytes = bytes.to_vec();
    let (Some(len), Some(head)) = (u32::try_from(bytes.len()).ok(), bytes.first_chunk_mut::<4>())
    else {
        return;
    };
    *head = len.to_le_bytes();
    check(&bytes);
});

fn check(bytes: &[u8]) {
    let Ok(entries) = ziplist::entries(bytes) else { return };
    // A header of ten bytes, an end of one byte, and at least two bytes for each entry.
    assert!(11 + 2 * entries.len() <= bytes.len());
    let texts = entries.iter().map(|entry| match entry {
        Entry::Int(_) => 0,
        Entry::Str(text) => text.len(),
    });
    assert!(11 + texts.sum::<usize>() <= bytes.len());
    assert!(ziplist::entries(&bytes[..bytes.len() - 1]).is_err(), "the header has the length");
}
