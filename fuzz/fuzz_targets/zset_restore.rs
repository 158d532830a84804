//! A sorted set from raw bytes, in each form that servers have written: it is refused, or it is in order and can be
//! restored from its own payload.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rdb::{RawValue, ValueType, WriteOptions, dump};
use tallis::{Limits, RestoreOptions, Store};

const KINDS: [ValueType; 4] =
    [ValueType::ZSetListpack, ValueType::ZSetZiplist, ValueType::ZSet, ValueType::ZSetText];

fuzz_target!(|input: (u8, u8, &[u8])| {
    let (kind, entries, body) = input;
    let kind = KINDS[usize::from(kind) % KINDS.len()];
    // A blob may be given without its length as a string.
    let packed = || {
        let len = u8::try_from(body.len()).ok().filter(|&len| len < 64)?;
        RawValue::new(kind, [&[len], body].concat()).ok()
    };
    let Some(raw) = packed().or_else(|| RawValue::new(kind, body.to_vec()).ok()) else { return };
    let payload = dump::encode(WriteOptions::default(), |writer| writer.raw(&raw)).unwrap();
    let limits = Limits { zset_max_listpack_entries: entries.into(), ..Limits::default() };
    let store = Store::builder().limits(limits).build();
    if store.restore("k", &payload, RestoreOptions::default()).is_err() {
        assert_eq!(store.dbsize().unwrap(), 0);
        return;
    }
    let all = store.zrange_withscores("k", 0, -1).unwrap();
    assert!(all.is_sorted_by(|(a, low), (b, high)| low < high || low == high && a < b));
    assert_eq!(all.len(), store.zcard("k").unwrap());
    assert!(!all.is_empty());
    let large = all.len() > usize::from(entries);
    assert!(!large || store.object_encoding("k").unwrap() == Some("skiplist"));
    for (rank, (member, score)) in all.iter().enumerate().take(100) {
        assert_eq!(store.zrank_withscore("k", member).unwrap(), Some((rank, *score)));
    }
    let again = store.dump("k").unwrap().unwrap();
    store.restore("copy", &again, RestoreOptions::default()).unwrap();
    assert_eq!(store.zrange_withscores("copy", 0, -1).unwrap(), all);
});
