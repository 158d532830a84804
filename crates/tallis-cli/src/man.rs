//! `tallis completions` and `tallis man`: shell completions and manual pages.

use std::fs;
use std::io::{self, Write, stdout};
use std::path::Path;

use clap::Command;
use clap::builder::Resettable;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::args::{Args, CompletionsArgs, ManArgs};
use crate::failure::Failure;

/// The beginning of the last paragraph of a help text.
const EXIT_STATUS: &str = "Exit status: ";

/// Runs `tallis completions`.
///
/// # Errors
///
/// If the output cannot be written.
pub fn complete(args: CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::definition(), "tallis", &mut script);
    print(&script)
}

/// Runs `tallis man`.
///
/// # Errors
///
/// If the output or a file cannot be written.
pub fn run(args: &ManArgs) -> Result<(), Failure> {
    let mut definition = Args::definition().disable_help_subcommand(true);
    definition.build();
    if let Some(folder) = &args.dir {
        fs::create_dir_all(folder).map_err(|error| Failure::at(folder, &error))?;
        return write_pages(&definition, folder);
    }
    let page = page(definition).map_err(|error| Failure::output(&error))?;
    print(&page)
}

/// Writes the page of a command, and those of its subcommands.
fn write_pages(command: &Command, folder: &Path) -> Result<(), Failure> {
    let file = folder.join(Man::new(command.clone()).get_filename());
    let written = page(command.clone()).and_then(|page| fs::write(&file, page));
    written.map_err(|error| Failure::at(&file, &error))?;
    command.get_subcommands().try_for_each(|sub| write_pages(sub, folder))
}

/// Returns a page. The text after the options in the help has sections of its own, with examples line by line.
fn page(command: Command) -> io::Result<Vec<u8>> {
    let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let mut page = Vec::new();
    Man::new(command.after_help(Resettable::Reset)).render(&mut page)?;
    let mut roff = Roff::new();
    let mut has_notes = false;
    for paragraph in text.split("\n\n") {
        if let Some(examples) = paragraph.strip_prefix("Examples:\n") {
            roff.control("SH", ["EXAMPLES"]).control("nf", []);
            roff.text([roman(examples)]).control("fi", []);
        } else if let Some(status) = paragraph.strip_prefix(EXIT_STATUS) {
            roff.control("SH", ["EXIT STATUS"]).text([roman(status)]);
        } else if !paragraph.is_empty() {
            if has_notes {
                roff.control("PP", []);
            } else {
                roff.control("SH", ["NOTES"]);
            }
            has_notes = true;
            roff.text([roman(paragraph)]);
        }
    }
    roff.to_writer(&mut page)?;
    Ok(page)
}

fn print(text: &[u8]) -> Result<(), Failure> {
    let mut out = stdout().lock();
    out.write_all(text).and_then(|()| out.flush()).map_err(|error| Failure::output(&error))
}
