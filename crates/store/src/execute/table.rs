//! Look-up of commands by name.

use super::command::Command;
use crate::commands::FAMILIES;

/// A power of two, about four times the number of commands.
const BUCKETS: usize = 512;

/// The commands by the hash of their names, with linear probing: a look-up takes a few nanoseconds.
static INDEX: [Option<&Command>; BUCKETS] = index();

const fn index() -> [Option<&'static Command>; BUCKETS] {
    let mut index = [None; BUCKETS];
    let (mut family, mut rows) = (0, 0);
    while family < FAMILIES.len() {
        let mut row = 0;
        while row < FAMILIES[family].len() {
            let command = &FAMILIES[family][row];
            let mut bucket = hash(command.name.as_bytes());
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

/// A hash that is independent of case: of the length and of four letters, which differ for almost all names.
const fn hash(name: &[u8]) -> usize {
    /// The bit that distinguishes upper and lower case letters.
    const CASE: usize = 0x2020_2020;
    let len = name.len();
    if len == 0 {
        return 0;
    }
    let letters = [name[0], name[len / 3], name[len * 2 / 3], name[len - 1]];
    let letters = u32::from_le_bytes(letters) as usize | CASE;
    (letters.wrapping_add(len).wrapping_mul(0x9e37_79b1) >> 23) % BUCKETS
}

/// The maximum length of a command's name.
const LONGEST: usize = 32;

/// Every command.
pub(super) fn all() -> impl Iterator<Item = &'static Command> {
    FAMILIES.iter().copied().flatten()
}

/// Returns the command with that name, in any case.
pub(crate) fn find(name: &[u8]) -> Option<&'static Command> {
    if name.len() > LONGEST {
        return None;
    }
    let mut bucket = hash(name);
    while let Some(command) = INDEX[bucket] {
        if name.eq_ignore_ascii_case(command.name.as_bytes()) {
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
    fn every_command_is_found_by_its_name() {
        for command in all() {
            for name in [command.name.to_uppercase(), command.name.to_owned()] {
                let found = find(name.as_bytes());
                assert_eq!(found.map(|found| found.name), Some(command.name));
            }
        }
        assert!(find(b"nonesuch").is_none());
        assert!(find(b"").is_none());
        assert!(find(&[b'g'; 1000]).is_none());
    }
}
