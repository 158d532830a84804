//! `cargo xtask lines`: how much code each crate has, without tests, comments and blank lines.

use std::path::Path;

use crate::run::Outcome;
use crate::tree;

/// Files and lines of a crate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Size {
    files: usize,
    lines: usize,
}

/// Prints the size of each crate.
pub(crate) fn run() -> Outcome {
    println!("{:<16} {:>6} {:>8}", "crate", "files", "lines");
    let mut sum = Size::default();
    for folder in tree::entries(&tree::root().join("crates"))? {
        let size = size_of(&folder.join("src"))?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        println!("{name:<16} {:>6} {:>8}", size.files, size.lines);
        sum.files += size.files;
        sum.lines += size.lines;
    }
    println!("{:<16} {:>6} {:>8}", "all", sum.files, sum.lines);
    Ok(())
}

fn size_of(source: &Path) -> Outcome<Size> {
    let mut size = Size::default();
    for file in tree::files(source, "rs")? {
        let is_test = file.file_name().is_some_and(|name| name == "tests.rs");
        if !is_test {
            size.files += 1;
            size.lines += lines(&tree::read(&file)?);
        }
    }
    Ok(size)
}

/// The lines of code of a file: a module of tests is its end, as everywhere here.
fn lines(text: &str) -> usize {
    let code = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
    let is_code = |line: &&str| !line.is_empty() && !line.starts_with("//");
    code.lines().map(str::trim).filter(is_code).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_counts() {
        let text =
            "//! A page.\n\nuse a;\n\n/// What.\nfn f() {\n    // Why.\n    g(); // here\n}\n\n";
        assert_eq!(lines(text), 4);
        let tested = format!("{text}#[cfg(test)]\nmod tests {{\n    fn t() {{}}\n}}\n");
        assert_eq!(lines(&tested), 4);
        assert_eq!(lines(""), 0);
    }
}
