//! Tests of the harness, with a second server as the subject.

use testkit::differential::{
    Difference, Differential, Limits, LiveSubject, Reply, Report, Settings, Subject,
};
use testkit::live::{Protocol, Server, server_with};

/// Two servers, one of them the subject.
fn between_servers(settings: Settings) -> Option<Result<Report, Box<Difference>>> {
    let server = server_with(&settings.options())?;
    let other = server_with(&settings.options())?;
    let harness = Differential::new(settings);
    Some(harness.run(&server, |settings| LiveSubject::new(&other, settings)))
}

fn clean(settings: Settings) -> Option<Report> {
    between_servers(settings).map(|run| run.unwrap_or_else(|difference| panic!("{difference}")))
}

/// Every conversion between encodings of one type on a 7.0 server that some tens of commands under low limits cause.
const TRANSITIONS: [&str; 11] = [
    "int -> raw",
    "int -> embstr",
    "embstr -> raw",
    "raw -> int",
    "hll-sparse -> hll-dense",
    "intset-16 -> intset-32",
    "intset-16 -> intset-64",
    "intset-16 -> set-hashtable",
    "set-hashtable -> intset-16",
    "zset-listpack -> zset-skiplist",
    "zset-skiplist -> zset-listpack",
];

#[test]
fn two_servers_do_not_differ() {
    let settings = Settings { seed: 1, commands: 16_000, ..Settings::default() };
    let Some(report) = clean(settings) else { return };
    // Queued commands that were discarded do not count.
    assert!(report.commands > 10_000, "{report}");
    assert!(report.keys_compared > 1_000 && report.payloads_restored > 500, "{report}");
    assert!(report.aborted > 20, "{report}");
    assert_eq!(report.always_refused(), Vec::<&str>::new(), "{report}");
    assert!(report.forms.contains("hll-dense") && report.forms.contains("hll-sparse"), "{report}");
}

#[test]
fn two_servers_do_not_differ_under_low_limits_nor_in_resp3() {
    let settings = Settings {
        seed: 2,
        commands: 20_000,
        limits: Limits::low(),
        protocol: Protocol::Resp3,
        compression: false,
        ..Settings::default()
    };
    let Some(report) = clean(settings) else { return };
    for transition in TRANSITIONS {
        assert!(report.transitions.contains_key(transition), "{transition}\n{report}");
    }
}

#[test]
fn a_seed_gives_the_same_run_again() {
    let settings = Settings { seed: 8, commands: 9_000, ..Settings::default() };
    let run = || clean(settings.clone());
    let (Some(first), Some(second)) = (run(), run()) else { return };
    assert!(first.by_command["SPOP"].done > 10, "whose choices are the server's own\n{first}");
    assert_eq!(first.by_command, second.by_command);
    assert_eq!(first.transitions, second.transitions);
}

/// Returns how many more DUMP commands the server executed than the subject.
fn more_dumps(family: &'static str) -> Option<i64> {
    let settings = Settings { commands: 2_000, families: vec![family], ..Settings::default() };
    let server = server_with(&settings.options())?;
    let other = server_with(&settings.options())?;
    let harness = Differential::new(settings);
    let run = harness.run(&server, |settings| LiveSubject::new(&other, settings));
    run.unwrap_or_else(|difference| panic!("{difference}"));
    let dumps = |server: &Server| {
        let ask = redis::cmd("INFO").arg("commandstats").query(&mut server.connect());
        let stats: String = ask.expect("the server replies");
        let line = stats.lines().find_map(|line| line.strip_prefix("cmdstat_dump:calls="));
        let calls = line.and_then(|line| line.split(',').next()?.parse::<i64>().ok());
        calls.expect("the audits dump every key")
    };
    Some(dumps(&server) - dumps(&other))
}

/// DUMP is an access to the key, which OBJECT IDLETIME reports: the payloads of RESTORE are requested from both sides.
#[test]
fn both_sides_get_the_same_number_of_dumps() {
    // Strings have no RESTORE. The harness requests some payloads from the server before the first command.
    let [Some(keys), Some(strings)] = ["keys", "strings"].map(more_dumps) else { return };
    assert_eq!(keys, strings);
}

#[test]
fn families_and_commands_can_be_left_out() {
    let settings = Settings {
        commands: 3_000,
        families: vec!["sets", "strings"],
        leave_out: vec!["SPOP", "GET"],
        ..Settings::default()
    };
    let Some(report) = clean(settings) else { return };
    assert!(report.by_command.contains_key("SADD") && report.by_command.contains_key("SET"));
    for absent in ["SPOP", "GET", "PFADD", "DEL", "MULTI"] {
        assert!(!report.by_command.contains_key(absent), "{absent}\n{report}");
    }
}

