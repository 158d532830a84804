//! `cargo xtask book`: builds the pages of `docs/` as a book, with mdBook, and checks every link in it.
//!
//! On a forge a page can link to any file of the repository. A book has only its own pages, so it is built from a copy
//! in which links that leave `docs/` lead to the repository.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::run::{Outcome, step, succeed};
use crate::tools::Tool;
use crate::tree;

const TOOL: Tool = Tool {
    name: "mdbook",
    version: "0.5.4",
    arguments: &["--no-default-features", "--features", "search"],
};

/// The URL of files that are not pages of the book.
const REPOSITORY: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/");

/// Builds the book and checks its links.
pub(crate) fn run() -> Outcome {
    let target = tree::root().join("target/book");
    let (copy, html) = (target.join("src"), target.join("html"));
    let tool = step("mdBook", || TOOL.program())?;
    step("Build", || {
        for old in [&copy, &html] {
            // It may not exist.
            let _ = fs::remove_dir_all(old);
        }
        copy_pages(&tree::root().join("docs"), &copy)?;
        succeed(Command::new(&tool).arg("build").arg(&copy).arg("--dest-dir").arg(&html))
    })?;
    step("Links", || {
        let wrong = dead_links(&html)?;
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
    })?;
    println!("\n{}", html.join("index.html").display());
    Ok(())
}

/// Copies the pages, the pictures and the settings of the book.
fn copy_pages(docs: &Path, copy: &Path) -> Outcome {
    for extension in ["md", "svg", "toml"] {
        for file in tree::files(docs, extension)? {
            let inside = file.strip_prefix(docs).unwrap_or(&file);
            let text = tree::read(&file)?;
            let is_page = extension == "md" && inside != Path::new("SUMMARY.md");
            let text = if is_page { with_links(&text, inside) } else { text };
            tree::write(&copy.join(inside), &text)?;
        }
    }
    Ok(())
}

/// Returns the text of the page at that path below `docs/`, with links that leave the pages replaced by links to the
/// repository.
fn with_links(text: &str, page: &Path) -> String {
    let mut changed = String::with_capacity(text.len());
    let mut rest = text;
    // The text in the parentheses of `[text](target)`, and after `[name]: `.
    while let Some(at) = ["](", "]: "].iter().filter_map(|opening| rest.find(opening)).min() {
        let (before, behind) = rest.split_at(at + 2);
        changed.push_str(before);
        rest = behind;
        if before.ends_with("](") || is_definition(&changed) {
            let link = behind.trim_start_matches(' ');
            let link = &link[..link.find([')', '\n']).unwrap_or(link.len())];
            changed.push_str(if before.ends_with(':') { " " } else { "" });
            changed.push_str(&target(link, page));
            rest = &behind[behind.len() - behind.trim_start_matches(' ').len() + link.len()..];
        }
    }
    changed + rest
}

/// Returns whether a text that ends with `]:` ends with the beginning of a link definition.
fn is_definition(text: &str) -> bool {
    let line = text.rsplit('\n').next().unwrap_or_default();
    line.starts_with('[') && !line.contains("](")
}

/// Returns the target of a page's link in the book.
fn target(link: &str, page: &Path) -> String {
    if link.contains("://") {
        return link.to_owned();
    }
    match outside(link, page) {
        Some(file) => format!("{REPOSITORY}{file}"),
        // mdBook gives the page of a folder this name.
        None => link.replace("README.md", "index.html"),
    }
}

/// Returns the file of the repository that a link of a page leads to, if it is not below `docs/`.
fn outside(link: &str, page: &Path) -> Option<String> {
    let path = tree::without_parents(&Path::new("docs").join(page.parent()?).join(link));
    (!path.starts_with("docs")).then(|| path.display().to_string())
}

