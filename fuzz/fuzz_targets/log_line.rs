//! A line of an access log from raw bytes: it is refused at an offset inside it, or its fields are parts of it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tallis_cli::uv::{LineError, LogLine};

fuzz_target!(|text: &[u8]| {
    let inside = |error: LineError| assert!(error.at <= text.len(), "{error}");
    let line = match LogLine::parse(text) {
        Ok(line) => line,
        Err(error) => return inside(error),
    };
    assert!(!line.host.is_empty() && line.status <= 999);
    let agent = line.agent().unwrap_or_else(|error| {
        inside(error);
        None
    });
    let request = Some(line.request);
    for quoted in [request, line.referer(), agent].into_iter().flatten() {
        // What stands between two quotes has only such quotes inside as a backslash precedes.
        let mut escaped = false;
        for &byte in quoted {
            assert!(byte != b'"' || escaped);
            escaped = byte == b'\\' && !escaped;
        }
    }
    let fields: Vec<&[u8]> = text.split(|&byte| byte == b' ').collect();
    for (index, field) in fields.iter().enumerate() {
        assert_eq!(line.field(index + 1), Ok(*field));
    }
    assert!(line.field(fields.len() + 1).is_err());
});
