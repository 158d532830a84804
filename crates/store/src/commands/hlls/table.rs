//! The table of the commands on `HyperLogLog`s: declarations, and the mapping from words to typed calls.

use crate::error::{Error, ErrorKind};
use crate::execute::{Answer, Command, c_string, command, family, is, plain};
use crate::reply::Reply;
use crate::store::{Locks, Store};

pub(in crate::commands) const COMMANDS: &[Command] = &family("hyperloglog", "hyperloglog").of([
    command!("pfadd", "key [element...]", |store, words| {
        Ok(store.pfadd(words[0], &words[1..])?.into())
    })
    .info("2.8.9", "write denyoom fast", ["RW insert"])
    .docs("Adds elements to a HyperLogLog, creating it if it does not exist.", "O(elements)"),
    plain!(pfcount(key: keys))
        .info("2.8.9", "readonly", ["RW access"])
        .note(0, "It may store the estimate in the value.")
        .docs("Returns the estimated cardinality of the union of HyperLogLogs.", "O(HyperLogLogs)"),
    command!("pfdebug", "subcommand key", pfdebug)
        .info("2.8.9", "write denyoom admin", ["RW access"])
        .docs("Inspects the registers of a HyperLogLog.", "O(registers)"),
    plain!(pfmerge(destkey: key, sourcekey: keys))
        .info("2.8.9", "write denyoom", ["RW access insert", "RO access"])
        .arity(-2)
        .docs("Merges HyperLogLogs into one.", "O(HyperLogLogs)"),
    plain!(pfselftest())
        .info("2.8.9", "admin", [])
        .docs("Tests the implementation of HyperLogLog.", "O(1), though it takes seconds"),
]);

fn pfdebug(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let (name, key) = (args[0], args[1]);
    let answer = if is(name, "GETREG") {
        let registers = store.pfdebug_getreg(key)?;
        registers
            .map(|all| all.into_iter().map(|register| Reply::Int(register.into())).collect())
            .map(Reply::Array)
    } else if is(name, "DECODE") {
        store.pfdebug_decode(key)?.map(|text| Reply::Bulk(text.into()))
    } else if is(name, "ENCODING") {
        store.pfdebug_encoding(key)?.map(|name| Reply::Status(name.into()))
    } else if is(name, "TODENSE") {
        store.pfdebug_todense(key)?.map(Reply::from)
    } else {
        // Redis looks up the key first.
        store.pfdebug_encoding(key)?.map(|_| unknown_subcommand(name).into())
    };
    answer.ok_or_else(|| {
        Error::new(ErrorKind::InvalidArgument, "ERR The specified key does not exist")
    })
}

#[cold]
fn unknown_subcommand(name: &[u8]) -> Error {
    // As a C string, on one line.
    let name = c_string(name);
    let name = String::from_utf8_lossy(name).replace(['\r', '\n'], " ");
    Error::new(ErrorKind::UnknownCommand, format!("ERR Unknown PFDEBUG subcommand '{name}'"))
}
