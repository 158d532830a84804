//! `cargo xtask lines`: the number of lines of code in each crate, without tests, comments and blank lines.

use std::path::Path;

use crate::run::Outcome;
use crate::tree;

/// The numbers of files and lines of a crate.
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

/// Returns the number of lines of code in a file. A module of tests in it always comes last.
fn lines(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let begins_tests =
        |pair: &[&str]| pair[0] == TEST && pair[1].starts_with("mod ") && pair[1].ends_with('{');
    let end = lines.windows(2).position(begins_tests).unwrap_or(lines.len());
    let is_code = |line: &&&str| !line.is_empty() && !line.starts_with("//");
    lines[..end].iter().filter(is_code).count()
}

/// The line before a module of tests.
const TEST: &str = "#[cfg(test)]";

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
        // Tests in a separate file do not end the code of this one.
        assert_eq!(lines(&format!("#[cfg(test)]\nmod tests;\n\n{text}")), 6);
    }
}
