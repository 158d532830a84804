//! DEBUG DIGEST: equal for equal keys and values.

use tallis::{Profile, Store};
use testkit::differential::Reply;
use testkit::live::{Options, Protocol, Wire, server_with};

use crate::answer::answer;

/// Each line changes something that the digest includes, or creates a value of another encoding.
const LINES: &str = "
    SET n 12345
    SET t text
    SET e expires EX 10000
    APPEND n 6
    SETBIT bits 100 1
    PFADD hll a b c
    SADD ints 1 2 300000
    SADD texts a b 7
    SREM texts b
    ZADD small 1 a 2.5 b 3 7 0.1 c -0 d inf e -inf f 1e17 g 100000000 h 1e-7 i
    ZADD large 1 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 0.3 b -0 c 1e17 d
    GEOADD places 13.361389 38.115556 palermo
    HSET pairs a 1 b text a 2
    HSET table a 1 b aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    HINCRBY pairs a 5
    HDEL table a
    PERSIST e
    SELECT 3
    SET n 12345
    SELECT 0
    MOVE t 3
    SWAPDB 0 3
    DEBUG RELOAD
    EXPIRE n 10000
    SELECT 5
    SET last one
    FLUSHDB
";

#[test]
fn digests_equal_those_of_the_server() {
    let options = Options::new().config("enable-debug-command", "yes");
    let Some(server) = server_with(&options) else { return };
    let mut wire = Wire::open(&server, Protocol::Resp2).unwrap();
    let mut ours = Store::builder().profile(Profile::Redis70).build().session();
    let words = |line: &str| -> Vec<Vec<u8>> {
        line.split_whitespace().map(|word| word.as_bytes().to_vec()).collect()
    };
    let values =
        words("DEBUG DIGEST-VALUE n t e bits hll ints texts small large places pairs table none");
    let mut seen = Vec::new();
    for line in LINES.lines().map(str::trim).filter(|line| !line.is_empty()) {
        assert_eq!(answer(ours.execute(&words(line))), wire.run(&words(line)).unwrap(), "{line}");
        for ask in [&words("DEBUG DIGEST"), &values] {
            let theirs = wire.run(ask).unwrap();
            assert_eq!(answer(ours.execute(ask)), theirs, "{line}");
            seen.push(theirs);
        }
    }
    let zeros = Reply::Status("0".repeat(40));
    assert!(matches!(&seen[1], Reply::Array(all) if all[0] != zeros && all[12] == zeros));
}
