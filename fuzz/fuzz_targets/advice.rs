//! Any text as the elements of `tallis encodings --advise`, and any bytes as the file of `--from`.
//!
//! A text is refused with a reason, or its elements are measured in every form that the advice offers for them. Each
//! form holds exactly the given elements. A failure of a form is an error of the program, and none is expected.
#![no_main]

use std::path::PathBuf;

use libfuzzer_sys::fuzz_target;
use tallis_cli::Memory;
use tallis_cli::encodings::{Data, advise};

/// The largest number of elements that is measured: more take too long for one input.
const FEW: usize = 1500;

/// An allocator of which no memory is counted.
struct Uncounted;

impl Memory for Uncounted {
    fn held(&self, work: &mut dyn FnMut()) -> isize {
        work();
        0
    }
}

/// Ids for which a bitmap is offered, but one larger than 8 MiB, which takes too long to fill.
const FAR: std::ops::Range<i64> = 1 << 26..1 << 32;

fn measured(data: &Data) {
    if data.count() > FEW || data.largest_id().is_some_and(|id| FAR.contains(&id)) {
        return;
    }
    let advice = advise(data, &Uncounted).expect("every form holds the elements");
    assert_eq!(advice.count, data.count());
    assert!(advice.choices().len() >= 4, "{advice}");
    assert!(advice.to_string().starts_with(&advice.elements));
}

/// The file that the bytes are written to. Only this process uses it.
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