/// A server whose replies are manipulated.
struct Bent<F> {
    live: LiveSubject,
    bend: F,
}

impl<F: FnMut(&mut LiveSubject, usize, &[Vec<u8>], Reply) -> Reply> Subject for Bent<F> {
    fn execute(&mut self, session: usize, words: &[Vec<u8>]) -> Reply {
        let reply = self.live.execute(session, words);
        (self.bend)(&mut self.live, session, words, reply)
    }
}

/// Runs against a manipulated server twice: the difference must be the same.
fn bent<F>(settings: &Settings, bend: F) -> Option<Box<Difference>>
where
    F: FnMut(&mut LiveSubject, usize, &[Vec<u8>], Reply) -> Reply + Clone,
{
    let server = server_with(&settings.options())?;
    let other = server_with(&settings.options())?;
    let harness = Differential::new(settings.clone());
    let run = || {
        let subject = |settings: &Settings| Bent {
            live: LiveSubject::new(&other, settings),
            bend: bend.clone(),
        };
        harness.run(&server, subject).expect_err("a bent reply is a difference")
    };
    let (first, second) = (run(), run());
    assert_eq!((first.step, &first.command), (second.step, &second.command), "the seed fixes it");
    assert!(!first.script.is_empty(), "{first}");
    Some(first)
}

fn is(words: &[Vec<u8>], name: &str) -> bool {
    words[0].eq_ignore_ascii_case(name.as_bytes())
}

#[test]
fn a_manipulated_reply_is_found_and_its_script_is_short() {
    let settings = Settings { seed: 3, limits: Limits::low(), ..Settings::default() };
    let found = bent(&settings, |_, _, words, reply| {
        if let Reply::Int(count) = reply
            && is(words, "SCARD")
            && count > 5
        {
            return Reply::Int(count + 1);
        }
        reply
    });
    let Some(difference) = found else { return };
    assert!(difference.command.to_uppercase().starts_with("SCARD"), "{difference}");
    // One command creates a set of six members, another queries it; between them the database may change.
    assert!(difference.script.len() <= 4, "{difference}");
    let text = difference.to_string();
    assert!(
        text.contains("seed 3, step ") && text.contains("the last commands on that key"),
        "{text}"
    );
}

#[test]
fn a_manipulated_error_is_found() {
    let settings = Settings { seed: 4, ..Settings::default() };
    let found = bent(&settings, |_, _, _, reply| {
        let Reply::Error(text) = reply else { return reply };
        Reply::Error(text.replace("not an integer or out of range", "no integer"))
    });
    let Some(difference) = found else { return };
    assert!(difference.ours.contains("no integer"), "{difference}");
    assert!(difference.script.len() <= 2, "{difference}");
}

#[test]
fn a_panic_is_a_difference() {
    let settings = Settings { seed: 7, families: vec!["hll"], ..Settings::default() };
    let found = bent(&settings, |_, _, words, reply| {
        assert!(!(is(words, "PFMERGE") && words.len() > 3), "too many of them");
        reply
    });
    let Some(difference) = found else { return };
    let ours = &difference.ours;
    assert!(ours.contains("(a panic)") && ours.contains("too many of them"), "{difference}");
    assert_eq!(difference.script.len(), 1, "{difference}");
}

#[test]
fn a_manipulated_value_is_found_at_the_next_comparison() {
    let settings = Settings { seed: 5, families: vec!["keys", "strings"], ..Settings::default() };
    // A renamed key loses its time to live, which no reply shows.
    let found = bent(&settings, |live, session, words, reply| {
        if is(words, "RENAME") && reply == Reply::Status("OK".into()) {
            live.execute(session, &[b"PERSIST".to_vec(), words[2].clone()]);
        }
        reply
    });
    let Some(difference) = found else { return };
    let command = difference.command.to_uppercase();
    assert!(command.contains("TTL") || command.contains("EXPIRETIME"), "{difference}");
    assert!(difference.script.len() <= 4, "{difference}");
    assert!(
        difference.script.iter().any(|line| line.to_uppercase().starts_with("RENAME")),
        "{difference}"
    );
}

#[test]
fn a_member_wrongly_removed_by_spop_is_found() {
    let settings = Settings { seed: 6, families: vec!["sets"], ..Settings::default() };
    let found = bent(&settings, |live, session, words, reply| {
        if is(words, "SPOP") && matches!(reply, Reply::Bulk(_)) {
            live.execute(session, words);
        }
        reply
    });
    let Some(difference) = found else { return };
    assert!(difference.why.contains("that were popped and kept"), "{difference}");
    assert!(difference.script.len() <= 2, "{difference}");
}

