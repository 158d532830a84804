//! Bits and fields of strings: batched calls compared with as many single calls.

use std::sync::Arc;

use arbitrary::{Result, Unstructured};
use tallis::{
    BitFieldOp, Error, ErrorKind, FieldType, ManualClock, Overflow, Reply, Store, StoreBuilder,
};

use super::journal::Journal;
use super::line::{KEYS, line};
use super::{all, contents, digest, replayed, shown};

/// The maximum number of calls in a sequence.
const MOST: usize = 40;

/// The action of a BITFIELD operation.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Action {
    Get,
    Set(i64),
    IncrBy(i64),
}

/// A BITFIELD operation.
#[derive(Clone, Copy, Debug)]
struct Operation {
    action: Action,
    /// The width of the number, and whether it is signed.
    bits: u32,
    signed: bool,
    offset: u64,
    overflow: Overflow,
}

/// The offset of a bit that no string can have.
const OUT_OF_RANGE: u64 = 1 << 32;

impl Operation {
    fn arbitrary(u: &mut Unstructured<'_>) -> Result<Self> {
        let number = |u: &mut Unstructured<'_>| -> Result<i64> {
            if u.arbitrary()? { u.arbitrary() } else { u.int_in_range(-9..=9) }
        };
        let action = match u.int_in_range(0..=2)? {
            0 => Action::Get,
            1 => Action::Set(number(u)?),
            _ => Action::IncrBy(number(u)?),
        };
        let signed = u.arbitrary()?;
        let bits = u.int_in_range(1..=if signed { 64 } else { 63 })?;
        let overflow = *u.choose(&[Overflow::Wrap, Overflow::Sat, Overflow::Fail])?;
        Ok(Self { action, bits, signed, offset: offset(u, action)?, overflow })
    }

    /// GETBIT or SETBIT.
    fn bit(u: &mut Unstructured<'_>, set: bool) -> Result<Self> {
        let action = if set { Action::Set(u.int_in_range(0..=1)?) } else { Action::Get };
        let (offset, overflow) = (offset(u, action)?, Overflow::Wrap);
        Ok(Self { action, bits: 1, signed: false, offset, overflow })
    }

    fn field(self) -> FieldType {
        let of = if self.signed { FieldType::signed } else { FieldType::unsigned };
        of(self.bits).unwrap()
    }

    /// The arguments of the typed call.
    fn typed(self) -> BitFieldOp {
        let (field, offset) = (self.field(), self.offset);
        let operation = match self.action {
            Action::Get => BitFieldOp::get(field, offset),
            Action::Set(value) => BitFieldOp::set(field, offset, value),
            Action::IncrBy(by) => BitFieldOp::incr_by(field, offset, by),
        };
        operation.overflow(self.overflow)
    }

    /// The single typed call.
    fn alone(self, store: &Store, key: &[u8]) -> Result<Option<i64>, Error> {
        let (field, offset, overflow) = (self.field(), self.offset, self.overflow);
        match self.action {
            Action::Get => store.bitfield_get(key, field, offset).map(Some),
            Action::Set(value) => store.bitfield_set(key, field, offset, value, overflow),
            Action::IncrBy(by) => store.bitfield_incr(key, field, offset, by, overflow),
        }
    }
}

/// An offset: near the beginning for writes, or one that is out of range.
fn offset(u: &mut Unstructured<'_>, action: Action) -> Result<u64> {
    Ok(match u.int_in_range(0..=127)? {
        0 => *u.choose(&[OUT_OF_RANGE, u64::MAX >> 1])?,
        1..8 if action == Action::Get => OUT_OF_RANGE - 1,
        1..16 => u.int_in_range(0..=20_000)?,
        _ => u.int_in_range(0..=300)?,
    })
}

/// The words of BITFIELD: an OVERFLOW applies to the following operations, and an offset may count fields.
fn words(operations: &[Operation]) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    let mut overflow = Overflow::Wrap;
    for operation in operations {
        if operation.action != Action::Get && operation.overflow != overflow {
            overflow = operation.overflow;
            let name = match overflow {
                Overflow::Wrap => "WRAP",
                Overflow::Sat => "SAT",
                Overflow::Fail => "FAIL",
            };
            words.extend(["OVERFLOW".to_owned(), name.to_owned()]);
        }
        let field = format!("{}{}", if operation.signed { 'i' } else { 'u' }, operation.bits);
        let (offset, bits) = (operation.offset, u64::from(operation.bits));
        let offset =
            if offset % bits == 0 { format!("#{}", offset / bits) } else { offset.to_string() };
        let (name, number) = match operation.action {
            Action::Get => ("GET", None),
            Action::Set(value) => ("SET", Some(value)),
            Action::IncrBy(by) => ("INCRBY", Some(by)),
        };
        words.extend([name.to_owned(), field, offset]);
        words.extend(number.map(|number| number.to_string()));
    }
    words.into_iter().map(String::into_bytes).collect()
}

/// Inserts words of operations after the key of a command on bits.
pub(super) fn operations(u: &mut Unstructured<'_>, line: &mut Vec<Vec<u8>>) -> Result<()> {
    let count = u.int_in_range(0..=4)?;
    let reads = line[0] == b"bitfield_ro";
    let mut operations = Vec::new();
    for _ in 0..count {
        let mut operation = Operation::arbitrary(u)?;
        if reads && !u.ratio(1, 16)? {
            operation.action = Action::Get;
        }
        operations.push(operation);
    }
    line.truncate(2);
    line.extend(words(&operations));
    Ok(())
}

