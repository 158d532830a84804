//! A line of an access log from raw bytes, with or without a virtual host, or as a JSON object: it is refused at an
//! offset inside the line, or its fields are parts of the line.
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
    // For any chunk, each line is either counted or bad.
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

/// The members that are read agree with those of a parser that builds the whole object.
fn object(text: &[u8]) {
    let path = |text: &str| text.parse().expect("a path");
    let by = ".a.b".parse().expect("a path");
    let layout = Layout::new(Format::Json, by, Some(path(".t"))).expect("JSON has both");
    let mut scratch = Vec::new();
    let read = layout.read(text, &mut scratch);
    let value: Option<Value> = serde_json::from_slice(text).ok();
    match (read, value) {
        (Err(error), _) => inside(text, error),
        // A skipped member may have no value in the other parser: a number too large, a text that is not UTF-8.
        (Ok(_), None) => {}
        (Ok((time, visitor)), Some(value)) => {
            // Of a duplicate member the first counts here and the last there, and a name may contain dots.
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
        // Between two quotes, each further quote is escaped by a backslash.
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
