//! The table of commands.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use tallis::{Profile, Store};
use testkit::differential::Reply;
use testkit::live::{Options, Protocol, Wire, locate_redisbloom, named_with, redisbloom};

use super::{head, row};
use crate::blooms::is_old;
use crate::differential::profile_of;
use crate::every_type::Side;
use crate::left_out::{Family, families};
use crate::lines::{LINES, Line};
use crate::pages;

const DECISION: &str = "decisions/0006-where-redis-is-not-followed.md";

const HEAD: &str = "## Commands

All commands that at least one of the servers has.

| sign | means |
|---|---|
| `=` | the store has the command under the profile of that server, with the same arity; the last table shows how replies are compared |
| differs | the same, except for the differences in bold in [decision 0006](decisions/0006-where-redis-is-not-followed.md) |
| as in 7.0 | the server's command accepts fewer or more arguments than that of 7.0, which the store has |
| left out | the server has the command and the store does not; [left-out.md](left-out.md) gives the reason for each family |
| - | the server does not list the command |

Subcommands are listed if they differ from their command. Options are not listed: random commands compare them. Commands with a dot in their names, \
such as BF.ADD, are those of RedisBloom 2.8.2, which Redis 7.0.15 has loaded for this table; their arities are not compared.

";

/// The comparison of a store with a server for a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cell {
    Same,
    Differs,
    /// For a server without a profile: the command is that of the closest one.
    Later,
    LeftOut,
    Missing,
    NotThere,
}

impl Cell {
    const fn sign(self) -> &'static str {
        match self {
            Self::Same => "`=`",
            Self::Differs => "differs",
            Self::Later => "as in 7.0",
            Self::LeftOut => "left out",
            Self::Missing => "missing",
            Self::NotThere => "-",
        }
    }
}

type Cells = [Cell; LINES.len()];

/// Commands and subcommands with their arities.
type Arities = BTreeMap<String, i64>;

/// Reads the reply of COMMAND.
fn arities(side: &mut impl Side) -> Arities {
    fn take(commands: &Reply, all: &mut Arities) {
        for command in commands.elements().unwrap() {
            let parts = command.elements().unwrap();
            let [name, Reply::Int(arity), ..] = parts else { panic!("{command} is not a command") };
            let name = String::from_utf8_lossy(name.bytes().unwrap()).to_lowercase();
            all.insert(name, *arity);
            if let Some(subcommands) = parts.get(9) {
                take(subcommands, all);
            }
        }
    }
    let mut all = Arities::new();
    take(&side.done(&["COMMAND"]), &mut all);
    all
}

/// Adds the subcommands listed by HELP: before 7.0, COMMAND does not include them. Their arities are unknown.
fn add_subcommands(side: &mut impl Side, ours: &Arities, theirs: &mut Arities) {
    let containers: BTreeSet<&str> =
        ours.keys().filter(|name| name.contains('|')).map(|name| container(name)).collect();
    for container in containers {
        for line in side.done(&[container, "HELP"]).elements().unwrap() {
            let Reply::Status(line) = line else { panic!("{line} is not a line") };
            let word = line.split(' ').next().unwrap_or_default().to_lowercase();
            let name = format!("{container}|{word}");
            let arity = ours.get(&name).copied().unwrap_or_default();
            // The first line names the command itself; lines that begin with white space describe the previous one.
            if word.starts_with(|first: char| first.is_ascii_alphabetic()) && word != container {
                theirs.insert(name, arity);
            }
        }
    }
}

fn container(name: &str) -> &str {
    name.split('|').next().unwrap_or_default()
}

/// A server and a store under its profile, as described by COMMAND.
struct Compared<'l> {
    line: &'l Line,
    theirs: Arities,
    ours: Arities,
    /// Whether the module has other arities than the store.
    old_module: bool,
}

impl<'l> Compared<'l> {
    fn new(line: &'l Line, module: Option<&Path>) -> Option<Self> {
        let module = module.filter(|_| line.takes_module());
        let options = module.map_or_else(Options::new, |file| Options::new().module(file));
        let server = named_with(line.server, &options)?;
        let mut wire = Wire::open(&server, Protocol::Resp2).unwrap();
        let mut theirs = arities(&mut wire);
        let store = Store::builder().profile(profile_of(&server)).build();
        let ours = arities(&mut store.session());
        if !theirs.keys().any(|name| name.contains('|')) {
            add_subcommands(&mut wire, &ours, &mut theirs);
        }
        Some(Self { line, theirs, ours, old_module: is_old(&server) })
    }

    fn cell(&self, name: &str, left_out: &[Family], differing: &BTreeSet<String>) -> Cell {
        let at = format!("{name} of {}", self.line.title);
        let Some(theirs) = self.theirs.get(name) else {
            let of_module = name.starts_with("bf.") || !self.line.has_profile;
            assert!(of_module || !self.ours.contains_key(name), "{at} is not there, and is known");
            return Cell::NotThere;
        };
        if left_out.iter().any(|family| family.has(name)) {
            return Cell::LeftOut;
        }
        let Some(ours) = self.ours.get(name) else { return Cell::Missing };
        if ours != theirs && !self.line.has_profile {
            return Cell::Later;
        }
        if !(name.starts_with("bf.") && self.old_module) {
            assert_eq!(ours, theirs, "the arity of {at}");
        }
        if differing.contains(name) { Cell::Differs } else { Cell::Same }
    }
}

