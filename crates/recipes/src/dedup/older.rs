//! The name of the second key.

use crate::slot::hash_tag;

/// Where the older filter is: a name that a cluster keeps in the same slot as the key itself.
pub(super) fn older_key(key: &[u8]) -> Vec<u8> {
    const OLDER: &[u8] = b":older";
    // A name with a closing brace would make another tag of itself. It goes without one, and is for a single server.
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
    fn both_keys_are_of_one_slot() {
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
