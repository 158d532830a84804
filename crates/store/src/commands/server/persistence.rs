//! SAVE, BGSAVE, LASTSAVE and BGREWRITEAOF, for a store in a directory.

use crate::error::{Error, ErrorKind, Result};
use crate::execute::{Answer, is};
use crate::persist::{Asked, Directory, Task};
use crate::reply::Reply;
use crate::store::{Locks, Store};

/// The error if a task cannot be started.
const SAVE_RUNS: &str = "ERR Background save already in progress";
const REWRITE_RUNS: &str = "ERR Background append only file rewriting already in progress";
const OTHER_RUNS: &str = "ERR Another child process is active (AOF?): can't BGSAVE right now. Use BGSAVE SCHEDULE in order to \
                          schedule a BGSAVE whenever possible.";

pub(super) fn save(store: &Store<impl Locks>, _: &[&[u8]]) -> Answer {
    let (shared, directory) = (store.shared(), directory(store)?);
    shared.check_free()?;
    if directory.background().job(Task::Save).is_running() {
        return Err(refused(SAVE_RUNS));
    }
    directory.save(shared)?;
    Ok(Reply::OK)
}

pub(super) fn bgsave(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let schedule = match args {
        [] => false,
        [word] if is(word, "schedule") => true,
        _ => return Err(Error::syntax()),
    };
    match ask(store, Task::Save, schedule)? {
        Asked::Started => Ok(Reply::Status("Background saving started".into())),
        Asked::Scheduled => Ok(Reply::Status("Background saving scheduled".into())),
        Asked::Running => Err(refused(SAVE_RUNS)),
        Asked::OtherRunning => Err(refused(OTHER_RUNS)),
    }
}

pub(super) fn bgrewriteaof(store: &Store<impl Locks>, _: &[&[u8]]) -> Answer {
    if directory(store)?.log().is_none() {
        return Err(refused("ERR the store has no log"));
    }
    match ask(store, Task::Rewrite, true)? {
        Asked::Started => Ok(Reply::Status("Background append only file rewriting started".into())),
        Asked::Scheduled | Asked::OtherRunning => {
            Ok(Reply::Status("Background append only file rewriting scheduled".into()))
        }
        Asked::Running => Err(refused(REWRITE_RUNS)),
    }
}

/// Requests a task. In a transaction it is scheduled, as in Redis, since the locks are held.
fn ask(store: &Store<impl Locks>, task: Task, schedule: bool) -> Result<Asked> {
    let in_transaction = store.shared().check_free().is_err();
    Ok(directory(store)?.background().ask(task, schedule, in_transaction))
}

fn directory(store: &Store<impl Locks>) -> Result<&Directory> {
    let directory = store.shared().directory().map(|directory| &**directory);
    directory.ok_or_else(|| {
        refused("ERR the store is in memory only: it was not opened from a directory")
    })
}

#[cold]
fn refused(text: &str) -> Error {
    Error::new(ErrorKind::Syntax, text.to_owned())
}
