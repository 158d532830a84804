//! Commands as bytes.

use tallis::Store;

use super::client::{ConnectionLike as _, ErrorKind, Value, cmd, pipe};
use super::open;

#[test]
fn bytes_are_one_command_or_several() {
    let mut con = open(&Store::new());
    let set = cmd("SET").arg("k").arg("v").get_packed_command();
    assert_eq!(con.req_packed_command(&set), Ok(Value::Okay));
    let get = cmd("GET").arg("k").get_packed_command();
    let v = Value::BulkString(b"v".into());
    assert_eq!(con.req_packed_command(&get), Ok(v.clone()));

    let both = [&set[..], &get].concat();
    assert_eq!(con.req_packed_commands(&both, 0, 2), Ok(vec![Value::Okay, v.clone()]));
    assert_eq!(con.req_packed_commands(&both, 1, 1), Ok(vec![v.clone()]));
    assert_eq!(con.req_packed_commands(&both, 0, 1), Ok(vec![Value::Okay]));
    let atomic = pipe().atomic().get("k").get_packed_pipeline();
    assert_eq!(con.req_packed_commands(&atomic, 2, 1), Ok(vec![Value::Array(vec![v])]));
}

#[test]
fn other_bytes_are_refused() {
    let store = Store::new();
    let mut con = open(&store);
    let incr = cmd("INCR").arg("n").get_packed_command();
    let twice = [&incr[..], &incr].concat();
    let cut = &twice[..twice.len() - 1];
    let wrong = [&incr[..], b"*1\r\n+"].concat();
    for (bytes, runs) in
        [(&b""[..], 0), (&incr[..incr.len() - 1], 0), (&twice, 2), (cut, 1), (&wrong, 1)]
    {
        let error = con.req_packed_command(bytes).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Client, "{}", bytes.escape_ascii());
        assert_eq!(store.get_del("n").unwrap().map_or(0, |n| n[0] - b'0'), runs);
    }
    for (offset, count) in [(0, 3), (2, 1), (usize::MAX, 2)] {
        let error = con.req_packed_commands(&twice, offset, count).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Client);
    }
    assert!(con.req_packed_commands(cut, 0, 1).is_err());
}
