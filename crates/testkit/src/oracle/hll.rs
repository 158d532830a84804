//! The oracle of the HyperLogLog: an array of registers, and operations to run on it and on the implementation.

use arbitrary::Arbitrary;

/// Number of registers.
pub const REGISTERS: usize = 16384;

/// A HyperLogLog with one byte per register, and the published algorithms written out.
#[derive(Clone, PartialEq, Eq)]
pub struct HllOracle {
    registers: Vec<u8>,
}

/// An operation on a sketch.
#[derive(Arbitrary, Clone, Copy, Debug, PartialEq, Eq)]
pub enum HllOp {
    /// Adds an element; see [`HllOp::element`].
    Add(u16),
    /// Adds the hash that gives this register (modulo their number) this rank (1 to 51); see [`HllOp::hash`].
    Place {
        /// The register, near others so that opcodes are joined.
        register: u16,
        /// The rank.
        rank: u8,
    },
    /// Adds to this many registers in a row, from `register` on, the same rank.
    Run {
        /// The first register.
        register: u16,
        /// How many, modulo 16.
        len: u8,
        /// The rank.
        rank: u8,
    },
    /// Counts, as PFCOUNT of one key.
    Count,
    /// Turns the sketch dense.
    Promote,
    /// Merges a second sketch into the first, as PFMERGE.
    Merge,
    /// Exchanges the first sketch and the second.
    Swap,
    /// Clears the sketch.
    Clear,
}

impl HllOp {
    /// Returns the element of [`HllOp::Add`].
    #[must_use]
    pub fn element(number: u16) -> [u8; 5] {
        let [low, high] = number.to_le_bytes();
        [b'e', low, high, b':', low ^ high]
    }

    /// Returns a hash that gives a register (modulo their number) a rank (1 to 51).
    #[must_use]
    pub fn hash(register: u16, rank: u8) -> u64 {
        let zeros = u32::from(rank.saturating_sub(1) % 51);
        let rest = if zeros == 50 { 0 } else { 1u64 << (14 + zeros) };
        u64::from(register % 16384) | rest
    }
}

impl HllOracle {
    /// Creates an oracle with every register 0.
    #[must_use]
    pub fn new() -> Self {
        Self { registers: vec![0; REGISTERS] }
    }

    /// Creates an oracle with these register values, the rest 0.
    #[must_use]
    pub fn from_registers(registers: impl IntoIterator<Item = u8>) -> Self {
        let mut oracle = Self::new();
        for (target, value) in oracle.registers.iter_mut().zip(registers) {
            *target = value;
        }
        oracle
    }

    /// The registers in order.
    #[must_use]
    pub fn registers(&self) -> &[u8] {
        &self.registers
    }

    /// Adds an element and returns whether a register changed.
    pub fn add(&mut self, element: &[u8]) -> bool {
        self.add_hash(murmur64a(element, 0xadc8_3b19))
    }

    /// Adds a hash and returns whether a register changed.
    pub fn add_hash(&mut self, hash: u64) -> bool {
        let mut rank = 1;
        while rank <= 50 && hash >> (13 + rank) & 1 == 0 {
            rank += 1;
        }
        let register = &mut self.registers[usize::try_from(hash % 16384).unwrap_or_default()];
        let raised = *register < rank;
        *register = rank.max(*register);
        raised
    }

    /// Merges another oracle: raises each register to the other's.
    pub fn merge(&mut self, other: &Self) {
        for (mine, &theirs) in self.registers.iter_mut().zip(&other.registers) {
            *mine = theirs.max(*mine);
        }
    }

    /// Returns Ertl's estimate, or 2^63 for registers that have none.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive and below 2^63"
    )]
    pub fn count(&self) -> u64 {
        let m = 16384.0;
        let mut counts = [0.0; 256];
        for &register in &self.registers {
            counts[usize::from(register)] += 1.0;
        }
        let mut z = m * tau(1.0 - counts[51] / m);
        for count in counts[1..=50].iter().rev() {
            z = 0.5 * (z + count);
        }
        z += m * sigma(counts[0] / m);
        let estimate = (0.721_347_520_444_481_7 * m * m / z).round();
        if estimate < 9.2e18 { estimate as u64 } else { 1 << 63 }
    }
}

impl Default for HllOracle {
    fn default() -> Self {
        Self::new()
    }
}

impl core::fmt::Debug for HllOracle {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let set = (0..REGISTERS).zip(&self.registers).filter(|&(_, &value)| value > 0);
        f.debug_map().entries(set).finish()
    }
}

/// The series of Ertl's sigma, until a term no longer counts.
fn sigma(x: f64) -> f64 {
    if x >= 1.0 {
        return f64::INFINITY;
    }
    let mut sum = x;
    let mut power = x;
    let mut weight = 1.0;
    loop {
        power *= power;
        let next = sum + power * weight;
        if next <= sum {
            return sum;
        }
        sum = next;
        weight *= 2.0;
    }
}

/// The series of Ertl's tau, until a term no longer counts.
fn tau(x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return 0.0;
    }
    let mut rest = 1.0 - x;
    let mut root = x;
    let mut weight = 1.0;
    loop {
        root = root.sqrt();
        weight /= 2.0;
        let next = rest - (1.0 - root) * (1.0 - root) * weight;
        if next >= rest {
            return rest / 3.0;
        }
        rest = next;
    }
}

/// `MurmurHash64A`, a byte at a time.
fn murmur64a(bytes: &[u8], seed: u64) -> u64 {
    const M: u64 = 0xc6a4_a793_5bd1_e995;
    let number = |bytes: &[u8]| {
        bytes.iter().rev().fold(0u64, |number, &byte| number * 256 + u64::from(byte))
    };
    let mut h = seed ^ M.wrapping_mul(bytes.len() as u64);
    for chunk in bytes.chunks(8) {
        let mut k = number(chunk);
        if chunk.len() == 8 {
            k = k.wrapping_mul(M);
            k = (k ^ k >> 47).wrapping_mul(M);
        }
        h = (h ^ k).wrapping_mul(M);
    }
    h = (h ^ h >> 47).wrapping_mul(M);
    h ^ h >> 47
}
