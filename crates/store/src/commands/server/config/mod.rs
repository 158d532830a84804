//! CONFIG: the settings of Redis. Those that a store implements take effect; the values of the others are only
//! recorded.

mod form;
mod special;
mod table;

use bytes::Bytes;

use crate::error::{Error, ErrorKind, Result};
use crate::execute::{Answer, shown};
use crate::limits::{Limits, Remembered};
use crate::profile::Profile;
use crate::reply::Reply;
use crate::store::Shared;
use crate::text::glob;
use table::{Place, SETTINGS, Setting};

/// Settings of a store in a directory that keep the value with which it was opened.
const AS_OPENED: [&str; 3] = ["appendonly", "dbfilename", "dir"];

/// A setting with one of its names.
#[derive(Clone, Copy)]
struct Named {
    name: &'static str,
    setting: &'static Setting,
}

/// The settings of the profile's servers, with each of their names.
fn known(profile: Profile) -> impl Iterator<Item = Named> {
    let known = move |setting: &&Setting| !setting.marks.since_72 || profile.settings_of_72();
    SETTINGS.iter().filter(known).flat_map(|setting| {
        let names = [Some(setting.name), setting.old].into_iter().flatten();
        names.map(move |name| Named { name, setting })
    })
}

fn find(profile: Profile, name: &[u8]) -> Option<Named> {
    known(profile).find(|named| name.eq_ignore_ascii_case(named.name.as_bytes()))
}

/// CONFIG GET.
pub(super) fn get(shared: &Shared, patterns: &[&[u8]]) -> Reply {
    let (mut limits, remembered) = shared.settings().all();
    let found = known(shared.profile()).filter_map(|named| {
        // A setting that is requested by its exact name is returned with the name as it was given.
        let name =
            patterns.iter().find_map(|&pattern| named.asked_by(pattern, shared.profile()))?;
        let value = match named.setting.place {
            Place::Fixed(of) => of(shared).to_string().into_bytes(),
            Place::Limit(_) | Place::Signed(_) | Place::Text(_) | Place::Number(_) => {
                named.setting.value(&mut limits, &remembered)
            }
        };
        Some((Reply::Bulk(name), Reply::Bulk(value.into())))
    });
    Reply::Map(found.collect())
}

/// CONFIG SET.
pub(super) fn set(shared: &Shared, pairs: &[&[u8]]) -> Answer {
    let (pairs, []) = pairs.as_chunks::<2>() else { return Err(Error::syntax()) };
    let profile = shared.profile();
    shared.settings().change(|limits, remembered| {
        let mut changes: Vec<(Named, &[u8])> = Vec::new();
        for [name, value] in pairs {
            let Some(named) = find(profile, name) else {
                let text = b"ERR Unknown option or number of arguments for CONFIG SET - '";
                let parts: [&[u8]; 3] = [text, shown(name, usize::MAX), b"'"];
                return Err(Error::showing(ErrorKind::Syntax, &parts));
            };
            if named.setting.marks.fixed {
                return Err(failed(name, "can't set immutable config"));
            }
            if named.setting.marks.protected && !protected_may_change(remembered) {
                return Err(failed(name, "can't set protected config"));
            }
            if changes.iter().any(|(other, _)| other.name == named.name) {
                return Err(failed(name, "duplicate parameter"));
            }
            changes.push((named, value));
        }
        let (mut new_limits, mut new) = (*limits, remembered.clone());
        for &(named, value) in &changes {
            named.change(value, &mut new_limits, &mut new, profile)?;
            let name = named.setting.name;
            if shared.directory().is_some()
                && AS_OPENED.contains(&name)
                && remembered.get(name) != new.get(name)
            {
                return Err(failed(
                    name.as_bytes(),
                    "can't be changed while the directory is open",
                ));
            }
        }
        (*limits, *remembered) = (new_limits, new);
        if let Some(directory) = shared.directory() {
            for (named, _) in changes {
                if let Some(value) = remembered.get(named.setting.name) {
                    directory.set(named.setting.name, &String::from_utf8_lossy(value));
                }
            }
        }
        Ok(Reply::OK)
    })
}

