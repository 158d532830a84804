//! Several processes count a part each, and one adds the parts up.
//!
//! Run it with `cargo run -p tallis --example parts`. It starts itself four times; each child counts a quarter of the
//! visits into a store of its own and saves it, and the parent merges the files, prints the sums and compares them with
//! those of one process that counts all.
//!
//! Worth knowing:
//!
//! * **What is added up.** Unique visitors and sketches (HyperLogLog) become those of both parts, so a visitor of two
//!   parts counts once; counters become sums. [`Merge`] has the rule of each type. Where there is none, as for two texts
//!   that differ, the error names the keys, and nothing is merged.
//! * **Files.** A part is an RDB file: a server loads it, `tallis merge` adds files up, and a damaged one is refused.
//!   Parts may go by a socket as well: [`Store::save_to`] and [`Store::load_from`] take any stream, and `tallis::wire`
//!   frames single values (feature `wire`).
//! * **Error.** Visitors are exact. A sketch has a standard error of 0.81 %; a merged one has the same bytes as one that
//!   counted all.
//! * **How to divide.** Any way does: by time, by machine, by line.

use std::ops::Range;
use std::path::Path;
use std::process::Command;

use tallis::{Bucket, Error, Merge, Store, Visitors};

/// A program's result.
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

const PARTS: u32 = 4;
const VISITS: u32 = 400_000;

/// Counts visits, that many of a log, into a store.
fn count(store: &Store, visits: Range<u32>) -> Result<(), Error> {
    // Any log would do. Here each of 50,000 users makes three visits in a row, and comes again later.
    let users = || visits.clone().map(|visit| format!("user-{}", visit / 3 % 50_000));
    Visitors::new(store.clone()).count_visits(users(), Bucket::All)?;
    store.pfadd("sketch", users().collect::<Vec<_>>())?;
    store.incr("visits", visits.len() as u64)?;
    Ok(())
}

/// What a child does: counts its part and saves it.
pub(crate) fn count_part(part: u32, file: &Path) -> Outcome {
    let store = Store::new();
    let visits = VISITS / PARTS;
    count(&store, part * visits..(part + 1) * visits)?;
    Ok(store.save(file)?)
}

/// The three sums of a store.
fn sums(store: &Store) -> Result<(u64, u64, u64), Error> {
    let unique = Visitors::new(store.clone()).count(Bucket::All)?;
    Ok((store.get_as("visits")?, unique, store.pfcount("sketch")?))
}

/// Starts a child for each part, all at once, and adds up what they have saved. `child` is the command of one.
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
