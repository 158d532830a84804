//! Raw commands, and their replies as they came.

use redis::{Connection, ConnectionLike, ServerError, Value};

/// Sends one command of binary arguments and gives its reply.
///
/// # Errors
///
/// The server's own error, word for word: `WRONGTYPE Operation against a key ...`.
///
/// # Panics
///
/// If the connection breaks: the server is gone, and with it the sense of the test.
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

/// The text of an error as it came over the wire, without the `-`. Errors inside an array (`EXEC`) stay values: this
/// reads them.
#[must_use]
pub fn error_text(error: &ServerError) -> String {
    match error.details() {
        Some(details) => format!("{} {details}", error.code()),
        None => error.code().to_owned(),
    }
}

/// The bytes of a bulk reply, `None` for any other.
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