/// Returns the links of the built pages to pages or anchors that do not exist.
fn dead_links(html: &Path) -> Outcome<Vec<String>> {
    let mut pages = BTreeMap::new();
    for file in tree::files(html, "html")? {
        pages.insert(file.clone(), tree::read(&file)?);
    }
    let places: BTreeMap<_, BTreeSet<_>> =
        pages.iter().map(|(file, text)| (file, values(text, "id").collect())).collect();
    let mut wrong = Vec::new();
    for (file, text) in &pages {
        // The error page has links relative to the root of a server, and the page for printing contains all pages.
        if ["404.html", "print.html"].iter().any(|name| file.ends_with(name)) {
            continue;
        }
        for link in values(text, "href").chain(values(text, "src")) {
            if link.contains(':') {
                continue;
            }
            let (path, place) = link.split_once('#').unwrap_or((link, ""));
            let to = if path.is_empty() {
                file.clone()
            } else {
                tree::without_parents(&file.parent().unwrap_or(html).join(path))
            };
            let has_place = || places.get(&to).is_some_and(|places| places.contains(place));
            let is_text = to.extension().is_some_and(|extension| extension == "md");
            let leads = to.is_file() && !is_text && (place.is_empty() || has_place());
            if !leads {
                let page = file.strip_prefix(html).unwrap_or(file).display();
                wrong.push(format!("{page}: broken link: {link}"));
            }
        }
    }
    println!("{} pages", pages.len());
    Ok(wrong)
}

/// Returns the values of an attribute in an HTML text.
fn values<'t>(text: &'t str, attribute: &str) -> impl Iterator<Item = &'t str> {
    let opening = format!(" {attribute}=\"");
    let found: Vec<_> = text.match_indices(&opening).map(|(at, _)| at + opening.len()).collect();
    found.into_iter().filter_map(|at| text.get(at..)?.split('"').next())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{REPOSITORY, dead_links, with_links};
    use crate::tree;

    #[test]
    fn links_that_leave_the_pages_lead_to_the_repository() {
        let page = "[a](../files.md#part) [b](../../README.md), [c](https://x.org/README.md) [d](#here)\n\
                    [e](near.md) [f]: no link [g](../decisions/README.md)\n[h]: ../../crates/hll/src/lib.rs\n";
        let changed = with_links(page, Path::new("guide/page.md"));
        let expected = page
            .replace("../../README.md", &format!("{REPOSITORY}README.md"))
            .replace("../decisions/README.md", "../decisions/index.html")
            .replace("../../crates", &format!("{REPOSITORY}crates"));
        assert_eq!(changed, expected);
        assert_eq!(with_links("no link", Path::new("page.md")), "no link");
    }

    #[test]
    fn a_link_to_a_missing_page_or_anchor_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            tree::write(&folder.path().join(name), text).expect("written");
        };
        write("a/page.html", "<h1 id=\"top\"></h1> <a href=\"../b.html#there\"> <a href=\"#top\">");
        write("b.html", "<p id=\"there\"> <a href=\"https://example.org/none.html\">");
        assert_eq!(dead_links(folder.path()), Ok(Vec::new()));
        write("b.html", "<a href=\"c.html\"> <a href=\"a/page.html#none\"> <img src=\"d.svg\">");
        write("404.html", "<a href=\"c.html\">");
        let wrong = dead_links(folder.path()).expect("pages");
        let links: Vec<_> = wrong.iter().filter_map(|line| line.split(' ').next_back()).collect();
        assert_eq!(links, ["../b.html#there", "c.html", "a/page.html#none", "d.svg"]);
        fs::write(folder.path().join("e.md"), "").expect("written");
        write("b.html", "<p id=\"there\"> <a href=\"e.md\">");
        assert_eq!(dead_links(folder.path()).expect("pages").len(), 1);
    }

    #[test]
    fn the_summary_names_every_page() {
        let docs = tree::root().join("docs");
        let summary = tree::read(&docs.join("SUMMARY.md")).expect("a page");
        for page in tree::files(&docs, "md").expect("pages") {
            let inside = page.strip_prefix(&docs).expect("a page of docs").display().to_string();
            let named = summary.contains(&format!("]({inside})"));
            assert!(named || inside == "SUMMARY.md", "{inside}");
        }
    }
}
