//! A line of an access log from raw bytes, with a virtual host before it or not, or as an object of JSON: it is refused
//! at an offset inside it, or its fields are parts of it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use tallis_cli::uv::{Batch, Every, Format, Layout, LineError, LogLine, Scanner, Stamp};

fuzz_target!(|text: &[u8]| {
    object(text);
    for parse in [LogLine::parse, LogLine::parse_common, LogLine::parse_virtual_host] {
        match parse(text) {
            Ok(line) => fields(text, &line),
            Err(error) => inside(text, error),
        }
    }
    // Whatever a chunk holds, each line of it is counted or bad.
    let mut batch = Batch::default();
    Scanner::new(Layout::default(), Every::Hour).scan(text, &mut batch);
    let lines = text.split(|&byte| byte == b'\n').count()
        - usize::from(text.is_empty() || text.ends_with(b"\n"));
    assert_eq!(batch.lines(), lines as u64);
    assert!(batch.bad() <= batch.lines());
});

fn inside(text: &[u8], error: LineError) {
    assert!(error.at <= text.len(), "{error}");
}

/// What the members of an object say, as one that builds all of it has them.
fn object(text: &[u8]) {
    let path = |text: &str| text.parse().expect("a path");
    let by = ".a.b".parse().expect("a path");
    let layout = Layout::new(Format::Json, by, Some(path(".t"))).expect("JSON has both");
    let mut scratch = Vec::new();
    let read = layout.read(text, &mut scratch);
    let value: Option<Value> = serde_json::from_slice(text).ok();
    match (read, value) {
        (Err(error), _) => inside(text, error),
        // What is passed over need not have a value: a number too large, a text that is no UTF-8.
        (Ok(_), None) => {}
        (Ok((time, visitor)), Some(value)) => {
            // A member that comes twice is the first here and the last there, and a name may have dots.
            let twice = [&b"\"a"[..], b"\"b", b"\"t", b"\\u"]
                .map(|name| text.windows(name.len()).filter(|part| part == &name).count());
            if twice[..3].iter().any(|&count| count != 1) || twice[3] > 0 {
                return;
            }
            if let Some(Value::String(name)) = value.pointer("/a/b") {
                assert_eq!(visitor, name.as_bytes());
            }
            if let Some(Value::String(text)) = value.get("t") {
                assert_eq!(Stamp::from_text(text), Ok(time));
            }
        }
    }
}

/// The fields of a line are parts of it.
fn fields(text: &[u8], line: &LogLine<'_>) {
    assert!(!line.host.is_empty() && line.status <= 999);
    if let Some(name) = line.virtual_host {
        assert_eq!(text, [name, b" ", &text[name.len() + 1..]].concat());
        assert!(text[name.len() + 1..].starts_with(line.host));
    }
    let agent = line.agent().unwrap_or_else(|error| {
        inside(text, error);
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
}
