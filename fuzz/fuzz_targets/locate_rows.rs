//! Lines of a CSV file from raw bytes, with bad rows borne: each row counts its user once or is skipped, and what was
//! counted is what the locations say.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tallis::{Locations, Store};
use tallis_cli::locate::{Fields, Format, Loader};

fuzz_target!(|input: (bool, &[u8])| {
    let (zip, text) = input;
    let locations = Locations::new(Store::new());
    let format = if zip { Format::Zip } else { Format::Users };
    let mut loader = Loader::new(&locations, format, true);
    let mut fields = Fields::new();
    // Each row may cost a string of 2 MiB.
    for line in text.split(|&byte| byte == b'\n').take(50) {
        let before = loader.users();
        let refused = loader.line(line).is_err_and(|row| !row.is_counted());
        let more = loader.users() - before;
        assert!(more <= u64::from(!refused));
        if let Ok(fields) = fields.of(line) {
            // Quotes go, nothing comes.
            assert!(fields.clone().map(<[u8]>::len).sum::<usize>() <= line.len());
            let commas = line.iter().filter(|&&byte| byte == b',').count();
            assert!(fields.len() <= commas + 1);
            assert!(line.contains(&b'"') || line.is_empty() || fields.len() == commas + 1);
        }
    }
    let everyone = locations.aggregate().unwrap();
    assert!(everyone.users() <= loader.users() && everyone.unknown() == 0);
});
