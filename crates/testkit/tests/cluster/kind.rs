//! The result of a command for a client, as a word.

use redis::{ErrorKind, RedisError, RedisResult};

/// `ok`; the code of the server's error, such as `MOVED`; or the state of the connection.
pub(crate) fn of<T>(reply: &RedisResult<T>) -> String {
    match reply {
        Ok(_) => "ok".to_owned(),
        Err(error) => of_error(error),
    }
}

fn of_error(error: &RedisError) -> String {
    if error.is_timeout() {
        "timeout".to_owned()
    } else if error.is_connection_refusal() {
        "refused".to_owned()
    } else if error.is_connection_dropped() {
        "broken".to_owned()
    } else if error.kind() == ErrorKind::ClusterConnectionNotFound {
        "no connection".to_owned()
    } else {
        error.code().map_or_else(|| format!("{error:?}"), str::to_owned)
    }
}
