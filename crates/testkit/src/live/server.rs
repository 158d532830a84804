//! A server process.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use tempfile::TempDir;

use super::{Identity, Options, Product, Protocol, Reply, Version, Wire};

/// Runs the server (`$@`) until it ends or standard input does; then kills it. The exit status is the server's.
///
/// Descriptor 3 is the pipe: a shell gives a program in the background no standard input.
const SUPERVISOR: &str = r#"exec 3<&0 </dev/null
"$@" 3<&- &
server=$!
{ read -r _ <&3; kill -9 $server; } 2>/dev/null &
watch=$!
exec 3<&-
wait $server
status=$?
kill -9 $watch 2>/dev/null
exit $status"#;

/// The interval between two checks of a server that is starting.
const PAUSE: Duration = Duration::from_millis(5);

/// The number of checks: a minute in total, because a busy machine may be slow, and the end of a server that fails is
/// detected.
const LOOKS: usize = 12_000;

/// A running `redis-server`. Dropping it ends the process and removes its directory.
#[derive(Debug)]
pub struct Server {
    program: PathBuf,
    supervisor: Child,
    identity: Identity,
    folder: TempDir,
}

impl Server {
    /// Starts `program` and waits until it replies.
    ///
    /// # Errors
    ///
    /// If the program cannot be started, exits (the error has its log), or does not reply within a minute.
    pub fn start(program: &Path, options: &Options) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("tallis-redis-").tempdir()?;
        if let Some(rdb) = &options.rdb {
            fs::copy(rdb, folder.path().join(RDB))?;
        }
        let supervisor = spawn(program, folder.path(), options)?;
        let identity = Identity::default();
        let mut server = Self { program: program.to_owned(), supervisor, identity, folder };
        server.identity = server.wait_until_it_answers()?;
        Ok(server)
    }

    /// Kills the process immediately (SIGKILL), and keeps its directory.
    pub(super) fn kill(&mut self) {
        drop(self.supervisor.stdin.take());
        // The supervisor ends with the server; only then may its directory be removed.
        let _ = self.supervisor.wait();
    }

    /// Ends the process, starts it again on its directory, and waits until it replies.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    #[cfg(feature = "live")]
    pub(super) fn restart(&mut self, options: &Options) -> io::Result<()> {
        self.kill();
        self.supervisor = spawn(&self.program, self.folder.path(), options)?;
        self.identity = self.wait_until_it_answers()?;
        Ok(())
    }

    /// Sends the signal of that name, without `SIG`, to the process.
    ///
    /// # Panics
    ///
    /// If it does not run.
    #[cfg(feature = "live")]
    pub(super) fn signal(&self, name: &str) {
        let process = self.info().lines().find_map(|line| line.strip_prefix("process_id:"));
        let sent = Command::new("sh")
            .args(["-c", r#"kill -s "$1" "$2""#, "kill", name])
            .arg(process.unwrap_or_default().trim())
            .status();
        assert!(
            sent.as_ref().is_ok_and(std::process::ExitStatus::success),
            "cannot send signal {name}: {sent:?}"
        );
    }

    /// The program that the process runs.
    #[cfg(feature = "live")]
    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    /// The program that the server reports to be.
    #[must_use]
    pub fn product(&self) -> Product {
        self.identity.product
    }

    /// The version that the server reports, for Valkey its own. A build from the development branch reports
    /// 255.255.255.
    #[must_use]
    pub fn version(&self) -> Version {
        self.identity.version
    }

    /// The reply to `INFO server` after the start.
    #[must_use]
    pub fn info(&self) -> &str {
        &self.identity.info
    }

    /// Returns the version of a loaded module as MODULE LIST reports it: 20802 for 2.8.2. `None` if it is not loaded.
    ///
    /// # Panics
    ///
    /// If the connection breaks.
    #[must_use]
    pub fn module_version(&self, module: &str) -> Option<i64> {
        let list = match self.ask(&["MODULE", "LIST"]) {
            Ok(list) => list,
            Err(error) => panic!("no reply from redis-server: {error}\n{}", self.log()),
        };
        list.elements()?.iter().find_map(|one| {
            let fields = one.elements()?;
            let field = |name: &str| {
                let mut pairs = fields.chunks_exact(2);
                pairs.find(|pair| pair[0].bytes() == Some(name.as_bytes())).map(|pair| &pair[1])
            };
            let is_named = field("name").and_then(Reply::bytes) == Some(module.as_bytes());
            if let (true, Some(Reply::Int(version))) = (is_named, field("ver")) {
                Some(*version)
            } else {
                None
            }
        })
    }

    /// The unix socket that the server listens on.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join(SOCKET)
    }

    /// The server's working directory, where `SAVE` writes [`Server::rdb_file`].
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The RDB file of the server, which it loaded at the start and which `SAVE` writes.
    #[must_use]
    pub fn rdb_file(&self) -> PathBuf {
        self.folder.path().join(RDB)
    }

    /// Returns the server's log so far.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read(self.folder.path().join(LOG))
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default()
    }

    /// Runs `redis-check-rdb`, or Valkey's, of the same build as the server, on `file`.
    ///
    /// # Errors
    ///
    /// The output of the checker, if it found an error.
    ///
    /// # Panics
    ///
    /// If the checker cannot be run.
    pub fn check_rdb(&self, file: impl AsRef<OsStr>) -> Result<String, String> {
        self.check("check-rdb", file.as_ref())
    }

    /// Runs `redis-check-aof`, or Valkey's, of the same build as the server, on `file`: a manifest, or a log.
    ///
    /// # Errors
    ///
    /// The output of the checker, if it found an error.
    ///
    /// # Panics
    ///
    /// If the checker cannot be run.
    pub fn check_aof(&self, file: impl AsRef<OsStr>) -> Result<String, String> {
        self.check("check-aof", file.as_ref())
    }

    /// The server's program is also a checker when it is called by that name.
    fn check(&self, checker: &str, file: &OsStr) -> Result<String, String> {
        let checker = format!("{}-{checker}", self.product().name());
        let run =
            Command::new(&self.program).arg0(&checker).arg(file).stdin(Stdio::null()).output();
        let Output { status, stdout, stderr } = match run {
            Ok(output) => output,
            Err(error) => panic!("cannot run {checker}: {error}"),
        };
        let mut text = String::from_utf8_lossy(&stdout).into_owned();
        text.push_str(&String::from_utf8_lossy(&stderr));
        if status.success() { Ok(text) } else { Err(text) }
    }

    /// Sends a command on its own connection.
    fn ask(&self, words: &[&str]) -> io::Result<Reply> {
        let words: Vec<Vec<u8>> = words.iter().map(|word| word.as_bytes().to_vec()).collect();
        Wire::open(self, Protocol::Resp2)?.run(&words)
    }

    fn ask_identity(&self) -> io::Result<Identity> {
        let info = self.ask(&["INFO", "server"])?;
        let info = info.bytes().map(|info| String::from_utf8_lossy(info).into_owned());
        info.and_then(Identity::read).ok_or_else(|| io::Error::other("no version in INFO"))
    }

    fn wait_until_it_answers(&mut self) -> io::Result<Identity> {
        for _ in 0..LOOKS {
            if let Some(status) = self.supervisor.try_wait()? {
                return Err(io::Error::other(format!(
                    "the server exited ({status})\n{}",
                    self.log()
                )));
            }
            // A server that is still loading its file accepts connections and replies LOADING. It exits if the file is
            // invalid.
            if self.ask(&["PING"]).is_ok_and(|reply| !reply.is_error()) {
                return self.ask_identity();
            }
            sleep(PAUSE);
        }
        Err(io::Error::new(
            io::ErrorKind::TimedOut,
            format!("the server does not reply\n{}", self.log()),
        ))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Starts `program` in `folder`, under a supervisor.
fn spawn(program: &Path, folder: &Path, options: &Options) -> io::Result<Child> {
    let mut run = Command::new("sh");
    run.args(["-c", SUPERVISOR, "redis-server"]).arg(program);
    run.arg("--unixsocket").arg(folder.join(SOCKET));
    run.arg("--dir").arg(folder);
    run.arg("--logfile").arg(folder.join(LOG));
    run.args(["--port", "0", "--daemonize", "no", "--save", "", "--appendonly", "no"]);
    run.args(["--dbfilename", RDB]);
    for [name, value] in &options.settings {
        run.arg(format!("--{name}")).arg(value);
    }
    for module in &options.modules {
        run.arg("--loadmodule").arg(module);
    }
    run.current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

const SOCKET: &str = "socket";
const LOG: &str = "log";
const RDB: &str = "dump.rdb";
