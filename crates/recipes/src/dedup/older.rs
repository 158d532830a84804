//! The name of the key of the older filter.

use crate::slot::hash_tag;

/// Returns the key of the older filter, which is in the same slot of a cluster as the key itself.
pub(super) fn older_key(key: &[u8]) -> Vec<u8> {
    const OLDER: &[u8] = b":older";
    // In a name with a closing brace the tag would end early. So it gets no tag, and works on a single server only.
    if hash_tag(key).is_some() || key.is_empty() || key.contains(&b'}') {
        return [key, OLDER].concat();
    }
    [b"{", key, b"}", OLDER].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slot::key_slot;

    #[test]
    fn both_keys_are_in_one_slot() {
        for (key, older, one_slot) in [
            ("seen", "{seen}:older", true),
            ("{user}:seen", "{user}:seen:older", true),
            ("{}x", "{}x:older", false),
            ("{x", "{{x}:older", true),
            ("x}", "x}:older", false),
            ("", ":older", false),
        ] {
            assert_eq!(String::from_utf8_lossy(&older_key(key.as_bytes())), older);
            assert_eq!(key_slot(key) == key_slot(older), one_slot, "{key}");
        }
    }
}
