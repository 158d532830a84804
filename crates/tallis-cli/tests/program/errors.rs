//! The text on standard error, in one style for all commands.

use std::fs;

use crate::locate::example_users;
use crate::{Ran, feed, ran, run, run_with, tallis};

/// Every command, with an impossible request.
#[test]
fn errors_begin_with_the_name_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [bad, none] = [file("bad"), file("none")];
    fs::write(&bad, "x\n").unwrap();
    let long = file("long");
    fs::write(&long, vec![b'x'; (1 << 20) + 1]).unwrap();
    for (args, status, says) in [
        (vec!["uv", &bad], 2, format!("{bad}:1: ")),
        (vec!["uv", &none], 1, format!("{none}: No such file or directory\n")),
        (vec!["locate", &bad], 2, format!("{bad}:1: ")),
        (vec!["locate", "--load", &none], 1, format!("{none}: No such file or directory\n")),
        (vec!["geo", "--nearest", "0,0,1", &bad], 2, format!("{bad}:1: ")),
        (vec!["geo", "--load", &none, "--nearest", "0,0,1"], 1, format!("{none}: No such file")),
        (vec!["dedup", &long], 2, format!("{long}:1: ")),
        (vec!["dedup", "--load", &bad], 1, format!("{bad}: ")),
        (vec!["cli", "--load", &bad, "PING"], 1, format!("{bad}: ")),
        (vec!["bloom", "plan"], 2, "two of -n, -p and -m".to_owned()),
        (vec!["bloom", "plan", "-n", "x"], 2, "invalid value 'x' for '--items <N>': ".to_owned()),
        (vec!["bloom"], 2, "a command is missing\n\nPlan Bloom filters\n\nUsage: ".to_owned()),
        (vec![], 2, "a command is missing\n\n".to_owned()),
        (vec!["nosuch"], 2, "unrecognized subcommand 'nosuch'\n\n".to_owned()),
        (vec!["geo"], 2, "the following required arguments were not provided:\n".to_owned()),
        (vec!["completions", "sh"], 2, "invalid value 'sh' for '<SHELL>'\n".to_owned()),
        (vec!["man", "--dir", &bad], 1, format!("{bad}: File exists\n")),
    ] {
        let Ran { status: got, out, err } = run(&args);
        assert_eq!((got, out.as_str()), (status, ""), "{args:?}: {err}");
        assert!(err.starts_with(&format!("tallis: {says}")), "{args:?}: {err}");
        assert!(!err.contains("os error") && !err.contains('\x1b'), "{args:?}: {err}");
    }
    let usage = run(&["geo", "--nosuch"]).err;
    assert!(usage.contains("\n\nUsage: tallis geo ") && usage.contains("'--help'"), "{usage}");
}

/// Root may write everywhere, so as root the program runs as another user.
#[cfg(unix)]
#[test]
fn an_error_on_saving_has_the_given_name() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("inside");
    fs::create_dir(&inside).unwrap();
    fs::set_permissions(&inside, fs::Permissions::from_mode(0o555)).unwrap();
    let is_root = fs::write(inside.join("probe"), "").is_ok();
    let name = inside.join("out.rdb");
    let name = name.to_str().unwrap();
    for args in [
        vec!["cli", "--save", name, "SET", "k", "v"],
        vec!["bloom", "plan", "-n", "1", "-p", "0.5", "--plot", name],
    ] {
        let mut command = tallis();
        if is_root {
            // A user that owns nothing.
            std::os::unix::process::CommandExt::uid(&mut command, 65534);
            let open = fs::Permissions::from_mode(0o755);
            fs::set_permissions(folder.path(), open).unwrap();
        }
        let ran = ran(&feed(command.args(&args), b""));
        assert_eq!((ran.status, ran.err), (1, format!("tallis: {name}: Permission denied\n")));
    }
}

#[test]
fn quiet_keeps_the_errors() {
    let rows = b"1,USA,CA\nx\n2,ZZZ,\n";
    let loud = run_with(&["locate", "--lenient"], rows);
    assert_eq!(loud.err.lines().count(), 4, "{}", loud.err);
    for args in [["-q", "locate", "--lenient"], ["locate", "--lenient", "--quiet"]] {
        let Ran { status, out, err } = run_with(&args, rows);
        assert_eq!((status, out.as_str(), err.as_str()), (0, loud.out.as_str(), ""));
    }
    let refused = run_with(&["-q", "locate"], rows);
    assert_eq!((refused.status, refused.err.lines().count()), (2, 1));
    let skipped = run_with(&["uv", "-q", "--lenient", "-"], b"bad\n");
    assert_eq!((skipped.status, skipped.err.as_str()), (0, ""));
}

/// The saved file would replace the printed text.
#[cfg(unix)]
#[test]
fn no_two_outputs_go_to_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("out");
    let name = file.to_str().unwrap();
    let program = tallis().get_program().to_str().unwrap().to_owned();
    for args in [
        "bloom plan -n 5 -p 0.1 --json --plot /dev/stdout",
        "bloom plan -n 5 -p 0.1 --plot FILE",
        "locate --save FILE",
        "dedup --save /dev/stdout",
        "cli --save FILE PING",
    ] {
        let line = format!("{program} {} > {name}", args.replace("FILE", name));
        let ran = ran(&feed(std::process::Command::new("sh").args(["-c", &line]), b""));
        assert_eq!(ran.status, 2, "{args}");
        let target = if args.contains("FILE") { name } else { "/dev/stdout" };
        let want = "standard output is written to this file, and would be overwritten";
        assert_eq!(ran.err, format!("tallis: {target}: {want}\n"));
        assert_eq!(fs::read(&file).unwrap(), b"", "{args}");
    }
}

#[test]
fn without_a_file_standard_input_is_read() {
    let users = fs::read(example_users()).unwrap();
    assert_eq!(run_with(&["locate"], &users).out, run_with(&["locate", "-"], &users).out);
    let geo =
        |args: &[&str]| run_with(&[&["geo", "--nearest", "0,0,1"], args].concat(), b"a,1,1\n").out;
    assert_eq!(geo(&[]), geo(&["-"]));
    for command in [&["locate"][..], &["geo", "--nearest", "0,0,1"], &["dedup"], &["uv"]] {
        let twice = run(&[command, &["-", "-"]].concat());
        assert_eq!(twice.status, 1);
        assert_eq!(twice.err, "tallis: standard input can be read only once\n");
    }
}
