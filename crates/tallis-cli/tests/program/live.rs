//! Comparisons with a real server and a real `redis-cli`.

use std::process::{Command, Output};

use serde_json::Value;
use testkit::live;

use crate::locate::example_users;
use crate::uv::json;
use crate::uv_load::days;
use crate::{data, example_log, feed, run, run_with};

/// Runs `redis-cli` on that server, with further arguments and input, and returns its output.
pub(crate) fn redis_cli(server: &live::Server, args: &[&str], input: &[u8]) -> String {
    let output = redis_cli_output(server, args, input);
    assert_eq!(output.stderr, b"");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The same, but returns the exit status and both outputs.
pub(crate) fn redis_cli_output(server: &live::Server, args: &[&str], input: &[u8]) -> Output {
    // It is installed together with the server, in the same folder.
    let beside = live::locate().map(|program| program.with_file_name("redis-cli"));
    let program = beside.filter(|program| program.exists()).unwrap_or("redis-cli".into());
    let mut command = Command::new(program);
    command.arg("-s").arg(server.socket()).args(args);
    feed(&mut command, input)
}

#[test]
fn a_server_opens_what_uv_saves() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("visitors.rdb");
    let args = ["uv", "--json", "--save", saved.to_str().unwrap(), example_log().to_str().unwrap()]
        .map(str::to_owned);
    let printed = run(&args);
    assert_eq!(printed.status, 0, "{}", printed.err);
    let report: Value = serde_json::from_str(&printed.out).unwrap();

    let Some(server) = live::server_with(&live::Options::new().rdb(&saved)) else { return };
    server.check_rdb(&saved).unwrap();
    check_buckets(&server, report["buckets"].as_array().unwrap(), &report["total"]["approx"]);
}

#[test]
fn uv_continues_from_a_file_of_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("visitors.rdb");
    let saved = saved.to_str().unwrap();
    let whole = json(&[example_log().to_str().unwrap()], b"");
    let days = days();
    json(&["--save", saved, "-"], days[0].as_bytes());
    for (at, day) in days.iter().enumerate().skip(1) {
        let Some(server) = live::server_with(&live::Options::new().rdb(saved)) else { return };
        assert_eq!(redis_cli(&server, &["save"], b""), "OK\n");
        let from = server.rdb_file();
        json(&["--load", from.to_str().unwrap(), "--save", saved, "-"], day.as_bytes());
        drop(server);
        let server = live::server_with(&live::Options::new().rdb(saved)).unwrap();
        server.check_rdb(saved).unwrap();
        let buckets = &whole["buckets"].as_array().unwrap()[..=at];
        let all = if at + 1 == days.len() { &whole["total"]["approx"] } else { &Value::Null };
        check_buckets(&server, buckets, all);
    }
}

/// Checks that a server has the data of a report; `all` is the count of all buckets, if known.
fn check_buckets(server: &live::Server, buckets: &[Value], all: &Value) {
    let ask = |args: &[&str]| redis_cli(server, args, b"");
    assert!(buckets.len() > 1);
    let mut count_all = vec!["pfcount".to_owned()];
    for row in buckets {
        let bucket = row["bucket"].as_str().unwrap();
        let exact = row["exact"].as_u64().unwrap();
        assert_eq!(ask(&["get", &format!("unique:{bucket}")]), format!("{exact}\n"));
        assert_eq!(ask(&["pfcount", &format!("uv:{bucket}")]), format!("{}\n", row["approx"]));
        count_all.push(format!("uv:{bucket}"));

        let shards = ask(&["--scan", "--pattern", &format!("unique:{bucket}:*")]);
        let shards: Vec<_> = shards.lines().filter(|shard| !shard.ends_with(":expected")).collect();
        let asked = shards
            .iter()
            .flat_map(|shard| ["scard ", shard, "\nobject encoding ", shard, "\n"])
            .collect::<String>();
        let answers = redis_cli(server, &[], asked.as_bytes());
        let mut members = 0;
        for answer in answers.lines().collect::<Vec<_>>().chunks(2) {
            members += answer[0].parse::<u64>().unwrap();
            assert_eq!(answer[1], "intset");
        }
        assert_eq!(members, exact, "{bucket}");
    }
    let count_all: Vec<_> = count_all.iter().map(String::as_str).collect();
    if !all.is_null() {
        assert_eq!(ask(&count_all), format!("{all}\n"));
    }
}

/// Unusual quotes, and every kind of reply.
const SCRIPT: &[u8] = b"\
set k \"a\\x01\\\"\\\\\\n\\r\\t\\a\\b\\x7f\\xff ~\"
get k
GET k
get nosuch
  \t
set 'single \\' \\x41 \\n' 1
get \"single ' \\\\x41 \\\\n\"
echo ab\"c d\"
echo \"a\"b
echo 'a'b
echo \"open
echo 'open
echo \"\\xZZ\\x4\\q\"
echo \"\"
echo a\\x41
echo a\x0bb
echo \"a\"\x0b
\x0becho x\r
\"\"
# not a comment
nosuch a 'b c' d
incr k
incr k extra
incr n
3 incr n
0 incr n
-1 incr n
2
2x incr n
sadd s 1 2 3
sadd s 1
smembers s
smembers nosuch
smembers k
sadd many 1 2 3 4 5 6 7 8 9 10 11
smembers many
scard many
sismember many 3
srem many 3 4 nosuch
object encoding s
type s
type nosuch
pfadd hll a b c
pfcount hll nosuch
pfadd k x
dump n
ttl n
expire n 100
ttl n
exists s k nosuch s
del s nosuch
select 1
get k
select 0
select x
clear
object encoding nosuch
quit
get k
";

