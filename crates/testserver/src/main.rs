//! The program: `tallis-testserver [--series 7.0|7.2|8.2|valkey-9.1] [FILE] [--name value ...]`, as `redis-server` takes them.

use std::process::ExitCode;
use std::{env, fs, process};

use store::Profile;
use testserver::{Config, Server};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            println!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let mut words: Vec<String> = env::args().skip(1).collect();
    let mut config = Config::default();
    if words.first().is_some_and(|word| word == "--series") {
        let asked = words.get(1).map_or("", String::as_str);
        let found = Profile::ALL.into_iter().find(|profile| profile.name() == asked);
        config.profile = found.ok_or_else(|| {
            format!(
                "--series {asked}: expected one of {}",
                Profile::ALL.map(Profile::name).join(", ")
            )
        })?;
        words.drain(..2);
    }
    if words.first().is_some_and(|word| !word.starts_with("--")) {
        let file = words.remove(0);
        let text = fs::read(&file).map_err(|error| format!("{file}: {error}"))?;
        config.read(&text).map_err(|error| format!("{file}: {error}"))?;
    }
    config.read_options(words).map_err(|error| error.to_string())?;
    if let Some(folder) = config.get("dir") {
        let folder = String::from_utf8_lossy(folder).into_owned();
        env::set_current_dir(&folder).map_err(|error| format!("dir {folder}: {error}"))?;
    }
    let store = config.store().map_err(|error| error.to_string())?;
    let file = config.get("dbfilename").unwrap_or(b"dump.rdb");
    let file = String::from_utf8_lossy(file).into_owned();
    if fs::exists(&file).unwrap_or(false) {
        store.load(&file).map_err(|error| format!("{file}: {error}"))?;
    }
    let listen = config.listen().map_err(|error| error.to_string())?;
    let server = Server::start(&store, &listen).map_err(|error| {
        format!("Failed listening on port {}: {error}", listen.port.unwrap_or_default())
    })?;
    // The lines that Redis's test suite waits for.
    println!("tallis-testserver, PID: {}", process::id());
    println!("Server initialized");
    println!("Ready to accept connections");
    server.wait();
    Ok(())
}
