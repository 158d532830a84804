//! Parsing the manifest as Redis does.

use resp::split_words;

use super::entry::is_file_name;
use super::{Entry, Kind, Manifest, ManifestError, ManifestErrorKind};

pub(super) fn parse(text: &[u8]) -> Result<Manifest, ManifestError> {
    let mut manifest = Manifest::new();
    let mut number = 1;
    if text.is_empty() {
        return Err(ManifestError { line: number, kind: ManifestErrorKind::Empty });
    }
    let mut rest = text;
    while !rest.is_empty() {
        let (line, after) = take_line(rest);
        take_entry(line, &mut manifest).map_err(|kind| ManifestError { line: number, kind })?;
        number += usize::from(line.ends_with(b"\n"));
        rest = after;
    }
    Ok(manifest)
}

/// Up to the line feed and with it, but no more than a line may have. What is left of a longer comment is read as a
/// line of its own, as Redis does.
fn take_line(text: &[u8]) -> (&[u8], &[u8]) {
    let most = text.len().min(Manifest::MAX_LINE);
    let end = text.iter().take(most).position(|&byte| byte == b'\n').map_or(most, |at| at + 1);
    text.split_at(end)
}

/// Adds the file of a line. If a key occurs twice in the line, its last value counts.
fn take_entry(line: &[u8], manifest: &mut Manifest) -> Result<(), ManifestErrorKind> {
    if line.starts_with(b"#") {
        return Ok(());
    }
    if line.contains(&0) {
        return Err(ManifestErrorKind::Nul);
    }
    let Some(line) = line.strip_suffix(b"\n") else {
        let long = line.len() == Manifest::MAX_LINE;
        return Err(if long {
            ManifestErrorKind::LineTooLong
        } else {
            ManifestErrorKind::Unterminated
        });
    };
    let words = split_words(line).map_err(|_| ManifestErrorKind::UnbalancedQuotes)?;
    let (pairs, odd) = words.as_chunks::<2>();
    if pairs.len() < 3 || !odd.is_empty() {
        return Err(ManifestErrorKind::Pairs);
    }
    let (mut name, mut sequence, mut kind) = (None, 0, None);
    for [key, value] in pairs {
        // To Redis a NUL, which quotes can bring in, is the end of a word.
        let [key, value] = [key, value].map(|word| word.split(|&byte| byte == 0).next());
        let (key, value) = (key.unwrap_or_default(), value.unwrap_or_default());
        if key.eq_ignore_ascii_case(b"file") {
            if !is_file_name(value) {
                return Err(ManifestErrorKind::Name);
            }
            name = Some(value);
        } else if key.eq_ignore_ascii_case(b"seq") {
            sequence = leading_integer(value);
        } else if key.eq_ignore_ascii_case(b"type") {
            kind = value.first().copied();
        }
    }
    let name = name.ok_or(ManifestErrorKind::Name)?.to_vec();
    if sequence == 0 {
        return Err(ManifestErrorKind::Sequence);
    }
    let kind = kind.and_then(Kind::from_letter).ok_or(ManifestErrorKind::Type)?;
    let entry = Entry { name, sequence, kind };
    // Redis reads such a name if it is not quoted, and cannot read the line again that it writes.
    if !entry.fits() {
        return Err(ManifestErrorKind::Name);
    }
    manifest.push(entry)
}

/// The number at the start of a text, as C's `atoll` takes it: 0 if there is none, the nearest if it is too large.
fn leading_integer(text: &[u8]) -> i64 {
    let spaces = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t'..=b'\r')).count();
    let text = text.get(spaces..).unwrap_or_default();
    let negative = text.starts_with(b"-");
    let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
    digits.iter().take_while(|byte| byte.is_ascii_digit()).fold(0_i64, |number, digit| {
        let digit = i64::from(digit - b'0');
        let number = number.saturating_mul(10);
        if negative { number.saturating_sub(digit) } else { number.saturating_add(digit) }
    })
}
