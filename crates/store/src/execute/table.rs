//! How a command is found by its name.

use super::caller::Caller;
use super::info::Info;
use super::rows::FAMILIES;
use crate::error::Error;
use crate::reply::Reply;

/// What runs a command: the words after its name in, the reply out.
type Run = fn(Caller<'_, '_>, &[&[u8]]) -> Result<Reply, Error>;

/// A command of the table.
#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) info: Info,
    pub(super) run: Run,
}

pub(super) const fn command(info: Info, run: Run) -> Command {
    Command { info, run }
}

/// A power of two, some four times as many as there are commands.
const BUCKETS: usize = 512;

/// The commands by the hash of their names, with linear probing: a name is found in a few nanoseconds, which is what the
/// command door may cost.
static INDEX: [Option<&Command>; BUCKETS] = index();

const fn index() -> [Option<&'static Command>; BUCKETS] {
    let mut index = [None; BUCKETS];
    let (mut family, mut rows) = (0, 0);
    while family < FAMILIES.len() {
        let mut row = 0;
        while row < FAMILIES[family].len() {
            let command = &FAMILIES[family][row];
            let mut bucket = hash(command.info.name.as_bytes());
            while index[bucket].is_some() {
                bucket = (bucket + 1) % BUCKETS;
            }
            index[bucket] = Some(command);
            row += 1;
        }
        rows += row;
        family += 1;
    }
    assert!(rows * 2 < BUCKETS, "the longest run of full buckets is short");
    index
}

/// A hash that is the same for upper and lower case: of the length and of four letters, which tell almost all names apart.
const fn hash(name: &[u8]) -> usize {
    /// The bit in which the cases of a letter differ.
    const CASE: usize = 0x2020_2020;
    let len = name.len();
    if len == 0 {
        return 0;
    }
    let letters = [name[0], name[len / 3], name[len * 2 / 3], name[len - 1]];
    let letters = u32::from_le_bytes(letters) as usize | CASE;
    (letters.wrapping_add(len).wrapping_mul(0x9e37_79b1) >> 23) % BUCKETS
}

/// The longest name of a command.
const LONGEST: usize = 32;

/// Every command.
pub(super) fn all() -> impl Iterator<Item = &'static Command> {
    FAMILIES.into_iter().flatten()
}

/// The command of that name, in whatever case.
pub(super) fn find(name: &[u8]) -> Option<&'static Command> {
    if name.len() > LONGEST {
        return None;
    }
    let mut bucket = hash(name);
    while let Some(command) = INDEX[bucket] {
        if name.eq_ignore_ascii_case(command.info.name.as_bytes()) {
            return Some(command);
        }
        bucket = (bucket + 1) % BUCKETS;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_every_command_is_found() {
        for rows in FAMILIES {
            assert!(rows.is_sorted_by(|a, b| a.info.name < b.info.name));
        }
        for Command { info, .. } in all() {
            for name in [info.name.to_uppercase(), info.name.to_owned()] {
                let found = find(name.as_bytes());
                assert_eq!(found.map(|found| found.info.name), Some(info.name));
            }
        }
        assert!(find(b"nonesuch").is_none());
        assert!(find(b"").is_none());
        assert!(find(&[b'g'; 1000]).is_none());
    }
}
