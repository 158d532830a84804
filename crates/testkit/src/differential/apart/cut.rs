//! Values of PFADD in the sparse encoding whose last opcode is incomplete: a server reads the byte after the string,
//! the subject replies that the value is corrupt.

use super::super::Reply;
use super::super::run::Run;
use super::super::subject::Subject;

/// The number of bytes before the opcodes of a HyperLogLog.
const HEADER: usize = 16;

/// Whether the subject refuses the command because one of its keys has such a value. A server may have changed the
/// value even if it refuses the command in the end, so that the values cannot be compared any more.
pub(in super::super) fn is_met<S: Subject>(
    run: &mut Run<'_, S>,
    session: usize,
    words: &[Vec<u8>],
    ours: &Reply,
) -> bool {
    let [name, keys @ ..] = words else { return false };
    let is_damaged = matches!(ours, Reply::Error(text) if text.starts_with("INVALIDOBJ"));
    if !is_damaged || !name.to_ascii_uppercase().starts_with(b"PF") {
        return false;
    }
    // An older server reads less of the damaged part.
    if run.live.is_older() {
        return true;
    }
    keys.iter().any(|key| {
        let value = run.subject.execute(session, &[b"GET".to_vec(), key.clone()]);
        matches!(value, Reply::Bulk(bytes) if is_cut(&bytes))
    })
}

/// Whether the last opcode has only one of its two bytes.
fn is_cut(bytes: &[u8]) -> bool {
    if !bytes.starts_with(b"HYLL\x01") {
        return false;
    }
    let mut at = HEADER;
    while let Some(first) = bytes.get(at) {
        at += if first >> 6 == 1 { 2 } else { 1 };
    }
    at > bytes.len()
}

#[cfg(test)]
mod tests {
    use super::is_cut;

    #[test]
    fn an_xzero_of_one_byte_at_the_end_is_incomplete() {
        let of = |opcodes: &[u8]| [b"HYLL\x01\0\0\0\0\0\0\0\0\0\0\x80", opcodes].concat();
        assert!(is_cut(&of(&[0x61, 0xa5, 0x8a, 0xfe, 0xdf, 0x64])));
        assert!(!is_cut(&of(&[0x61, 0xa5, 0x8a, 0xfe, 0xdf])));
        assert!(!is_cut(&of(&[0x7f, 0x64])));
        assert!(!is_cut(b"HYLL\x00"));
    }
}