/// Applies a setting before a store is built, also a fixed or protected one; returns its name, and the number of
/// databases if it is that setting.
pub(crate) fn begin_with(
    profile: Profile,
    name: &str,
    value: &[u8],
    limits: &mut Limits,
    remembered: &mut Remembered,
) -> Result<(&'static str, Option<u32>)> {
    let Some(named) = find(profile, name.as_bytes()) else {
        let text = format!("ERR unknown setting '{name}'");
        return Err(Error::new(ErrorKind::Syntax, text));
    };
    let databases = named.change(value, limits, remembered, profile)?;
    let databases = databases.filter(|_| named.name == "databases");
    Ok((named.setting.name, databases.and_then(|count| u32::try_from(count).ok())))
}

fn protected_may_change(remembered: &Remembered) -> bool {
    remembered.get("enable-protected-configs").is_some_and(|value| **value != *b"no")
}

#[cold]
fn failed(name: &[u8], why: &str) -> Error {
    let text = b"ERR CONFIG SET failed (possibly related to argument '";
    let parts: [&[u8]; 4] = [text, shown(name, usize::MAX), b"') - ", why.as_bytes()];
    Error::showing(ErrorKind::Syntax, &parts)
}

impl Setting {
    /// The current value; empty for a fixed setting.
    fn value(&self, limits: &mut Limits, remembered: &Remembered) -> Vec<u8> {
        match (self.place, remembered.get(self.name)) {
            (Place::Limit(of), _) => of(limits).to_string().into_bytes(),
            (Place::Signed(of), _) => of(limits).to_string().into_bytes(),
            (Place::Fixed(_), _) => Vec::new(),
            (_, Some(value)) => value.to_vec(),
            (Place::Text(_), None) if self.name == "dir" => special::current_folder(),
            (Place::Text(text), None) => text.into(),
            (Place::Number(number), None) => number.to_string().into_bytes(),
        }
    }
}

impl Named {
    /// Changes the value; returns the number, if it is a number that the store uses.
    fn change(
        self,
        value: &[u8],
        limits: &mut Limits,
        remembered: &mut Remembered,
        profile: Profile,
    ) -> Result<Option<usize>> {
        let setting = self.setting;
        let old = setting.value(limits, remembered);
        let new = setting.kind.read(value, &old);
        let new = new.map_err(|why| {
            let is_open = profile.config_open_limits() && matches!(setting.place, Place::Limit(_));
            let open =
                setting.kind.out_of_open_range().filter(|(closed, _)| is_open && *closed == why);
            failed(self.name.as_bytes(), &open.map_or(why, |(_, open)| open))
        })?;
        let text = str::from_utf8(&new).unwrap_or_default();
        if let Place::Signed(of) = setting.place {
            // Already parsed by its kind, which is a 32-bit number.
            *of(limits) = text.parse().unwrap_or_default();
            return Ok(None);
        }
        let number = text.parse::<u64>().ok();
        // A number that does not fit a word of this machine is saturated.
        let number = number.map(|number| usize::try_from(number).unwrap_or(usize::MAX));
        match (setting.place, number) {
            (Place::Limit(of), Some(number)) => *of(limits) = number,
            (Place::Fixed(_), _) => {}
            _ => {
                remembered.insert(setting.name, new.into());
            }
        }
        Ok(number)
    }

