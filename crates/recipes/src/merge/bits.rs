//! Strings that are arrays: locations and bitmaps.

/// Overwrites the records of `earlier` by those of `later` in which any bit is set.
pub(super) fn overlay(earlier: &mut Vec<u8>, later: &[u8], width: usize) {
    grow(earlier, later.len());
    for (old, new) in earlier.chunks_mut(width).zip(later.chunks(width)) {
        if new.iter().any(|&byte| byte != 0) {
            for (old, new) in old.iter_mut().zip(new) {
                *old = *new;
            }
        }
    }
}

/// Sets the bits of `later` in `earlier`, too.
pub(super) fn unite(earlier: &mut Vec<u8>, later: &[u8]) {
    grow(earlier, later.len());
    for (old, new) in earlier.iter_mut().zip(later) {
        *old |= new;
    }
}

fn grow(bytes: &mut Vec<u8>, len: usize) {
    if bytes.len() < len {
        bytes.resize(len, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_replaced_where_the_later_ones_are_set() {
        let mut earlier = vec![1, 2, 3, 0, 5, 6];
        overlay(&mut earlier, &[0, 0, 0, 9, 7, 0, 0, 8], 2);
        assert_eq!(earlier, [1, 2, 0, 9, 7, 0, 0, 8]);
        let mut earlier = vec![1, 2, 3];
        overlay(&mut earlier, &[9], 1);
        assert_eq!(earlier, [9, 2, 3]);
    }

    #[test]
    fn the_union_has_the_bits_of_both() {
        let mut earlier = vec![0b1010_0000];
        unite(&mut earlier, &[0b0110_0000, 1]);
        assert_eq!(earlier, [0b1110_0000, 1]);
    }
}
