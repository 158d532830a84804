//! The rules of the project that no linter checks: ASCII sources, short files, links that lead somewhere, plain words.

use std::path::Path;

use crate::run::Outcome;
use crate::tree;

/// The maximum number of lines of a source file. Generated tables (`*.gen.rs`) may have more.
const LINES: usize = 800;

/// A check of one file, which returns the problems, each with its line.
type Rule = fn(&Path, &str) -> Vec<String>;

const FOR_SOURCES: &[Rule] = &[ascii, short];
const FOR_PAGES: &[Rule] = &[links];

/// The page with the refused words.
const STYLE: &str = "docs/style.md";

/// Checks every Rust and Markdown file of the workspace.
pub(crate) fn run() -> Outcome {
    let root = tree::root();
    let refused = refused_words(&tree::read(&root.join(STYLE))?);
    let sources = tree::files(root, "rs")?;
    let pages = tree::files(root, "md")?;
    let mut wrong = Vec::new();
    for (files, rules) in [(&sources, FOR_SOURCES), (&pages, FOR_PAGES)] {
        for file in files {
            let text = tree::read(file)?;
            let shown = file.strip_prefix(root).unwrap_or(file).display().to_string();
            let broken = rules.iter().flat_map(|rule| rule(file, &text));
            let used =
                if shown == STYLE { Vec::new() } else { words(&prose(file, &text), &refused) };
            wrong.extend(broken.chain(used).map(|what| format!("{shown}:{what}")));
        }
    }
    println!("{} sources, {} pages", sources.len(), pages.len());
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// Sources are ASCII, so that no character can look like another one.
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

/// Links to files of the workspace must lead to an existing file. Links elsewhere are not followed, so no check needs
/// the network.
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
                wrong.push(format!("{}: broken link: {link}", at + 1));
            }
        }
    }
    wrong
}

/// Returns the words on the left of the table of `docs/style.md`.
fn refused_words(page: &str) -> Vec<String> {
    let table = page.lines().skip_while(|line| !line.starts_with("| not |")).skip(2);
    let rows = table.filter_map(|row| row.strip_prefix("| ")?.split(" |").next());
    rows.flat_map(|words| words.split(", ")).map(str::to_owned).collect()
}

/// Returns the lines of a file reduced to their prose: the comments of a source, a page without its code.
fn prose(file: &Path, text: &str) -> Vec<String> {
    let is_page = file.extension().is_some_and(|extension| extension == "md");
    let mut code = false;
    let line = |line: &str| {
        let sentence =
            if is_page { line } else { line.trim_start().strip_prefix("//").unwrap_or("") };
        let fence = sentence.trim_start_matches(['/', '!', ' ']).starts_with("```");
        code ^= fence;
        let shown = if fence || code { "" } else { sentence };
        // Every second piece between backticks is code.
        shown.split('`').step_by(2).collect::<Vec<_>>().join(" ")
    };
    text.lines().map(line).collect()
}

/// Returns the occurrences of refused words in these lines.
fn words(lines: &[String], refused: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let plain = |letter: char| {
            if letter.is_ascii_alphabetic() { letter.to_ascii_lowercase() } else { ' ' }
        };
        let line = format!(" {} ", line.chars().map(plain).collect::<String>());
        let used = refused.iter().filter(|word| line.contains(&format!(" {word} ")));
        found.extend(
            used.map(|word| format!("{}: \"{word}\": {STYLE} has another word for it", at + 1)),
        );
    }
    found
}

/// Returns the text in the parentheses of `[text](target)`, and after `[name]: `.
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

    use super::{LINES, STYLE, ascii, links, prose, refused_words, short, words};
    use crate::tree;

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

    #[test]
    fn refused_words_are_found_only_in_prose() {
        let page = tree::read(&tree::root().join(STYLE)).expect("the page");
        let refused = refused_words(&page);
        assert!(
            refused.contains(&"strangers".to_owned()) && refused.contains(&"by heart".to_owned())
        );
        assert!(!refused.iter().any(|word| word.contains('|') || word.is_empty()));
        let found = |name: &str, text: &str| words(&prose(Path::new(name), text), &refused);
        let lines = [
            "//! Nobody waits.",
            "let nobody = 1; // nobody",
            "/// The `nobody` of a name.",
            "/// ```",
            "/// nobody",
            "/// ```",
            "// Learned by heart.",
        ];
        let source = lines.join("\n");
        let at = |found: Vec<String>| -> Vec<String> {
            found.iter().filter_map(|what| what.split(':').next()).map(str::to_owned).collect()
        };
        assert_eq!(at(found("a.rs", &source)), ["1", "7"]);
        assert_eq!(
            at(found("a.md", "a\nto whoever, `whoever`\n```\nwhoever\n```\nwhoeverelse\n")),
            ["2"]
        );
    }
}