#[test]
fn a_sweep_between_servers_finds_nothing() {
    let settings = Settings::default();
    let Some(server) = server_with(&settings.options()) else { return };
    let Some(other) = server_with(&settings.options()) else { return };
    let harness = Differential::new(settings);
    let report = harness
        .sweep(&server, |settings| LiveSubject::new(&other, settings))
        .unwrap_or_else(|difference| panic!("{difference}"));
    assert!(report.commands > 50_000, "{report}");
    assert!(
        report.by_command.values().all(|count| count.refused > 0 || count.done > 0),
        "{report}"
    );
}

/// Sweeps against a manipulated server.
fn swept<F>(family: &'static str, bend: F) -> Option<Box<Difference>>
where
    F: FnMut(&mut LiveSubject, usize, &[Vec<u8>], Reply) -> Reply + Clone,
{
    let settings = Settings { families: vec![family], ..Settings::default() };
    let server = server_with(&settings.options())?;
    let other = server_with(&settings.options())?;
    let subject =
        |settings: &Settings| Bent { live: LiveSubject::new(&other, settings), bend: bend.clone() };
    let sweep = Differential::new(settings).sweep(&server, subject);
    Some(sweep.expect_err("a bent reply is a difference"))
}

#[test]
fn a_sweep_finds_changes_by_failed_commands() {
    let found = swept("strings", |live, session, words, reply| {
        if is(words, "INCR") && reply.is_error() && words.len() == 2 {
            live.execute(session, &[b"APPEND".to_vec(), words[1].clone(), b"1".to_vec()]);
        }
        reply
    });
    let Some(difference) = found else { return };
    assert!(difference.why.contains("only errors of INCR"), "{difference}");
}

#[test]
fn a_sweep_finds_changes_by_commands_that_succeed() {
    let found = swept("strings", |live, session, words, reply| {
        // No reply to a command on strings shows it.
        if is(words, "SET") && !reply.is_error() {
            live.execute(session, &[b"EXPIRE", &*words[1], b"1000"].map(<[u8]>::to_vec));
        }
        reply
    });
    let Some(difference) = found else { return };
    assert!(difference.command.contains("PEXPIRETIME"), "{difference}");
    assert!(!difference.why.contains("only errors"), "{difference}");
}

/// Of commands whose lines are sent in one write, and of those that are run one by one.
#[test]
fn a_sweep_finds_manipulated_replies() {
    for (family, command) in
        [("strings", "STRLEN"), ("sets", "SRANDMEMBER"), ("sets", "SPOP"), ("multi", "WATCH")]
    {
        let found = swept(family, move |_, _, words, reply| {
            if is(words, command) && reply.is_error() {
                return Reply::Error("ERR another text".into());
            }
            reply
        });
        let Some(difference) = found else { return };
        assert!(difference.command.starts_with(command), "{difference}");
        assert_eq!(difference.ours, "(error) ERR another text", "{difference}");
    }
}

/// The session of the comparisons alone gets other replies, to a question about a database and to one about a key.
#[test]
fn each_question_of_a_comparison_is_compared() {
    let settings = Settings { seed: 9, families: vec!["strings"], ..Settings::default() };
    for (question, why) in
        [("DBSIZE", "in the audit"), ("DEBUG", "in the audit"), ("TYPE", "in database 0")]
    {
        let found = bent(&settings, move |_, session, words, reply| {
            let is_asked = session == 2 && is(words, question) && !reply.is_error();
            if is_asked { Reply::Status("another".into()) } else { reply }
        });
        let Some(difference) = found else { return };
        assert!(difference.command.starts_with(question), "{difference}");
        assert!(difference.why.contains(why), "{difference}");
    }
}

#[test]
#[ignore = "a soak: the settings come from the environment"]
fn soak() {
    let number = |name: &str, or: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(or)
    };
    let settings = Settings {
        seed: number("SEED", 0),
        commands: usize::try_from(number("COMMANDS", 100_000)).expect("a number"),
        limits: if number("LOW", 0) == 1 { Limits::low() } else { Limits::default() },
        protocol: if number("RESP", 2) == 3 { Protocol::Resp3 } else { Protocol::Resp2 },
        compression: number("COMPRESSION", 1) == 1,
        ..Settings::default()
    };
    if let Some(report) = clean(settings) {
        println!("{report}never done: {:?}\nforms: {:?}", report.never_done(), report.forms);
    }
}
