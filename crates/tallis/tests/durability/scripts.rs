//! Scripts on a disk that fails.

use std::sync::Arc;

use tallis::{Error, Fsync, Persistence, Reply, Script, Store};
use testkit::rng::Rng;

use super::memory_disk::{Fault, MemoryDisk};
use super::wait_until;

const DIR: &str = "/dir";

/// Increments each of its keys.
static COUNT: Script = Script::new("-- counts", |tx, call| {
    let counts: Result<Vec<i64>, Error> = call.keys.iter().map(|key| tx.incr(key, 1)).collect();
    Ok(Reply::Array(counts?.into_iter().map(Reply::Int).collect()))
});

/// Reads its key.
static LOOK: Script = Script::new("-- looks", |tx, call| {
    let [key] = call.keys()?;
    Ok(tx.get(key)?.into())
});

fn on(disk: &MemoryDisk) -> Store {
    let persistence = Persistence::new().fsync(Fsync::Always).disk(Arc::new(disk.clone()));
    let builder = Store::builder().persistence(persistence).scripts([&COUNT, &LOOK]);
    builder.open(DIR).unwrap()
}

#[test]
fn scripts_are_acknowledged_and_refused_like_transactions() {
    let disk = MemoryDisk::default();
    let store = on(&disk);
    let count = ["EVALSHA", COUNT.digest(), "2", "a", "b"];
    let look = ["EVALSHA_RO", LOOK.digest(), "1", "a"];
    let mut session = store.session();
    let mut in_multi = |words: &[&str]| {
        session.execute(&["MULTI"]);
        session.execute(words);
        let Reply::Array(mut replies) = session.execute(&["EXEC"]) else { panic!("it runs") };
        replies.remove(0)
    };
    let ones = |count: i64| Reply::Array(vec![Reply::Int(count), Reply::Int(count)]);
    assert_eq!(store.execute(&count), ones(1));
    assert_eq!(in_multi(&count), ones(2));
    let after = on(&disk.after_a_crash(&mut Rng::new(26)));
    assert_eq!(after.get_as::<i64>("a").unwrap(), 2);
    assert_eq!(after.get_as::<i64>("b").unwrap(), 2);

    disk.set_fault(Some(Fault::From(1)));
    assert!(store.execute(&count).is_error(), "it may have been lost");
    wait_until(|| store.log_error().is_some());
    let refused = "MISCONF Errors writing to the AOF file: the disk fails";
    for reply in [store.execute(&count), in_multi(&count)] {
        assert_eq!(reply.into_result().unwrap_err().to_string(), refused);
    }
    // Changes made before the failure of the log was known stay in memory, and can be read.
    for reply in [store.execute(&look), in_multi(&look)] {
        assert_eq!(reply, Reply::Bulk("3".into()));
    }
}
