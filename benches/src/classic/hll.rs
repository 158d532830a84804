//! The published algorithms of Redis's HyperLogLog, without the optimisations of this workspace: a reference for
//! comparison.
//!
//! One register at a time, one opcode at a time, a histogram of 64 counters, and one scan of all registers for each
//! operation.

const REGISTERS: usize = 16384;
const HEADER: usize = 16;
const SEED: u64 = 0xadc8_3b19;

/// `MurmurHash64A`.
fn hash(bytes: &[u8]) -> u64 {
    const M: u64 = 0xc6a4_a793_5bd1_e995;
    let mut h = SEED ^ (bytes.len() as u64).wrapping_mul(M);
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let mut k = u64::from_le_bytes(chunk.try_into().unwrap()).wrapping_mul(M);
        k ^= k >> 47;
        h = (h ^ k.wrapping_mul(M)).wrapping_mul(M);
    }
    let tail = chunks.remainder();
    if !tail.is_empty() {
        for (i, &byte) in tail.iter().enumerate() {
            h ^= u64::from(byte) << (8 * i);
        }
        h = h.wrapping_mul(M);
    }
    h = (h ^ h >> 47).wrapping_mul(M);
    h ^ h >> 47
}

/// Returns the register and the rank of an element.
pub fn place(element: &[u8]) -> (usize, u8) {
    let hash = hash(element);
    let rest = hash >> 14 | 1 << 50;
    ((hash & 0x3fff) as usize, rest.trailing_zeros() as u8 + 1)
}

/// The dense registers, followed by one byte so that the last register can be read like the others.
pub struct Dense(pub Box<[u8; 12289]>);

impl Dense {
    pub fn new() -> Self {
        Self(Box::new([0; 12289]))
    }

    pub fn get(&self, register: usize) -> u8 {
        let (byte, bit) = (register * 6 / 8, register * 6 % 8);
        let (low, high) = (u32::from(self.0[byte]), u32::from(self.0[byte + 1]));
        ((low >> bit | high << (8 - bit)) & 63) as u8
    }

    pub fn add(&mut self, element: &[u8]) -> bool {
        let (register, rank) = place(element);
        if self.get(register) >= rank {
            return false;
        }
        let (byte, bit) = (register * 6 / 8, register * 6 % 8);
        let value = u32::from(rank);
        self.0[byte] = (u32::from(self.0[byte]) & !(63 << bit) | value << bit) as u8;
        let high = u32::from(self.0[byte + 1]) & !(63 >> (8 - bit));
        self.0[byte + 1] = (high | value >> (8 - bit)) as u8;
        true
    }

    pub fn count(&self) -> u64 {
        let mut histogram = [0u32; 64];
        // Reads 16 registers from 12 bytes at a time, unrolled as in Redis.
        for group in self.0[..12288].as_chunks::<12>().0 {
            let r = group.map(u32::from);
            for four in 0..4 {
                let [a, b, c] = [r[four * 3], r[four * 3 + 1], r[four * 3 + 2]];
                histogram[(a & 63) as usize] += 1;
                histogram[((a >> 6 | b << 2) & 63) as usize] += 1;
                histogram[((b >> 4 | c << 4) & 63) as usize] += 1;
                histogram[(c >> 2 & 63) as usize] += 1;
            }
        }
        estimate(&histogram)
    }
}

/// Returns the count of the union of dense registers.
pub fn union_count(all: &[Dense]) -> u64 {
    let mut max = [0u8; REGISTERS];
    for dense in all {
        for (register, max) in max.iter_mut().enumerate() {
            let value = dense.get(register);
            if value > *max {
                *max = value;
            }
        }
    }
    let mut histogram = [0u32; 64];
    for value in max {
        histogram[usize::from(value & 63)] += 1;
    }
    estimate(&histogram)
}

