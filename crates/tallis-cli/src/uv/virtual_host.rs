//! Detection of a virtual host before a line, as Apache's `vhost_combined` writes it: `%v:%p %h %l %u %t ...`.
//!
//! # Idea
//!
//! A line without one has three fields before its time, and more if the user's name contains spaces. So a line with
//! four or more is classified by the first two of them:
//!
//! ```text
//! www.example.org:443 192.0.2.7 - - [time]        a name with a port
//! www.example.org 192.0.2.7 - - [time]            an address as the second field, where the user's identity would be
//! 192.0.2.7 - Frank Zappa [time]                  neither
//! 2001:db8::80 - Frank Zappa [time]               the colons of an address are no port's
//! ```

use std::net::IpAddr;
use std::str::from_utf8;

use memchr::{memchr, memmem, memrchr};

/// Returns where the virtual host of a line ends, if there certainly is one.
pub(super) fn end(text: &[u8]) -> Option<usize> {
    let end = memchr(b' ', text)?;
    let behind = &text[end + 1..];
    // Nearly every line, because servers rarely know ident and user.
    if behind.starts_with(b"- ") {
        return None;
    }
    let (name, host_end) = (&text[..end], memchr(b' ', behind)?);
    let host = &behind[..host_end];
    let names_host = has_port(name) || is_address(host);
    (names_host && has_two_fields(&behind[host_end + 1..])).then_some(end)
}

/// Returns whether a field is a name or an address, a colon and a port.
fn has_port(field: &[u8]) -> bool {
    let Some(colon) = memrchr(b':', field).filter(|&colon| colon > 0) else { return false };
    let (name, port) = (&field[..colon], &field[colon + 1..]);
    let bracketed = name.starts_with(b"[") && name.ends_with(b"]");
    (1..=5).contains(&port.len())
        && port.iter().all(u8::is_ascii_digit)
        && (bracketed || memchr(b':', name).is_none())
}

fn is_address(field: &[u8]) -> bool {
    from_utf8(field).is_ok_and(|field| field.parse::<IpAddr>().is_ok())
}

/// Returns whether there are at least two fields before the bracket that opens the time.
fn has_two_fields(text: &[u8]) -> bool {
    let Some(open) = memmem::find(text, b" [") else { return false };
    memchr(b' ', &text[..open]).is_some_and(|space| space > 0 && space + 1 < open)
}

#[cfg(test)]
mod tests {
    use super::super::line::LogLine;

    /// Returns the virtual host and the host of a line with this beginning.
    fn hosts(text: &str) -> (Option<String>, String) {
        let text = format!("{text} [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 5");
        let line = LogLine::parse(text.as_bytes()).unwrap();
        let owned = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (line.virtual_host.map(owned), owned(line.host))
    }

    #[test]
    fn a_virtual_host_is_known_by_its_port_or_by_the_address_behind_it() {
        for (text, name, host) in [
            ("www.example.org:443 192.0.2.7 - -", "www.example.org:443", "192.0.2.7"),
            ("www.example.org:80 2001:db8::7 - frank", "www.example.org:80", "2001:db8::7"),
            ("www:80 client.example.net - Frank Zappa", "www:80", "client.example.net"),
            ("[2001:db8::1]:8080 ::1 - -", "[2001:db8::1]:8080", "::1"),
            ("192.0.2.1:80 192.0.2.7 ident user", "192.0.2.1:80", "192.0.2.7"),
            ("www.example.org 192.0.2.7 - -", "www.example.org", "192.0.2.7"),
            ("- ::ffff:192.0.2.7 - -", "-", "::ffff:192.0.2.7"),
        ] {
            assert_eq!(hosts(text), (Some(name.to_owned()), host.to_owned()), "{text}");
        }
    }

    #[test]
    fn users_and_ports_of_other_lines_are_no_virtual_hosts() {
        for text in [
            "192.0.2.7 - -",
            "192.0.2.7 - frank",
            "192.0.2.7 - Frank Zappa",
            "192.0.2.7 - Frank van der Zappa",
            "2001:db8::80 - Frank Zappa",
            "2001:db8::80 ident Frank Zappa",
            "192.0.2.7:5678 - -",
            "192.0.2.7:5678 - Frank Zappa",
            "192.0.2.7 ident frank",
            "192.0.2.7:80 192.0.2.7 frank",
            "client.example.net ident Frank Zappa",
            "www: 1 2 3",
            ":80 1 2 3",
            "www:123456 1 2 3",
        ] {
            let host = text.split(' ').next().unwrap();
            assert_eq!(hosts(text), (None, host.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_line_may_be_told_what_it_begins_with() {
        let text = br#"192.0.2.7:80 ident Frank Zappa [17/May/2015:10:05:03 +0000] "GET /" 200 5"#;
        assert_eq!(LogLine::parse(text).unwrap().host, b"ident");
        assert_eq!(LogLine::parse_common(text).unwrap().host, b"192.0.2.7:80");
        let text = br#"www client.example.net - - [17/May/2015:10:05:03 +0000] "GET /" 200 5"#;
        assert_eq!(LogLine::parse(text).unwrap().host, b"www");
        let line = LogLine::parse_virtual_host(text).unwrap();
        assert_eq!((line.virtual_host, line.host), (Some(&b"www"[..]), &b"client.example.net"[..]));
        assert_eq!(line.field(2), Ok(&b"client.example.net"[..]));
        for text in ["", "www", "www ", "www host", " host - - ["] {
            let error = LogLine::parse_virtual_host(text.as_bytes()).unwrap_err();
            assert!(error.at <= text.len(), "{text}: {error}");
        }
    }
}
