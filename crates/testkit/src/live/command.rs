//! Raw commands and their unchanged replies.

use redis::{Connection, ConnectionLike, ServerError, Value};

/// Sends one command with binary arguments and returns its reply.
///
/// # Errors
///
/// The server's error, such as `WRONGTYPE Operation against a key ...`.
///
/// # Panics
///
/// If the connection breaks.
///
/// # Examples
///
/// ```
/// # use testkit::live::{command, server};
/// # let Some(server) = server() else { return };
/// let mut connection = server.connect();
/// let arguments: [&[u8]; 3] = [b"SET", b"key", b"\x00\xff"];
/// assert_eq!(command(&mut connection, &arguments), Ok(redis::Value::Okay));
/// assert_eq!(command(&mut connection, &["GET"]), Err("ERR wrong number of arguments for 'get' command".into()));
/// ```
pub fn command<A: AsRef<[u8]>>(
    connection: &mut Connection,
    arguments: &[A],
) -> Result<Value, String> {
    let mut request = redis::Cmd::new();
    for argument in arguments {
        request.arg(argument.as_ref());
    }
    match connection.req_command(&request) {
        Ok(Value::ServerError(error)) => Err(error_text(&error)),
        Ok(reply) => Ok(reply),
        Err(error) => match ServerError::try_from(error) {
            Ok(error) => Err(error_text(&error)),
            Err(error) => panic!("the connection to redis-server broke: {error}"),
        },
    }
}

/// Returns the text of an error as the server sent it, without the `-`. Use it also for errors inside an array
/// (`EXEC`), which are values.
#[must_use]
pub fn error_text(error: &ServerError) -> String {
    match error.details() {
        Some(details) => format!("{} {details}", error.code()),
        None => error.code().to_owned(),
    }
}

/// Returns the bytes of a bulk reply; `None` for any other.
///
/// # Examples
///
/// ```
/// let reply = redis::Value::BulkString(b"abc".to_vec());
/// assert_eq!(testkit::live::as_bytes(&reply), Some(&b"abc"[..]));
/// assert_eq!(testkit::live::as_bytes(&redis::Value::Nil), None);
/// ```
#[must_use]
pub fn as_bytes(reply: &Value) -> Option<&[u8]> {
    if let Value::BulkString(bytes) = reply { Some(bytes) } else { None }
}
