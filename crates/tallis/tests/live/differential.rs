//! Tallis as the subject of the differential harness.

use std::env;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use tallis::{Profile, Session, Store};
use testkit::differential::{
    Differential, LATER_FAMILIES, MODULE_FAMILY, Reply as Answer, Report, Settings, Subject,
    family_names,
};
use testkit::live::{Protocol, Server, named, named_with, redisbloom, server_with};
use testkit::servers::INSTALLED;

use crate::answer::answer_in;
use crate::blooms::is_old;
use crate::nulls::with_one_null;
use crate::store_limits::limits;

/// A store and its sessions.
struct Tallis {
    sessions: Vec<Session>,
    protocol: Protocol,
    profile: Profile,
}

impl Tallis {
    /// An empty store with the limits of the settings and the profile of the server that it is compared with.
    fn new(settings: &Settings, profile: Profile) -> Self {
        let store = Store::builder().limits(limits(settings)).profile(profile).build();
        let mut sessions: Vec<Session> = (0..3).map(|_| store.session()).collect();
        if settings.protocol == Protocol::Resp3 {
            for session in &mut sessions {
                let hello = session.execute(&["HELLO", "3"]);
                assert!(!hello.is_error(), "{hello:?}");
            }
        }
        Self { sessions, protocol: settings.protocol, profile }
    }
}

impl Subject for Tallis {
    fn execute(&mut self, session: usize, words: &[Vec<u8>]) -> Answer {
        let reply = answer_in(self.sessions[session].execute(words), self.profile);
        if self.protocol == Protocol::Resp3 { with_one_null(reply) } else { reply }
    }
}

/// The profile of a server.
pub(crate) fn profile_of(server: &Server) -> Profile {
    Profile::of(server.info()).unwrap()
}

/// The families that servers of a profile support.
fn families_of(profile: Profile) -> Vec<&'static str> {
    let store = Store::builder().profile(profile).build();
    let knows = |command: &str| {
        let info: Vec<Option<tallis::Reply>> =
            store.execute(&["COMMAND", "INFO", command]).convert().unwrap();
        info[0].is_some()
    };
    let later = LATER_FAMILIES.into_iter().filter(|(_, command)| knows(command));
    family_names().into_iter().chain(later.map(|(family, _)| family)).collect()
}

/// Runs one seed, or prints the difference and fails. `None` without a server.
fn compare(settings: Settings) -> Option<Report> {
    let server = server_with(&settings.options())?;
    Some(compare_with(&server, settings))
}

/// The same with the server of that name.
fn compare_named(name: &str, settings: Settings) -> Option<Report> {
    let settings = with_listpack_limit(settings);
    let server = named_with(name, &settings.options())?;
    Some(compare_with(&server, settings))
}

/// Sets the limits of set listpacks. If the one of integers is low, they have the same: so the encoding of a result does
/// not depend on the order of a source that is a hash table.
fn with_listpack_limit(mut settings: Settings) -> Settings {
    let entries = settings.limits.set_max_intset_entries;
    settings.limits.set_max_listpack = Some(if entries < 10 { [entries, 20] } else { [128, 64] });
    settings
}

fn compare_with(server: &Server, settings: Settings) -> Report {
    match Differential::new(settings)
        .run(server, |settings| Tallis::new(settings, profile_of(server)))
    {
        Ok(report) => report,
        Err(difference) => panic!("{difference}"),
    }
}

/// The settings of a seed: the seed also determines limits, protocol and compression, so that consecutive seeds try all
/// combinations.
fn settings(seed: u64, commands: usize) -> Settings {
    let low = testkit::differential::Limits::low();
    Settings {
        seed,
        commands,
        limits: if seed % 2 == 1 { low } else { testkit::differential::Limits::default() },
        protocol: if seed % 4 >= 2 { Protocol::Resp3 } else { Protocol::Resp2 },
        ..Settings::default()
    }
}

/// Random commands that a test compares in every run, with consecutive seeds.
pub(crate) struct Runs {
    pub(crate) server: &'static str,
    pub(crate) families: fn() -> Vec<&'static str>,
    /// Whether each family is run separately.
    pub(crate) alone: bool,
    pub(crate) seeds: Range<u64>,
    /// The number of commands for each seed.
    pub(crate) commands: usize,
}

impl Runs {
    /// All families together.
    fn together(&self) -> impl Iterator<Item = Settings> {
        self.of((self.families)())
    }

    /// The settings for these families, one per seed.
    fn of(&self, families: Vec<&'static str>) -> impl Iterator<Item = Settings> {
        let seeds = self.seeds.clone();
        seeds.map(move |seed| Settings {
            families: families.clone(),
            ..settings(seed, self.commands)
        })
    }
}

