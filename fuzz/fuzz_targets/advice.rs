//! Any text as the elements of `tallis encodings --advise`, and any bytes as the file of `--from`.
//!
//! A text is refused with what can be said, or its elements can be measured in every form that they are offered in: each
//! form finds what it was given and nothing else, or is an error, which there is none.
#![no_main]

use std::path::PathBuf;

use libfuzzer_sys::fuzz_target;
use tallis_cli::Memory;
use tallis_cli::encodings::{Data, advise};

/// Elements that are measured: more take too long for one input.
const FEW: usize = 1500;

/// Memory that is not counted.
struct Uncounted;

impl Memory for Uncounted {
    fn held(&self, work: &mut dyn FnMut()) -> isize {
        work();
        0
    }
}

/// Ids that have a bitmap, but one of more than 8 MiB, which takes too long to fill.
const FAR: std::ops::Range<i64> = 1 << 26..1 << 32;

fn measured(data: &Data) {
    if data.count() > FEW || data.largest_id().is_some_and(|id| FAR.contains(&id)) {
        return;
    }
    let advice = advise(data, &Uncounted).expect("every form holds them");
    assert_eq!(advice.count, data.count());
    assert!(advice.choices().len() >= 4, "{advice}");
    assert!(advice.to_string().starts_with(&advice.elements));
}

/// The file that the bytes are written to: of this process alone.
fn file() -> PathBuf {
    std::env::temp_dir().join(format!("tallis-advice-{}", std::process::id()))
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&way, bytes)) = bytes.split_first() else { return };
    if way % 4 == 0 {
        std::fs::write(file(), bytes).expect("a temporary file");
        match Data::read(&file()) {
            Ok(data) => measured(&data),
            Err(failure) => assert!(matches!(failure.status(), 1 | 2), "{failure:?}"),
        }
    } else if let Ok(text) = str::from_utf8(bytes) {
        match Data::describe(text) {
            Ok(data) => measured(&data),
            Err(why) => assert!(!why.is_empty()),
        }
    }
});
