//! Any bytes as an RDB file, loaded by one thread and by two, and in salvage mode; then commands on the loaded keys.
//!
//! By the first byte, the file is loaded unchanged or with a valid checksum appended.
#![no_main]

use tallis::{LoadOptions, SaveOptions, Store};
use testkit::kept::ON_ANY_VALUE;

fn load(file: &[u8], options: LoadOptions) -> Option<Store> {
    let store = Store::builder().hash_seed(1).random_seed(2).build();
    store.load_from(file, options).ok().map(|_| store)
}

fn digest(store: &Store) -> String {
    format!("{:?}", store.execute(&["DEBUG", "DIGEST"]))
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&flags, bytes)) = bytes.split_first() else { return };
    let mut file = bytes.to_vec();
    if flags & 1 == 0 {
        let checksum = rdb::crc64(&file);
        file.extend_from_slice(&checksum.to_le_bytes());
    }
    let one = LoadOptions { threads: 1, ..LoadOptions::default() };
    let salvaged = load(&file, LoadOptions { salvage: true, ..one });
    let whole = load(&file, one);
    let by_two = load(&file, LoadOptions { threads: 2, ..one });
    assert_eq!(whole.as_ref().map(digest), by_two.as_ref().map(digest));
    if let Some(whole) = &whole {
        assert_eq!(Some(digest(whole)), salvaged.as_ref().map(digest));
    }
    let Some(store) = salvaged else { return };
    let saved = store.save_to(Vec::new(), SaveOptions::default());
    if let Ok(saved) = saved {
        let again = load(&saved, LoadOptions::default()).expect("a file of this store");
        assert_eq!(digest(&again), digest(&store));
    }
    let keys = store.keys("*").expect("no error");
    for key in keys.iter().take(4) {
        let _ = store.execute(&[b"RENAME".as_slice(), key, b"k"]);
        for words in ON_ANY_VALUE {
            // An error is a valid reply too.
            let _ = store.execute(words);
        }
    }
});
