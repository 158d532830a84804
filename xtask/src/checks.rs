//! The rules of the house that no linter knows: ASCII sources, short files, links that lead somewhere.

use std::path::Path;

use crate::run::Outcome;
use crate::tree;

/// Lines that a source file may have. Generated tables (`*.gen.rs`) may have more.
const LINES: usize = 800;

/// Checks one file and returns what is wrong, each with its line.
type Rule = fn(&Path, &str) -> Vec<String>;

const FOR_SOURCES: &[Rule] = &[ascii, short];
const FOR_PAGES: &[Rule] = &[links];

/// Checks every Rust and Markdown file of the workspace.
pub(crate) fn run() -> Outcome {
    let root = tree::root();
    let sources = tree::files(root, "rs")?;
    let pages = tree::files(root, "md")?;
    let mut wrong = Vec::new();
    for (files, rules) in [(&sources, FOR_SOURCES), (&pages, FOR_PAGES)] {
        for file in files {
            let text = tree::read(file)?;
            let shown = file.strip_prefix(root).unwrap_or(file).display().to_string();
            for rule in rules {
                wrong.extend(rule(file, &text).into_iter().map(|what| format!("{shown}:{what}")));
            }
        }
    }
    println!("{} sources, {} pages", sources.len(), pages.len());
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// Sources are ASCII: what looks like another character must not be one.
fn ascii(_: &Path, text: &str) -> Vec<String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.is_ascii());
    lines.map(|(at, _)| format!("{}: not ASCII", at + 1)).collect()
}

fn short(file: &Path, text: &str) -> Vec<String> {
    let (lines, generated) = (text.lines().count(), file.to_string_lossy().ends_with(".gen.rs"));
    if lines <= LINES || generated {
        return Vec::new();
    }
    vec![format!("{lines}: more than {LINES} lines; split the file")]
}

/// Links to files of the workspace lead to one. Links elsewhere are not followed: no check needs the network.
fn links(file: &Path, text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut code = false;
    for (at, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            code = !code;
        }
        if code {
            continue;
        }
        for link in targets_of(line) {
            let path = link.split('#').next().unwrap_or_default();
            let elsewhere = path.contains("://") || path.starts_with("mailto:");
            let folder = file.parent().unwrap_or(file);
            if !path.is_empty() && !elsewhere && !folder.join(path).exists() {
                wrong.push(format!("{}: the link leads nowhere: {link}", at + 1));
            }
        }
    }
    wrong
}

/// What stands in the parentheses of `[text](target)`, and after `[name]: `.
fn targets_of(line: &str) -> Vec<&str> {
    let inline = line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(to, _)| to);
    let definition =
        line.strip_prefix('[').and_then(|rest| rest.split_once("]: ")).map(|(_, to)| to);
    inline.chain(definition).filter_map(|to| to.split_whitespace().next()).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{LINES, ascii, links, short};

    #[test]
    fn another_alphabet_is_found() {
        assert_eq!(ascii(Path::new("a.rs"), "a\nb\u{2014}c\n"), ["2: not ASCII"]);
        assert!(ascii(Path::new("a.rs"), "a\nb - c\n").is_empty());
    }

    #[test]
    fn a_long_file_is_found() {
        let text = "//\n".repeat(LINES);
        assert!(short(Path::new("a.rs"), &text).is_empty());
        let text = text + "//\n";
        assert_eq!(short(Path::new("a.rs"), &text).len(), 1);
        assert!(short(Path::new("a.gen.rs"), &text).is_empty());
    }

    #[test]
    fn a_link_that_leads_nowhere_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let page = folder.path().join("page.md");
        fs::write(folder.path().join("there.md"), "").expect("written");
        let sound = "[a](there.md) [b](there.md#part \"title\") [c](#part) [d](https://example.org/x)\n\
                     [e]: there.md\n```\n[f](nowhere.md)\n```\n";
        assert!(links(&page, sound).is_empty());
        let broken = "text\n[a](there.md), [b](nowhere.md)\n[c]: nowhere/else.md\n";
        let wrong = links(&page, broken);
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        assert!(wrong[0].starts_with("2: ") && wrong[0].ends_with("nowhere.md"), "{wrong:?}");
        assert!(wrong[1].starts_with("3: "), "{wrong:?}");
    }
}
