//! The layout of help texts.

use clap::{ColorChoice, Command};

use crate::color::has_color;

/// Joins the lines of the texts after the options, which are wrapped to the width of a source file, so that each
/// paragraph is wrapped once, to the width of the terminal. Sets the colours as in the rest of the program.
pub(super) fn prepare(command: Command) -> Command {
    let color = if has_color() { ColorChoice::Always } else { ColorChoice::Never };
    with_joined_text(command.color(color))
}

fn with_joined_text(mut command: Command) -> Command {
    if let Some(text) = command.get_after_help().map(ToString::to_string) {
        command = command.after_help(joined(&text));
    }
    let names: Vec<_> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, with_joined_text))
}

/// Joins the lines of each paragraph. A line that begins with a space is an example, and is kept as it is, and so is
/// the line before it.
fn joined(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = "";
    for line in text.lines() {
        let is_text = |line: &str| !line.is_empty() && !line.starts_with(' ');
        if !out.is_empty() {
            out.push(if is_text(before) && is_text(line) { ' ' } else { '\n' });
        }
        out.push_str(line);
        before = line;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_become_lines_and_examples_stay() {
        let text = "Examples:\n  tallis a\n  tallis b\n\nOne\ntwo,\nthree.\n\nFour.";
        let want = "Examples:\n  tallis a\n  tallis b\n\nOne two, three.\n\nFour.";
        assert_eq!(joined(text), want);
        assert_eq!(joined(want), want);
    }

    /// In a narrow terminal, each line of a paragraph is filled.
    #[test]
    fn help_is_wrapped_once() {
        const WIDTH: usize = 60;
        let definition = crate::Args::definition();
        for command in definition.get_subcommands() {
            let mut command = command.clone().term_width(WIDTH).color(ColorChoice::Never);
            let help = command.render_help().to_string();
            let Some((_, behind)) = help.split_once("Examples:\n") else { continue };
            let lines: Vec<_> = behind.lines().collect();
            for pair in lines.windows(2) {
                let [one, next] = pair else { continue };
                if one.is_empty() || next.is_empty() || one.starts_with(' ') {
                    continue;
                }
                let word = next.split(' ').next().unwrap_or_default();
                assert!(one.len() + 1 + word.len() > WIDTH, "{}: {one}", command.get_name());
                assert!(one.len() <= WIDTH, "{}: {one}", command.get_name());
            }
        }
    }
}
