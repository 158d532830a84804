//! The name of the second key.

/// Where the older filter is: a name that a cluster keeps in the same slot as the key itself.
///
/// A cluster goes by what stands between the first `{` and the next `}` of a name, if there is anything, and else by
/// all of it.
pub(super) fn older_key(key: &[u8]) -> Vec<u8> {
    const OLDER: &[u8] = b":older";
    let tagged = key.iter().position(|&byte| byte == b'{').and_then(|open| {
        let close = key[open + 1..].iter().position(|&byte| byte == b'}')?;
        (close > 0).then_some(())
    });
    // A name with a closing brace would make another tag of itself. It goes without one, and is for a single server.
    if tagged.is_some() || key.is_empty() || key.contains(&b'}') {
        return [key, OLDER].concat();
    }
    [b"{", key, b"}", OLDER].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_keys_are_of_one_slot() {
        for (key, older) in [
            ("seen", "{seen}:older"),
            ("{user}:seen", "{user}:seen:older"),
            ("{}x", "{}x:older"),
            ("{x", "{{x}:older"),
            ("x}", "x}:older"),
            ("", ":older"),
        ] {
            assert_eq!(String::from_utf8_lossy(&older_key(key.as_bytes())), older);
        }
    }
}
