//! Scores as arguments.

/// A score as an argument: a float, or an integer of any width, which is rounded to the nearest `f64` as Redis rounds
/// its decimal form.
///
/// The trait is sealed.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use tallis::Store;
///
/// let store = Store::new();
/// store.zadd("z", "a", 1)?;
/// store.zadd("z", "b", 1.5)?;
/// store.zadd_multiple("z", &[(7u64, "c"), (8, "d")])?;
/// assert_eq!(store.zrange_withscores_as::<Vec<(String, f64)>>("z", 1, 2)?, [("b".into(), 1.5), ("c".into(), 7.0)]);
/// # Ok::<(), tallis::Error>(())
/// ```
pub trait ToScore: sealed::Sealed {
    #[doc(hidden)]
    fn to_score(&self) -> f64;
}

mod sealed {
    #[expect(unnameable_types, reason = "other crates must not implement it")]
    pub trait Sealed {}
}

macro_rules! scores {
    ($($number:ty),*) => {$(
        impl sealed::Sealed for $number {}

        impl ToScore for $number {
            #[inline]
            #[allow(
                clippy::cast_lossless,
                clippy::cast_precision_loss,
                trivial_numeric_casts,
                reason = "one conversion for all types, rounded to nearest"
            )]
            fn to_score(&self) -> f64 {
                *self as f64
            }
        }
    )*};
}

scores!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32, f64);

impl<T: sealed::Sealed + ?Sized> sealed::Sealed for &T {}

impl<T: ToScore + ?Sized> ToScore for &T {
    #[inline]
    fn to_score(&self) -> f64 {
        (**self).to_score()
    }
}
