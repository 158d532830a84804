//! `help`, as in `redis-cli`.

use std::fmt::Write;

use super::docs::{Doc, Docs};

/// The words that request help.
pub(super) const TOPICS: [&str; 2] = ["help", "?"];

/// Returns the help of a command, a subcommand or a group, or of help itself. With `color` the syntax is bold.
pub(super) fn help(docs: &Docs, topic: &[Vec<u8>], color: bool) -> String {
    let mut out = String::new();
    let mut show = |name: &str, doc: &Doc| {
        let (bold, plain) = if color { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
        let (syntax, summary, since) = (doc.syntax(), &doc.summary, &doc.since);
        let space = if syntax.is_empty() { "" } else { " " };
        let _ = writeln!(out, "\n  {bold}{name}{plain}{space}{syntax}");
        let _ = writeln!(out, "  summary: {summary}\n  since: {since}\n  group: {}", doc.group);
    };
    let with_subcommands = |doc: &Doc, show: &mut dyn FnMut(&str, &Doc)| {
        show(&doc.name, doc);
        for sub in &doc.subcommands {
            show(&format!("{} {}", doc.name, sub.name), sub);
        }
    };
    match topic {
        [] => return general(docs),
        [name] if name.starts_with(b"@") => {
            let group = docs.groups().into_iter().find(|group| {
                group.as_bytes().eq_ignore_ascii_case(name.get(1..).unwrap_or_default())
            });
            let of_group = docs.commands().iter().filter(|doc| Some(doc.group.as_str()) == group);
            of_group.for_each(|doc| with_subcommands(doc, &mut show));
        }
        [name] => {
            if let Some(doc) = docs.find(name) {
                with_subcommands(doc, &mut show);
            }
        }
        [name, sub] => {
            if let Some((doc, sub)) = docs.find(name).and_then(|doc| Some((doc, doc.find(sub)?))) {
                show(&format!("{} {}", doc.name, sub.name), sub);
            }
        }
        _ => {}
    }
    if out.is_empty() {
        let topic = String::from_utf8_lossy(&topic.join(&b' ')).escape_debug().to_string();
        return format!("No command or group '{topic}'; try \"help\".\n");
    }
    out.push('\n');
    out
}

fn general(docs: &Docs) -> String {
    let groups: Vec<_> = docs.groups().into_iter().map(|group| format!("@{group}")).collect();
    format!(
        "\
tallis {}
To get help on commands type:
      \"help COMMAND\" for help on a command and its subcommands
      \"help COMMAND SUBCOMMAND\" for help on a subcommand
      \"help @GROUP\" for a list of the commands in a group
      \"quit\" to exit
Groups: {}
At the prompt, Tab completes names, and the remaining arguments are shown after a command.
",
        env!("CARGO_PKG_VERSION"),
        groups.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use tallis::Store;

    use super::*;

    fn shown(topic: &str) -> String {
        let topic: Vec<_> = topic.split_whitespace().map(|word| word.as_bytes().to_vec()).collect();
        help(&Docs::of(&Store::new()), &topic, false)
    }

    #[test]
    fn a_command_has_its_syntax_and_facts() {
        let want = "\n  GETDEL key\n  summary: Returns the string at a key and deletes the key.\n  since: 6.2.0\n  group: string\n\n";
        assert_eq!(shown("getdel"), want);
        assert!(shown("CONFIG get").starts_with("\n  CONFIG GET parameter [parameter ...]\n"));
        let config = shown("config");
        assert!(config.starts_with("\n  CONFIG\n"), "{config}");
        assert!(config.contains("\n  CONFIG SET parameter value [parameter value ...]\n"));
    }

    #[test]
    fn a_group_has_all_of_its_commands() {
        let group = shown("@HyperLogLog");
        let names: Vec<_> =
            group.lines().filter_map(|line| line.strip_prefix("  PF")?.split(' ').next()).collect();
        assert_eq!(names, ["ADD", "COUNT", "DEBUG", "MERGE", "SELFTEST"]);
    }

    #[test]
    fn what_there_is_no_help_for_is_said() {
        for topic in ["nosuch", "@nosuch", "get nosuch", "config get x"] {
            let want = format!("No command or group '{topic}'; try \"help\".\n");
            assert_eq!(shown(topic), want);
        }
        let general = shown("");
        assert!(general.contains("@hash @hyperloglog"), "{general}");
        assert!(general.lines().count() < 12, "{general}");
    }
}
