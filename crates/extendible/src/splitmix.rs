//! A small RNG.

/// The RNG `SplitMix64`: a counter that steps by a fixed odd number, and a mix of its bits.
///
/// It passes the usual statistical test suites and has one word of state. A seed gives the same numbers on every
/// machine. It is not cryptographically secure: further numbers can be predicted.
///
/// ```
/// let mut random = extendible::SplitMix64::new(1_234_567);
/// assert_eq!(random.bits(), 6_457_827_717_110_365_317);
/// assert_eq!(random.bits(), 3_203_168_211_198_807_973);
/// ```
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The increment of the state from one number to the next.
    ///
    /// An RNG shared by threads is an atomic counter that steps by this, and [`mix`](Self::mix) of its new value.
    pub const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

    /// Creates an RNG from a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns 64 random bits.
    #[inline]
    pub const fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(Self::STEP);
        Self::mix(self.state)
    }

    /// Returns the random bits of a state.
    #[inline]
    #[must_use]
    pub const fn mix(state: u64) -> u64 {
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