fn estimate(histogram: &[u32; 64]) -> u64 {
    let m = REGISTERS as f64;
    let mut z = m * tau((m - f64::from(histogram[51])) / m);
    for value in (1..=50).rev() {
        z += f64::from(histogram[value]);
        z *= 0.5;
    }
    z += m * sigma(f64::from(histogram[0]) / m);
    (0.721_347_520_444_481_7 * m * m / z).round() as u64
}

fn sigma(mut x: f64) -> f64 {
    if x == 1.0 {
        return f64::INFINITY;
    }
    let (mut y, mut z) = (1.0, x);
    loop {
        x *= x;
        let before = z;
        z += x * y;
        y += y;
        if before == z {
            return z;
        }
    }
}

fn tau(mut x: f64) -> f64 {
    if x == 0.0 || x == 1.0 {
        return 0.0;
    }
    let (mut y, mut z) = (1.0, 1.0 - x);
    loop {
        x = x.sqrt();
        let before = z;
        y *= 0.5;
        z -= (1.0 - x).powi(2) * y;
        if before == z {
            return z / 3.0;
        }
    }
}

/// A sparse sketch that is expected to remain sparse.
pub struct Sparse(pub Vec<u8>);

impl Sparse {
    pub fn new() -> Self {
        let mut bytes = b"HYLL\x01".to_vec();
        bytes.resize(HEADER, 0);
        bytes[HEADER - 1] = 0x80;
        bytes.extend_from_slice(&[0x7f, 0xff]);
        Self(bytes)
    }

    /// Returns the run length of the opcode at `at`, and its length in bytes.
    fn run(&self, at: usize) -> (usize, usize) {
        let byte = self.0[at];
        match byte >> 6 {
            0 => (usize::from(byte & 63) + 1, 1),
            1 => ((usize::from(byte & 63) << 8 | usize::from(self.0[at + 1])) + 1, 2),
            _ => (usize::from(byte & 3) + 1, 1),
        }
    }

    pub fn add(&mut self, element: &[u8]) -> bool {
        let (register, rank) = place(element);
        let (mut at, mut first, mut prev) = (HEADER, 0, HEADER);
        let (mut span, mut len);
        loop {
            (span, len) = self.run(at);
            if register < first + span {
                break;
            }
            prev = at;
            at += len;
            first += span;
        }
        let byte = self.0[at];
        let is_val = byte & 0x80 != 0;
        if is_val && (byte >> 2 & 31) + 1 >= rank {
            return false;
        }
        let new = 0x80 | (rank - 1) << 2;
        if span == 1 && len == 1 {
            self.0[at] = new;
        } else {
            let (mut opcodes, mut end) = ([0; 5], 0);
            let mut put = |byte: u8| {
                opcodes[end] = byte;
                end += 1;
            };
            for (place, span) in
                [register - first, 1, first + span - 1 - register].into_iter().enumerate()
            {
                if place == 1 {
                    put(new);
                } else if span == 0 {
                } else if is_val {
                    put(byte & !3 | (span - 1) as u8);
                } else if span > 64 {
                    put(0x40 | (span - 1 >> 8) as u8);
                    put((span - 1) as u8);
                } else {
                    put((span - 1) as u8);
                }
            }
            let old_len = self.0.len();
            if end > len {
                self.0.resize(old_len + end - len, 0);
            }
            self.0.copy_within(at + len..old_len, at + end);
            self.0.truncate(old_len + end - len);
            self.0[at..at + end].copy_from_slice(&opcodes[..end]);
        }
        let mut at = prev;
        for _ in 0..5 {
            if at >= self.0.len() {
                break;
            }
            let (span, len) = self.run(at);
            if self.0[at] & 0x80 != 0 && at + 1 < self.0.len() && self.0[at + 1] & 0x80 != 0 {
                let (next, _) = self.run(at + 1);
                if (self.0[at] ^ self.0[at + 1]) & !3 == 0 && span + next <= 4 {
                    self.0[at + 1] = self.0[at] & !3 | (span + next - 1) as u8;
                    self.0.remove(at);
                    continue;
                }
            }
            at += len;
        }
        self.0[HEADER - 1] |= 0x80;
        true
    }
}
