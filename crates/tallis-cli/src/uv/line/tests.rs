use proptest::prelude::*;

use super::*;

const COMBINED: &str = concat!(
    r#"83.149.9.216 - - [17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 203023 "#,
    r#""http://example.com/" "Mozilla/5.0 (X11)""#
);
const COMMON: &str = r#"::1 - frank [10/Oct/2000:13:55:36 -0700] "GET /x HTTP/1.0" 304 -"#;

fn parse(text: &str) -> Result<LogLine<'_>, LineError> {
    LogLine::parse(text.as_bytes())
}

fn agent(text: &str) -> Option<&str> {
    parse(text).unwrap().agent().unwrap().map(|agent| std::str::from_utf8(agent).unwrap())
}

fn error(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn reads_a_combined_line() {
    let line = parse(COMBINED).unwrap();
    assert_eq!(line.host, b"83.149.9.216");
    assert_eq!((line.time.day, line.time.hour), (17, 10));
    assert_eq!(line.request, b"GET /a HTTP/1.1");
    assert_eq!((line.status, line.size), (200, Some(203_023)));
    assert_eq!(line.referer(), Some(&b"http://example.com/"[..]));
    assert_eq!(line.agent(), Ok(Some(&b"Mozilla/5.0 (X11)"[..])));
}

#[test]
fn reads_a_common_line() {
    let line = parse(COMMON).unwrap();
    assert_eq!(line.host, b"::1");
    assert_eq!((line.status, line.size), (304, None));
    assert_eq!((line.referer(), line.agent()), (None, Ok(None)));
}

#[test]
fn a_line_cut_anywhere_after_its_size_parses() {
    let size_end = COMBINED.find(" \"http").unwrap();
    for end in 0..=COMBINED.len() {
        let cut = &COMBINED[..end];
        match parse(cut) {
            Ok(line) => {
                // A size may lose digits and still be valid.
                assert!(end > size_end - "203023".len(), "{cut}");
                let agent_start = COMBINED.find("Mozilla").unwrap();
                let want = (end >= agent_start).then(|| &cut[agent_start..]);
                let want = want.map(|agent| agent.trim_end_matches('"').as_bytes());
                assert_eq!(line.agent(), Ok(want), "{cut}");
            }
            Err(error) => {
                assert!(end <= size_end - "203023".len(), "{cut}: {error}");
                assert!(error.at <= end, "{cut}: {error}");
            }
        }
    }
}

#[test]
fn escaped_quotes_stay_inside_their_field() {
    let text = r#"h - - [17/May/2015:10:05:03 +0000] "GET /\"q\" \\" 200 1 "a\"b" "c\\\"d""#;
    let line = parse(text).unwrap();
    assert_eq!(line.request, br#"GET /\"q\" \\"#);
    assert_eq!(line.referer(), Some(&br#"a\"b"#[..]));
    assert_eq!(line.agent(), Ok(Some(&br#"c\\\"d"#[..])));
}

#[test]
fn a_backslash_at_the_end_of_a_cut_field_is_part_of_it() {
    let text = r#"h - - [17/May/2015:10:05:03 +0000] "GET /" 200 1 "-" "curl\"#;
    assert_eq!(agent(text), Some("curl\\"));
    assert_eq!(agent(&format!("{text}\"")), Some("curl\\\""));
}

#[test]
fn bytes_that_are_no_text_are_kept() {
    let text = b"\xff\xfe - - [17/May/2015:10:05:03 +0000] \"\x00\x80\" 200 1 \"-\" \"\xc3\x28\"";
    let line = LogLine::parse(text).unwrap();
    assert_eq!((line.host, line.request), (&b"\xff\xfe"[..], &b"\x00\x80"[..]));
    assert_eq!(line.agent(), Ok(Some(&b"\xc3\x28"[..])));
}

#[test]
fn users_may_have_spaces_and_brackets() {
    for user in ["frank", "Frank Zappa", "a[b", "a b[c]d", "\"quoted\""] {
        let text = format!("h - {user} [17/May/2015:10:05:03 +0000] \"GET /\" 200 1");
        assert_eq!(parse(&text).unwrap().host, b"h", "{user}");
    }
}

#[test]
fn a_virtual_host_may_come_first() {
    let text = format!("example.com:80 {COMBINED}");
    let line = parse(&text).unwrap();
    assert_eq!(line.virtual_host, Some(&b"example.com:80"[..]));
    assert_eq!(line.host, b"83.149.9.216");
    assert_eq!(line.field(2), Ok(&b"83.149.9.216"[..]));
}

#[test]
fn further_fields_are_let_be() {
    let text = format!("{COMBINED} \"10.0.0.1\" 0.003 gzip");
    assert_eq!(agent(&text), Some("Mozilla/5.0 (X11)"));
    let text = format!("{COMMON} 0.003 \"not the agent\"");
    assert_eq!(agent(&text), None);
    let text = format!("{COMMON} \"referer\" 0.003 \"not the agent\"");
    assert_eq!(agent(&text), None);
}

#[test]
fn a_referer_with_text_behind_its_quote_leaves_no_agent() {
    let text = format!(r#"{COMMON} "/?q="x"" "curl""#);
    let line = parse(&text).unwrap();
    let error = line.agent().unwrap_err();
    assert_eq!(error.problem, Problem::OddReferer);
    assert_eq!(text.as_bytes()[error.at], b'x');
}

#[test]
fn fields_are_parted_by_single_spaces() {
    let text = format!("{COMMON}  z");
    let line = parse(&text).unwrap();
    let want: Vec<_> = text.split(' ').collect();
    for (index, field) in want.iter().enumerate() {
        assert_eq!(line.field(index + 1), Ok(field.as_bytes()));
    }
    let error = line.field(want.len() + 1).unwrap_err();
    assert_eq!(error.problem, Problem::NoField(want.len() + 1));
    assert_eq!(line.field(usize::MAX).unwrap_err().at, text.len());
}

#[test]
fn errors_say_what_and_where() {
    let cases = [
        ("", "no host at the start of the line (column 1)"),
        (" - - [", "no host at the start of the line (column 1)"),
        ("h", "no ident and user after the host (column 2)"),
        ("h ", "no ident and user after the host (column 3)"),
        ("h -", "no ident and user after the host (column 3)"),
        ("h [17/May/2015:10:05:03 +0000] \"", "no ident and user after the host (column 25)"),
        ("h - [17/May/2015:10:05:03 +0000]", "no ident and user after the host (column 5)"),
        ("h - - ", "no time in brackets after the user (column 5)"),
        ("h - - x", "no time in brackets after the user (column 5)"),
        ("h - - [17/May/2015:10:05:03", "no closing bracket after the time (column 8)"),
        ("h - - [17/May/2015]", "bad time: not dd/Mon/yyyy:HH:MM:SS +hhmm (column 8)"),
        ("h - - [31/Feb/2015:10:05:03 +0000]", "bad time: day 31 in February 2015 (column 8)"),
        (
            "h - - [17/Foo/2015:10:05:03 +0000]",
            "bad time: the month is not one of Jan to Dec (column 8)",
        ),
        ("h - - [17/May/2015:10:05:03 +0000]", "no request in quotes after the time (column 35)"),
        (
            "h - - [17/May/2015:10:05:03 +0000] GET",
            "no request in quotes after the time (column 35)",
        ),
        (
            "h - - [17/May/2015:10:05:03 +0000] \"GET",
            "no closing quote after the request (column 37)",
        ),
        ("h - - [17/May/2015:10:05:03 +0000] \"GET\"", "no status after the request (column 41)"),
        (
            "h - - [17/May/2015:10:05:03 +0000] \"GET\"200 1",
            "no status after the request (column 41)",
        ),
        ("h - - [17/May/2015:10:05:03 +0000] \"GET\" ", "no status after the request (column 41)"),
        (
            "h - - [17/May/2015:10:05:03 +0000] \"GET\" -",
            "bad status: not three digits (column 42)",
        ),
        (
            "h - - [17/May/2015:10:05:03 +0000] \"GET\" 2000 1",
            "bad status: not three digits (column 42)",
        ),
        ("h - - [17/May/2015:10:05:03 +0000] \"GET\" 200", "no size after the status (column 45)"),
        ("h - - [17/May/2015:10:05:03 +0000] \"GET\" 200 ", "no size after the status (column 45)"),
        (
            "h - - [17/May/2015:10:05:03 +0000] \"GET\" 200 x",
            "bad size: neither an integer nor - (column 46)",
        ),
        (
            "h - - [17/May/2015:10:05:03 +0000] \"GET\" 200 --",
            "bad size: neither an integer nor - (column 46)",
        ),
        (
            "h - - [17/May/2015:10:05:03 +0000] \"GET\" 200 1k",
            "bad size: neither an integer nor - (column 46)",
        ),
        (
            "h - - [17/May/2015:10:05:03 +0000] \"GET\" 200 18446744073709551616",
            "bad size: neither an integer nor - (column 46)",
        ),
    ];
    for (text, want) in cases {
        assert_eq!(error(text), want, "{text}");
    }
    let text = "h - - [17/May/2015:10:05:03 +0000] \"GET\" 000 18446744073709551615";
    assert_eq!(parse(text).unwrap().size, Some(u64::MAX));
}

/// Returns the text of a quoted field, as a log writes it.
fn quoted() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(
        prop_oneof![
            8 => prop::num::u8::ANY.prop_filter_map("escaped", |byte| {
                (byte != b'"' && byte != b'\\' && byte != b'\n').then(|| vec![byte])
            }),
            1 => Just(b"\\\"".to_vec()),
            1 => Just(b"\\\\".to_vec()),
        ],
        0..40,
    )
    .prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn what_a_server_writes_is_read_back(
        host in "[0-9a-f:.]{1,39}",
        user in "[a-z ]{0,9}[a-z]",
        minute in 0..60_u8,
        request in quoted(),
        status in 0..1000_u16,
        size in proptest::option::of(prop::num::u64::ANY),
        tail in proptest::option::of((quoted(), quoted())),
    ) {
        let size_text = size.map_or("-".to_owned(), |size| size.to_string());
        let mut text = format!("{host} - {user} [29/Feb/2016:23:{minute:02}:59 +0530] \"").into_bytes();
        text.extend_from_slice(&request);
        text.extend_from_slice(format!("\" {status:03} {size_text}").as_bytes());
        if let Some((referer, agent)) = &tail {
            text.extend_from_slice(&[&b" \""[..], referer, b"\" \"", agent, b"\""].concat());
        }
        let line = LogLine::parse(&text).unwrap();
        prop_assert_eq!(line.host, host.as_bytes());
        prop_assert_eq!(line.time.minute, minute);
        prop_assert_eq!(line.request, &request[..]);
        prop_assert_eq!((line.status, line.size), (status, size));
        prop_assert_eq!(line.referer(), tail.as_ref().map(|tail| &tail.0[..]));
        prop_assert_eq!(line.agent(), Ok(tail.as_ref().map(|tail| &tail.1[..])));
    }

    #[test]
    fn no_bytes_make_it_panic(
        mut text in prop::collection::vec(prop::num::u8::ANY, 0..200),
        changes in prop::collection::vec((0..COMBINED.len(), prop::num::u8::ANY), 0..4),
        number in 1..40_usize,
    ) {
        for base in [std::mem::take(&mut text), COMBINED.as_bytes().to_vec()] {
            let mut base = base;
            for &(at, byte) in &changes {
                if let Some(old) = base.get_mut(at) {
                    *old = byte;
                }
            }
            match LogLine::parse(&base) {
                Ok(line) => {
                    let _ = (line.referer(), line.agent(), line.field(number));
                }
                Err(error) => prop_assert!(error.at <= base.len(), "{}", error),
            }
        }
    }
}