    /// The name to return if the pattern of CONFIG GET matches this setting.
    fn asked_by(self, pattern: &[u8], profile: Profile) -> Option<Bytes> {
        let name = self.name.as_bytes();
        // In Redis the pattern is a C string, and a lone backslash matches nothing.
        let glob = shown(pattern, usize::MAX);
        if !glob.iter().any(|byte| b"[*?".contains(byte)) {
            return pattern.eq_ignore_ascii_case(name).then(|| Bytes::copy_from_slice(pattern));
        }
        let marks = self.setting.marks;
        if marks.hidden || marks.hidden_in_72 && profile.settings_of_72() {
            return None;
        }
        glob::matches_no_case(glob, name).then_some(Bytes::from_static(name))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fmt::Write;
    use std::path::Path;
    use std::{env, fs};

    use super::form::{Form, Kind};
    use super::*;
    use crate::persist::Persistence;

    #[test]
    fn names_are_sorted_and_defaults_are_valid() {
        let names: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
        assert!(names.is_sorted());
        let all: Vec<&str> = known(Profile::Redis72).map(|named| named.name).collect();
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
        let (mut limits, remembered) = (Limits::default(), Remembered::default());
        for setting in SETTINGS {
            let value = setting.value(&mut limits, &remembered);
            if !matches!(setting.place, Place::Fixed(_)) {
                assert_eq!(
                    setting.kind.read(&value, &value),
                    Ok(value.clone()),
                    "{}",
                    setting.name
                );
            }
        }
    }

    /// A description of the values that are allowed.
    fn kind(kind: Kind) -> String {
        let number = |form: Form, low: String, high: String| {
            let what = match form {
                Form::Integer => "number",
                Form::Memory => "bytes",
                Form::MemoryOrPercent => return "bytes, or percent".to_owned(),
                Form::Octal => return "octal number".to_owned(),
            };
            format!("{what}, {low} to {high}")
        };
        match kind {
            Kind::Flag => "yes or no".to_owned(),
            Kind::OneOf(names) => names.join(", "),
            Kind::Several(names) => format!("some of {}", names.join(", ")),
            Kind::Text => "text".to_owned(),
            Kind::Signed(form, low, high) => number(form, low.to_string(), high.to_string()),
            Kind::Unsigned(form, low, high) => number(form, low.to_string(), high.to_string()),
            Kind::Special(_) => "words of its own".to_owned(),
        }
    }

    #[test]
    fn the_page_of_settings_is_that_of_the_table() {
        let mut page = String::from(
            "# Settings\n\n\
             Generated from the table of settings by `TALLIS_WRITE_PAGES=1 cargo test -p tallis-store page_of_settings`. Do \
             not edit.\n\n\
             CONFIG GET and CONFIG SET know every setting of Redis 7.2, by its old name too.\n",
        );
        let of_store = |setting: &Setting| {
            matches!(setting.place, Place::Limit(_) | Place::Signed(_) | Place::Fixed(_))
        };
        let kept = Persistence::new().settings().map(|(name, _)| name);
        let of_directory =
            |setting: &Setting| setting.name == "dir" || kept.contains(&setting.name);
        let of = |which: &dyn Fn(&Setting) -> bool| {
            SETTINGS.iter().filter(|setting| which(setting)).collect::<Vec<_>>()
        };
        for (title, settings) in [
            ("Settings of the store", of(&of_store)),
            ("Settings of a store that is kept in a directory", of(&of_directory)),
            (
                "Settings that are accepted and remembered, and have no effect",
                of(&|setting| !of_store(setting) && !of_directory(setting)),
            ),
        ] {
            let _ = write!(
                page,
                "\n## {title}\n\n| setting | old name | values | default | |\n|---|---|---|---|---|\n"
            );
            for setting in settings {
                let old = setting.old.map(|old| format!("`{old}`")).unwrap_or_default();
                let default = match setting.place {
                    Place::Limit(of) => of(&mut Limits::default()).to_string(),
                    Place::Signed(of) => of(&mut Limits::default()).to_string(),
                    Place::Fixed(_) => String::new(),
                    Place::Text(text) => text.to_owned(),
                    Place::Number(number) => number.to_string(),
                };
                let marks = setting.marks;
                let notes = [
                    (marks.fixed, "fixed"),
                    (marks.protected, "protected"),
                    (marks.hidden || marks.hidden_in_72, "hidden"),
                    (marks.since_72, "not in 7.0"),
                ];
                let notes: Vec<&str> =
                    notes.into_iter().filter_map(|(has, note)| has.then_some(note)).collect();
                let (name, kind, notes) = (setting.name, kind(setting.kind), notes.join(", "));
                let _ = writeln!(page, "| `{name}` | {old} | {kind} | {default} | {notes} |");
            }
        }
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/settings.md");
        if env::var_os("TALLIS_WRITE_PAGES").is_some() {
            fs::write(&path, &page).expect("docs/settings.md can be written");
        }
        assert!(
            fs::read_to_string(&path).unwrap_or_default() == page,
            "docs/settings.md is not up to date: \
             TALLIS_WRITE_PAGES=1 cargo test -p tallis-store page_of_settings"
        );
    }
}
