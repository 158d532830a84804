//! Several processes count a part each, and one process merges the parts.
//!
//! Run it with `cargo run -p tallis --example parts`. It starts four child processes. Each child counts a quarter of
//! the visits in its own store and saves it. The parent merges the files, prints the counts and compares them with the
//! counts of a single process.
//!
//! Notes:
//!
//! * **Merge rules.** The result of unique visitors and of HyperLogLogs is the union, so a visitor in two parts counts
//!   once. Counters are summed. [`Merge`] documents the rule for each type. If no rule applies, as for two texts that
//!   differ, the error names the keys, and nothing is merged.
//! * **Files.** A part is an RDB file: a server can load it, `tallis merge` merges files, and damaged files are
//!   refused. Parts can also be sent over a socket: [`Store::save_to`] and [`Store::load_from`] accept any stream, and
//!   `tallis::wire` encodes single values as frames (feature `wire`).
//! * **Error.** Visitors are counted exactly. A HyperLogLog has a standard error of 0.81 %. A merged HyperLogLog has
//!   the same bytes as one that counted all visits.
//! * **Parts.** You can divide the visits in any way: by time, by machine or by line.

use std::ops::Range;
use std::path::Path;
use std::process::Command;

use tallis::{Bucket, Error, Merge, Store, Visitors};

/// The result of a program.
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

const PARTS: u32 = 4;
const VISITS: u32 = 400_000;

/// Counts a range of the visits of a log in a store.
fn count(store: &Store, visits: Range<u32>) -> Result<(), Error> {
    // A generated log: each of 50,000 users makes three visits in a row, and more visits later.
    let users = || visits.clone().map(|visit| format!("user-{}", visit / 3 % 50_000));
    Visitors::new(store.clone()).count_visits(users(), Bucket::All)?;
    store.pfadd("sketch", users().collect::<Vec<_>>())?;
    store.incr("visits", visits.len() as u64)?;
    Ok(())
}

/// Runs a child process: counts its part and saves it.
pub(crate) fn count_part(part: u32, file: &Path) -> Outcome {
    let store = Store::new();
    let visits = VISITS / PARTS;
    count(&store, part * visits..(part + 1) * visits)?;
    Ok(store.save(file)?)
}

/// Returns the three counts of a store: visits, unique visitors, and their estimate.
fn sums(store: &Store) -> Result<(u64, u64, u64), Error> {
    let unique = Visitors::new(store.clone()).count(Bucket::All)?;
    Ok((store.get_as("visits")?, unique, store.pfcount("sketch")?))
}

/// Starts a child for each part, all at the same time, and merges their files. `child` returns the command of a child.
pub(crate) fn add_up(child: impl Fn(u32, &Path) -> Outcome<Command>) -> Outcome {
    let folder = tempfile::tempdir()?;
    let mut children = Vec::new();
    for part in 0..PARTS {
        let file = folder.path().join(format!("part-{part}.rdb"));
        children.push((child(part, &file)?.spawn()?, file));
    }
    let all = Store::new();
    for (mut child, file) in children {
        if !child.wait()?.success() {
            return Err("a part was not counted".into());
        }
        let part = Store::new();
        part.load(&file)?;
        let (visits, unique, sketch) = sums(&part)?;
        println!("a part:   {visits:6} visits, {unique:6} unique visitors, about {sketch:6}");
        Merge::new().add(&all, &part)?;
    }
    let (visits, unique, sketch) = sums(&all)?;
    println!("together: {visits:6} visits, {unique:6} unique visitors, about {sketch:6}");

    let one = Store::new();
    count(&one, 0..VISITS)?;
    assert_eq!(sums(&one)?, (visits, unique, sketch));
    assert_eq!((visits, unique), (400_000, 50_000));
    assert_eq!(one.get("sketch")?, all.get("sketch")?);
    Ok(())
}

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [part, file] = arguments.as_slice() {
        return count_part(part.parse()?, Path::new(file));
    }
    add_up(|part, file| {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(part.to_string()).arg(file);
        Ok(command)
    })
}
