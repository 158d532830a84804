//! Any bytes as a zipmap: what is accepted is returned field by field, within the bytes that there are.
#![no_main]

use rdb::zipmap;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    // Most inputs do not end as one does, nor hold the right count: the same with an end, and not counted.
    let mut bytes = bytes.to_vec();
    bytes.push(0xff);
    bytes[0] = 0xfe;
    check(&bytes);
});

fn check(bytes: &[u8]) {
    let Ok(fields) = zipmap::fields(bytes) else { return };
    // A count, an end, and of each field two lengths and how many bytes are free.
    let least = fields.iter().map(|(field, value)| 3 + field.len() + value.len());
    assert!(2 + least.sum::<usize>() <= bytes.len());
    assert!(zipmap::fields(&bytes[..bytes.len() - 1]).is_err(), "the end is missing");
}
