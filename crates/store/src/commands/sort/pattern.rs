//! Patterns that name a key for each element.

use crate::commands::strings::string_at;
use crate::execute::c_string;
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::scope::Scope;

/// What a pattern refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pattern<'p> {
    /// `#`: the element.
    Element,
    /// The pattern has no `*`.
    Nothing,
    /// The string at a key, or a field of the hash there: the element is inserted between the two parts of the key.
    Key { parts: [&'p [u8]; 2], field: Option<&'p [u8]> },
}

impl<'p> Pattern<'p> {
    /// Redis searches for the special characters in a C string, and uses all bytes for the key.
    pub(super) fn parse(text: &'p [u8]) -> Self {
        let marked = c_string(text);
        if marked == b"#" {
            return Self::Element;
        }
        let star = marked.iter().position(|&byte| byte == b'*');
        let Some(star) = star else { return Self::Nothing };
        let behind = star + 1;
        let arrow = marked[behind..].windows(2).position(|pair| pair == b"->");
        let arrow = arrow.map(|at| behind + at);
        // An arrow at the end is part of the key.
        let arrow = arrow.filter(|arrow| arrow + 2 < marked.len());
        let end = arrow.unwrap_or(text.len());
        Self::Key {
            parts: [&text[..star], &text[behind..end]],
            field: arrow.map(|arrow| &text[arrow + 2..]),
        }
    }

    /// Returns whether the pattern refers to a different key for each element.
    pub(super) const fn varies(self) -> bool {
        matches!(self, Self::Key { .. })
    }

    /// Calls `read` with what is found for an element, if anything.
    pub(super) fn find<R>(
        self,
        scope: &mut Scope<'_>,
        element: &[u8],
        read: impl FnOnce(&[u8]) -> R,
    ) -> Option<R> {
        let ([before, behind], field) = match self {
            Self::Element => return Some(read(element)),
            Self::Nothing => return None,
            Self::Key { parts, field } => (parts, field),
        };
        let key = [before, element, behind].concat();
        let key = HashedKey::new(scope.shared().hash(&key), &key);
        scope.drop_expired(key);
        match field {
            // A value of another type counts as missing.
            None => string_at(scope, key).ok()?.map(|string| string.with_bytes(read)),
            Some(field) => {
                let value = scope.get(key)?.as_hash()?.get(
                    Member::from(field),
                    &scope.policy(),
                    scope.time(),
                )?;
                Some(value.with_bytes(read))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_as_in_a_c_string() {
        let key = |before, behind, field| Pattern::Key { parts: [before, behind], field };
        let cases: [(&[u8], Pattern<'_>); 12] = [
            (b"#", Pattern::Element),
            (b"#\0*", Pattern::Element),
            (b"##", Pattern::Nothing),
            (b"", Pattern::Nothing),
            (b"k", Pattern::Nothing),
            (b"k->f", Pattern::Nothing),
            (b"k\0*", Pattern::Nothing),
            (b"*", key(b"", b"", None)),
            (b"a:*:b*", key(b"a:", b":b*", None)),
            (b"a->b:*->f->g", key(b"a->b:", b"", Some(b"f->g"))),
            (b"a:*->", key(b"a:", b"->", None)),
            (b"a:*\0->f", key(b"a:", b"\0->f", None)),
        ];
        for (text, pattern) in cases {
            assert_eq!(Pattern::parse(text), pattern, "{}", text.escape_ascii());
        }
        assert_eq!(Pattern::parse(b"*->\0f"), key(b"", b"->\0f", None));
        assert_eq!(Pattern::parse(b"*->f\0g"), key(b"", b"", Some(b"f\0g")));
    }
}
