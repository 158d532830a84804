//! Operations on bits, compared with a `Vec<bool>`.
#![expect(clippy::unwrap_used, reason = "the tests look for failures here")]

use arbitrary::Arbitrary;
use bitpack::bits::{self, Op, combine, combine_into};
use bitpack::{Bitmap, Bits};
use testkit::sequence::Sequence;

/// The number of bits that the operations of a run may access, so that the model stays small.
const REACH: u64 = 3200;
/// The same in bytes.
const REACH_BYTES: usize = 400;

/// One step on a bitmap. Offsets are modulo `REACH`, or any for steps that only read.
#[derive(Arbitrary, Clone, Debug)]
pub(crate) enum BitmapOp {
    /// Set or clear a bit.
    Set(u16, bool),
    /// Set or clear a run of bits.
    Fill(u16, u16, bool),
    /// Append bytes.
    Append(Vec<u8>),
    /// Test reading in a range of bits.
    Query(u16, u16),
    /// Test reading in a range that may lie beyond the end.
    QueryFar(u64, u64),
    /// Combine with other strings; the first byte selects the operation, the second the position of the bitmap among
    /// the sources.
    Combine(u8, u8, Vec<Vec<u8>>),
    /// Remove everything.
    Clear,
}

/// A bitmap and its model.
type Pair = (Bitmap, Vec<bool>);

/// Runs the operations read from `bytes` on both, and checks all bits after each.
pub(crate) fn run(bytes: &[u8]) {
    Sequence::from_bytes(bytes).run(Pair::default, step).unwrap();
}

fn step((bitmap, model): &mut Pair, op: &BitmapOp) {
    match op {
        BitmapOp::Set(offset, on) => set(bitmap, model, u64::from(*offset), *on),
        BitmapOp::Fill(start, len, on) => {
            for offset in *start..start.saturating_add(len % 700) {
                set(bitmap, model, u64::from(offset), *on);
            }
        }
        BitmapOp::Append(bytes) => {
            let mut longer = std::mem::take(bitmap).into_bytes();
            let room = REACH_BYTES.saturating_sub(longer.len());
            let bytes = &bytes[..bytes.len().min(room)];
            longer.extend_from_slice(bytes);
            *bitmap = Bitmap::from_bytes(longer);
            model.extend(to_model(bytes));
        }
        BitmapOp::Query(start, end) => query(bitmap, model, (*start).into(), (*end).into()),
        BitmapOp::QueryFar(start, end) => query(bitmap, model, *start, *end),
        BitmapOp::Combine(op, place, others) => {
            let op = Op::ALL[usize::from(*op) % Op::ALL.len()];
            let mut sources: Vec<&[u8]> = others.iter().map(Vec::as_slice).collect();
            sources.insert(usize::from(*place) % (sources.len() + 1), bitmap.as_bytes());
            let out = combined(op, &sources);
            if let Some(mut out) = out {
                out.truncate(REACH_BYTES);
                *model = to_model(&out);
                *bitmap = out.into();
            }
        }
        BitmapOp::Clear => {
            *bitmap = Bitmap::new();
            model.clear();
        }
    }
    check(bitmap.bits(), model);
}

fn set(bitmap: &mut Bitmap, model: &mut Vec<bool>, offset: u64, on: bool) {
    let offset = offset % REACH;
    let at = usize::try_from(offset).unwrap();
    let len = (at / 8 + 1) * 8;
    if model.len() < len {
        model.resize(len, false);
    }
    assert_eq!(bitmap.set(offset, on), core::mem::replace(&mut model[at], on));
}

fn to_model(bytes: &[u8]) -> Vec<bool> {
    bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 == 1)).collect()
}

/// Compares the whole bitmap with the model.
fn check(bits: Bits<'_>, model: &[bool]) {
    assert_eq!(to_model(bits.as_bytes()), model);
    let ones: Vec<u64> = (0..).zip(model).filter(|&(_, &on)| on).map(|(at, _)| at).collect();
    assert_eq!(bits.len(), model.len() as u64);
    assert_eq!(bits.count(), ones.len() as u64);
    assert!(bits.ones().eq(ones.iter().copied()));
    let mut folded = Vec::new();
    bits.ones().for_each(|at| folded.push(at));
    assert_eq!(folded, ones);
    assert_eq!(bits.ones().skip(1).count(), ones.len().saturating_sub(1));
    let runs = model.chunk_by(|a, b| a == b).scan(0, |at, run| {
        let start = *at;
        *at += run.len() as u64;
        Some((start..*at, run[0]))
    });
    assert!(bits.runs().eq(runs.filter(|(_, on)| *on).map(|(run, _)| run)));
    for bit in [false, true] {
        let first = model.iter().position(|&on| on == bit);
        assert_eq!(bits.position(bit), first.map(|at| at as u64));
    }
}

/// Compares reading in a range with the model.
fn query(bitmap: &Bitmap, model: &[bool], start: u64, end: u64) {
    let bits = bitmap.bits();
    let on = |at: u64| usize::try_from(at).ok().and_then(|at| model.get(at)).copied();
    assert_eq!(bits.get(start), on(start).unwrap_or(false));
    let part = |from: u64, to: u64| {
        let to = to.min(model.len() as u64);
        (from..to).filter_map(move |at| Some((at, on(at)?)))
    };
    assert_eq!(bits.count_in(start..end), part(start, end).filter(|&(_, on)| on).count() as u64);
    for bit in [false, true] {
        let first = |from, to| part(from, to).find(|&(_, on)| on == bit).map(|(at, _)| at);
        assert_eq!(bits.position_in(bit, start..end), first(start, end));
        let bytes = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        let (from, to) = (start.saturating_mul(8), end.saturating_mul(8));
        assert_eq!(bits.position_bytes(bit, bytes(start)..bytes(end)), first(from, to));
        let count = part(from, to).filter(|&(_, on)| on).count() as u64;
        assert_eq!(bits.count_bytes(bytes(start)..bytes(end)), count);
    }
}

/// The result of combining the sources, checked bit by bit; `None` if there are too few or too many.
fn combined(op: Op, sources: &[&[u8]]) -> Option<Vec<u8>> {
    let mut out = vec![0xa5; 3];
    if let Err(error) = combine(op, sources, &mut out) {
        assert_eq!(op.check_sources(sources.len()), Err(error));
        assert_eq!(out, [0xa5; 3]);
        return None;
    }
    let longest = sources.iter().map(|source| source.len()).max().unwrap();
    assert_eq!(out.len(), longest);
    let mut wider = vec![0xa5; longest + 9];
    combine_into(op, sources, &mut wider).unwrap();
    let mut narrower = vec![0xa5; longest / 2];
    combine_into(op, sources, &mut narrower).unwrap();
    assert_eq!(wider[..longest], out);
    assert_eq!(out[..longest / 2], narrower);
    for at in 0..bits::len(&wider) {
        let x = bits::get(sources[0], at);
        let set = sources.iter().filter(|source| bits::get(source, at)).count();
        let others = set - usize::from(x);
        let wanted = match op {
            Op::And => set == sources.len(),
            Op::Or => set > 0,
            Op::Xor => set % 2 == 1,
            Op::Not => !x,
            Op::Diff => x && others == 0,
            Op::Diff1 => !x && others > 0,
            Op::AndOr => x && others > 0,
            Op::One => set == 1,
        };
        assert_eq!(bits::get(&wider, at), wanted, "{op:?} at bit {at}");
    }
    Some(out)
}