const ALL: Runs =
    Runs { server: INSTALLED, families: family_names, alone: false, seeds: 0..4, commands: 30_000 };

const ZSETS: Runs = Runs {
    server: INSTALLED,
    families: || vec!["zsets", "geo", "sets"],
    alone: false,
    seeds: 20..24,
    commands: 30_000,
};

const BLOOMS: Runs = Runs {
    server: INSTALLED,
    families: || vec![MODULE_FAMILY, "keys", "multi"],
    alone: false,
    seeds: 40..44,
    commands: 15_000,
};

const REDIS_82: Runs = Runs {
    server: "redis-8.2.3",
    families: || families_of(Profile::Redis82),
    alone: true,
    seeds: 60..64,
    commands: 2_000,
};

const VALKEY_91: Runs =
    Runs { server: "valkey-9.1.2", families: || families_of(Profile::Valkey91), ..REDIS_82 };

const REDIS_62: Runs = Runs { server: "redis-6.2", seeds: 80..84, commands: 15_000, ..ALL };

/// All runs.
pub(crate) const RUNS: [Runs; 6] = [ALL, ZSETS, BLOOMS, REDIS_82, VALKEY_91, REDIS_62];

/// Commands that no random script has: one is slow and reads no key, one ends the connection, and those on files and
/// scripts have their own tests (`tests/durability`, `tests/embedded/scripts.rs` and `lua`).
const NOT_RUN: [&str; 11] = [
    "BGREWRITEAOF",
    "BGSAVE",
    "EVAL",
    "EVALSHA",
    "EVALSHA_RO",
    "EVAL_RO",
    "LASTSAVE",
    "PFSELFTEST",
    "QUIT",
    "SAVE",
    "SCRIPT",
];

/// The commands without a row in the harness, except for subcommands, which are in the row of their command, and
/// commands on Bloom filters, which need a module.
fn without_row(report: &Report) -> Vec<String> {
    let store = Store::builder().profile(Profile::Redis70).build();
    let names: Vec<String> = store.execute(&["COMMAND", "LIST"]).convert().unwrap();
    let mut names: Vec<_> = names.iter().map(|name| name.to_ascii_uppercase()).collect();
    names.retain(|name| !name.starts_with("BF.") && !name.contains('|'));
    names.retain(|name| !report.by_command.contains_key(name));
    names.sort_unstable();
    names
}

#[test]
fn random_commands_have_the_same_replies_and_bytes() {
    let mut sum = Report::default();
    for settings in ALL.together() {
        let Some(report) = compare(settings) else { return };
        sum.add(&report);
    }
    assert!(sum.commands >= 100_000, "{sum}");
    assert_eq!(sum.always_refused(), Vec::<&str>::new(), "{sum}");
    assert_eq!(without_row(&sum), NOT_RUN);
    for transition in [
        "hll-sparse -> hll-dense",
        "intset-16 -> set-hashtable",
        "int -> raw",
        "zset-listpack -> zset-skiplist",
    ] {
        assert!(sum.transitions.contains_key(transition), "{transition}\n{sum}");
    }
}

/// A hundred thousand commands of only these families, because their interactions are rare among all families.
#[test]
fn sorted_sets_and_positions_equal_those_of_the_server() {
    let mut sum = Report::default();
    for settings in ZSETS.together() {
        let Some(report) = compare(settings) else { return };
        sum.add(&report);
    }
    assert!(sum.commands >= 100_000, "{sum}");
    assert_eq!(sum.never_done(), ["(unknown)"], "{sum}");
    for transition in ["zset-listpack -> zset-skiplist", "zset-skiplist -> zset-listpack"] {
        assert!(sum.transitions.contains_key(transition), "{transition}\n{sum}");
    }
}

/// Without `RedisBloom`, only the recorded transcript is compared.
#[test]
fn bloom_filters_equal_those_of_redisbloom() {
    let Some(module) = redisbloom() else { return };
    let mut sum = Report::default();
    for settings in BLOOMS.together() {
        let Some(report) = compare(with_redisbloom(&module, settings)) else { return };
        sum.add(&report);
    }
    assert!(sum.commands >= 50_000, "{sum}");
    assert_eq!(sum.never_done(), ["(unknown)", "OBJECT"], "{sum}");
    for transition in 1..4 {
        let form = |links| format!("ModuleId(MBbloom-- 4) of {} parts", 4 + 8 * links);
        let transition = format!("{} -> {}", form(transition), form(transition + 1));
        assert!(sum.transitions.contains_key(&transition), "{transition}\n{sum}");
    }
}

