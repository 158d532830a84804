//! Ziplists made here, and damaged ones.

use super::{Entry, Error, entries};

/// The bytes of a list, made the plain way.
fn blob(entries: &[Entry<'_>]) -> Vec<u8> {
    let mut blob = vec![0; 10];
    let (mut before, mut last) = (0, 10);
    for entry in entries {
        last = blob.len();
        if let Some(len) = u8::try_from(before).ok().filter(|&len| len < 0xfe) {
            blob.push(len);
        } else {
            blob.push(0xfe);
            blob.extend_from_slice(&u32::try_from(before).unwrap().to_le_bytes());
        }
        match entry {
            Entry::Int(int @ 0..=12) => blob.push(0xf1 + u8::try_from(*int).unwrap()),
            Entry::Int(int) => {
                let bytes = int.to_le_bytes();
                let (tag, len) = if i8::try_from(*int).is_ok() {
                    (0xfe, 1)
                } else if i16::try_from(*int).is_ok() {
                    (0xc0, 2)
                } else if (-(1 << 23)..1 << 23).contains(int) {
                    (0xf0, 3)
                } else if i32::try_from(*int).is_ok() {
                    (0xd0, 4)
                } else {
                    (0xe0, 8)
                };
                blob.push(tag);
                blob.extend_from_slice(&bytes[..len]);
            }
            Entry::Str(text) => {
                let len = u32::try_from(text.len()).unwrap();
                let [d, c, b, a] = len.to_le_bytes();
                match text.len() {
                    0..0x40 => blob.push(d),
                    0x40..0x4000 => blob.extend_from_slice(&[0x40 | c, d]),
                    _ => blob.extend_from_slice(&[0x80, a, b, c, d]),
                }
                blob.extend_from_slice(text);
            }
        }
        before = blob.len() - last;
    }
    blob.push(0xff);
    let len = u32::try_from(blob.len()).unwrap();
    blob[..4].copy_from_slice(&len.to_le_bytes());
    blob[4..8].copy_from_slice(&u32::try_from(last).unwrap().to_le_bytes());
    let count = u16::try_from(entries.len()).unwrap_or(u16::MAX);
    blob[8..10].copy_from_slice(&count.to_le_bytes());
    blob
}

#[test]
fn every_form_of_an_entry_is_read() {
    let texts = [0, 1, 63, 64, 253, 254, 16_383, 16_384].map(|len| vec![b'x'; len]);
    let ints = [0, 12, 13, -1, 127, 128, -129, 32_767, 32_768, -8_388_608, 8_388_608, 1 << 31];
    let ints = ints.into_iter().chain([i64::MIN, i64::MAX]);
    let mut all: Vec<Entry<'_>> = texts.iter().map(|text| Entry::Str(text)).collect();
    all.extend(ints.map(Entry::Int));
    for list in [&[][..], &all, &all[3..9], &all[7..8]] {
        assert_eq!(entries(&blob(list)).as_deref(), Ok(list));
    }
}

#[test]
fn a_list_that_was_not_counted_is_read() {
    let mut blob = blob(&[Entry::Int(5), Entry::Int(6)]);
    blob[8..10].copy_from_slice(&[0xff, 0xff]);
    assert_eq!(entries(&blob).unwrap().len(), 2);
    blob[8] = 1;
    blob[9] = 0;
    assert_eq!(entries(&blob), Err(Error::Count { told: 1, there: 2 }));
}

#[test]
fn what_is_wrong_is_reported() {
    let good = blob(&[Entry::Str(b"member"), Entry::Int(1000)]);
    assert_eq!(entries(b""), Err(Error::Short));
    assert_eq!(entries(&good[..10]), Err(Error::Length { told: 23, there: 10 }));
    let damaged = |at: usize, byte: u8| {
        let mut bad = good.clone();
        bad[at] = byte;
        entries(&bad).map(|_| ())
    };
    assert_eq!(damaged(4, 10), Err(Error::Last { told: 10, there: 18 }));
    // The length of the entry before, a tag without a meaning, a text beyond the end, the end itself.
    assert_eq!(damaged(18, 7), Err(Error::Entry { offset: 18 }));
    assert_eq!(damaged(19, 0xd1), Err(Error::Entry { offset: 18 }));
    assert_eq!(damaged(11, 20), Err(Error::Entry { offset: 10 }));
    assert_eq!(damaged(22, 0xfe), Err(Error::Entry { offset: 22 }));
    assert_eq!(damaged(10, 0xff), Err(Error::End));
}

#[test]
fn damaged_lists_are_refused_or_are_other_lists() {
    let good =
        blob(&[Entry::Str(b"a"), Entry::Int(-5), Entry::Str(&[b'x'; 300]), Entry::Int(70_000)]);
    for at in 0..good.len() {
        assert!(entries(&good[..at]).is_err());
        for bit in 0..8 {
            let mut bad = good.clone();
            bad[at] ^= 1 << bit;
            // A changed header is noticed; a changed text is another text.
            assert!(at >= 10 || entries(&bad).is_err(), "byte {at}, bit {bit}");
        }
    }
}
