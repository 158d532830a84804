//! Runs the command: converts one file to another.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use tallis::file::Meter;
use tallis::rdb::WriteOptions;
use tallis::{Target, replace_file};

use super::commands::Commands;
use super::input::Input;
use super::json::Json;
use super::pass::{Checked, Output, Pass, Stop};
use super::rdb_file::{Lowest, RdbFile, stop};
use crate::args::{ConvertArgs, Form};
use crate::failure::Failure;
use crate::files::{Damage, Filter};
use crate::interrupt;
use crate::target::check_target;

/// The number of bytes per write.
const PIECE: usize = 64 << 10;

/// Runs `tallis convert`.
///
/// # Errors
///
/// A file that is damaged or cannot be read, a value that the target version cannot represent, or an output that cannot
/// be written: then an older file of that name is unchanged. With `--salvage` the records before the damage are written
/// first.
pub fn run(args: &ConvertArgs) -> Result<(), Failure> {
    let to_stdout = args.output.as_os_str() == "-";
    if !to_stdout {
        check_target(&args.output)?;
        interrupt::watch()?;
    }
    let search = args.to == Form::Rdb && args.rdb_version.is_none();
    let input = Input::new(&args.input, args.salvage || search, args.salvage)?;
    let mut plan = Plan { target: args.rdb_version.unwrap_or_default(), most: u64::MAX };
    let mut damage = None;
    if search {
        let mut lowest = Lowest::new();
        survey(&input, args, &mut lowest, &mut plan, &mut damage)?;
        plan.target = lowest.target();
    }
    if args.salvage {
        let mut checked = Checked { meter: Meter::new() };
        survey(&input, args, &mut checked, &mut plan, &mut damage)?;
    }
    if to_stdout {
        let out = BufWriter::with_capacity(PIECE, io::stdout().lock());
        write(&input, args, plan, out, &mut damage)?;
    } else {
        write_file(&input, args, plan, &mut damage)?;
    }
    let damage = damage.map(|damage: Damage| damage.of_file(input.path()));
    damage.or(input.into_damage()).map_or(Ok(()), Err)
}

/// What a first pass over the file determines.
#[derive(Clone, Copy, Debug)]
struct Plan {
    target: Target,
    /// The number of records to read.
    most: u64,
}

/// Writes to a temporary file, which is renamed when it is complete.
fn write_file(
    input: &Input,
    args: &ConvertArgs,
    plan: Plan,
    damage: &mut Option<Damage>,
) -> Result<(), Failure> {
    let mut failure = None;
    let replaced = replace_file(&args.output, |file| {
        let out = BufWriter::with_capacity(PIECE, file);
        write(input, args, plan, out, damage).map_err(|why| {
            failure = Some(why);
            io::Error::other("not written")
        })
    });
    match (failure, replaced) {
        (Some(failure), _) => Err(failure),
        (None, Err(error)) => Err(Failure::at(&args.output, &error)),
        (None, Ok(())) => Ok(()),
    }
}

/// Writes the file to `out`.
fn write<W: Write>(
    input: &Input,
    args: &ConvertArgs,
    plan: Plan,
    mut out: W,
    damage: &mut Option<Damage>,
) -> Result<(), Failure> {
    let filter = Filter::new(&args.filter);
    let failed = |why| failure(why, input.path(), &args.output);
    let mut plan = plan;
    match args.to {
        Form::Rdb => {
            let compression = !args.no_compression;
            let options =
                WriteOptions { target: plan.target, compression, ..WriteOptions::default() };
            let begun = RdbFile::new(out, options, filter);
            let mut file = begun.map_err(|error| failed(stop(error, 0)))?;
            survey(input, args, &mut file, &mut plan, damage)?;
            out = file.finish().map_err(|error| failed(stop(error, 0)))?;
        }
        Form::Json => {
            let mut json = Json { out, filter };
            survey(input, args, &mut json, &mut plan, damage)?;
            out = json.out;
        }
        Form::Commands => {
            let mut commands = Commands::new(out, filter);
            survey(input, args, &mut commands, &mut plan, damage)?;
            out = commands.into_inner();
        }
    }
    out.flush().map_err(|error| failed(Stop::Output(error)))
}

/// Passes the file to `output`. Damage is an error, unless the records before it are to be kept: then the plan is
/// limited to them.
fn survey(
    input: &Input,
    args: &ConvertArgs,
    output: &mut impl Output,
    plan: &mut Plan,
    damage: &mut Option<Damage>,
) -> Result<(), Failure> {
    // There is a bar if the output does not go to the terminal.
    let bar = args.output.as_os_str() != "-" || !io::stdout().is_terminal();
    let failed = |why| failure(why, input.path(), &args.output);
    let mut scan = input.open(bar)?.map_err(|damage| damage.of_file(input.path()))?;
    let pass = Pass { filter: Filter::new(&args.filter), most: plan.most };
    let mut done = 0;
    match pass.run(&mut scan, output, &mut done) {
        Ok(()) => {}
        Err(Stop::Damage(found)) if args.salvage => {
            plan.most = done;
            *damage = Some(found);
        }
        Err(why) => return Err(failed(why)),
    }
    Ok(())
}

fn failure(stop: Stop, input: &Path, output: &Path) -> Failure {
    match stop {
        Stop::Damage(damage) | Stop::NoForm(damage) => damage.of_file(input),
        Stop::Output(error) if output.as_os_str() == "-" => Failure::output(&error),
        Stop::Output(error) => Failure::at(output, &error),
        Stop::Interrupted => {
            Failure::Interrupted(format!("interrupted: {} is unchanged", output.display()))
        }
    }
}