#[test]
fn replies_look_as_redis_cli_shows_them() {
    let Some(server) = live::server() else { return };
    for style in [&[][..], &["--no-raw"], &["--json"], &["--quoted-json"]] {
        redis_cli(&server, &["flushall"], b"");
        let want = redis_cli(&server, style, SCRIPT);
        let args = [&["cli", "--profile", "7.0"], style].concat();
        let got = run_with(&args, SCRIPT);
        assert_eq!(got.status, 0);
        for (number, (got, want)) in got.out.lines().zip(want.lines()).enumerate() {
            assert_eq!(got, want, "line {} of the output, {style:?}", number + 1);
        }
        assert_eq!(got.out, want, "{style:?}");
    }
}

/// Replies that have their own types in RESP3.
const SHAPES: &[u8] = b"\
sadd s 1 2 3
smembers s
smembers nosuch
config get databases
config get set-max-* hll-nosuch
config get nosuch
get nosuch
info keyspace
info nosuch
Info nosuch keyspace
command getkeysandflags mset a 1 b 2
command getkeysandflags pfmerge a b
command info sintercard nosuch get lcs
command docs nosuch
multi
smembers s
info keyspace
config get databases
info x y
exec
hello 9
hello x
config set databases 1
command list filterby pattern get
reset
smembers s
";

#[test]
fn formats_look_as_redis_cli_shows_them() {
    let Some(server) = live::server() else { return };
    for style in [
        &[][..],
        &["-3"],
        &["-2"],
        &["--no-raw"],
        &["-3", "--no-raw"],
        &["--json"],
        &["-2", "--json"],
        &["--quoted-json", "-3"],
        &["--quoted-json", "-2"],
    ] {
        redis_cli(&server, &["flushall"], b"");
        let want = redis_cli(&server, style, SHAPES);
        let got = run_with(&[&["cli", "--profile", "7.0"], style].concat(), SHAPES);
        assert_eq!(got.status, 0);
        for (number, (got, want)) in got.out.lines().zip(want.lines()).enumerate() {
            assert_eq!(got, want, "line {} of the output, {style:?}", number + 1);
        }
        assert_eq!(got.out, want, "{style:?}");
    }
}

#[test]
fn a_server_and_the_program_exchange_a_file() {
    let Some(server) = live::server() else { return };
    redis_cli(&server, &[], b"set k v\nsadd s 1 2 3\npfadd h a b c\nselect 2\nset k other\nsave\n");
    let file = server.rdb_file();
    let asked = b"get k\nsmembers s\npfcount h\nselect 2\nget k\n";
    let got = run_with(&["cli", "--rdb", file.to_str().unwrap()], asked);
    assert_eq!(got.out, "v\n1\n2\n3\n3\nOK\nother\n");
    assert_eq!(got.out, redis_cli(&server, &[], asked));
}

#[test]
fn small_counts_agree_with_the_servers_own() {
    let Some(server) = live::server() else { return };
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("out.rdb");
    let log = data("small.log");
    let args = ["uv", "--save", saved.to_str().unwrap(), log.to_str().unwrap()];
    assert_eq!(run(&args).status, 0);
    // The bytes of 192.0.2.1 and 2001:db8::7, added by the server.
    let ids =
        ["192.0.2.1", "2001:db8::7"].map(|name| tallis::VisitorId::of(name).as_str().to_owned());
    redis_cli(&server, &["pfadd", "uv", &ids[0], &ids[1]], b"");
    let count = redis_cli(&server, &["pfcount", "uv"], b"");
    assert_eq!(count, "2\n");
    let want = redis_cli(&server, &["--no-raw", "get", "uv"], b"");
    let got =
        run(&["cli", "--no-raw", "--rdb", saved.to_str().unwrap(), "get", "uv:2015-05-17"]).out;
    assert_eq!(got, want);
}

#[test]
fn a_server_opens_what_locate_saves() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("locations.rdb");
    let (saved, users) = (saved.to_str().unwrap(), example_users());
    let printed = run(&["locate", "--save", saved, users.to_str().unwrap()]);
    assert_eq!(printed.status, 0, "{}", printed.err);

    let Some(server) = live::server_with(&live::Options::new().rdb(saved)) else { return };
    server.check_rdb(saved).unwrap();
    // The last line has the largest id.
    let text = std::fs::read_to_string(users).unwrap();
    let last = text.lines().last().unwrap().split(',').next().unwrap();
    let asked = b"zscore location:max max\nzcard location:max\nstrlen location:0\ndbsize\n";
    let length = last.parse::<u64>().unwrap() * 2 + 2;
    assert_eq!(redis_cli(&server, &[], asked), format!("{last}\n1\n{length}\n2\n"));
    // The first line is for user 1 or 2; in both cases the bytes are the same.
    let asked = b"get location:0\ndump location:max\n";
    let ours = run_with(&["cli", "--profile", "7.0", "--no-raw", "--rdb", saved], asked);
    assert_eq!(ours.out, redis_cli(&server, &["--no-raw"], asked));
}
