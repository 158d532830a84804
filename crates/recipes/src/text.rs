//! Keys and values in text, built from parts.

use smallvec::SmallVec;

/// The number of bytes that are stored without an allocation.
const INLINE: usize = 64;

/// A key, or a value in text.
pub(crate) type Text = SmallVec<[u8; INLINE]>;

/// Concatenates parts. Appending them to a `Text` one by one takes several times the instructions.
#[inline]
pub(crate) fn concat<const N: usize>(pieces: [&[u8]; N]) -> Text {
    let mut text = [0; INLINE];
    let mut len = 0;
    for piece in pieces {
        let Some(room) = text.get_mut(len..len + piece.len()) else {
            return Text::from_vec(pieces.concat());
        };
        room.copy_from_slice(piece);
        len += piece.len();
    }
    Text::from_buf_and_len(text, len)
}

/// Returns the text of a number and of a suffix.
#[inline]
pub(crate) fn numbered(before: &[u8], number: impl itoa::Integer) -> Text {
    concat([before, itoa::Buffer::new().format(number).as_bytes()])
}

#[cfg(test)]
mod tests {
    use super::{INLINE, concat, numbered};

    #[test]
    fn pieces_are_concatenated() {
        for len in [0, 1, INLINE - 3, INLINE - 2, INLINE - 1, INLINE, INLINE + 1] {
            let long = vec![b'x'; len];
            let text = concat([b"a", &long, b"b"]);
            assert_eq!(text.as_slice(), [b"a", &long[..], b"b"].concat());
            assert_eq!(text.spilled(), len + 2 > INLINE);
        }
        assert_eq!(numbered(b"shard:", u64::MAX).as_slice(), b"shard:18446744073709551615");
        assert_eq!(numbered(b"", i64::MIN).as_slice(), b"-9223372036854775808");
    }
}
