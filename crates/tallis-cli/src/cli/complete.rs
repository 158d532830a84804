//! Completions of commands at the prompt.

use super::docs::{Doc, Docs};
use super::help::TOPICS;

/// Commands of the prompt itself.
const OWN: [&str; 3] = ["CLEAR", "EXIT", "HELP"];

/// Returns where the word before the cursor begins, and its completions: names of commands or subcommands, or topics of
/// help. They are in lower case if the word has lower-case letters, or if it is empty and the line has some.
pub(super) fn complete(docs: &Docs, before: &str) -> (usize, Vec<String>) {
    let start = before.rfind([' ', '\t']).map_or(0, |space| space + 1);
    let (words, word) = before.split_at(start);
    let words: Vec<&str> = words.split_ascii_whitespace().collect();
    let all: Vec<String> = match &*words {
        [] => names(docs.commands()).chain(OWN.map(str::to_owned)).collect(),
        [help] if TOPICS.iter().any(|name| help.eq_ignore_ascii_case(name)) => {
            let groups = docs.groups().into_iter().map(|group| format!("@{group}"));
            names(docs.commands()).chain(groups).collect()
        }
        [help, command] if TOPICS.iter().any(|name| help.eq_ignore_ascii_case(name)) => {
            subcommands(docs, command)
        }
        [command] => subcommands(docs, command),
        _ => Vec::new(),
    };
    let is_small = |text: &str| text.contains(|letter: char| letter.is_ascii_lowercase());
    let small = is_small(word) || word.is_empty() && is_small(before);
    let mut found: Vec<String> = all
        .into_iter()
        .filter(|name| name.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word)))
        .map(|name| if small { name.to_ascii_lowercase() } else { name })
        .collect();
    found.sort_unstable();
    (start, found)
}

fn names(docs: &[Doc]) -> impl Iterator<Item = String> {
    docs.iter().map(|doc| doc.name.clone())
}

fn subcommands(docs: &Docs, command: &str) -> Vec<String> {
    docs.find(command.as_bytes()).map_or_else(Vec::new, |doc| names(&doc.subcommands).collect())
}

#[cfg(test)]
mod tests {
    use tallis::Store;

    use super::*;

    #[test]
    fn names_are_completed_where_they_stand() {
        let docs = Docs::of(&Store::new());
        for (before, start, want) in [
            ("getb", 0, &["getbit"][..]),
            ("GETD", 0, &["GETDEL"]),
            ("Qui", 0, &["quit"]),
            ("pfc", 0, &["pfcount"]),
            ("config re", 7, &["resetstat"]),
            ("CONFIG RE", 7, &["RESETSTAT"]),
            ("object ENC", 7, &["ENCODING"]),
            ("help pfm", 5, &["pfmerge"]),
            ("help @has", 5, &["@hash"]),
            ("? config he", 9, &["help"]),
            ("get ke", 4, &[]),
            ("config get maxm", 11, &[]),
            ("nosuch x", 7, &[]),
            ("h\u{e9}", 0, &[]),
        ] {
            assert_eq!(
                complete(&docs, before),
                (start, want.iter().map(|&w| w.to_owned()).collect())
            );
        }
        let (_, all) = complete(&docs, "");
        assert_eq!(all.len(), docs.commands().len() + OWN.len());
        assert!(all.contains(&"SINTERCARD".to_owned()));
        assert!(complete(&docs, "config ").1.contains(&"get".to_owned()));
    }
}