/// The commands named in bold by the decision, except where it applies only to the default profile.
fn differing(ours: &Arities) -> BTreeSet<String> {
    let page = fs::read_to_string(pages::path(DECISION)).unwrap();
    let mut found = BTreeSet::new();
    for item in page.split("\n* **").skip(1).filter(|item| !item.contains("default profile")) {
        let bold = item.split("**").next().unwrap();
        let mut words = bold.split(' ').peekable();
        let is_upper = |word: &str| word.len() > 1 && word == word.to_uppercase();
        while let Some(word) = words.next() {
            let name = word.trim_end_matches([',', '.']).to_lowercase();
            if !is_upper(word) || !ours.contains_key(&name) {
                continue;
            }
            // DEBUG has subcommands that COMMAND does not list.
            let sub = words.next_if(|next| !word.ends_with(',') && is_upper(next));
            let long = sub.map(|sub| format!("{name}|{}", sub.to_lowercase()));
            found.insert(long.filter(|long| ours.contains_key(long)).unwrap_or(name));
        }
    }
    found
}

/// The group of each of our commands.
fn groups() -> BTreeMap<String, String> {
    let docs = Store::new().session().done(&["COMMAND", "DOCS"]);
    let text = |reply: &Reply| String::from_utf8_lossy(reply.bytes().unwrap()).into_owned();
    let of = |pair: &[Reply]| {
        let mut parts = pair[1].elements().unwrap().chunks_exact(2);
        let group = parts.find(|part| part[0].bytes() == Some(b"group")).unwrap();
        (text(&pair[0]), text(&group[1]))
    };
    docs.elements().unwrap().chunks_exact(2).map(of).collect()
}

/// Returns the section, or `None` if a server is missing.
pub(super) fn section() -> Option<String> {
    let module = redisbloom()?;
    let sides = LINES.iter().map(|line| Compared::new(line, Some(&module)));
    let sides: Vec<Compared<'_>> = sides.collect::<Option<_>>()?;
    let (left_out, groups) = (families(), groups());
    let ours = arities(&mut Store::builder().profile(Profile::default()).build().session());
    let differing = differing(&ours);
    let cells = |name: &str| -> Cells {
        std::array::from_fn(|at| sides[at].cell(name, &left_out, &differing))
    };
    let names: BTreeSet<&String> = sides.iter().flat_map(|side| side.theirs.keys()).collect();
    let mut rows: BTreeMap<(usize, &str, Cells), Vec<String>> = BTreeMap::new();
    for name in names {
        let cells_of = cells(name);
        if name.contains('|') && cells(container(name)) == cells_of {
            continue;
        }
        let family = left_out.iter().enumerate().find(|(_, family)| family.has(name));
        if family.is_some() && name.contains('|') && families_have(&left_out, container(name)) {
            continue;
        }
        let (order, group) = match (family, groups.get(container(name))) {
            (Some((at, family)), _) => (at + 1, family.name.as_str()),
            (None, Some(group)) => (0, group.as_str()),
            (None, None) => (usize::MAX, "missing"),
        };
        let shown = name.to_uppercase().replace('|', " ");
        rows.entry((order, group, cells_of)).or_default().push(shown);
    }
    let missing = rows.iter().filter(|((_, _, cells), _)| cells.contains(&Cell::Missing));
    let missing: Vec<&String> = missing.flat_map(|(_, names)| names).collect();
    assert!(missing.is_empty(), "neither here nor left out: {missing:?}");

    let titles = LINES.iter().map(|line| line.title);
    let mut section = HEAD.to_owned();
    section.push_str(&head(["family", "commands"].into_iter().chain(titles)));
    for ((_, group, cells), names) in &rows {
        let names = names.join(", ");
        let signs = cells.iter().map(|cell| cell.sign());
        section.push_str(&row([*group, &names].into_iter().chain(signs)));
    }
    Some(section)
}

fn families_have(families: &[Family], command: &str) -> bool {
    families.iter().any(|family| family.has(command))
}

#[test]
fn each_command_of_a_server_is_supported_or_left_out() {
    let (left_out, module) = (families(), locate_redisbloom());
    for line in &LINES {
        let Some(side) = Compared::new(line, module.as_deref()) else { continue };
        for name in side.theirs.keys() {
            let missing = side.cell(name, &left_out, &BTreeSet::new()) == Cell::Missing;
            assert!(!missing, "{name} of {} is neither here nor left out", line.title);
        }
        for name in side.ours.keys() {
            // Fails if the profile has a command that the server does not have.
            side.cell(name, &left_out, &BTreeSet::new());
        }
    }
}
