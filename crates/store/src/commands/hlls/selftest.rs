//! PFSELFTEST: checks the registers on this machine and its vector instructions.

use hll::{DecodeError, HllMut, P, REGISTERS, SPARSE_MAX_BYTES};

use crate::error::{Error, ErrorKind, Result};

/// The number of elements of the second test: some thousands more than the change from sparse to dense.
const ELEMENTS: u32 = 10_000;

/// The number of registers that the first test sets, four times as many as there are.
const ROUNDS: u32 = 4 << P;

/// Compares random registers with a plain array, and a sparse with a dense value. Takes some milliseconds.
pub(super) fn run() -> Result<()> {
    registers_hold_what_was_put().and_then(|()| encodings_agree()).map_err(|what| failed(&what))
}

#[cold]
fn failed(what: &Failure) -> Error {
    let text = match what {
        Failure::Decode(error) => format!("TESTFAILED {error}"),
        Failure::Register { number, is, should } => {
            format!("TESTFAILED register {number} is {is}, not {should}")
        }
        Failure::Differ { elements } => {
            format!("TESTFAILED dense and sparse differ after {elements} elements")
        }
        Failure::Count { elements, counted } => {
            format!("TESTFAILED {elements} elements count as {counted}")
        }
    };
    Error::new(ErrorKind::InvalidHll, text)
}

#[derive(Debug)]
enum Failure {
    Decode(DecodeError),
    Register { number: usize, is: u8, should: u8 },
    Differ { elements: u32 },
    Count { elements: u32, counted: u64 },
}

impl From<DecodeError> for Failure {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}

fn registers_hold_what_was_put() -> Result<(), Failure> {
    let mut bytes = hll::empty();
    let mut sketch = HllMut::new(&mut bytes)?;
    sketch.promote()?;
    let mut plain = vec![0; REGISTERS];
    for round in 0..ROUNDS {
        // The hash is a good source of random bits, and easy to invert: zeros, then a one.
        let (register, rank) = hll::register_and_rank(hll::hash(&round.to_le_bytes()));
        let rank = (rank + round.to_le_bytes()[0] % 41).min(hll::MAX_RANK);
        let place = &mut plain[usize::from(register)];
        let ones = 1_u64.checked_shl(P + u32::from(rank) - 1).unwrap_or(0);
        let raised = sketch.add_hash(u64::from(register) | ones, SPARSE_MAX_BYTES)?;
        if raised != (rank > *place) {
            let number = usize::from(register);
            return Err(Failure::Register { number, is: *place, should: rank });
        }
        *place = rank.max(*place);
    }
    for (number, (is, should)) in sketch.view()?.registers()?.zip(plain).enumerate() {
        if is != should {
            return Err(Failure::Register { number, is, should });
        }
    }
    Ok(())
}

fn encodings_agree() -> Result<(), Failure> {
    let (mut one, mut other) = (hll::empty(), hll::empty());
    let (mut sparse, mut dense) = (HllMut::new(&mut one)?, HllMut::new(&mut other)?);
    dense.promote()?;
    let mut checked_at = 1;
    for elements in 1..=ELEMENTS {
        let element = elements.to_le_bytes();
        if sparse.add(&element, SPARSE_MAX_BYTES)? != dense.add(&element, SPARSE_MAX_BYTES)? {
            return Err(Failure::Differ { elements });
        }
        if elements < checked_at {
            continue;
        }
        checked_at *= 10;
        let counted = dense.count()?.count;
        let same = sparse.view()?.registers()?.eq(dense.view()?.registers()?);
        if !same || sparse.count()?.count != counted {
            return Err(Failure::Differ { elements });
        }
        let off = counted.abs_diff(elements.into());
        // One more than six standard errors of 1.04 / 128, which random elements exceed once in 10^9.
        if off > 1 + u64::from(elements) * 6 * 104 / 12_800 {
            return Err(Failure::Count { elements, counted });
        }
    }
    Ok(())
}
