//! The formats of lines and of files that `tallis uv` reads.

use std::fs;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::uv::{BY_DAY, counts, json, small_log};
use crate::{Ran, data, example_log, run_with};

pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zstd(text: &[u8]) -> Vec<u8> {
    zstd::encode_all(text, 3).unwrap()
}

#[test]
fn several_logs_and_compressed_ones() {
    let log = small_log();
    let folder = tempfile::tempdir().unwrap();
    let plain = data("small.log");
    for pack in [gzip, zstd] {
        let packed = folder.path().join("log");
        fs::write(&packed, pack(&log)).unwrap();
        let packed = packed.to_str().unwrap();
        assert_eq!(counts(&json(&[packed], b"")), BY_DAY);
        assert_eq!(counts(&json(&["-"], &pack(&log))), BY_DAY);
        let twice = [pack(&log[..100]), pack(&log[100..])].concat();
        assert_eq!(counts(&json(&["-"], &twice)), BY_DAY);
        let thrice = counts(&json(&[packed, "-", plain.to_str().unwrap()], &log));
        assert_eq!(thrice, ["2015-05-17 12 2", "2015-05-18 12 4", "2015-05-20 3 1", "total 27 5"]);
    }
}

#[test]
fn standard_input_is_read_without_a_name_and_only_once() {
    assert_eq!(counts(&json(&[], &small_log())), BY_DAY);
    let Ran { status, out, err } = run_with(&["uv", "-", "-"], &small_log());
    assert_eq!((status, out.as_str()), (1, ""));
    assert_eq!(err, "tallis: standard input can be read only once\n");
}

#[test]
fn a_damaged_compressed_file_is_an_error() {
    let text = small_log().repeat(50);
    for packed in [gzip(&text), zstd(&text)] {
        let cut = &packed[..packed.len() - 9];
        let Ran { status, out, err } = run_with(&["uv", "--lenient", "-"], cut);
        assert_eq!((status, out.as_str()), (1, ""));
        assert!(err.contains("tallis: -: "), "{err}");
        let behind = [&packed[..], b"and more"].concat();
        assert_eq!(run_with(&["uv", "--lenient", "-"], &behind).status, 1);
    }
}

#[test]
fn a_virtual_host_before_each_line_changes_nothing() {
    let log = fs::read_to_string(example_log()).unwrap();
    let want = json(&["--by", "ip-agent", "-"], log.as_bytes());
    let before = |name: &str| {
        log.lines().flat_map(|line| [name, " ", line, "\n"]).collect::<String>().into_bytes()
    };
    for (name, format) in [
        ("www.example.org:443", "auto"),
        ("[2001:db8::1]:80", "auto"),
        ("www.example.org", "auto"),
        ("www.example.org", "vhost"),
    ] {
        let found = json(&["--by", "ip-agent", "--format", format, "-"], &before(name));
        assert_eq!(counts(&found), counts(&want), "{name} {format}");
    }
    // As in Common Log Format, the name identifies the visitor.
    let found = json(&["--every", "all", "--format", "common", "-"], &before("www:80"));
    assert_eq!(found["total"]["exact"], 1);
    let hosts = json(&["--every", "all", "--by", "field:2", "-"], &before("www:80"));
    assert_eq!(
        hosts["total"]["exact"],
        json(&["--every", "all", "-"], log.as_bytes())["total"]["exact"]
    );
}

/// The format of Caddy, in some lines with another logger.
const CADDY: &str = r#"{"level":"info","ts":1431857103.6512,"logger":"http.log.access.log0","msg":"handled request","request":{"remote_ip":"192.0.2.1","remote_port":"41342","client_ip":"192.0.2.1","proto":"HTTP/2.0","method":"GET","host":"example.com","uri":"/","headers":{"User-Agent":["curl/7.82.0"],"Accept":["*/*"]},"tls":{"resumed":false,"version":772,"cipher_suite":4865,"proto":"h2","server_name":"example.com"}},"bytes_read":0,"user_id":"","duration":0.000929675,"size":10900,"status":200,"resp_headers":{"Server":["Caddy"],"Content-Encoding":["gzip"]}}
{"level":"info","ts":1431857104,"logger":"http.log.access","msg":"handled request","request":{"method":"GET","uri":"/\"q\"","headers":{},"remote_ip":"2001:db8::7"},"status":200}
{"level":"error","ts":1431943503.1,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"192.0.2.1","uri":"\u00e9"},"status":502}
"#;

/// The format of nginx with `escape=json`.
const NGINX: &str = r#"{"time_iso8601":"2015-05-17T10:05:03+00:00","msec":"1431857103.651","time_local":"17/May/2015:10:05:03 +0000","remote_addr":"192.0.2.1","request":"GET / HTTP/1.1","status":"200","body_bytes_sent":"612","http_user_agent":"curl\/7.82.0"}
{"time_iso8601":"2015-05-17T10:05:04+00:00","msec":"1431857104.000","time_local":"17/May/2015:10:05:04 +0000","remote_addr":"2001:db8::7","request":"GET /\"q\" HTTP/1.1","status":"200","body_bytes_sent":"0","http_user_agent":""}
{"time_iso8601":"2015-05-18T10:05:03+00:00","msec":"1431943503.100","time_local":"18/May/2015:10:05:03 +0000","remote_addr":"192.0.2.1","request":"","status":"400","body_bytes_sent":"0","http_user_agent":"\u0016\u0003"}
"#;

