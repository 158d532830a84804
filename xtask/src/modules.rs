//! Checks that every file of integration tests belongs to a program: a file without a `mod` line is never compiled, and
//! cargo does not report it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::tree;

/// Returns the modules that a source declares outside of braces: the name, and the path if it has the attribute.
fn named(source: &str) -> Vec<(&str, Option<&str>)> {
    let (mut found, mut path) = (Vec::new(), None);
    for line in source.lines() {
        let line = line.strip_prefix("pub(crate) ").unwrap_or(line);
        if let Some(rest) = line.strip_prefix("#[path = \"") {
            path = rest.strip_suffix("\"]");
        } else if let Some(name) = line.strip_prefix("mod ").and_then(|it| it.strip_suffix(';')) {
            found.push((name, path.take()));
        }
    }
    found
}

/// Adds a file and all files that its `mod` lines name.
fn reach(file: &Path, is_root: bool, found: &mut BTreeSet<PathBuf>) {
    let source = tree::read(file).expect("a source");
    let folder = file.parent().expect("a folder");
    let is_folders = is_root || file.ends_with("mod.rs");
    let own = if is_folders { folder.to_owned() } else { file.with_extension("") };
    found.insert(file.to_owned());
    for (name, path) in named(&source) {
        let next = match path {
            Some(path) => tree::without_parents(&folder.join(path)),
            None if own.join(name).with_extension("rs").exists() => {
                own.join(name).with_extension("rs")
            }
            None => own.join(name).join("mod.rs"),
        };
        reach(&next, false, found);
    }
}

#[test]
fn modules_are_found_with_their_paths() {
    let source = "//! mod text;\nmod a;\n#[cfg(unix)]\n#[path = \"../b/mod.rs\"]\nmod b;\npub(crate) mod c;\nmod d {\n    mod e;\n}\n";
    assert_eq!(named(source), [("a", None), ("b", Some("../b/mod.rs")), ("c", None)]);
    assert_eq!(tree::without_parents(Path::new("/x/y/../z.rs")), Path::new("/x/z.rs"));
}

#[test]
fn every_file_of_tests_belongs_to_a_program() {
    let mut roots = 0;
    for package in tree::entries(&tree::root().join("crates")).expect("the crates") {
        let tests = package.join("tests");
        if !tests.is_dir() {
            continue;
        }
        let all = tree::files(&tests, "rs").expect("the files");
        let mut found = BTreeSet::new();
        for file in &all {
            let folder = file.parent().expect("a folder");
            if folder == tests || (file.ends_with("main.rs") && folder.parent() == Some(&tests)) {
                roots += 1;
                reach(file, true, &mut found);
            }
        }
        let lost: Vec<_> = all.iter().filter(|file| !found.contains(*file)).collect();
        assert!(lost.is_empty(), "in no program: {lost:?}");
    }
    assert!(roots > 0, "no program of tests was found");
}
