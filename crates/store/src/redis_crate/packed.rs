//! Commands encoded as bytes for a socket.

use resp::Requests;

use crate::reply::Reply;
use crate::session::Session;

/// Runs each command in the bytes; returns the replies, and the error in the bytes after the last valid command, if
/// any.
pub(super) fn run(session: &mut Session, bytes: &[u8]) -> (Vec<Reply>, Option<String>) {
    let mut requests = Requests::new();
    requests.feed(bytes);
    let mut replies = Vec::new();
    let wrong = loop {
        match requests.take() {
            Ok(Some(words)) => replies.push(session.execute(&words)),
            Ok(None) => break None,
            Err(error) => break Some(String::from_utf8_lossy(&error.message()).into_owned()),
        }
    };
    let is_cut = wrong.is_none() && requests.pending() > 0;
    (replies, wrong.or_else(|| is_cut.then(|| "the last command is truncated".to_owned())))
}
