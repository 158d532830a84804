//! Any bytes as a manifest. A manifest that is read can be written and read again, and so can the manifest after a
//! rewrite.
#![no_main]

use aof::{BaseFormat, Manifest};

fn check(manifest: &Manifest) {
    let text = manifest.to_bytes();
    if text.is_empty() {
        assert_eq!(manifest.files().chain(manifest.history()).count(), 0);
    } else {
        assert_eq!(Manifest::parse(&text).map(|again| again.to_bytes()), Ok(text));
    }
}

libfuzzer_sys::fuzz_target!(|text: &[u8]| {
    let Ok(mut manifest) = Manifest::parse(text) else { return };
    check(&manifest);
    for entry in manifest.files().chain(manifest.history()) {
        assert!(entry.name().len() <= text.len() && !entry.name().contains(&b'/'));
    }
    let before = manifest.clone();
    if manifest.add_increment(b"appendonly.aof").is_err() {
        assert_eq!(manifest, before);
    }
    check(&manifest);
    let base = manifest.base().cloned();
    match manifest.add_base(b"appendonly.aof", BaseFormat::Rdb).cloned() {
        Ok(new) => assert!(base.is_none_or(|old| old.name() != new.name())),
        Err(_) => assert_eq!(manifest.base(), base.as_ref()),
    }
    manifest.retire_increments(1);
    check(&manifest);
    let files = manifest.files().map(|file| file.name().to_vec()).collect::<Vec<_>>();
    for removed in manifest.take_history() {
        assert!(!files.contains(&removed.name().to_vec()));
    }
    check(&manifest);
});
