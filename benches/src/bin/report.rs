//! Measures all sections, or the named ones, and prints the page to standard output.
//!
//! `cargo xtask report` runs this program and writes the page to its file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use clap::builder::PossibleValuesParser;
use tallis_benches::report::{Bench, Effort, Machine, Plot, Run, compare, page, plots};
use tallis_benches::sections;
use testkit::alloc::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting::paused();

/// Measures the sections, and prints the page of results.
#[derive(Debug, Parser)]
struct Arguments {
    /// Measures fewer rounds, on smaller inputs.
    #[arg(long)]
    quick: bool,
    /// Also writes every row to this file, as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Compares with the run that `--json` wrote to this file, and prints the comparison instead of the page.
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Also draws plots into this folder, to which the page then links as `plots`. Other SVG files in the folder are
    /// removed.
    #[arg(long, value_name = "DIR", conflicts_with = "compare")]
    plots: Option<PathBuf>,
    /// Measures nothing: compares the run in this file, or writes its page.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "quick"])]
    with: Option<PathBuf>,
    /// Measures only these sections.
    #[arg(value_name = "SECTION", value_parser = PossibleValuesParser::new(sections::ALL.iter().map(|part| part.name)))]
    sections: Vec<String>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<String, String> {
    // Before the measurement, which may take an hour: a file that cannot be read or written is reported at once.
    let before = arguments.compare.as_deref().map(read).transpose()?;
    let with = arguments.with.as_deref().map(read).transpose()?;
    if let Some(file) = &arguments.json {
        let opened = fs::OpenOptions::new().create(true).append(true).open(file);
        opened.map_err(|error| format!("{}: {error}", file.display()))?;
    }
    let now = with.unwrap_or_else(|| measure(arguments));
    if let Some(file) = &arguments.json {
        fs::write(file, now.to_json()).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    if let Some(before) = before {
        return Ok(compare(&before, &now, &arguments.sections).to_string());
    }
    let drawn = match &arguments.plots {
        Some(folder) => draw(&now, folder)?,
        None => Vec::new(),
    };
    Ok(page(&now, &drawn))
}

/// Draws the plots of a run into a folder.
fn draw(run: &Run, folder: &Path) -> Result<Vec<Plot>, String> {
    let at = |path: &Path| {
        let path = path.display().to_string();
        move |error| format!("{path}: {error}")
    };
    let plots = plots(run)?;
    fs::create_dir_all(folder).map_err(at(folder))?;
    for entry in fs::read_dir(folder).map_err(at(folder))? {
        let file = entry.map_err(at(folder))?.path();
        let is_old = file.extension().is_some_and(|ending| ending == "svg");
        if is_old {
            fs::remove_file(&file).map_err(at(&file))?;
        }
    }
    for plot in &plots {
        let file = folder.join(&plot.file);
        fs::write(&file, &plot.svg).map_err(at(&file))?;
    }
    Ok(plots)
}

fn read(file: &Path) -> Result<Run, String> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string());
    let run = text.and_then(|text| Run::from_json(&text));
    run.map_err(|error| format!("{}: {error}", file.display()))
}

fn measure(arguments: &Arguments) -> Run {
    let effort = if arguments.quick { Effort::Quick } else { Effort::Full };
    let bench = Bench::new(effort, &ALLOCATOR);
    let mut measured = Vec::new();
    for part in sections::ALL {
        if arguments.sections.is_empty() || arguments.sections.iter().any(|name| name == part.name)
        {
            eprintln!("measuring: {}", part.name);
            measured.push(part.run(&bench));
        }
    }
    let command = match effort {
        Effort::Quick => "cargo xtask report --quick",
        Effort::Full => "cargo xtask report",
    };
    let today = jiff::Zoned::now().date().to_string();
    Run::new(Machine::here(), command.to_owned(), today, measured)
}