#[test]
fn bloom_commands_refuse_what_redisbloom_refuses() {
    let Some(module) = redisbloom() else { return };
    for seed in [0, 2] {
        let settings = Settings {
            families: vec![MODULE_FAMILY],
            ..with_redisbloom(&module, settings(seed, 0))
        };
        let Some(server) = server_with(&settings.options()) else { return };
        if is_old(&server) {
            // Differences in errors or accepted arguments are listed in `tests/data/bloom/older.txt`.
            return;
        }
        sweep(&server, settings);
    }
}

/// `RedisBloom` does not support copying its filters.
fn with_redisbloom(module: &Path, settings: Settings) -> Settings {
    Settings { leave_out: vec!["COPY"], module: Some(module.to_owned()), ..settings }
}

/// Some thousand commands of each family, under the profile of each server that has another one than the default.
#[test]
fn newer_servers_have_their_own_profiles() {
    for (runs, profile) in [(REDIS_82, Profile::Redis82), (VALKEY_91, Profile::Valkey91)] {
        let name = runs.server;
        // Each run flushes it and sets its limits.
        let Some(server) = named_with(name, &Settings::default().options()) else { continue };
        assert_eq!(Profile::of(server.info()), Some(profile));
        for family in (runs.families)() {
            let mut sum = Report::default();
            for settings in runs.of(vec![family]) {
                sum.add(&compare_with(&server, with_listpack_limit(settings)));
            }
            assert!(sum.commands > 6_000, "{name} {family}: {sum}");
        }
    }
}

/// One server is older than all profiles: commands that differ from 7.0 are left out, or recognized by their form.
#[test]
fn an_older_server_differs_from_7_0_only_as_listed() {
    let mut sum = Report::default();
    for settings in REDIS_62.together() {
        let Some(report) = compare_named(REDIS_62.server, settings) else { return };
        sum.add(&report);
    }
    assert!(sum.commands > 50_000, "{sum}");
    assert_eq!(sum.always_refused(), Vec::<&str>::new(), "{sum}");
}

/// The arguments of all commands of some families, with every kind of error.
fn sweep(server: &Server, settings: Settings) {
    let sweep = Differential::new(settings)
        .sweep(server, |settings| Tallis::new(settings, profile_of(server)));
    let report = sweep.unwrap_or_else(|difference| panic!("{difference}"));
    assert!(report.commands > 10_000, "{report}");
}

#[test]
fn every_command_refuses_what_the_server_refuses() {
    for seed in [0, 2] {
        let settings = settings(seed, 0);
        let Some(server) = server_with(&settings.options()) else { return };
        sweep(&server, settings);
    }
}

#[test]
fn every_command_refuses_what_a_newer_server_refuses() {
    // One in RESP2, the other in RESP3.
    for (name, seed) in [("redis-8.2.3", 0), ("valkey-9.1.2", 2)] {
        let settings = settings(seed, 0);
        let Some(server) = named_with(name, &settings.options()) else { continue };
        sweep(&server, Settings { families: families_of(profile_of(&server)), ..settings });
    }
}

/// `cargo xtask fuzz-live` runs this test and sets its options in the environment.
#[test]
#[ignore = "it runs for as long as the environment says"]
#[expect(clippy::disallowed_methods, reason = "the test sets the time")]
fn fuzz_live() {
    let number = |name: &str, or: u64| match env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")),
        Err(_) => or,
    };
    let minutes = number("TALLIS_FUZZ_MINUTES", 1);
    let first = number("TALLIS_FUZZ_SEED", 1_000);
    let commands = usize::try_from(number("TALLIS_FUZZ_COMMANDS", 20_000)).unwrap();
    let server = env::var("TALLIS_FUZZ_SERVER").ok();
    let started = server.as_ref().map_or_else(testkit::live::server, |name| named(name));
    let Some(started) = started else { return };
    let mut families = families_of(profile_of(&started));
    if let Ok(asked) = env::var("TALLIS_FUZZ_FAMILIES") {
        families.push(MODULE_FAMILY);
        let unknown = asked.split(',').find(|name| !families.contains(name));
        assert_eq!(unknown, None, "the families are {families:?}");
        families.retain(|name| asked.split(',').any(|asked| asked == *name));
    }
    let module = families
        .contains(&MODULE_FAMILY)
        .then(|| redisbloom().expect("the family needs RedisBloom: cargo xtask servers brings it"));
    let start = Instant::now();
    let mut sum = Report::default();
    for seed in first.. {
        let families = families.clone();
        let settings = Settings { families, ..settings(seed, commands) };
        let settings = match &module {
            Some(module) => with_redisbloom(module, settings),
            None => settings,
        };
        let report = match &server {
            Some(name) => compare_named(name, settings),
            None => compare(settings),
        };
        let Some(report) = report else { return };
        sum.add(&report);
        println!("seed {seed}: no difference; {} commands in all", sum.commands);
        if start.elapsed() >= Duration::from_secs(minutes * 60) {
            break;
        }
    }
    println!("{sum}");
}
