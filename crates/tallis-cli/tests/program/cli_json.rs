//! `tallis cli --json` and `--quoted-json`, also compared with a live `redis-cli`.

use tallis::{Error, ErrorKind, Profile, Reply};
use tallis_cli::cli::Style;
use testkit::live;

use crate::live::{redis_cli, redis_cli_output};
use crate::{Ran, feed, run, run_with, tallis};

/// For each kind of reply, the script with which a server sends it, and the line that `redis-cli --json` prints.
fn kinds() -> Vec<(&'static str, Reply, &'static str)> {
    let bulk = |text: &'static str| Reply::Bulk(text.into());
    let error = || Reply::Error(Error::new(ErrorKind::Syntax, "X \"q\""));
    let key = |key: Reply| Reply::Map(vec![(key, Reply::Int(1))]);
    vec![
        ("{ok='a\"b'}", Reply::Status("a\"b".into()), r#""a\"b""#),
        ("{err='X \"q\"'}", error(), r#"error:"X \"q\"""#),
        ("-3", Reply::Int(-3), "-3"),
        ("true", Reply::Boolean(true), "true"),
        ("false", Reply::Boolean(false), "false"),
        ("nil", Reply::Nil, "null"),
        ("nil", Reply::NullArray, "null"),
        ("'a\"b\\\\c\\n'", bulk("a\"b\\c\n"), r#""a\"b\\c\n""#),
        (
            "{verbatim_string={format='txt',string='a\"b\\n'}}",
            Reply::Verbatim("a\"b\n".into()),
            r#""a\"b\n""#,
        ),
        ("{double=0.1}", Reply::Double(0.1), "0.10000000000000001"),
        ("{double=1e300}", Reply::Double(1e300), "1.0000000000000001e+300"),
        ("{double=-0.0}", Reply::Double(-0.0), "-0"),
        ("{double=-1/0}", Reply::Double(f64::NEG_INFINITY), "-inf"),
        ("{double=13.5}", Reply::Coordinate(13.5), "13.5"),
        ("{}", Reply::Array(vec![]), "[]"),
        ("{}", Reply::Pairs(vec![]), "[]"),
        ("{set={}}", Reply::Set(vec![]), "[]"),
        ("{map={}}", Reply::Map(vec![]), "{}"),
        (
            "{{},{err='X \"q\"'},{'x',{set={}}}}",
            Reply::Array(vec![
                Reply::Array(vec![]),
                error(),
                Reply::Array(vec![bulk("x"), Reply::Set(vec![])]),
            ]),
            r#"[[],error:"X \"q\"",["x",[]]]"#,
        ),
        ("{set={x=true}}", Reply::Set(vec![bulk("x")]), r#"["x"]"#),
        (
            "{{'a',{double=1}},{'b',false}}",
            Reply::Pairs(vec![(bulk("a"), Reply::Double(1.0)), (bulk("b"), Reply::Boolean(false))]),
            r#"[["a",1],["b",false]]"#,
        ),
        ("{map={n=1}}", Reply::Named("n", Box::new(Reply::Int(1))), r#"{"n":1}"#),
        ("{map={['a\"b']=1}}", key(bulk("a\"b")), r#"{"a\"b":1}"#),
        ("{map={[{ok='OK'}]=1}}", key(Reply::OK), r#"{"OK":1}"#),
        ("{map={[{err='X \"q\"'}]=1}}", key(error()), r#"{error:"X \"q\"":1}"#),
        ("{map={[7]=1}}", key(Reply::Int(7)), r#"{"7":1}"#),
        ("{map={[true]=1}}", key(Reply::Boolean(true)), r#"{"true":1}"#),
        ("{map={[{double=1.5}]=1}}", key(Reply::Double(1.5)), r#"{"1.5":1}"#),
        (
            "{map={[{'a','b'}]=1}}",
            key(Reply::Array(vec![bulk("a"), bulk("b")])),
            r#"{"["a","b"]":1}"#,
        ),
        (
            "{map={[{map={a=2}}]=1}}",
            key(Reply::Map(vec![(bulk("a"), Reply::Int(2))])),
            r#"{"{"a":2}":1}"#,
        ),
    ]
}

#[test]
fn every_kind_of_reply_has_its_form() {
    for (script, reply, want) in kinds() {
        let mut out = Vec::new();
        Style::Json.write(&reply, Profile::Redis70, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), format!("{want}\n"), "{script}");
    }
}

#[test]
fn coordinates_have_their_own_number_of_digits() {
    let input = b"geoadd g 13.361389 38.115556 Palermo\ngeopos g Palermo nosuch\n";
    let want = "1\n[[13.36138933897018433,38.11555639549629859],null]\n";
    assert_eq!(run_with(&["cli", "--json"], input).out, want);
}

#[test]
fn every_kind_of_reply_has_the_form_of_redis_cli() {
    let Some(server) = live::server() else { return };
    for (script, reply, want) in kinds() {
        let script = format!("redis.setresp(3); return {script}");
        let shown = |style: &str| redis_cli(&server, &[style, "eval", &script, "0"], b"");
        assert_eq!(shown("--json"), format!("{want}\n"), "{script}");
        let mut out = Vec::new();
        Style::QuotedJson.write(&reply, Profile::Redis70, &mut out);
        assert_eq!(shown("--quoted-json"), String::from_utf8(out).unwrap(), "{script}");
    }
}

/// Every kind of reply of a store, in an order that is the same on the server.
const REPLIES: &[u8] = b"\
set k \"a\\x00\\x01\\x1b\\\"\\\\/\\n\\r\\t\\a\\b\\x0c\\x7f <'> \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 \xff\xfe\xc3\x28\"
get k
set k v get
getrange k 0 -1
set empty \"\"
get empty
get nosuch
mget k nosuch empty
type k
strlen k
incr k
get
nosuch \"a\\\"b\" 'c\\d'
object encoding k
object encoding nosuch
incrbyfloat n 1.5
set i 9223372036854775807
incr i
bitfield i get u4 0 incrby u2 0 3 overflow fail incrby u2 0 3
lcs k v
mset one ohmytext two mynewtext
lcs one two
lcs one two idx withmatchlen
lcs one two len
sadd s 3 1 2
smembers s
smembers nosuch
sunion s nosuch
sinter s s
sdiff s s
sismember s 1
smismember s 1 9
spop nosuch
spop nosuch 2
sadd single \"\\xff\\\"\"
smembers single
srandmember single 2
sscan single 0
hset h f 1 \"g\\\"\\xff\" \"\\n\" \"\" \"\"
hgetall h
hgetall nosuch
hget h f
hget h nosuch
hmget h f nosuch
hkeys h
hvals h
hincrby h f 2
hincrbyfloat h f 0.5
hscan h 0
hrandfield nosuch
hset single-field \"\\x00\" \"\\xff\"
hrandfield single-field -2 withvalues
rpush l a b c 1
lrange l 0 -1
lpop l 2
lpop nosuch
lpop nosuch 2
lpos l 1
lpos l 1 count 0
lmpop 1 l left count 2
lmpop 1 l left
zadd z inf a -inf b -0 c 0.1 d 1e300 e 3 f 1.5e-9 g
zscore z a
zscore z b
zscore z c
zscore z d
zscore z e
zscore z g
zscore z nosuch
zmscore z a nosuch d
zrank z d
zrank z nosuch
zincrby z 0.5 f
zincrby z inf b
zadd z incr 1 f
zadd z nx incr 1 f
zadd z xx ch 2 f
zrange z 0 -1
zrange z 0 -1 withscores
zrevrange z 0 1 withscores
zrange nosuch 0 -1 withscores
zunion 1 z withscores
zpopmin z
zpopmin z 2
zpopmax nosuch
zmpop 1 z max count 2
zmpop 1 nosuch max
zadd one-member 0.1 m
zrandmember one-member
zrandmember one-member -2 withscores
zscan one-member 0
geoadd places 13.361389 38.115556 Palermo 15.087269 37.502669 Catania
geopos places Palermo nosuch
geodist places Palermo Catania km
geohash places Palermo nosuch
geosearch places fromlonlat 15 37 byradius 200 km asc withcoord withdist withhash
pfadd hll a b c
pfcount hll
bitcount k
bitpos k 1
config get databases
config get maxmemory-nosuch
config get hll-sparse-max-bytes
config set databases 1
command info get nosuch lcs
command getkeysandflags mset a 1 b 2
command docs nosuch
command list filterby pattern get
command count extra
info keyspace
info nosuch
expire k 100
persist k
ttl k
ttl nosuch
copy k k2
rename k2 k3
rename nosuch k
exists k k3 nosuch
object refcount nosuch
sort s desc
sort s by nosuch get # get nosuch
echo \"\"
echo '\"'
ping
ping \"\\xff\"
2 ping

\"open
clear
\"\"
multi
set k w
get k
incr k
hgetall h
smembers s
zscore one-member m
info keyspace
get nosuch
multi
exec
multi
nosuch
exec
multi
discard
exec
watch k
set k x
multi
get k
exec
unwatch
select 1
get k
select x
hello 9
hello 2 setname
reset
hello x
select 0
hgetall h
zscore one-member m
flushall
scan 0
set last 1
scan 0
keys *
quit
get last
";

/// The output of both programs is equal; bytes that are not ASCII are shown as numbers.
#[test]
fn replies_look_as_redis_cli_shows_them() {
    let Some(server) = live::server() else { return };
    let text = |bytes: &[u8]| bytes.escape_ascii().to_string().replace("\\n", "\n");
    for style in [
        &["--json"][..],
        &["--quoted-json"],
        &["--json", "-2"],
        &["--quoted-json", "-2"],
        &["-3", "--json"],
    ] {
        redis_cli(&server, &["flushall"], b"");
        let want = redis_cli_output(&server, style, REPLIES);
        let got = feed(tallis().args(["cli", "--profile", "7.0"]).args(style), REPLIES);
        let (got_text, want_text) = (text(&got.stdout), text(&want.stdout));
        for (number, (got, want)) in got_text.lines().zip(want_text.lines()).enumerate() {
            assert_eq!(got, want, "line {} of the output, {style:?}", number + 1);
        }
        assert!(got.stdout == want.stdout, "{style:?}");
        assert_eq!((got.status, got.stderr), (want.status, want.stderr), "{style:?}");
    }
}

#[test]
fn one_command_in_the_arguments_looks_as_redis_cli_shows_it() {
    let Some(server) = live::server() else { return };
    for style in ["--json", "--quoted-json"] {
        for words in [
            &["set", "k", "\u{e9}\"\\\n"][..],
            &["echo", "\u{e9}\"\\\n"],
            &["get", "nosuch"],
            &["incr"],
            &["hello", "x"],
            &["info", "nosuch"],
            &["config", "get", "databases"],
            &["echo", "--json"],
            &["exec"],
            &["2", "ping"],
        ] {
            let want = redis_cli_output(&server, &[&[style], words].concat(), b"");
            let got = feed(tallis().args(["cli", "--profile", "7.0", style]).args(words), b"");
            assert_eq!(got, want, "{style} {words:?}");
        }
    }
}

#[test]
fn one_line_per_reply() {
    let input = b"hset h f \"a\\\"\\xff\"\nhgetall h\nzadd z inf m\nzrange z 0 -1 withscores\nget h\nget none\n";
    let lines = |options: &[&str]| run_with(&[&["cli"], options].concat(), input).out;
    let wrong = "WRONGTYPE Operation against a key holding the wrong kind of value";
    let error = format!("error:\"{wrong}\"\nnull\n");
    assert_eq!(
        lines(&["--json"]),
        format!("1\n{{\"f\":\"a\\\"\u{fffd}\"}}\n1\n[[\"m\",inf]]\n{error}")
    );
    assert_eq!(
        lines(&["--quoted-json"]),
        format!("1\n{{\"f\":\"a\\\\\"\\\\xff\"}}\n1\n[[\"m\",inf]]\n{error}")
    );
    assert_eq!(
        lines(&["--json", "-2"]),
        format!("1\n[\"f\",\"a\\\"\u{fffd}\"]\n1\n[\"m\",\"inf\"]\n{error}")
    );
}

/// An error is a reply, but not printed as JSON: its format is that of `redis-cli`.
#[test]
fn an_error_is_a_reply_like_any_other() {
    let Ran { status, out, err } = run(&["cli", "--json", "incr"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(out, "error:\"ERR wrong number of arguments for 'incr' command\"\n");
}

#[test]
fn replies_about_the_store_are_json() {
    for words in [&["command"][..], &["command", "docs"], &["config", "get", "*"], &["hello"]] {
        for style in ["--json", "--quoted-json"] {
            let out = run(&[&["cli", style], words].concat()).out;
            let json: serde_json::Value = serde_json::from_str(&out).unwrap();
            let is_map = words != ["command"];
            assert_eq!((json.is_object(), json.is_array()), (is_map, !is_map), "{words:?}");
            assert_eq!(out.lines().count(), 1);
        }
    }
}

/// RedisBloom's commands reply with booleans and with a map of one entry.
#[test]
fn filters_reply_with_booleans_and_names() {
    let input = b"bf.add f a\nbf.add f a\nbf.madd f a b\nbf.info f capacity\nbf.card f\n";
    let lines = |options: &[&str]| run_with(&[&["cli"], options].concat(), input).out;
    assert_eq!(lines(&["--json"]), "true\nfalse\n[false,true]\n{\"Capacity\":100}\n2\n");
    assert_eq!(lines(&["--json", "-2"]), "1\n0\n[0,1]\n[100]\n2\n");
}

#[test]
fn styles_and_shapes_exclude_each_other() {
    for options in [
        ["--json", "--no-raw"],
        ["--no-raw", "--quoted-json"],
        ["--quoted-json", "--json"],
        ["-2", "-3"],
    ] {
        let Ran { status, out, err } = run(&["cli", options[0], options[1], "PING"]);
        assert_eq!((status, out.as_str()), (2, ""), "{options:?}");
        for option in options {
            assert!(err.contains(&format!("'{option}'")), "{err}");
        }
        assert!(err.contains("cannot be used with"), "{err}");
    }
    assert_eq!(run(&["cli", "ECHO", "--json"]).out, "--json\n");
}
