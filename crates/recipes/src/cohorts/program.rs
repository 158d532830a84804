//! Evaluation of expressions, block by block, on the strings in place.
//!
//! # Idea
//!
//! BITOP writes a whole string for every operation, as long as its longest operand. Here the whole expression is
//! evaluated for one block of each string before the next block: intermediate results are blocks in the L1 cache, whose
//! memory is reused.
//!
//! # Lengths
//!
//! For a string that ends before or within a block, the block is shorter or empty, and the result of an operation is as
//! long as its longest operand. So a block ends where BITOP's string would, which determines the result of NOT.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use bitpack::bits::{self, Op};
use smallvec::SmallVec;

use super::cohort::{Cohort, Step};
use super::names::Names;
use crate::text::Text;

/// The number of bytes of each string per block.
const BLOCK: usize = 8 << 10;

/// The keys of one or several expressions, without duplicates.
#[derive(Debug)]
pub(super) struct Sources<'n> {
    names: &'n Names,
    keys: Vec<Text>,
    numbers: HashMap<Text, usize, ahash::RandomState>,
}

impl<'n> Sources<'n> {
    pub(super) fn new(names: &'n Names) -> Self {
        Self { names, keys: Vec::new(), numbers: HashMap::default() }
    }

    /// Returns the keys.
    pub(super) fn keys(&self) -> Vec<&[u8]> {
        self.keys.iter().map(|key| &key[..]).collect()
    }

    /// Compiles an expression over the indexes of its keys. A period that is not written is replaced by the union of
    /// its parts.
    pub(super) fn program(&mut self, cohort: &Cohort) -> Program {
        let mut steps = Vec::with_capacity(cohort.steps().len());
        for step in cohort.steps() {
            match step {
                Step::Key(key) => steps.push(self.source(Text::from_slice(key))),
                Step::Combine(op, count) => steps.push(Instruction::Combine(*op, *count)),
                Step::Event { event, period } => {
                    let before = steps.len();
                    for part in self.names.written(*period) {
                        steps.push(self.source(self.names.key(event, part)));
                    }
                    let parts = steps.len() - before;
                    if parts > 1 {
                        steps.push(Instruction::Combine(Op::Or, parts));
                    }
                }
            }
        }
        Program { steps }
    }

    fn source(&mut self, key: Text) -> Instruction {
        let keys = &mut self.keys;
        let number = *self.numbers.entry(key).or_insert_with_key(|key| {
            keys.push(Text::from_slice(key));
            keys.len() - 1
        });
        Instruction::Source(number)
    }
}

/// An expression over numbered strings.
#[derive(Debug)]
pub(super) struct Program {
    steps: Vec<Instruction>,
}

#[derive(Clone, Copy, Debug)]
enum Instruction {
    /// The string with this index.
    Source(usize),
    /// Combines this number of operands.
    Combine(Op, usize),
}

/// The names of the operations of cohorts.
const NAMES: [(&str, Op); 5] =
    [("AND", Op::And), ("OR", Op::Or), ("XOR", Op::Xor), ("NOT", Op::Not), ("DIFF", Op::Diff)];

/// Reusable memory for blocks.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    free: Vec<Vec<u8>>,
}

impl Blocks {
    fn take(&mut self) -> Vec<u8> {
        self.free.pop().unwrap_or_default()
    }

    /// Returns a block for reuse.
    pub(super) fn give(&mut self, block: Cow<'_, [u8]>) {
        if let Cow::Owned(memory) = block {
            self.free.push(memory);
        }
    }
}

impl Program {
    /// Evaluates the bytes of a range, or as many as there are. The result borrows from a string if there is no
    /// operation.
    pub(super) fn run<'s>(
        &self,
        strings: &[&'s [u8]],
        range: &Range<usize>,
        blocks: &mut Blocks,
    ) -> Cow<'s, [u8]> {
        let mut stack: SmallVec<[Cow<'s, [u8]>; 8]> = SmallVec::new();
        for &step in &self.steps {
            match step {
                Instruction::Source(number) => {
                    let string = strings[number];
                    let [start, end] = [range.start, range.end].map(|at| at.min(string.len()));
                    stack.push(Cow::Borrowed(&string[start..end]));
                }
                Instruction::Combine(op, count) => {
                    let first = stack.len() - count;
                    let mut block = blocks.take();
                    let operands: SmallVec<[&[u8]; 8]> =
                        stack[first..].iter().map(|operand| &**operand).collect();
                    if bits::combine(op, &operands, &mut block).is_err() {
                        // Without operands the result is empty.
                        block.clear();
                    }
                    drop(operands);
                    for operand in stack.drain(first..) {
                        blocks.give(operand);
                    }
                    stack.push(Cow::Owned(block));
                }
            }
        }
        stack.pop().unwrap_or(Cow::Borrowed(&[]))
    }

