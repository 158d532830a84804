//! The bytes of replies on a socket.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

use tallis::resp::{Protocol, write_request};
use tallis::{Profile, Store};
use testkit::live::server;

/// Commands whose replies, in this order, have every form; random and unordered replies have a single element.
const LINES: &str = "
    PING
    ECHO abc
    SET k v
    GET k
    GET none
    SET k v NX GET
    MGET k none k
    SADD s a
    SMEMBERS s
    SPOP s 5
    SRANDMEMBER none 3
    ZADD z 0.1 a 1e300 b -inf c 3 d 12345678.5 e
    ZSCORE z a
    ZMSCORE z a b c d none
    ZRANGE z 0 -1 WITHSCORES
    ZADD z INCR 0.2 a
    ZADD z XX INCR 1 none
    ZRANDMEMBER none
    ZMPOP 1 none MIN
    ZMPOP 1 z MAX COUNT 2
    ZPOPMIN z
    ZPOPMIN z 2
    GEOADD g 13.361389 38.115556 palermo 15.087269 37.502669 catania
    GEOPOS g palermo none
    GEODIST g palermo catania km
    GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 km ASC WITHCOORD WITHDIST WITHHASH
    LCS k none IDX
    CONFIG GET hll-sparse-max-bytes
    SCAN 0 MATCH nothing
    OBJECT ENCODING k
    GET
    NOSUCH a b
    INCR k
    GETRANGE k
    MULTI
    GET k
    INCR k
    ZSCORE g palermo
    EXEC
    EXEC
    WATCH k
    SET k w
    MULTI
    EXEC
    COMMAND GETKEYS MSET a b c d
    COMMAND INFO nosuch
    MEMORY USAGE none
    CLIENT GETNAME
    CLIENT SETNAME me
    CLIENT GETNAME
    CLIENT LIST TYPE replica
    CLIENT LIST TYPE x
    RESET
    CLIENT GETNAME
    GET none
    HELLO 7
    QUIT
";

#[test]
fn replies_have_the_bytes_that_the_server_sends() {
    let Some(server) = server() else { return };
    let lines = LINES.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<Vec<&str>> = lines.map(|line| line.split(' ').collect()).collect();
    for protocol in [Protocol::Resp2, Protocol::Resp3] {
        let mut session = Store::builder().profile(Profile::Redis70).build().session();
        let mut sent = Vec::new();
        write_request(&["FLUSHALL"], &mut sent);
        if protocol == Protocol::Resp3 {
            // The server's reply to HELLO differs.
            session.execute(&["HELLO", "3"]);
            write_request(&["HELLO", "3"], &mut sent);
        }
        let mut ours = Vec::new();
        for words in &lines {
            let reply = session.execute(words);
            reply.write(session.protocol(), session.profile(), &mut ours);
            write_request(words, &mut sent);
        }
        let mut stream = UnixStream::connect(server.socket()).unwrap();
        stream.write_all(&sent).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut theirs = Vec::new();
        stream.read_to_end(&mut theirs).unwrap();
        let [ours, theirs] =
            [&ours, &theirs].map(|bytes| String::from_utf8_lossy(bytes).replace("\r\n", "\n"));
        let from = theirs.len() - ours.len().min(theirs.len());
        assert_eq!(ours, theirs[from..], "{protocol:?}");
    }
}
