//! `tallis completions`, `tallis man` and `--help`.

use std::fs;

use tallis::resp::split_words;

use crate::{Ran, feed, ran, run, tallis};

const COMMANDS: [&str; 13] = [
    "uv",
    "locate",
    "geo",
    "bloom",
    "dedup",
    "encodings",
    "merge",
    "cli",
    "check",
    "inspect",
    "convert",
    "completions",
    "man",
];

fn printed(args: &[&str]) -> String {
    let Ran { status, out, err } = run(args);
    assert_eq!((status, err.as_str()), (0, ""), "{args:?}");
    out
}

#[test]
fn every_shell_has_completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = printed(&["completions", shell]);
        for word in COMMANDS.iter().chain(&["--lenient", "--nearest", "--quiet"]) {
            let word = if shell == "fish" { word.trim_start_matches('-') } else { word };
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

/// Bash completes the words itself.
#[test]
fn completions_of_bash_work() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("tallis.bash");
    fs::write(&script, printed(&["completions", "bash"])).unwrap();
    for (words, at, want) in [
        ("tallis lo", 1, "locate"),
        ("tallis geo --near", 2, "--nearest"),
        ("tallis bloom pl", 2, "plan"),
        ("tallis uv --every ho", 3, "hour"),
    ] {
        let line = format!(
            "source {}; COMP_WORDS=({words}); COMP_CWORD={at}; \
             _tallis tallis ${{COMP_WORDS[{at}]}} ${{COMP_WORDS[{at}-1]}}; echo \"${{COMPREPLY[*]}}\"",
            script.display()
        );
        let mut bash = std::process::Command::new("bash");
        let found = ran(&feed(bash.args(["--norc", "-c", &line]), b""));
        assert_eq!((found.out.trim(), found.err.as_str()), (want, ""), "{words}");
    }
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let page = printed(&["man"]);
    assert!(page.contains(".TH tallis 1") && page.contains("tallis\\-locate(1)"), "{page}");
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("share/man1");
    assert_eq!(printed(&["man", "--dir", pages.to_str().unwrap()]), "");
    let mut names: Vec<_> = fs::read_dir(&pages)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    let mut want: Vec<_> = COMMANDS.iter().map(|name| format!("tallis-{name}.1")).collect();
    want.extend(["tallis.1".to_owned(), "tallis-bloom-plan.1".to_owned()]);
    want.sort_unstable();
    assert_eq!(names, want);
    assert_eq!(fs::read_to_string(pages.join("tallis.1")).unwrap(), page);
    let geo = fs::read_to_string(pages.join("tallis-geo.1")).unwrap();
    // Each example is on its own line, and each paragraph is one line.
    assert!(geo.contains("\n  tallis geo towns.csv \\-\\-radius 15,37,200km\n"), "{geo}");
    assert!(geo.contains("\n.SH EXAMPLES\n.nf\n") && geo.contains("\n.fi\n"), "{geo}");
    assert!(geo.contains("\n.SH \"EXIT STATUS\"\n0 on success, 1 if a file"), "{geo}");
}

#[test]
fn help_fits_the_terminal_and_has_no_colours_in_a_pipe() {
    for command in COMMANDS {
        for force in ["0", "1"] {
            let mut program = tallis();
            program.env("CLICOLOR_FORCE", force).args([command, "--help"]);
            let help = ran(&feed(&mut program, b"")).out;
            assert!(!help.contains('\x1b') && help.contains("Usage: tallis "), "{help}");
            assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
        }
    }
    assert!(printed(&["--version"]).starts_with("tallis "));
}

/// The examples of all commands can be parsed; the tests of each command check their results.
#[test]
fn examples_of_the_help_are_command_lines() {
    let mut seen = 0;
    for command in COMMANDS.iter().chain(&["bloom plan"]) {
        let args: Vec<_> = command.split(' ').chain(["--help"]).collect();
        let help = printed(&args);
        let Some((_, behind)) = help.split_once("Examples:\n") else { continue };
        for line in behind.lines().take_while(|line| line.starts_with("  ")) {
            for part in line.split(['|', '&']).filter(|part| part.trim().starts_with("tallis ")) {
                // Quotes have the same meaning as in a shell.
                let words = split_words(part.split('>').next().unwrap().as_bytes()).unwrap();
                let words = words.into_iter().map(|word| String::from_utf8(word).unwrap());
                let definition = tallis_cli::Args::definition();
                let parsed = definition.try_get_matches_from(words);
                assert!(parsed.is_ok(), "{part}: {}", parsed.unwrap_err());
                seen += 1;
            }
        }
    }
    assert!(seen > 30, "{seen}");
}
