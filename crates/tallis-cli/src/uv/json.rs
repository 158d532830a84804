//! Lines that are JSON objects.
//!
//! # Idea
//!
//! Two members are needed, and all others are skipped by serde's [`IgnoredAny`], without building values. The whole
//! line is parsed nevertheless, so that an incomplete one is not counted.
//!
//! # Complexity
//!
//! One pass, without allocation except for a string with escapes.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Deserializer;

use super::problem::{LineError, Problem};

/// The path of a member of an object: `.a.b` is the member `b` of the member `a`, or the member with the name `a.b`.
///
/// # Examples
///
/// ```
/// use tallis_cli::uv::JsonPath;
///
/// let path: JsonPath = ".request.remote_ip".parse()?;
/// assert_eq!(path.to_string(), ".request.remote_ip");
/// assert!("request".parse::<JsonPath>().is_err() && ".a..b".parse::<JsonPath>().is_err());
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonPath(Box<str>);

impl FromStr for JsonPath {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.strip_prefix('.')
            .filter(|names| names.split('.').all(|name| !name.is_empty()))
            .map(|names| Self(names.into()))
            .ok_or(
                "expected names, each preceded by a dot, such as .remote_addr or .request.remote_ip",
            )
    }
}

impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.0)
    }
}

/// The value of a member.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scalar<'a> {
    Text(Cow<'a, str>),
    Integer(i64),
    Number(f64),
    /// Neither a string nor a number.
    Other,
}

/// Returns the first members of a line at these paths; `None` for one that does not exist.
pub(super) fn members<'a>(
    line: &'a [u8],
    paths: [&JsonPath; 2],
) -> Result<[Option<Scalar<'a>>; 2], LineError> {
    let mut found = [None, None];
    let mut input = Deserializer::from_slice(line);
    let wanted = Wanted { paths: paths.map(|path| Some(&*path.0)), found: &mut found };
    let read = wanted.deserialize(&mut input).and_then(|()| input.end());
    match read {
        Ok(()) => Ok(found),
        Err(error) => {
            let at = error.column().saturating_sub(1).min(line.len());
            Err(LineError { problem: Problem::NoJson, at })
        }
    }
}

/// The members to find in a value: those at these paths, where an empty path is the value itself.
struct Wanted<'p, 'f, 'a> {
    paths: [Option<&'p str>; 2],
    /// The values found, by path.
    found: &'f mut [Option<Scalar<'a>>; 2],
}

impl<'a> Wanted<'_, '_, 'a> {
    /// Records the value if it is one of the members to find.
    fn note(self, value: &Scalar<'a>) {
        for (path, found) in self.paths.iter().zip(self.found) {
            if *path == Some("") && found.is_none() {
                *found = Some(value.clone());
            }
        }
    }
}

/// Returns the rest of a path after a member with this name, if the path begins with it.
fn below<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(name)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('.') }
}

impl<'a> DeserializeSeed<'a> for Wanted<'_, '_, 'a> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'a>>(self, input: D) -> Result<(), D::Error> {
        input.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for Wanted<'_, '_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<M: MapAccess<'a>>(self, mut members: M) -> Result<(), M::Error> {
        while let Some(paths) = members.next_key_seed(Name(self.paths))? {
            if paths == [None, None] {
                members.next_value::<IgnoredAny>()?;
            } else {
                members.next_value_seed(Wanted { paths, found: &mut *self.found })?;
            }
        }
        self.note(&Scalar::Other);
        Ok(())
    }

    fn visit_seq<S: SeqAccess<'a>>(self, mut items: S) -> Result<(), S::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        self.note(&Scalar::Other);
        Ok(())
    }

    fn visit_borrowed_str<E: Error>(self, text: &'a str) -> Result<(), E> {
        self.note(&Scalar::Text(Cow::Borrowed(text)));
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.note(&Scalar::Text(Cow::Owned(text.to_owned())));
        Ok(())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.note(&Scalar::Integer(number));
        Ok(())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        #[expect(clippy::cast_precision_loss, reason = "no smaller type holds it")]
        let scalar = i64::try_from(number).map_or(Scalar::Number(number as f64), Scalar::Integer);
        self.note(&scalar);
        Ok(())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        self.note(&Scalar::Number(number));
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        self.note(&Scalar::Other);
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.note(&Scalar::Other);
        Ok(())
    }
}

