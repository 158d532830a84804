//! The two nulls of RESP2, and which of them a command replies with.

use tallis::{Profile, Store};
use testkit::differential::Reply as Answer;
use testkit::live::{Protocol, Wire, server};

use crate::answer::answer;

/// Commands whose reply is or contains a null, with their preparation.
const LINES: &str = "
    GET n
    GETDEL n
    GETEX n
    GETSET n v
    SET n v NX
    SET m v XX
    SET n v NX GET
    SET m v XX GET
    MGET n m
    DEL n
    SPOP n
    SRANDMEMBER n
    ZADD z 1 a
    ZSCORE n a
    ZSCORE z b
    ZMSCORE z a b
    ZMSCORE n a
    ZRANK z b
    ZRANK n b
    ZREVRANK z b
    ZREVRANK n b
    ZRANDMEMBER n
    ZADD z NX INCR 1 a
    ZADD z XX INCR 1 b
    ZMPOP 1 n MIN
    ZMPOP 2 n m MAX COUNT 3
    GEOADD g 1 1 a
    GEOPOS g b a
    GEOPOS n a b
    GEOHASH g b
    GEOHASH n a
    GEODIST g a b
    GEODIST n a b
    DUMP n
    OBJECT ENCODING n
    OBJECT FREQ n
    OBJECT IDLETIME n
    OBJECT REFCOUNT n
    MEMORY USAGE n
    COMMAND INFO nosuch get|x
    BITFIELD n OVERFLOW FAIL INCRBY u2 0 100
    WATCH z
    DEL z
    MULTI
    PING
    EXEC
    MULTI
    GET n2
    ZMPOP 1 n2 MIN
    GEOPOS n2 a
    EXEC
    FLUSHALL
    RANDOMKEY
";

fn words(line: &str) -> Vec<Vec<u8>> {
    line.split_whitespace().map(|word| word.as_bytes().to_vec()).collect()
}

/// The reply in RESP3, which has one null for both.
pub(crate) fn with_one_null(reply: Answer) -> Answer {
    if reply == Answer::NullArray {
        return Answer::Nil;
    }
    let Answer::Array(all) = reply else { return reply };
    Answer::Array(all.into_iter().map(with_one_null).collect())
}

#[test]
fn a_null_is_of_the_same_kind_as_the_server_s() {
    let Some(server) = server() else { return };
    for protocol in [Protocol::Resp2, Protocol::Resp3] {
        let mut wire = Wire::open(&server, protocol).unwrap();
        wire.run(&words("FLUSHALL")).unwrap();
        let mut session = Store::builder().profile(Profile::Redis70).build().session();
        if protocol == Protocol::Resp3 {
            session.execute(&["HELLO", "3"]);
        }
        let mut arrays = 0;
        for line in LINES.lines().filter(|line| !line.trim().is_empty()) {
            let words = words(line);
            let (ours, theirs) = (answer(session.execute(&words)), wire.run(&words).unwrap());
            arrays += format!("{theirs:?}").matches("NullArray").count();
            let ours = if protocol == Protocol::Resp3 { with_one_null(ours) } else { ours };
            assert_eq!(ours, theirs, "{line}");
        }
        assert_eq!(arrays, if protocol == Protocol::Resp2 { 8 } else { 0 });
    }
}