/// The kinds of batched calls.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Calls {
    GetBits,
    SetBits,
    Fields,
}

impl Calls {
    fn operation(self, u: &mut Unstructured<'_>) -> Result<Operation> {
        match self {
            Self::GetBits => Operation::bit(u, false),
            Self::SetBits => Operation::bit(u, true),
            Self::Fields => Operation::arbitrary(u),
        }
    }

    /// The typed batched call.
    fn typed(self, store: &Store, key: &[u8], of: &[Operation]) -> Result<Vec<Option<i64>>, Error> {
        let numbers = |bits: Vec<bool>| bits.into_iter().map(|bit| Some(bit.into())).collect();
        match self {
            Self::GetBits => {
                let offsets: Vec<u64> = of.iter().map(|it| it.offset).collect();
                store.getbit_multiple(key, &offsets).map(numbers)
            }
            Self::SetBits => {
                let bits = of.iter().map(|it| (it.offset, it.action == Action::Set(1)));
                store.setbit_multiple(key, &bits.collect::<Vec<_>>()).map(numbers)
            }
            Self::Fields => store.bitfield(key, of.iter().map(|it| it.typed())),
        }
    }

    /// The single call.
    fn alone(self, store: &Store, key: &[u8], of: Operation) -> Result<Option<i64>, Error> {
        let bit = |bit: bool| Some(i64::from(bit));
        match (self, of.action) {
            (Self::GetBits, _) => store.getbit(key, of.offset).map(bit),
            (Self::SetBits, action) => {
                store.setbit(key, of.offset, action == Action::Set(1)).map(bit)
            }
            (Self::Fields, _) => of.alone(store, key),
        }
    }
}

/// Three equal stores: batched calls on the first, the same by words on the second, single calls on the third.
pub(super) fn together(
    u: &mut Unstructured<'_>,
    builder: &impl Fn() -> StoreBuilder,
) -> Result<()> {
    let (mut now, journal) = (500, Arc::new(Journal::default()));
    let clock = Arc::new(ManualClock::new(now));
    let store = || builder().clock(clock.clone());
    let many = store().sink(journal.clone()).build();
    let (worded, one) = (store().build(), store().build());
    let mut calls = 0;
    while calls < MOST && !u.is_empty() {
        calls += 1;
        if u.ratio(1, 3)? {
            // Keys that hold a number or another type, or that expire.
            let Ok(words) = line(u) else { break };
            for store in [&many, &worded, &one] {
                store.execute(&words);
            }
            now += u.int_in_range(0..=20_i64)?;
            clock.set(now);
            continue;
        }
        let key = *u.choose(KEYS)?;
        let call = *u.choose(&[Calls::GetBits, Calls::SetBits, Calls::Fields])?;
        let count = if u.ratio(1, 8)? { 150 } else { u.int_in_range(0..=8)? };
        let operations: Vec<_> = (0..count).map(|_| call.operation(u)).collect::<Result<_>>()?;
        check([&many, &worded, &one], key, call, &operations);
    }
    let again = replayed(&journal.take(), builder, now);
    assert_eq!(all(&again, contents), all(&many, contents));
    Ok(())
}

/// Checks that results, errors and keys are the same, and that a change is counted if one is counted for the single
/// calls.
fn check([many, worded, one]: [&Store; 3], key: &[u8], call: Calls, operations: &[Operation]) {
    let changes = [many, worded, one].map(Store::changes);
    let before = all(many, digest);
    let answers = call.typed(many, key, operations);
    let reads = operations.iter().all(|it| it.action == Action::Get);
    let name: &[u8] = if reads { b"BITFIELD_RO" } else { b"BITFIELD" };
    let mut line = vec![name.to_vec(), key.to_vec()];
    line.extend(words(operations));
    let reply = worded.execute(&line);
    let shown = || shown(&line);
    if operations.iter().any(|it| it.offset >= OUT_OF_RANGE) {
        assert_eq!(answers.unwrap_err().kind(), ErrorKind::Syntax, "{}", shown());
        assert!(reply.is_error(), "{}", shown());
        assert_eq!(all(many, digest), before, "{}", shown());
        assert_eq!([many, worded].map(Store::changes), changes[..2], "{}", shown());
        return;
    }
    let alone = if operations.is_empty() {
        one.strlen(key).map(|_| Vec::new())
    } else {
        operations.iter().map(|it| call.alone(one, key, *it)).collect()
    };
    assert_eq!(answers, alone, "{}", shown());
    let number = |number: &Option<i64>| number.map_or(Reply::Nil, Reply::Int);
    let want = match alone {
        Ok(answers) => Reply::Array(answers.iter().map(number).collect()),
        Err(error) => Reply::Error(error),
    };
    assert_eq!(reply, want, "{}", shown());
    let found = all(one, digest);
    assert_eq!(all(many, digest), found, "{}", shown());
    assert_eq!(all(worded, digest), found, "{}", shown());
    // A string that an operation extends before it fails counts as a change for the other two, as in Redis.
    let now = [many, worded, one].map(Store::changes);
    let [of_many, of_words, of_one] = [0, 1, 2].map(|at| now[at] != changes[at]);
    assert_eq!(of_many, of_words, "{}", shown());
    assert!(of_many || !of_one, "{}", shown());
}