    /// Passes all blocks to a function, with the offset of the first byte of each.
    pub(super) fn each_block(&self, strings: &[&[u8]], mut take: impl FnMut(usize, &[u8])) {
        let mut blocks = Blocks::default();
        for range in ranges(strings) {
            let block = self.run(strings, &range, &mut blocks);
            take(range.start, &block);
            blocks.give(block);
        }
    }

    /// Returns the whole bitmap.
    pub(super) fn bitmap(&self, strings: &[&[u8]]) -> Vec<u8> {
        let longest = strings.iter().map(|string| string.len()).max().unwrap_or(0);
        let mut bitmap = Vec::with_capacity(longest);
        self.each_block(strings, |_, block| bitmap.extend_from_slice(block));
        bitmap
    }

    /// Returns the index of the string that is the result, if there is no operation.
    pub(super) fn as_source(&self) -> Option<usize> {
        match *self.steps {
            [Instruction::Source(number)] => Some(number),
            _ => None,
        }
    }

    /// Returns how many results of operations are on the stack at once at most.
    pub(super) fn results(&self) -> usize {
        let (mut depth, mut results) = (0_usize, 0);
        for step in &self.steps {
            match step {
                Instruction::Source(_) => depth += 1,
                Instruction::Combine(_, count) => {
                    depth = depth.saturating_sub(*count) + 1;
                    results = results.max(depth);
                }
            }
        }
        results
    }

    /// Returns the steps as arguments of a script: the index of a string, or an operation and its number of operands.
    pub(super) fn steps_as_text(&self) -> Vec<String> {
        let text = |step: &Instruction| match step {
            Instruction::Source(number) => number.to_string(),
            Instruction::Combine(op, count) => {
                let name = NAMES.iter().find(|(_, named)| named == op).map_or("", |(name, _)| name);
                format!("{name}:{count}")
            }
        };
        self.steps.iter().map(text).collect()
    }

    /// Parses the steps of an expression over this number of strings.
    pub(super) fn parse(steps: &[&[u8]], strings: usize) -> Option<Self> {
        let mut depth = 0_usize;
        let mut parse = |step: &&[u8]| {
            let step = std::str::from_utf8(step).ok()?;
            let (instruction, operands) = match step.split_once(':') {
                None => (Instruction::Source(step.parse().ok().filter(|&it| it < strings)?), 0),
                Some((name, count)) => {
                    let count = count.parse().ok()?;
                    let (_, op) = NAMES.iter().find(|(known, _)| *known == name)?;
                    (Instruction::Combine(*op, count), count)
                }
            };
            depth = depth.checked_sub(operands)? + 1;
            Some(instruction)
        };
        Some(Self { steps: steps.iter().map(&mut parse).collect::<Option<_>>()? })
    }

    /// Returns whether one bit is set, for strings that are a byte of each.
    pub(super) fn bit_of_byte(&self, bytes: &[&[u8]], bit: u32) -> bool {
        let block = self.run(bytes, &(0..1), &mut Blocks::default());
        bits::get(&block, u64::from(bit % 8))
    }

    /// Returns whether one bit is set.
    pub(super) fn bit(&self, strings: &[&[u8]], bit: u32) -> bool {
        let byte = (bit / 8) as usize;
        let block = self.run(strings, &(byte..byte + 1), &mut Blocks::default());
        bits::get(&block, u64::from(bit % 8))
    }
}

/// Iterates over the ranges of the blocks of the longest string.
pub(super) fn ranges(strings: &[&[u8]]) -> impl Iterator<Item = Range<usize>> {
    let len = strings.iter().map(|string| string.len()).max().unwrap_or(0);
    (0..len).step_by(BLOCK).map(move |start| start..(start + BLOCK).min(len))
}
