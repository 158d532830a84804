//! The kernels in plain Rust: the fallback, and the reference that the others are tested against.

use super::Fold;

/// Words of a block.
const WORDS: usize = 8;
/// Bytes of a block.
const BLOCK: usize = WORDS * 8;

type Words = [u64; WORDS];

/// Bit order does not matter to these loops, so words are read in the order that is fastest on most machines.
#[inline]
fn words(block: &[u8; BLOCK]) -> Words {
    let (chunks, _) = block.as_chunks();
    core::array::from_fn(|i| u64::from_le_bytes(chunks[i]))
}

/// The number of set bits.
pub(crate) fn count(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let whole: u64 =
        words.iter().map(|&word| u64::from(u64::from_le_bytes(word).count_ones())).sum();
    whole + rest.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>()
}

/// The number of leading bytes that equal `byte`.
pub(crate) fn skip(bytes: &[u8], byte: u8) -> usize {
    let same = u64::from_le_bytes([byte; 8]);
    let (blocks, _) = bytes.as_chunks::<BLOCK>();
    let other = |block: &[u8; BLOCK]| words(block).iter().fold(0, |any, word| any | (word ^ same));
    let start = BLOCK * blocks.iter().take_while(|block| other(block) == 0).count();
    start + bytes[start..].iter().take_while(|&&got| got == byte).count()
}

/// Folds a first source and others, each at least as long as the output, into the output.
pub(crate) fn combine(out: &mut [u8], fold: Fold, first: &[u8], others: &[&[u8]]) {
    combine_from(out, fold, first, others, 0);
}

/// As [`combine`], with sources of which the output is the part from `start` on.
pub(crate) fn combine_from(
    out: &mut [u8],
    fold: Fold,
    first: &[u8],
    others: &[&[u8]],
    start: usize,
) {
    let sources = Sources { first, others, start };
    match fold {
        Fold::And => sources.fold(out, u64::MAX, and, |x, (any, _)| x & any),
        Fold::Or => sources.fold(out, 0, or, |x, (any, _)| x | any),
        Fold::Xor => sources.fold(out, 0, xor, |x, (any, _)| x ^ any),
        Fold::Not => Sources { others: &[], ..sources }.fold(out, 0, or, |x, _| !x),
        Fold::Diff => sources.fold(out, 0, or, |x, (any, _)| x & !any),
        Fold::Diff1 => sources.fold(out, 0, or, |x, (any, _)| !x & any),
        Fold::AndOr => sources.fold(out, 0, or, |x, (any, _)| x & any),
        Fold::One => sources.fold(out, 0, one, |x, (any, twice)| (x ^ any) & !twice),
    }
}

/// What the sources so far have: bits of any of them (or of all, or of an odd number), and bits of two.
type State = (u64, u64);

fn and((any, twice): State, y: u64) -> State {
    (any & y, twice)
}

fn or((any, twice): State, y: u64) -> State {
    (any | y, twice)
}

fn xor((any, twice): State, y: u64) -> State {
    (any ^ y, twice)
}

fn one((any, twice): State, y: u64) -> State {
    (any | y, twice | any & y)
}

/// The sources of one output, which is their part from `start` on.
#[derive(Clone, Copy)]
struct Sources<'a> {
    first: &'a [u8],
    others: &'a [&'a [u8]],
    start: usize,
}

impl Sources<'_> {
    /// Runs `step` over the words of the other sources and `finish` over what comes of it.
    #[inline]
    fn fold(
        self,
        out: &mut [u8],
        fresh: u64,
        step: impl Fn(State, u64) -> State,
        finish: impl Fn(u64, State) -> u64,
    ) {
        let Self { first, others, start } = self;
        let first = &first[start..start + out.len()];
        let (targets, rest) = out.as_chunks_mut::<BLOCK>();
        let (firsts, first_rest) = first.as_chunks::<BLOCK>();
        let mut at = start;
        for (target, x) in targets.iter_mut().zip(firsts) {
            let mut states = [(fresh, 0); WORDS];
            for y in others {
                if let Some(y) = y[at..].first_chunk() {
                    states = core::array::from_fn(|i| step(states[i], words(y)[i]));
                }
            }
            let x = words(x);
            for (i, to) in target.as_chunks_mut().0.iter_mut().enumerate() {
                *to = finish(x[i], states[i]).to_le_bytes();
            }
            at += BLOCK;
        }
        for (i, (target, &x)) in rest.iter_mut().zip(first_rest).enumerate() {
            let ys = others.iter().map(|y| y[at + i].into());
            *target = finish(x.into(), ys.fold((fresh, 0), &step)).to_le_bytes()[0];
        }
    }
}
