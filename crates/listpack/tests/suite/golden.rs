//! Bytes of live servers, read and written.

use listpack::{Entry, ListPack, Validation};

macro_rules! golden {
    ($($name:literal)*) => {
        [$((
            $name,
            include_bytes!(concat!("../data/", $name, ".blob")).as_slice(),
            include_str!(concat!("../data/", $name, ".txt")),
        )),*]
    };
}

const GOLDEN: [(&str, &[u8], &str); 16] = golden!(
    "z_128" "z_special_lp" "z_intmembers" "geo_cities" "h_lp100" "h_bin" "h_small" "l_500" "l_small"
    "l_plain" "s_128" "s_bin" "s_mixed" "s_emptymember" "hfe_both" "z_special_lp_7_4"
);

fn escaped(entry: Entry<'_>) -> String {
    entry.with_bytes(|text| text.escape_ascii().to_string())
}

#[test]
fn golden_blobs_read_and_are_written_again() {
    for (name, blob, entries) in GOLDEN {
        let entries: Vec<&str> = entries.lines().collect();
        let read = ListPack::from_bytes(blob, Validation::Deep).expect(name);
        assert_eq!(read.len(), entries.len(), "{name}");
        assert!(read.iter().map(escaped).eq(entries.iter().copied()), "{name}");
        assert!(read.iter().rev().map(escaped).eq(entries.iter().rev().copied()), "{name}");

        // From the front, from the back, and each by replacing another one.
        let texts: Vec<Vec<u8>> = read.iter().map(Entry::to_vec).collect();
        let [mut forward, mut backward, mut replaced] = [(); 3].map(|()| ListPack::new());
        for text in &texts {
            forward.push_back(text).unwrap();
            replaced.push_back("placeholder").unwrap();
        }
        for text in texts.iter().rev() {
            backward.push_front(text).unwrap();
        }
        for (index, text) in texts.iter().enumerate() {
            let at = replaced.seek(index).unwrap();
            replaced.replace(at, text).unwrap();
        }
        for written in [forward, backward, replaced] {
            assert_eq!(written.as_bytes(), blob, "{name}");
        }
    }
}

#[test]
fn golden_entries_are_found() {
    for (name, blob, _) in GOLDEN {
        let list = ListPack::from_bytes(blob, Validation::Deep).expect(name);
        let texts: Vec<Vec<u8>> = list.iter().map(Entry::to_vec).collect();
        for text in &texts {
            let first = texts.iter().position(|other| other == text).unwrap();
            assert_eq!(list.find(text), list.seek(first), "{name} {}", text.escape_ascii());
            let absent = [text, &b"\0"[..]].concat();
            assert_eq!(list.contains(&absent), texts.contains(&absent));
        }
    }
}
