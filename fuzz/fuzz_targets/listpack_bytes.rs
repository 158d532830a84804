//! Any bytes as the blob of a listpack.
#![no_main]

use listpack::{Entry, ListPack, Validation};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let deep = ListPack::from_bytes(bytes, Validation::Deep);
    let Ok(list) = ListPack::from_bytes(bytes, Validation::Shallow) else {
        assert!(deep.is_err(), "the deep check includes the shallow one");
        return;
    };
    assert_eq!(list.as_bytes(), bytes);
    assert_eq!(list.heap_bytes(), bytes.len());
    let whole = deep.is_ok();
    let entries: Vec<Entry<'_>> = list.iter().collect();
    if whole {
        assert_eq!(entries.len(), list.len());
        assert!(list.iter().rev().eq(entries.iter().rev().copied()));
        let mut again = ListPack::new();
        for &entry in &entries {
            again.push_back(entry).expect("the length has not changed");
        }
        assert_eq!(again, list);
        assert_eq!(again.validate(Validation::Deep), Ok(()));
    }

    // What follows must hold for a valid list, and must not panic in any case.
    for (index, &entry) in entries.iter().enumerate().take(64) {
        let first = entries.iter().position(|&other| other == entry);
        let at = list.find(entry);
        assert!(!whole || at == first.and_then(|first| list.seek(first)));
        assert!(!whole || list.get(index) == Some(entry));
        let Some(at) = at else { continue };
        assert!(!whole || list.entry(at) == Some(entry));
        let mut changed = list.clone();
        let _ = changed.replace(at, "a text of another length");
        changed.delete(at);
        let _ = changed.insert_all(at, [entry, Entry::Int(7)]);
        assert!(!whole || changed.validate(Validation::Deep).is_ok());
        changed.retain(|other| other != entry);
        changed.delete_range(index, 2);
        changed.settle_count();
        assert!(!whole || changed.validate(Validation::Deep).is_ok());
    }
    for index in 0..8 {
        let _ = (list.get_back(index), list.seek_back(index).and_then(|at| list.prev(at)));
    }
});
