//! The parts of random commands: keys, members, numbers, times.

use super::script::{Found, How};
use crate::rng::Rng;

/// A command that is being generated.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) words: Vec<Vec<u8>>,
    pub(super) how: How,
    /// Whether replacing a word would make the replies random.
    pub(super) fragile: bool,
}

impl Line {
    pub(super) fn new(name: &str) -> Self {
        Self { words: name.split(' ').map(Into::into).collect(), how: How::Plain, fragile: false }
    }

    pub(super) fn push(&mut self, word: impl Into<Vec<u8>>) -> &mut Self {
        self.words.push(word.into());
        self
    }

    pub(super) fn number(&mut self, number: i64) -> &mut Self {
        self.push(number.to_string())
    }
}

/// The names of keys: one empty, one binary, some that patterns distinguish.
pub(super) const KEYS: [&[u8]; 17] = [
    b"a",
    b"",
    b"k:1",
    b"k:2",
    b"k:10",
    b"bin\x00\n\xff",
    b"K:1",
    b"{t}[x]*",
    b"k:z",
    b"z",
    b"z:1",
    b"geo",
    b"k:g",
    b"h",
    b"h:1",
    b"l",
    b"l:1",
];

/// The type of a key's value, as far as its index among the [`KEYS`] determines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A string that is mostly a number.
    Number,
    String,
    Set,
    Hll,
    ZSet,
    /// A sorted set of points (GEOADD).
    Place,
    Bloom,
    Hash,
    List,
}

/// The state of the generator.
#[derive(Debug)]
pub(super) struct Gen {
    pub(super) rng: Rng,
    pub(super) found: Found,
    /// Steps so far. The roles of the keys change with it.
    pub(super) step: usize,
}

impl Gen {
    pub(super) fn new(seed: u64, found: Found) -> Self {
        Self { rng: Rng::new(seed), found, step: 0 }
    }

    pub(super) fn one_in(&mut self, chances: u64) -> bool {
        self.rng.chance(1, chances)
    }

