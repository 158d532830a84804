//! Any bytes as a zipmap: the fields of an accepted one are returned, and they fit into its bytes.
#![no_main]

use rdb::zipmap;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    // Most inputs have no valid end and no valid count, so the same bytes are also tried with an end and without a
    // count.
    let mut bytes = bytes.to_vec();
    bytes.push(0xff);
    bytes[0] = 0xfe;
    check(&bytes);
});

fn check(bytes: &[u8]) {
    let Ok(fields) = zipmap::fields(bytes) else { return };
    // A count, an end, and for each field two lengths and the number of free bytes.
    let least = fields.iter().map(|(field, value)| 3 + field.len() + value.len());
    assert!(2 + least.sum::<usize>() <= bytes.len());
    assert!(zipmap::fields(&bytes[..bytes.len() - 1]).is_err(), "the end is missing");
}
