//! The syntax of settings.

use super::special::Read;
use crate::execute::shown;
use crate::text::memory;
use crate::value::parse_int;

/// The kind of a setting.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// `yes` or `no`.
    Flag,
    /// One of these names.
    OneOf(&'static [&'static str]),
    /// Some of these names; the first means none.
    Several(&'static [&'static str]),
    /// Any text.
    Text,
    /// A number in this range.
    Signed(Form, i64, i64),
    /// The same for unsigned numbers: a negative one wraps to a large number.
    Unsigned(Form, u64, u64),
    /// A syntax of its own.
    Special(Read),
}

/// How a number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Integer,
    /// A number of bytes, optionally with a unit; a C string in Redis.
    Memory,
    /// The same, or a percentage, which is stored as a negative number.
    MemoryOrPercent,
    Octal,
}

/// Why a value is refused.
pub(super) type Refusal = String;

impl Kind {
    /// Parses a value and returns what CONFIG GET shows; `old` is the current value.
    pub(super) fn read(self, text: &[u8], old: &[u8]) -> Result<Vec<u8>, Refusal> {
        match self {
            Self::Flag => match &text.to_ascii_lowercase()[..] {
                yes_or_no @ (b"yes" | b"no") => Ok(yes_or_no.to_vec()),
                _ => Err("argument must be 'yes' or 'no'".to_owned()),
            },
            Self::OneOf(names) => Ok(name_of(names, text)?.into()),
            Self::Several(names) => several(names, text),
            Self::Text => Ok(shown(text, usize::MAX).to_vec()),
            Self::Signed(form, low, high) => signed(form, low, high, text),
            Self::Unsigned(form, low, high) => unsigned(form, low, high, text),
            Self::Special(read) => {
                // An empty text has no words, instead of an empty one.
                let words = text.split(|&byte| byte == b' ').filter(|_| !text.is_empty());
                let words: Vec<&[u8]> = words.collect();
                read(&words, old).map_err(str::to_owned)
            }
        }
    }
}

/// The name that a text is, in any case; the first of two with the same meaning.
fn name_of(names: &'static [&'static str], text: &[u8]) -> Result<&'static str, Refusal> {
    let found = names.iter().find(|name| text.eq_ignore_ascii_case(name.as_bytes()));
    match found {
        Some(name) if *name == "relative" => Ok("yes"),
        Some(name) => Ok(name),
        None => {
            let names = names.join(", ");
            Err(format!("argument(s) must be one of the following: {names}"))
        }
    }
}

fn several(names: &'static [&'static str], text: &[u8]) -> Result<Vec<u8>, Refusal> {
    let words = text.split(|&byte| byte == b' ').map(|word| name_of(names, word));
    let words = words.collect::<Result<Vec<&str>, Refusal>>()?;
    if words.contains(&"save") && words.contains(&"nosave") {
        return Err("shutdown options SAVE and NOSAVE can't be used simultaneously".to_owned());
    }
    let (none, some) = names.split_first().unwrap_or((&"", &[]));
    let chosen: Vec<&str> = some.iter().filter(|name| words.contains(name)).copied().collect();
    Ok(if chosen.is_empty() { (*none).into() } else { chosen.join(" ").into_bytes() })
}

fn signed(form: Form, low: i64, high: i64, text: &[u8]) -> Result<Vec<u8>, Refusal> {
    let number = form.read(text)?;
    if form == Form::MemoryOrPercent && number < 0 {
        if number < low {
            return Err(format!("percentage argument must be less or equal to {}", -low));
        }
        return Ok(format!("{}%", number.unsigned_abs()).into_bytes());
    }
    if (low..=high).contains(&number) {
        return Ok(number.to_string().into_bytes());
    }
    Err(out_of_range(low, high))
}

fn unsigned(form: Form, low: u64, high: u64, text: &[u8]) -> Result<Vec<u8>, Refusal> {
    let number = form.read(text)?.cast_unsigned();
    match (form, (low..=high).contains(&number)) {
        (Form::Octal, true) => Ok(format!("{number:o}").into_bytes()),
        (Form::Octal, false) => {
            Err(format!("argument must be between {low:o} and {high:o} inclusive"))
        }
        (_, true) => Ok(number.to_string().into_bytes()),
        (_, false) => Err(out_of_range(low, high)),
    }
}

impl Kind {
    /// The error for a number outside a range that ends with the maximum, and the one that applies to the range without
    /// the maximum. `None` for another range.
    pub(super) fn out_of_open_range(self) -> Option<(Refusal, Refusal)> {
        const GREATEST: u64 = i64::MAX.unsigned_abs();
        let Self::Unsigned(_, low, GREATEST) = self else { return None };
        let open = format!("argument must be greater or equal to {low}");
        Some((out_of_range(low, GREATEST), open))
    }
}

fn out_of_range(low: impl std::fmt::Display, high: impl std::fmt::Display) -> Refusal {
    format!("argument must be between {low} and {high} inclusive")
}

impl Form {
    /// Parses the number; a size that does not fit 63 bits becomes negative, as in C.
    fn read(self, text: &[u8]) -> Result<i64, Refusal> {
        let why = match self {
            Self::Integer => {
                return parse_int(text)
                    .ok_or_else(|| "argument couldn't be parsed into an integer".to_owned());
            }
            Self::Memory => "argument must be a memory value",
            Self::MemoryOrPercent => "argument must be a memory or percent value",
            Self::Octal => "argument couldn't be parsed as an octal number",
        };
        let text = shown(text, usize::MAX);
        let octal = || i64::from_str_radix(str::from_utf8(text).ok()?, 8).ok();
        let found = match self {
            Self::Octal => octal(),
            Self::MemoryOrPercent => memory::parse(text).map(u64::cast_signed).or_else(|| {
                let percent = parse_int(text.strip_suffix(b"%")?)?;
                (percent >= 0).then(|| -percent)
            }),
            Self::Integer | Self::Memory => memory::parse(text).map(u64::cast_signed),
        };
        found.ok_or_else(|| why.to_owned())
    }
}
