//! Any bytes as a line of `tallis cli`, complete or incomplete.
//!
//! Split words are split in the same way after they are quoted, and ECHO returns them unchanged. The hints and
//! completions of the prompt fit the line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use tallis::Store;
use tallis::resp::{quote_word, split_words};
use tallis_cli::cli::{Style, Typing, answer};

thread_local! {
    static TYPING: Typing = Typing::new(&Store::new());
}

fn quoted(words: &[Vec<u8>]) -> Vec<u8> {
    let mut line = Vec::new();
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            line.push(b' ');
        }
        quote_word(word, &mut line);
    }
    line
}

/// Returns the output of `tallis cli` for a line.
fn shown(style: Style, line: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    answer(&Store::new(), style, line, &mut out).expect("writing to memory does not fail");
    out
}

/// Without quotes, the words are separated by white space.
fn plain(line: &[u8], words: &[Vec<u8>]) {
    let special = |byte: &u8| matches!(byte, b'"' | b'\'' | 0 | 0x0b | 0x0c);
    if !line.iter().any(special) {
        let parts = line.split(u8::is_ascii_whitespace).filter(|part| !part.is_empty());
        assert!(parts.eq(words));
    }
}

fn echo(word: &[u8]) {
    let mut line = b"ECHO ".to_vec();
    quote_word(word, &mut line);
    assert_eq!(shown(Style::Raw, &line), [word, b"\n"].concat());
    let again = shown(Style::Formatted, &line);
    assert_eq!(split_words(&again), Ok(vec![word.to_vec()]));
    if let Ok(text) = str::from_utf8(word) {
        let json: Value = serde_json::from_slice(&shown(Style::Json, &line)).expect("JSON");
        assert_eq!(json, text);
    }
    assert!(shown(Style::QuotedJson, &line).is_ascii());
}

/// Checks the hints and completions of the prompt.
fn typed(line: &str) {
    TYPING.with(|typing| {
        let _ = typing.hint(line);
        let (start, names) = typing.complete(line);
        let begun = line.get(start..).expect("a character boundary");
        for name in names {
            assert!(name.len() >= begun.len());
            assert!(name.as_bytes()[..begun.len()].eq_ignore_ascii_case(begun.as_bytes()));
        }
    });
}

fuzz_target!(|line: &[u8]| {
    if let Ok(text) = str::from_utf8(line) {
        typed(text);
    }
    // The line is an argument of ECHO, so that no slow command is executed.
    let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let echoed = [b"ECHO ", line].concat();
    match split_words(line) {
        Ok(words) => {
            assert_eq!(split_words(&quoted(&words)).as_ref(), Ok(&words));
            plain(line, &words);
            for word in &words {
                echo(word);
            }
            if words.len() != 1 {
                assert!(shown(Style::Raw, &echoed).starts_with(b"ERR wrong number of arguments"));
            }
        }
        Err(_) => {
            assert!(line.iter().any(|byte| matches!(byte, b'"' | b'\'')));
            assert_eq!(shown(Style::Raw, &echoed), b"Invalid argument(s)\n");
        }
    }
});
