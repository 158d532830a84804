//! `tallis cli` on a terminal, key by key.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::{run, tallis};

/// The program on its own pseudoterminal.
struct Terminal {
    child: Child,
    keys: File,
    screen: Receiver<Vec<u8>>,
    /// Output that was not checked yet.
    shown: String,
}

impl Terminal {
    /// Starts the program. `history` is the path of its history file.
    fn start(args: &[&str], history: &Path, env: &[(&str, &str)]) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let size = Winsize { ws_row: 30, ws_col: 200, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let side = || Stdio::from(OpenOptions::new().read(true).write(true).open(&name).unwrap());
        let mut command = tallis();
        command.args(args).stdin(side()).stdout(side()).stderr(side());
        command.env("TERM", "xterm").env("TALLIS_HISTFILE", history).env_remove("NO_COLOR");
        let child = command.envs(env.iter().copied()).spawn().unwrap();
        let keys = File::from(master);
        let mut output = keys.try_clone().unwrap();
        let (sender, screen) = channel();
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            // The end of a terminal is reported as an error.
            while let Ok(read @ 1..) = output.read(&mut piece) {
                if sender.send(piece[..read].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { child, keys, screen, shown: String::new() }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until this text is shown, and returns the output up to it.
    fn expect(&mut self, text: &str) -> String {
        loop {
            if let Some(at) = self.shown.find(text) {
                let rest = self.shown.split_off(at + text.len());
                return std::mem::replace(&mut self.shown, rest);
            }
            match self.screen.recv_timeout(Duration::from_secs(20)) {
                Ok(piece) => self.shown.push_str(&String::from_utf8_lossy(&piece)),
                Err(why) => panic!("no {text:?} in {:?}: {why}", self.shown),
            }
        }
    }

    /// Returns the exit status.
    fn status(mut self) -> i32 {
        for _ in 0..2000 {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code().unwrap();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("it does not end: {:?}", self.shown);
    }
}

impl Drop for Terminal {
    /// A test that fails leaves no process behind.
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn the_prompt_supports_editing() {
    let folder = tempfile::tempdir().unwrap();
    let history = folder.path().join("history");
    let mut terminal = Terminal::start(&["cli"], &history, &[]);
    terminal.expect("tallis> ");
    // Tab completes a name, and its remaining arguments are shown after it in grey.
    terminal.press("getd\t");
    terminal.expect("getdel ");
    terminal.expect("\x1b[90mkey\x1b[0m");
    terminal.press("k\r");
    terminal.expect("(nil)");
    terminal.expect("tallis> ");
    terminal.press("config res\t\r");
    terminal.expect("config resetstat");
    terminal.expect("OK");
    terminal.expect("tallis> ");
    // The state between MULTI and EXEC is shown.
    terminal.press("multi\r");
    terminal.expect("tallis(TX)> ");
    terminal.press("select 2\r");
    terminal.expect("QUEUED");
    terminal.press("exec\r");
    terminal.expect("tallis[2]> ");
    terminal.press("help @hyper\t\r");
    terminal.expect("help @hyperloglog");
    terminal.expect("\x1b[1mPFADD\x1b[0m key ");
    terminal.expect("tallis[2]> ");
    // An interrupt discards only the typed text.
    terminal.press("set k nothing\x03");
    terminal.expect("tallis[2]> ");
    terminal.press("exists k\r");
    terminal.expect("(integer) 0");
    terminal.expect("tallis[2]> ");
    terminal.press("quit\r");
    assert_eq!(terminal.status(), 0);
    let lines = fs::read_to_string(&history).unwrap();
    let lines: Vec<_> = lines.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.first(), Some(&"getdel k"));
    assert!(lines.contains(&"multi") && !lines.contains(&"set k nothing"), "{lines:?}");

    // The next prompt has the lines of this one in its history.
    let mut terminal = Terminal::start(&["cli"], &history, &[]);
    terminal.expect("tallis> ");
    terminal.press("\x1b[A\x1b[A\r");
    terminal.expect("exists k");
    terminal.expect("(integer) 0");
    // Between two prompts, the terminal itself would handle the key.
    terminal.expect("tallis> ");
    terminal.press("\x04");
    assert_eq!(terminal.status(), 0);
}

#[test]
fn replies_are_json_on_a_terminal_too() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::start(&["cli", "--json"], &folder.path().join("history"), &[]);
    terminal.expect("tallis> ");
    terminal.press("hset h f 1\r");
    terminal.expect("tallis> ");
    terminal.press("hgetall h\r");
    terminal.expect("{\"f\":\"1\"}\r\n");
    terminal.expect("tallis> ");
    terminal.press("quit\r");
    assert_eq!(terminal.status(), 0);
}

#[test]
fn colours_and_history_can_be_disabled() {
    let none = [("NO_COLOR", "1"), ("HOME", "/nonesuch")];
    let mut terminal = Terminal::start(&["cli"], Path::new("/dev/null"), &none);
    terminal.expect("tallis> ");
    terminal.press("get ");
    let mut shown = terminal.expect("key");
    terminal.press("k\r");
    shown += &terminal.expect("(nil)");
    shown += &terminal.expect("tallis> ");
    terminal.press("help get\r");
    shown += &terminal.expect("group: string");
    shown += &terminal.expect("tallis> ");
    for colour in ["\x1b[90m", "\x1b[1m", "\x1b[0m"] {
        assert!(!shown.contains(colour), "{shown:?}");
    }
    terminal.press("\x04");
    assert_eq!(terminal.status(), 0);
    let mut help = Terminal::start(&["geo", "--help"], Path::new(""), &none);
    assert!(!help.expect("Usage:").contains('\x1b'));
    let mut help = Terminal::start(&["geo", "--help"], Path::new(""), &[]);
    assert!(help.expect("Usage:").contains("\x1b["));
}

/// The data is saved, and the terminal is restored.
#[test]
fn a_prompt_saves_at_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dump.rdb");
    let name = file.to_str().unwrap();
    let mut terminal = Terminal::start(&["cli", "--save", name], Path::new("/dev/null"), &[]);
    terminal.expect("tallis> ");
    terminal.press("set k v\r");
    terminal.expect("OK");
    terminal.expect("tallis> ");
    terminal.press("set k w");
    let before = rustix::termios::tcgetattr(&terminal.keys).unwrap();
    assert!(!before.local_modes.contains(rustix::termios::LocalModes::ICANON));
    let pid = terminal.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    terminal.expect(&format!("tallis: interrupted; saved to {name}"));
    let keys = terminal.keys.try_clone().unwrap();
    assert_eq!(terminal.status(), 130);
    let after = rustix::termios::tcgetattr(&keys).unwrap();
    assert!(after.local_modes.contains(rustix::termios::LocalModes::ICANON));
    assert_eq!(run(&["cli", "--load", name, "GET", "k"]).out, "v\n");
}

/// The data is in the directory, however the prompt ends.
#[test]
fn a_prompt_keeps_its_directory() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("d");
    let name = dir.to_str().unwrap();
    for (value, keys) in [("left", "quit\r"), ("ended", "\x04"), ("killed", "")] {
        let mut terminal = Terminal::start(&["cli", "--dir", name], Path::new("/dev/null"), &[]);
        terminal.expect("tallis> ");
        terminal.press(&format!("rpush l {value}\r"));
        terminal.expect("(integer)");
        terminal.expect("tallis> ");
        let status = if value == "killed" {
            let pid = terminal.child.id().to_string();
            assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
            terminal.expect(&format!("tallis: interrupted; saved to {name}"));
            130
        } else {
            terminal.press(keys);
            0
        };
        assert_eq!(terminal.status(), status, "{value}");
    }
    assert_eq!(run(&["cli", "--dir", name, "LRANGE", "l", "0", "-1"]).out, "left\nended\nkilled\n");
}

#[test]
fn waiting_for_terminal_input_is_announced() {
    for (args, quiet) in [
        (&["dedup"][..], false),
        (&["locate", "-"], false),
        (&["geo", "--nearest", "0,0,1"], false),
        (&["uv", "-"], false),
        (&["-q", "dedup"], true),
    ] {
        let mut terminal = Terminal::start(args, Path::new(""), &[]);
        if quiet {
            terminal.press("line\r");
            let shown = terminal.expect("line\r\nline\r\n");
            assert_eq!(shown, "line\r\nline\r\n");
        } else {
            let shown = terminal.expect("\r\n");
            assert_eq!(shown, "tallis: reading standard input; end with Ctrl-D\r\n");
        }
        terminal.press("\x04");
        assert_eq!(terminal.status(), 0, "{args:?}");
    }
}
