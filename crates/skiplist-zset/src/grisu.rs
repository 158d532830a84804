//! The digits that Redis 7.2 prints for a 64-bit floating point number.
//!
//! # Idea
//!
//! 7.2 finds a short decimal number that reads back as the same one by Grisu2: the interval between the midpoints to
//! the two neighbours is scaled by a power of ten, so that the digits are before the binary point, and digits are
//! written until the result is inside the interval. With 64 bits the bounds are slightly too narrow, so about one
//! result in a thousand has one digit more than the shortest, or is not the nearest of its length. These are Redis's
//! bytes, so a library that always finds the shortest cannot be used.
//!
//! # References
//!
//! Florian Loitsch: Printing Floating-Point Numbers Quickly and Accurately with Integers, PLDI 2010. The window of
//! exponents and the step of the powers are those of Redis.

/// The most digits there can be.
pub(crate) const DIGITS_MAX: usize = 18;

/// A scaled number has its binary point behind this many bits, at most and at least.
const POINT: std::ops::RangeInclusive<i32> = 32..=60;

/// The exponent of ten of the first of [`POWERS`], and how far apart they are.
const FIRST: i32 = -348;
const STEP: i32 = 8;

/// The digits of a finite, positive number, and the exponent of ten of the last one.
pub(crate) fn digits(value: f64, buffer: &mut [u8; DIGITS_MAX]) -> (&[u8], i32) {
    const HIDDEN: u64 = 1 << 52;
    let bits = value.to_bits();
    let (fraction, biased) = (bits & (HIDDEN - 1), (bits >> 52) as i32);
    let (significand, exponent) =
        if biased == 0 { (fraction, -1074) } else { (fraction | HIDDEN, biased - 1075) };

    // The middles to the neighbours, on the scale that sets the upper bit of the upper one. Below a power of two the
    // numbers are twice as dense.
    let shift = (2 * significand + 1).leading_zeros();
    let upper = (2 * significand + 1) << shift;
    let middle = significand << (shift + 1);
    let lower = if significand == HIDDEN {
        (4 * significand - 1) << (shift - 1)
    } else {
        (2 * significand - 1) << shift
    };
    #[expect(clippy::cast_possible_wrap, reason = "at most 63")]
    let exponent = exponent - 1 - shift as i32;

    let (power, power_exponent, ten) = power(exponent);
    // Each product may be off by one, so the bounds give way by as much.
    let (upper, lower) = (multiply(upper, power) - 1, multiply(lower, power) + 1);
    let middle = multiply(middle, power);
    let point = (-(exponent + power_exponent + 64)).unsigned_abs();
    let (count, exponent) = generate(middle, lower, upper, point, buffer);
    (&buffer[..count], exponent - ten)
}

/// A power of ten that brings the point of a number with this exponent into the window: its significand, its exponent
/// of two, its exponent of ten.
fn power(exponent: i32) -> (u64, i32, i32) {
    const LOG10_OF_2: f64 = 0.301_029_995_663_981_14;
    // Several powers may do. Redis starts its search here, and so the first guess decides which one it is.
    let guess = f64::from(-(exponent + 87)) * LOG10_OF_2;
    #[expect(clippy::cast_possible_truncation, reason = "the logarithm of a double is small")]
    let mut index = (guess as i32 - FIRST) / STEP;
    loop {
        let ten = FIRST + index * STEP;
        // The logarithm of ten in 2^-16ths, rounded down: exact for every power in the table.
        let two = ((ten * 217_706) >> 16) - 63;
        let point = -(exponent + two + 64);
        if point > *POINT.end() {
            index += 1;
        } else if point < *POINT.start() {
            index -= 1;
        } else {
            return (POWERS[index.unsigned_abs() as usize], two, ten);
        }
    }
}

/// The upper half of a product, rounded.
fn multiply(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b) + (1 << 63)) >> 64) as u64
}

/// Writes the digits of a number between `lower` and `upper` that is close to `middle`; `point` bits are behind the
/// binary point. Gives how many there are, and the exponent of ten of the last one.
fn generate(
    middle: u64,
    lower: u64,
    upper: u64,
    point: u32,
    buffer: &mut [u8; DIGITS_MAX],
) -> (usize, i32) {
    let (distance, mut width) = (upper - middle, upper - lower);
    let one = 1u64 << point;
    let (mut whole, mut fraction) = (upper >> point, upper & (one - 1));
    let mut count = 0;
    let mut push = |digit: u64, count: &mut usize| {
        #[expect(clippy::cast_possible_truncation, reason = "a digit is below 10")]
        let digit = digit as u8;
        if digit != 0 || *count > 0 {
            buffer[*count] = b'0' + digit;
            *count += 1;
        }
    };
    for exponent in (0..10i32).rev() {
        let unit = 10u64.pow(exponent.unsigned_abs());
        push(whole / unit, &mut count);
        whole %= unit;
        let rest = (whole << point) + fraction;
        if rest <= width {
            approach(&mut buffer[count - 1], distance, width, rest, unit << point);
            return (count, exponent);
        }
    }
    let mut unit = 1u64;
    let mut exponent = 0;
    loop {
        fraction *= 10;
        width = width.wrapping_mul(10);
        unit = unit.wrapping_mul(10);
        exponent -= 1;
        push(fraction >> point, &mut count);
        fraction &= one - 1;
        if fraction < width {
            let distance = distance.wrapping_mul(unit);
            approach(&mut buffer[count - 1], distance, width, fraction, one);
            return (count, exponent);
        }
    }
}

