//! The table of the commands on bits: declarations, and the mapping from words to typed calls.

use bitpack::bitfield::{FieldType, Overflow};
use bitpack::bits::Op;

use crate::commands::{
    BitFieldOp, BitRange, BitUnit, Operations, STRING_MAX, combine, count_with, operate,
    position_with,
};
use crate::error::{Error, Result};
use crate::execute::{Answer, Command, command, family, int, one_of, refused, take_with};
use crate::profile::Profile;
use crate::reply::Reply;
use crate::store::{Locks, Store};
use crate::value::parse_int;

pub(in crate::commands) const COMMANDS: &[Command] = &family("bitmap", "bitmap").of([
    command!(
        "bitcount",
        "key [index:(start:integer end:integer [index_unit:<BYTE | BIT>@7.0.0])]",
        bitcount,
    )
    .info("2.6.0", "readonly", ["RO access"])
    .docs("Counts the bits of a string that are set.", "O(length)"),
    command!(
        "bitfield",
        "key [operation:<GET encoding_offset:(encoding offset:integer) | \
         write:([OVERFLOW wrap_sat_fail:<WRAP | SAT | FAIL>] write_operation:<SET \
         encoding_offset_value:(encoding offset:integer value:integer) | INCRBY \
         encoding_offset_increment:(encoding offset:integer increment:integer)>)>...]",
        bitfield,
    )
    .info("3.2.0", "write denyoom", ["RW access update variable_flags"])
    .note(0, "It writes unless all of its operations are GET.")
    .docs("Reads, sets and increments integers of any width in a string.", "O(operations)"),
    command!("bitfield_ro", "key [GET... encoding_offset:(encoding offset:integer)]", bitfield_ro)
        .info("6.0.0", "readonly fast", ["RO access"])
        .docs("Reads integers of any width in a string.", "O(operations)"),
    command!("bitop", "operation destkey:key key...", bitop)
        .info("2.6.0", "write denyoom", ["OW update", "RO access"])
        .docs(
            "Stores the result of a bitwise operation on strings in a key.",
            "O(length of the strings)",
        ),
    command!(
        "bitpos",
        "key bit:integer \
         [index:(start:integer [end_index:(end:integer [index_unit:<BYTE | BIT>@7.0.0])])]",
        bitpos,
    )
    .info("2.8.7", "readonly", ["RO access"])
    .docs(
        "Returns the position of the first bit of a string that is set, or that is clear.",
        "O(length)",
    ),
    command!("getbit", "key offset:integer", |store, words| {
        Ok(store.getbit(words[0], in_range(parse_int(words[1]))?)?.into())
    })
    .info("2.2.0", "readonly fast", ["RO access"])
    .docs("Returns a bit of a string.", "O(1)"),
    command!("setbit", "key offset:integer value:integer", setbit)
        .info("2.2.0", "write denyoom", ["RW access update"])
        .docs(
            "Sets or clears a bit of a string and returns its previous value.",
            "O(1), and the length when it grows",
        ),
]);

fn bitcount(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let count = match *args {
        [key] => store.bitcount(key)?,
        [key, ref range @ ..] => {
            let profile = store.shared().profile();
            let range = || range_to_count(range, profile);
            let first = profile.bits_read_words_first().then(range).transpose()?;
            count_with(store, key, || first.map_or_else(range, Ok))?
        }
        [] => 0,
    };
    Ok(Reply::Int(count.cast_signed()))
}

fn range_to_count(words: &[&[u8]], profile: Profile) -> Result<BitRange> {
    if profile.bitcount_without_end() {
        return range_to_search(words);
    }
    let ([start, end], unit) = words.split_first_chunk().ok_or_else(Error::syntax)?;
    if unit.len() > 1 {
        return Err(Error::syntax());
    }
    let (start, end) = (int(start)?, int(end)?);
    if start < 0 && end < 0 && start > end && !profile.bits_read_words_first() {
        // The range is empty in either unit.
        return Ok(BitRange::bytes(start, end));
    }
    Ok(BitRange::new(start, end, unit_of(unit)?))
}

fn bitpos(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let bit = match int(args[1])? {
        0 => false,
        1 => true,
        _ => return Err(refused("ERR The bit argument must be 1 or 0.")),
    };
    let range = || range_to_search(&args[2..]);
    let first = store.shared().profile().bits_read_words_first().then(range).transpose()?;
    let found = position_with(store, args[0], bit, || first.map_or_else(range, Ok))?;
    Ok(Reply::Int(found.map_or(-1, u64::cast_signed)))
}

fn range_to_search(words: &[&[u8]]) -> Result<BitRange> {
    match *words {
        [] => Ok(BitRange::bytes_from(0)),
        [start] => Ok(BitRange::bytes_from(int(start)?)),
        [start, end, ref unit @ ..] if unit.len() <= 1 => {
            let start = int(start)?;
            let unit = unit_of(unit)?;
            Ok(BitRange::new(start, int(end)?, unit))
        }
        _ => Err(Error::syntax()),
    }
}

