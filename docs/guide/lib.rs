//! The guide and the README, whose snippets are compiled and run as documentation tests.
//!
//! A page that is not named here is not tested, so a test compares the list with the folder.

/// Makes a documentation test of each page.
macro_rules! pages {
    ($($name:ident: $file:literal)*) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!($file)]
            struct $name;
        )*

        /// The pages, by their files.
        #[cfg(test)]
        const PAGES: &[&str] = &[$($file),*];
    };
}

pages! {
    Readme: "../../README.md"
    OnAServer: "../on-a-server.md"
    RedisCrate: "../redis-crate.md"
    Program: "../program.md"
    Testing: "../testing.md"
    ComingFrom: "coming-from.md"
    CountingVisitors: "counting-visitors.md"
    Durability: "durability.md"
    Encodings: "encodings.md"
    Expiry: "expiry.md"
    FilesAndServers: "files-and-servers.md"
    Fuzzing: "fuzzing.md"
    GettingStarted: "getting-started.md"
    Inside: "inside.md"
    Leaderboards: "leaderboards.md"
    Limits: "limits.md"
    Locations: "locations.md"
    Near: "near.md"
    SeenBefore: "seen-before.md"
    Sharded: "sharded.md"
    TestingYourCode: "testing.md"
    Threads: "threads.md"
    Tour: "tour.md"
    WhenNot: "when-not.md"
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::PAGES;

    fn folder() -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR"))
    }

    /// The Markdown files of a folder.
    fn files(folder: &Path) -> BTreeSet<PathBuf> {
        let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file"));
        let is_page = |path: &PathBuf| path.extension().is_some_and(|end| end == "md");
        entries.map(|entry| entry.path()).filter(is_page).collect()
    }

    #[test]
    fn every_page_with_a_snippet_is_tested() {
        let tested: BTreeSet<_> =
            PAGES.iter().map(|page| folder().join(page).canonicalize().expect("a page")).collect();
        for page in [folder(), folder().join("..")].iter().flat_map(|folder| files(folder)) {
            let text = fs::read_to_string(&page).expect("a text");
            let page = page.canonicalize().expect("a page");
            assert!(tested.contains(&page) || !text.contains("```rust"), "{}", page.display());
        }
    }

    /// Why a snippet is compiled and not run.
    const NOT_RUN: [(&str, &str); 2] = [
        ("on-a-server.md", "connects to servers at addresses of the reader's"),
        ("on-a-server.md", "connects to a server, and is a part of an asynchronous program"),
    ];

    #[test]
    fn every_snippet_is_compiled_and_those_that_are_not_run_are_listed() {
        let mut not_run = Vec::new();
        for page in PAGES {
            let text = fs::read_to_string(folder().join(page)).expect("a text");
            assert!(!text.contains("```rust,ignore"), "{page}");
            let name = Path::new(page).file_name().and_then(|name| name.to_str()).expect("a name");
            not_run.extend(text.lines().filter(|line| *line == "```rust,no_run").map(|_| name));
        }
        assert_eq!(not_run, NOT_RUN.map(|(page, _)| page));
    }

    #[test]
    fn every_page_of_the_guide_says_first_what_the_reader_can_do_after_it() {
        for page in files(&folder()) {
            let text = fs::read_to_string(&page).expect("a text");
            let mut lines = text.lines().filter(|line| !line.is_empty());
            assert!(lines.next().is_some_and(|line| line.starts_with("# ")), "{}", page.display());
            let first = lines.next().unwrap_or_default();
            assert!(first.starts_with("After this page "), "{}: {first}", page.display());
        }
    }
}
