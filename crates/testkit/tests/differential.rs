//! The harness, tried with a second server as the subject.

use testkit::differential::{
    Differential, Difference, Limits, LiveSubject, Reply, Report, Settings, Subject,
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
