//! A connection of the `redis` crate compared with a session: its values are those that the crate reads from the bytes
//! of the session's replies.

use std::sync::Arc;

use arbitrary::{Result, Unstructured};
use redis::{Cmd, ConnectionLike as _, Value};
use tallis::{ManualClock, Protocol, Reply, Session, StoreBuilder};

use super::line::line;
use super::{all, digest, shown};

/// Commands whose replies differ between two stores.
const OF_THE_STORE: [&str; 3] = ["info", "debug", "memory"];

/// The way in which commands are passed.
#[derive(Clone, Copy, Debug)]
enum How {
    Cmd,
    Packed,
    Pipeline,
}

pub(super) fn beside(u: &mut Unstructured<'_>, builder: &impl Fn() -> StoreBuilder) -> Result<()> {
    let clock = Arc::new(ManualClock::new(500));
    let pair = || builder().clock(clock.clone()).build();
    let (by_connection, by_session) = (pair(), pair());
    let mut connection = by_connection.redis_connection();
    let mut session = by_session.session();
    if u.arbitrary()? {
        connection = connection.with_protocol(Protocol::Resp3);
        session.execute(&["HELLO", "3"]);
    }
    for _ in 0..8 {
        let mut lines = Vec::new();
        for _ in 0..u.int_in_range(1..=10)? {
            let Ok(words) = line(u) else { break };
            let name = String::from_utf8_lossy(&words[0]).to_lowercase();
            if !OF_THE_STORE.contains(&name.as_str()) {
                lines.push(words);
            }
        }
        if lines.is_empty() {
            break;
        }
        let how = *u.choose(&[How::Cmd, How::Packed, How::Pipeline])?;
        let commands = lines.iter().map(|words| {
            let mut cmd = Cmd::new();
            cmd.arg(&words[..]);
            cmd
        });
        let values: Vec<Value> = match how {
            How::Cmd => commands.map(|cmd| connection.req_command(&cmd).unwrap()).collect(),
            How::Packed => {
                let packed = commands.map(|cmd| cmd.get_packed_command());
                packed.map(|bytes| connection.req_packed_command(&bytes).unwrap()).collect()
            }
            How::Pipeline => {
                let packed: Vec<u8> = commands.flat_map(|cmd| cmd.get_packed_command()).collect();
                connection.req_packed_commands(&packed, 0, lines.len()).unwrap()
            }
        };
        for (words, value) in lines.iter().zip(values) {
            let reply = session.execute(words);
            assert_eq!(value, read(&reply, &session), "{how:?} {}", shown(words));
        }
        assert_eq!(connection.get_db(), i64::from(session.db_number()));
        assert_eq!(all(&by_connection, digest), all(&by_session, digest));
        clock.advance(u.int_in_range(0..=100)?);
    }
    Ok(())
}

/// Reads the bytes of a reply with the crate.
fn read(reply: &Reply, session: &Session) -> Value {
    let mut bytes = Vec::new();
    reply.write(session.protocol(), session.profile(), &mut bytes);
    redis::parse_redis_value(&bytes).unwrap()
}