/// Lowers the last digit while that brings the number, `rest` below the upper bound, nearer to the middle.
fn approach(last: &mut u8, distance: u64, width: u64, mut rest: u64, unit: u64) {
    while rest < distance
        && width - rest >= unit
        && (rest.wrapping_add(unit) < distance
            || distance - rest > rest.wrapping_add(unit).wrapping_sub(distance))
    {
        *last -= 1;
        rest += unit;
    }
}

/// The significands of `10^-348`, `10^-340`, ... `10^340`: 64 bits, rounded, the upper one set.
const POWERS: [u64; 87] = [
    0xfa8f_d5a0_081c_0288,
    0xbaae_e17f_a23e_bf76,
    0x8b16_fb20_3055_ac76,
    0xcf42_894a_5dce_35ea,
    0x9a6b_b0aa_5565_3b2d,
    0xe61a_cf03_3d1a_45df,
    0xab70_fe17_c79a_c6ca,
    0xff77_b1fc_bebc_dc4f,
    0xbe56_91ef_416b_d60c,
    0x8dd0_1fad_907f_fc3c,
    0xd351_5c28_3155_9a83,
    0x9d71_ac8f_ada6_c9b5,
    0xea9c_2277_23ee_8bcb,
    0xaecc_4991_4078_536d,
    0x823c_1279_5db6_ce57,
    0xc210_9436_4dfb_5637,
    0x9096_ea6f_3848_984f,
    0xd774_85cb_2582_3ac7,
    0xa086_cfcd_97bf_97f4,
    0xef34_0a98_172a_ace5,
    0xb238_67fb_2a35_b28e,
    0x84c8_d4df_d2c6_3f3b,
    0xc5dd_4427_1ad3_cdba,
    0x936b_9fce_bb25_c996,
    0xdbac_6c24_7d62_a584,
    0xa3ab_6658_0d5f_daf6,
    0xf3e2_f893_dec3_f126,
    0xb5b5_ada8_aaff_80b8,
    0x8762_5f05_6c7c_4a8b,
    0xc9bc_ff60_34c1_3053,
    0x964e_858c_91ba_2655,
    0xdff9_7724_7029_7ebd,
    0xa6df_bd9f_b8e5_b88f,
    0xf8a9_5fcf_8874_7d94,
    0xb944_7093_8fa8_9bcf,
    0x8a08_f0f8_bf0f_156b,
    0xcdb0_2555_6531_31b6,
    0x993f_e2c6_d07b_7fac,
    0xe45c_10c4_2a2b_3b06,
    0xaa24_2499_6973_92d3,
    0xfd87_b5f2_8300_ca0e,
    0xbce5_0864_9211_1aeb,
    0x8cbc_cc09_6f50_88cc,
    0xd1b7_1758_e219_652c,
    0x9c40_0000_0000_0000,
    0xe8d4_a510_0000_0000,
    0xad78_ebc5_ac62_0000,
    0x813f_3978_f894_0984,
    0xc097_ce7b_c907_15b3,
    0x8f7e_32ce_7bea_5c70,
    0xd5d2_38a4_abe9_8068,
    0x9f4f_2726_179a_2245,
    0xed63_a231_d4c4_fb27,
    0xb0de_6538_8cc8_ada8,
    0x83c7_088e_1aab_65db,
    0xc45d_1df9_4271_1d9a,
    0x924d_692c_a61b_e758,
    0xda01_ee64_1a70_8dea,
    0xa26d_a399_9aef_774a,
    0xf209_787b_b47d_6b85,
    0xb454_e4a1_79dd_1877,
    0x865b_8692_5b9b_c5c2,
    0xc835_53c5_c896_5d3d,
    0x952a_b45c_fa97_a0b3,
    0xde46_9fbd_99a0_5fe3,
    0xa59b_c234_db39_8c25,
    0xf6c6_9a72_a398_9f5c,
    0xb7dc_bf53_54e9_bece,
    0x88fc_f317_f222_41e2,
    0xcc20_ce9b_d35c_78a5,
    0x9816_5af3_7b21_53df,
    0xe2a0_b5dc_971f_303a,
    0xa8d9_d153_5ce3_b396,
    0xfb9b_7cd9_a4a7_443c,
    0xbb76_4c4c_a7a4_4410,
    0x8bab_8eef_b640_9c1a,
    0xd01f_ef10_a657_842c,
    0x9b10_a4e5_e991_3129,
    0xe710_9bfb_a19c_0c9d,
    0xac28_20d9_623b_f429,
    0x8044_4b5e_7aa7_cf85,
    0xbf21_e440_03ac_dd2d,
    0x8e67_9c2f_5e44_ff8f,
    0xd433_179d_9c8c_b841,
    0x9e19_db92_b4e3_1ba9,
    0xeb96_bf6e_badf_77d9,
    0xaf87_023b_9bf0_ee6b,
];
