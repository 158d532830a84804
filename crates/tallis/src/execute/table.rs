//! Which commands there are.

use super::{families, wrong_arity};
use crate::error::Error;
use crate::reply::Reply;
use crate::store::door::Door;

/// What runs a command: the words after its name in, the reply out.
type Run<D> = fn(&D, &[&[u8]]) -> Result<Reply, Error>;

/// A command of the table.
#[derive(Debug)]
pub(crate) struct Command<D> {
    /// In lower case.
    name: &'static str,
    /// How many words it takes, its name included; at least so many if negative. As in Redis's own table.
    arity: i8,
    pub(crate) run: Run<D>,
}

const fn command<D>(name: &'static str, arity: i8, run: Run<D>) -> Command<D> {
    Command { name, arity, run }
}

impl<D: Door + 'static> Command<D> {
    /// Every command, in the order of their names.
    const ALL: &'static [Self] = &[
        command("dbsize", 1, families::dbsize),
        command("del", -2, families::del),
        command("dump", 2, families::dump),
        command("echo", 2, families::echo),
        command("exists", -2, families::exists),
        command("expire", 3, families::expire),
        command("get", 2, families::get),
        command("incr", 2, families::incr),
        command("incrby", 3, families::incrby),
        command("object", -2, families::object),
        command("persist", 2, families::persist),
        command("pexpire", 3, families::pexpire),
        command("pexpireat", 3, families::pexpireat),
        command("pfadd", -2, families::pfadd),
        command("pfcount", -2, families::pfcount),
        command("pfmerge", -2, families::pfmerge),
        command("ping", -1, families::ping),
        command("pttl", 2, families::pttl),
        command("sadd", -3, families::sadd),
        command("scard", 2, families::scard),
        command("set", 3, families::set),
        command("setnx", 3, families::setnx),
        command("sismember", 3, families::sismember),
        command("smembers", 2, families::smembers),
        command("srem", -3, families::srem),
        command("ttl", 2, families::ttl),
        command("type", 2, families::key_type),
    ];

    /// The command of that name, in whatever case.
    pub(crate) fn find(name: &[u8]) -> Option<&'static Self> {
        let lower = |byte: &u8| byte.to_ascii_lowercase();
        let found = Self::ALL
            .binary_search_by(|command| command.name.bytes().cmp(name.iter().map(lower)))
            .ok()?;
        Self::ALL.get(found)
    }

    /// Refuses a wrong number of words.
    pub(crate) fn check_arity(&self, words: usize) -> Result<(), Error> {
        let arity = usize::from(self.arity.unsigned_abs());
        let fits = if self.arity < 0 { words >= arity } else { words == arity };
        if fits { Ok(()) } else { Err(wrong_arity(self.name)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    #[test]
    fn the_table_is_in_order_and_every_command_is_found() {
        assert!(Command::<Store>::ALL.is_sorted_by(|a, b| a.name < b.name));
        for command in Command::<Store>::ALL {
            let found = Command::<Store>::find(command.name.to_uppercase().as_bytes());
            assert_eq!(found.map(|found| found.name), Some(command.name));
        }
        assert!(Command::<Store>::find(b"nonesuch").is_none());
        assert!(Command::<Store>::find(b"").is_none());
    }
}