fn unit_of(words: &[&[u8]]) -> Result<BitUnit> {
    match *words {
        [] => Ok(BitUnit::Byte),
        [unit] => {
            let unit = one_of(unit, [("BIT", BitUnit::Bit), ("BYTE", BitUnit::Byte)]);
            unit.ok_or_else(Error::syntax)
        }
        _ => Err(Error::syntax()),
    }
}

fn bitop(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let new = store.shared().profile().bitop_differences();
    let old = [("AND", Op::And), ("OR", Op::Or), ("XOR", Op::Xor), ("NOT", Op::Not)];
    let differences =
        [("DIFF", Op::Diff), ("DIFF1", Op::Diff1), ("ANDOR", Op::AndOr), ("ONE", Op::One)];
    let op = one_of(args[0], old).or_else(|| one_of(args[0], differences).filter(|_| new));
    let op = op.ok_or_else(Error::syntax)?;
    Ok(Reply::count(combine(store, op, args[1], &args[2..])?))
}

fn bitfield(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    run(store, args[0], &operations(&args[1..], store.shared().profile())?)
}

fn bitfield_ro(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let operations = operations(&args[1..], store.shared().profile())?;
    if operations.iter().any(BitFieldOp::writes) {
        let text = "ERR BITFIELD_RO only supports the GET subcommand";
        return Err(refused(text));
    }
    run(store, args[0], &operations)
}

fn run(store: &Store<impl Locks>, key: &[u8], operations: &[BitFieldOp]) -> Answer {
    let mut replies = Vec::with_capacity(operations.len());
    operate(store, key, operations, |number| replies.push(number.map_or(Reply::Nil, Reply::Int)))?;
    Ok(Reply::Array(replies))
}

/// Parses the operations of BITFIELD. An OVERFLOW applies to all that follow it.
fn operations(mut words: &[&[u8]], profile: Profile) -> Result<Operations> {
    let mut operations = Operations::new();
    let mut overflow = Overflow::Wrap;
    while !words.is_empty() {
        let operation = if let Some([field, offset]) = take_with(&mut words, "GET") {
            let (field, offset) = place(field, offset, profile)?;
            BitFieldOp::get(field, offset)
        } else if let Some([field, offset, value]) = take_with(&mut words, "SET") {
            let (field, offset) = place(field, offset, profile)?;
            BitFieldOp::set(field, offset, int(value)?)
        } else if let Some([field, offset, by]) = take_with(&mut words, "INCRBY") {
            let (field, offset) = place(field, offset, profile)?;
            BitFieldOp::incr_by(field, offset, int(by)?)
        } else if let Some([kind]) = take_with(&mut words, "OVERFLOW") {
            let unknown = || refused("ERR Invalid OVERFLOW type specified");
            overflow = one_of(kind, OVERFLOWS).ok_or_else(unknown)?;
            continue;
        } else {
            return Err(Error::syntax());
        };
        operations.push(operation.overflow(overflow));
    }
    Ok(operations)
}

const OVERFLOWS: [(&str, Overflow); 3] =
    [("WRAP", Overflow::Wrap), ("SAT", Overflow::Sat), ("FAIL", Overflow::Fail)];

/// Parses the type of a field and its offset, in bits, or with `#` in fields.
fn place(field: &[u8], offset: &[u8], profile: Profile) -> Result<(FieldType, u64)> {
    if profile.field_types_are_whole() && field.contains(&0) {
        return Err(wrong_type());
    }
    let field = FieldType::parse(field).map_err(|_| wrong_type())?;
    let offset = match offset {
        // Redis lets the product overflow.
        [b'#', index @ ..] => {
            parse_int(index).map(|index| index.wrapping_mul(i64::from(field.bits())))
        }
        offset => parse_int(offset),
    };
    Ok((field, in_range(offset)?))
}

#[cold]
fn wrong_type() -> Error {
    let text = "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not \
                supported but i64 is.";
    refused(text)
}

/// Checks the range of an offset.
fn in_range(offset: Option<i64>) -> Result<u64> {
    const MOST: u64 = STRING_MAX as u64;
    let offset = offset.and_then(|offset| u64::try_from(offset).ok());
    offset.filter(|offset| offset / 8 < MOST).ok_or_else(Error::bit_out_of_range)
}

fn setbit(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let offset = in_range(parse_int(args[1]))?;
    let value = match args[2] {
        b"0" => false,
        b"1" => true,
        _ => {
            let text = "ERR bit is not an integer or out of range";
            return Err(refused(text));
        }
    };
    Ok(store.setbit(args[0], offset, value)?.into())
}