    pub(super) fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.rng.index(all.len())]
    }

    /// A key, mostly of the type that the command works on.
    pub(super) fn key(&mut self, kind: Kind) -> Vec<u8> {
        let (first, count) = match kind {
            Kind::Number => (0, 1),
            Kind::String => (1, 2),
            Kind::Set | Kind::Bloom => (3, 3),
            Kind::Hll => (6, 2),
            Kind::ZSet => (8, 3),
            Kind::Place => (11, 2),
            Kind::Hash => (13, 2),
            Kind::List => (15, 2),
        };
        let at = if self.one_in(25) {
            self.rng.index(KEYS.len())
        } else {
            first + self.rng.index(count) + self.step / 2_000
        };
        KEYS[at % KEYS.len()].to_vec()
    }

    pub(super) fn any_key(&mut self) -> Vec<u8> {
        self.pick(&KEYS).to_vec()
    }

    /// Two keys, mostly of the same type.
    pub(super) fn two_keys(&mut self) -> [Vec<u8>; 2] {
        let kind = self.pick(&[Kind::Number, Kind::String, Kind::Set, Kind::Set, Kind::Hll]);
        [self.key(kind), self.key(kind)]
    }

    /// A text that is an integer, or almost one.
    pub(super) fn integer(&mut self) -> Vec<u8> {
        const ODD: [&str; 34] = [
            "127",
            "128",
            "255",
            "-128",
            "-129",
            "32767",
            "32768",
            "-32768",
            "-32769",
            "65535",
            "2147483647",
            "2147483648",
            "-2147483648",
            "-2147483649",
            "4294967296",
            "9223372036854775806",
            "9223372036854775807",
            "9223372036854775808",
            "-9223372036854775807",
            "-9223372036854775808",
            "-9223372036854775809",
            "18446744073709551615",
            "007",
            "-0",
            "+1",
            " 1",
            "1 ",
            "",
            "1.0",
            "0x10",
            "--1",
            "-",
            "1e3",
            "9999",
        ];
        match self.rng.below(8) {
            0..6 => self.rng.range(-20..=20).to_string().into(),
            6 => self.rng.range(-40_000..=40_000).to_string().into(),
            _ => self.pick(&ODD).into(),
        }
    }

    /// A text that is a number with a fraction, or almost one.
    pub(super) fn float(&mut self) -> Vec<u8> {
        const ODD: [&str; 30] = [
            "0.1",
            "0.2",
            "-0.3",
            "1.5",
            "3.0",
            "1e3",
            "1e-7",
            "-1e10",
            "5e-324",
            "1e17",
            "1e18",
            "1e308",
            "1e4932",
            "1e5000",
            "nan",
            "-nan",
            "inf",
            "-inf",
            "+inf",
            "infinity",
            "0x1p3",
            "-0",
            "-0.0",
            "1.",
            ".5",
            " 1.5",
            "1.5 ",
            "1,5",
            "",
            "3.14159265358979323846",
        ];
        match self.rng.below(4) {
            0 => self.pick(&ODD).into(),
            1 => self.integer(),
            2 => format!("{}", (self.rng.unit() * 2_000.0).trunc() / 8.0 - 125.0).into(),
            _ => format!("{:.4}", self.rng.unit() * 10.0).into(),
        }
    }

    /// Any value: all lengths at which an encoding or a compression begins, numbers and near numbers, binary, junk.
    pub(super) fn value(&mut self) -> Vec<u8> {
        const LENGTHS: [usize; 12] = [1, 11, 12, 20, 21, 44, 45, 63, 64, 65, 128, 300];
        const JUNK: [&[u8]; 9] = [
            b"HYLL",
            b"HYLL\x01\0\0\0\0\0\0\0\0\0\0\x80\x7f\xfe",
            b"HYLL\x02\0\0\0\0\0\0\0\0\0\0\0\x7f\xff",
            b"HYLL\x01\0\0\0\0\0\0\0\0\0\0\x80\x7f\xff",
            b"HYLL\x00\0\0\0\0\0\0\0\0\0\0\x80",
            b"\0",
            b"\xff\xfe",
            b"a\r\nb",
            b"",
        ];
        match self.rng.below(16) {
            0..6 => self.integer(),
            6 => self.float(),
            7 => self.pick(&JUNK).to_vec(),
            8..11 => {
                let len = self.pick(&LENGTHS);
                // A run of one letter is compressible, digits less so.
                let (first, letters) = self.pick(&[(b'x', 1), (b'a', 26), (b'0', 10)]);
                let letters: Vec<u8> = (first..first + letters).collect();
                (0..len).map(|_| self.pick(&letters)).collect()
            }
            11 => {
                let len = self.pick(&LENGTHS);
                self.rng.bytes(len)
            }
            12 if self.one_in(8) => b"tallis ".repeat(self.rng.index(400)),
            _ => format!("v{}", self.rng.below(30)).into(),
        }
    }

    /// A member of a set: a small space, so that sets overlap.
    pub(super) fn member(&mut self) -> Vec<u8> {
        match self.rng.below(10) {
            0..6 => self.rng.range(-15..=30).to_string().into(),
            6..8 => self.integer(),
            _ => self.value(),
        }
    }

    /// Seconds of a relative time to live: each is a quarter of an hour and more away from all others, so that the time
    /// that passes in a run changes no comparison. Or one that has passed.
    pub(super) fn seconds(&mut self) -> i64 {
        if self.one_in(12) {
            return self.pick(&[0, -1, -5, -1_000]);
        }
        // The step makes it unique, the factor spreads neighbours so that GT and LT see both.
        let spread = (i64::try_from(self.step).unwrap_or(0) * 7_919) % 100_003;
        10_000 + spread * 1_000
    }

    /// Seconds since the epoch, exact: from a small set, so that some are equal. Or one that has passed long ago.
    pub(super) fn unix_time(&mut self) -> i64 {
        if self.one_in(12) {
            return self.pick(&[1, 1_000_000_000, 0, -1]);
        }
        self.pick(&[4_102_444_800, 4_102_444_801, 5_000_000_000, 9_000_000_000, 30_000_000_000])
    }

    /// A time that is not valid, or too far away.
    pub(super) fn bad_time(&mut self) -> &'static str {
        self.pick(&[
            "9223372036854775807",
            "9223372036854775",
            "-9223372036854775808",
            "9223372036854775808",
            "x",
            "",
            "1.5",
        ])
    }

    /// A pattern for names of keys and small members.
    pub(super) fn pattern(&mut self) -> &'static [u8] {
        self.pick(&[
            b"*",
            b"k:*",
            b"?",
            b"",
            b"[a-k]*",
            b"k:[^1]",
            b"[kK]:1",
            b"k:1?",
            b"*\x00*",
            b"\\{t}\\[x]\\*",
            b"[",
            b"[a-",
            b"**1*",
            b"?:*",
            b"-?",
            b"[0-9]",
            b"1*",
            b"v[0-3]*",
            b"[9-0]",
            b"k\\",
            b"[]a",
            b"[^a]",
            b"*[",
        ])
    }

    /// The database to work on next; only the first few are used.
    pub(super) fn db(&mut self) -> &'static str {
        self.pick(&["0", "0", "0", "0", "1", "1", "2", "3"])
    }
}
