//! Glob patterns of KEYS and SCAN MATCH.
//!
//! # The language
//!
//! | in a pattern | matches |
//! |---|---|
//! | `*` | any bytes, or none |
//! | `?` | any one byte |
//! | `[abc]`, `[^abc]` | one byte that is in the class, or is not |
//! | `[a-z]`, `[z-a]` | the same range; its bytes are compared as signed, so `[a-\xff]` starts at `\xff` |
//! | `\x` | the byte `x`; a backslash at the end of the pattern matches itself |
//!
//! A class may end with the pattern instead of a `]`. The byte after `-` is always the end of the range: `[a-]` is the
//! range from `]` to `a`, and is not closed. `[]` matches nothing and `[^]` everything.
//!
//! # Idea
//!
//! Every part of a pattern except `*` matches exactly one byte. So if a part fails, only the last `*` so far needs to
//! match one byte more: the first position at which the parts after it match is the best one, and earlier stars need no
//! second try.
//!
//! # Complexity
//!
//! O(pattern * text), without allocation. A literal prefix is compared as a whole.
//!
//! # Limits
//!
//! A pattern that passes more than [`MAX_STARS`] stars matches nothing, as in a server with the guard against deep
//! recursion.

/// The maximum number of runs of `*` that a match may pass, not counting one at the very end.
const MAX_STARS: u32 = 1000;

/// Returns whether `pattern` matches the whole of `text`, ignoring ASCII case: the patterns of CONFIG GET.
pub(crate) fn matches_no_case(pattern: &[u8], text: &[u8]) -> bool {
    match_parts::<true>(pattern, text)
}

/// A glob pattern of KEYS and SCAN MATCH: `*`, `?`, `[a-z]`, `[^a-z]`, and a backslash that escapes a byte.
///
/// ```
/// # use store as tallis;
/// let pattern = tallis::Glob::new(b"user:[0-9]*");
/// assert!(pattern.matches(b"user:17"));
/// assert!(!pattern.matches(b"user:x"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Glob<'p> {
    /// The literal prefix of every match.
    literal: &'p [u8],
    /// The parts after it.
    rest: &'p [u8],
}

impl<'p> Glob<'p> {
    /// Parses `pattern`. Every pattern is valid.
    #[must_use]
    pub fn new(pattern: &'p [u8]) -> Self {
        let special = |byte: &u8| matches!(byte, b'*' | b'?' | b'[' | b'\\');
        let (literal, rest) =
            pattern.split_at(pattern.iter().position(special).unwrap_or(pattern.len()));
        Self { literal, rest }
    }

    /// Returns whether the pattern matches the whole of `text`. O(pattern * text), without allocation.
    #[must_use]
    pub fn matches(&self, text: &[u8]) -> bool {
        match text.strip_prefix(self.literal) {
            Some([]) if !self.literal.is_empty() => only_stars(self.rest),
            Some(text) => match_parts::<false>(self.rest, text),
            None => false,
        }
    }

    /// Returns whether the pattern matches everything.
    pub(crate) fn matches_all(&self) -> bool {
        self.literal.is_empty() && self.rest == b"*"
    }

    /// The only text that the pattern matches, if it has no special byte.
    pub(crate) fn exact(&self) -> Option<&'p [u8]> {
        self.rest.is_empty().then_some(self.literal)
    }
}

fn match_parts<const NO_CASE: bool>(pattern: &[u8], text: &[u8]) -> bool {
    if text.is_empty() {
        // Redis compares parts only while there is text, so `**` does not match the empty key. For `*` alone its
        // commands skip the matcher.
        return pattern.is_empty() || pattern == b"*";
    }
    let (mut parts, mut left) = (pattern, text);
    // The parts after the last star, and the text at which they were last tried.
    let mut retry: Option<(&[u8], &[u8])> = None;
    let mut stars = 0;
    loop {
        let next = match (parts, left) {
            (parts, []) => {
                if only_stars(parts) {
                    return true;
                }
                // The last star matches as little as possible, and still too little text is left.
                return false;
            }
            ([b'*', ..], _) => {
                parts = skip_stars(parts);
                if parts.is_empty() {
                    return true;
                }
                stars += 1;
                if stars > MAX_STARS {
                    return false;
                }
                retry = Some((parts, left));
                continue;
            }
            ([], _) => None,
            (parts, [byte, ..]) => one::<NO_CASE>(parts, *byte),
        };
        if let Some(rest) = next {
            parts = rest;
            left = &left[1..];
            continue;
        }
        let Some((after_star, [_, shorter @ ..])) = retry else { return false };
        (parts, left) = (after_star, shorter);
        retry = Some((after_star, shorter));
    }
}

fn skip_stars(mut parts: &[u8]) -> &[u8] {
    while let [b'*', rest @ ..] = parts {
        parts = rest;
    }
    parts
}

fn only_stars(parts: &[u8]) -> bool {
    skip_stars(parts).is_empty()
}

/// Matches the first of `parts`, which is not a star, with `byte`, and returns the parts after it.
fn one<const NO_CASE: bool>(parts: &[u8], byte: u8) -> Option<&[u8]> {
    match parts {
        [b'?', rest @ ..] => Some(rest),
        [b'[', rest @ ..] => {
            let (found, rest) = class::<NO_CASE>(rest, byte);
            found.then_some(rest)
        }
        [b'\\', part, rest @ ..] | [part, rest @ ..] => {
            same::<NO_CASE>(*part, byte).then_some(rest)
        }
        [] => None,
    }
}

/// Parses a class after its `[`: returns whether it matches `byte`, and the parts after it.
fn class<const NO_CASE: bool>(mut parts: &[u8], byte: u8) -> (bool, &[u8]) {
    let negated = parts.first() == Some(&b'^');
    if negated {
        parts = &parts[1..];
    }
    let mut found = false;
    loop {
        match parts {
            // An escaped byte is compared exactly, also if case is ignored.
            [b'\\', escaped, rest @ ..] => {
                found |= *escaped == byte;
                parts = rest;
            }
            [b']', rest @ ..] => return (found != negated, rest),
            [] => return (found != negated, parts),
            [start, b'-', end, rest @ ..] => {
                found |= in_range::<NO_CASE>(*start, *end, byte);
                parts = rest;
            }
            [member, rest @ ..] => {
                found |= same::<NO_CASE>(*member, byte);
                parts = rest;
            }
        }
    }
}

/// Returns whether `byte` is in a range of a class, as signed bytes.
fn in_range<const NO_CASE: bool>(start: u8, end: u8, byte: u8) -> bool {
    let (start, end) = (start.cast_signed(), end.cast_signed());
    let (low, high) = (start.min(end), start.max(end));
    // The ends are ordered before they are lowercased, so `[Z-a]` is the empty range from `z` to `a`.
    let lower = |byte: i8| {
        if NO_CASE { byte.cast_unsigned().to_ascii_lowercase().cast_signed() } else { byte }
    };
    (lower(low)..=lower(high)).contains(&lower(byte.cast_signed()))
}

fn same<const NO_CASE: bool>(a: u8, b: u8) -> bool {
    if NO_CASE { a.eq_ignore_ascii_case(&b) } else { a == b }
}

#[cfg(test)]
mod tests;