/// The format of Traefik.
const TRAEFIK: &str = r#"{"ClientAddr":"192.0.2.1:41342","ClientHost":"192.0.2.1","ClientUsername":"-","DownstreamStatus":200,"Duration":929675,"RequestMethod":"GET","RequestPath":"/","StartLocal":"2015-05-17T12:05:03.6512+02:00","StartUTC":"2015-05-17T10:05:03.651234567Z","level":"info","msg":"","request_User-Agent":"curl/7.82.0","time":"2015-05-17T10:05:03Z"}
{"ClientAddr":"[2001:db8::7]:1","ClientHost":"2001:db8::7","StartUTC":"2015-05-17T10:05:04Z","StartLocal":"2015-05-17T12:05:04+02:00","time":"2015-05-17T10:05:04Z"}
{"ClientAddr":"192.0.2.1:2","ClientHost":"192.0.2.1","StartUTC":"2015-05-18T10:05:03.1Z","StartLocal":"2015-05-18T12:05:03.1+02:00","time":"2015-05-18T10:05:03Z"}
"#;

#[test]
fn json_logs_are_counted_by_the_named_members() {
    let common = concat!(
        "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 5\n",
        "2001:db8::7 - - [17/May/2015:10:05:04 +0000] \"GET / HTTP/1.1\" 200 5\n",
        "192.0.2.1 - - [18/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 5\n",
    );
    let folder = tempfile::tempdir().unwrap();
    let saved = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let want = json(&["--every", "hour", "--save", &saved("common"), "-"], common.as_bytes());
    for (log, by, time) in [
        (CADDY, ".request.remote_ip", ".ts"),
        (NGINX, ".remote_addr", ".time_iso8601"),
        (NGINX, ".remote_addr", ".time_local"),
        (NGINX, ".remote_addr", ".msec"),
        (TRAEFIK, ".ClientHost", ".StartUTC"),
        (TRAEFIK, ".ClientHost", ".time"),
    ] {
        let args = ["--every", "hour", "--format", "json", "--by", by, "--time", time];
        let found = json(&[&args[..], &["--save", &saved("json"), "-"]].concat(), log.as_bytes());
        assert_eq!(counts(&found), counts(&want), "{by} {time}");
        // The visitors are the same in all of the logs.
        let ask = |name: &str| {
            let asked = b"pfcount uv:2015-05-17T10 uv:2015-05-18T10\nget uv:2015-05-17T10\n";
            run_with(&["cli", "--rdb", &saved(name)], asked).out
        };
        assert_eq!(ask("json"), ask("common"), "{by} {time}");
    }
    // In its local time, it is two hours later.
    let local = [
        "--every",
        "hour",
        "--format",
        "json",
        "--by",
        ".ClientHost",
        "--time",
        ".StartLocal",
        "-",
    ];
    assert_eq!(json(&local, TRAEFIK.as_bytes())["buckets"][0]["bucket"], "2015-05-17T12");
}

#[test]
fn invalid_json_lines_are_reported_with_file_and_line() {
    let args = ["uv", "--format", "json", "--by", ".request.remote_ip", "--time", ".ts", "-"];
    let run = |more: &str| run_with(&args, format!("{CADDY}{more}").as_bytes());
    for (line, what) in [
        ("{\"ts\":1", "not a JSON object, or an incomplete one (column 7)"),
        ("\n", "not a JSON object, or an incomplete one (column 1)"),
        ("{\"ts\":1,\"request\":{}}\n", "no string or number at the path of --by (column 1)"),
        (
            "{\"request\":{\"remote_ip\":\"::1\"}}\n",
            "no string or number at the path of --time (column 1)",
        ),
        ("{\"ts\":\"noon\"}", "bad time: not yyyy-mm-ddTHH:MM:SS with Z"),
    ] {
        let Ran { status, out, err } = run(line);
        assert_eq!((status, out.as_str()), (2, ""), "{line}");
        assert!(err.contains(&format!("-:4: {what}")), "{line}: {err}");
    }
    for (args, what) in [
        (&["--format", "json"][..], "--format json requires --by .NAME"),
        (&["--format", "json", "--by", ".ip"], "--format json requires --time .NAME"),
        (&["--by", ".ip"], "--time and --by .NAME require --format json"),
        (&["--time", ".ts"], "--time and --by .NAME require --format json"),
        (&["--format", "json", "--by", ".ip", "--time", "ts"], "names, each preceded by a dot"),
        (&["--format", "xml"], "auto, common, vhost, json"),
    ] {
        let Ran { status, out, err } = run_with(&[&["uv"], args].concat(), b"");
        assert_eq!((status, out.as_str()), (2, ""), "{args:?}");
        assert!(err.contains(what), "{args:?}: {err}");
    }
}