/// The name of a member, as the rests of the paths after it.
struct Name<'p>([Option<&'p str>; 2]);

impl<'a, 'p> DeserializeSeed<'a> for Name<'p> {
    type Value = [Option<&'p str>; 2];

    fn deserialize<D: serde::Deserializer<'a>>(self, input: D) -> Result<Self::Value, D::Error> {
        input.deserialize_str(self)
    }
}

impl<'p> Visitor<'_> for Name<'p> {
    type Value = [Option<&'p str>; 2];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.map(|path| path.and_then(|path| below(path, name))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn text(text: &str) -> Scalar<'_> {
        Scalar::Text(Cow::Borrowed(text))
    }

    fn find<'a>(line: &'a str, paths: [&str; 2]) -> Result<[Option<Scalar<'a>>; 2], LineError> {
        let [first, second] = paths.map(|path| path.parse::<JsonPath>().unwrap());
        members(line.as_bytes(), [&first, &second])
    }

    #[test]
    fn members_are_found_wherever_they_stand() {
        let line =
            r#" {"x":[{"a":1}],"a":{"c":{"d":"e"},"b":"f","n":null},"ts":1.5,"a.b":"g","n":-3} "#;
        for (path, want) in [
            (".a.b", Some(text("f"))),
            (".a.c.d", Some(text("e"))),
            (".n", Some(Scalar::Integer(-3))),
            (".a.n", Some(Scalar::Other)),
            (".a", Some(Scalar::Other)),
            (".x", Some(Scalar::Other)),
            (".x.a", None),
            (".none", None),
            (".a.b.c", None),
            (".ts", Some(Scalar::Number(1.5))),
        ] {
            assert_eq!(find(line, [path, ".ts"]), Ok([want, Some(Scalar::Number(1.5))]), "{path}");
        }
        // Both paths may lead to the same value, or share a prefix.
        assert_eq!(find(line, [".a.b", ".a.b"]), Ok([Some(text("f")), Some(text("f"))]));
        assert_eq!(find(line, [".a.b", ".a.c.d"]), Ok([Some(text("f")), Some(text("e"))]));
    }

    #[test]
    fn the_first_of_a_name_counts_and_a_name_may_have_dots() {
        let line = r#"{"a.b":"x","a":{"b":"y"},"t":null,"t":5,"aa.b":1,"a.":{"b":2}}"#;
        assert_eq!(find(line, [".a.b", ".t"]), Ok([Some(text("x")), Some(Scalar::Other)]));
    }

    #[test]
    fn escapes_are_read_in_names_and_texts() {
        let line = r#"{"\u0069p":"a\u00e9\/b","big":18446744073709551615}"#;
        #[expect(clippy::cast_precision_loss, reason = "what is wanted")]
        let big = Some(Scalar::Number(u64::MAX as f64));
        assert_eq!(find(line, [".ip", ".big"]), Ok([Some(text("a\u{e9}/b")), big]));
    }

    #[test]
    fn a_line_that_is_no_whole_object_is_refused_at_a_column_of_it() {
        let line = r#"{"ip":"::1","ts":1,"more":{"x":[1,2,{}]}}"#;
        assert!(find(line, [".ip", ".ts"]).is_ok());
        for end in 0..line.len() {
            let error = find(&line[..end], [".ip", ".ts"]).unwrap_err();
            assert!(error.problem == Problem::NoJson && error.at <= end, "{end}: {error}");
        }
        for bad in ["{} {}", "{},", "{'a':1}", "{\"a\":01}", "{\"a\":1,}", "x"] {
            assert!(find(bad, [".ip", ".ts"]).is_err(), "{bad}");
        }
        let error = members(b"{\"ip\":\"\xff\"}", [&JsonPath("ip".into()), &JsonPath("t".into())]);
        assert!(error.is_err());
        let deep = "[".repeat(100_000);
        assert!(find(&deep, [".ip", ".ts"]).is_err());
        // Only objects have members.
        assert_eq!(find("[1]", [".ip", ".ts"]), Ok([None, None]));
    }
}
