//! One server process and the way to it.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;
use std::{fmt, fs};

use redis::{Client, Connection, ConnectionAddr};
use tempfile::TempDir;

use super::{Options, as_bytes, command};

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

/// How long to wait between two looks at a server that is starting.
const PAUSE: Duration = Duration::from_millis(5);

/// How many looks: a minute in all, since a busy machine may be slow and a server that fails is seen to end.
const LOOKS: usize = 12_000;

/// A running `redis-server`. Dropping it ends the process and removes its folder.
#[derive(Debug)]
pub struct Server {
    program: PathBuf,
    supervisor: Child,
    version: Version,
    folder: TempDir,
}

impl Server {
    /// Starts `program` and waits until it answers.
    ///
    /// # Errors
    ///
    /// If the program cannot be started, ends at once (the error holds its log), or does not answer within a minute.
    pub fn start(program: &Path, options: &Options) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("tallis-redis-").tempdir()?;
        if let Some(rdb) = &options.rdb {
            fs::copy(rdb, folder.path().join(RDB))?;
        }
        let mut run = Command::new("sh");
        run.args(["-c", SUPERVISOR, "redis-server"]).arg(program);
        run.arg("--unixsocket").arg(folder.path().join(SOCKET));
        run.arg("--dir").arg(folder.path());
        run.arg("--logfile").arg(folder.path().join(LOG));
        run.args(["--port", "0", "--daemonize", "no", "--save", "", "--appendonly", "no"]);
        run.args(["--dbfilename", RDB]);
        for [name, value] in &options.settings {
            run.arg(format!("--{name}")).arg(value);
        }
        for module in &options.modules {
            run.arg("--loadmodule").arg(module);
        }
        let supervisor = run
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let version = Version { major: 0, minor: 0, patch: 0 };
        let mut server = Self { program: program.to_owned(), supervisor, version, folder };
        server.version = server.wait_until_it_answers()?;
        Ok(server)
    }

    /// Opens a connection, on database 0 and in RESP2.
    ///
    /// # Panics
    ///
    /// If the server does not accept it.
    #[must_use]
    pub fn connect(&self) -> Connection {
        match self.try_connect() {
            Ok(connection) => connection,
            Err(error) => panic!("cannot connect to redis-server: {error}\n{}", self.log()),
        }
    }

    /// What the server says it is (`redis_version` in `INFO`). A build from the development branch says 255.255.255.
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }

    /// The unix socket that the server listens on.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join(SOCKET)
    }

    /// The server's working folder, where `SAVE` writes [`Server::rdb_file`].
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The RDB file of the server: what it was started on, and what `SAVE` writes.
    #[must_use]
    pub fn rdb_file(&self) -> PathBuf {
        self.folder.path().join(RDB)
    }

    /// What the server has logged so far.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read(self.folder.path().join(LOG))
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default()
    }

    /// Runs `redis-check-rdb`, of the same build as the server, on `file`.
    ///
    /// # Errors
    ///
    /// What the checker printed, if it found the file wrong.
    ///
    /// # Panics
    ///
    /// If the checker cannot be run.
    pub fn check_rdb(&self, file: impl AsRef<OsStr>) -> Result<String, String> {
        self.check("redis-check-rdb", file.as_ref())
    }

    /// Runs `redis-check-aof`, of the same build as the server, on `file`: a manifest, or a log.
    ///
    /// # Errors
    ///
    /// What the checker printed, if it found the file wrong.
    ///
    /// # Panics
    ///
    /// If the checker cannot be run.
    pub fn check_aof(&self, file: impl AsRef<OsStr>) -> Result<String, String> {
        self.check("redis-check-aof", file.as_ref())
    }

    /// The server's program is a checker too, when it is called by its name.
    fn check(&self, checker: &str, file: &OsStr) -> Result<String, String> {
        let run = Command::new(&self.program).arg0(checker).arg(file).stdin(Stdio::null()).output();
        let Output { status, stdout, stderr } = match run {
            Ok(output) => output,
            Err(error) => panic!("cannot run {checker}: {error}"),
        };
        let mut text = String::from_utf8_lossy(&stdout).into_owned();
        text.push_str(&String::from_utf8_lossy(&stderr));
        if status.success() { Ok(text) } else { Err(text) }
    }

    fn try_connect(&self) -> redis::RedisResult<Connection> {
        Client::open(ConnectionAddr::Unix(self.socket()))?.get_connection()
    }

    fn wait_until_it_answers(&mut self) -> io::Result<Version> {
        for _ in 0..LOOKS {
            if let Some(status) = self.supervisor.try_wait()? {
                return Err(io::Error::other(format!("it ended ({status})\n{}", self.log())));
            }
            // A server that still reads its file accepts connections and answers LOADING. It ends if the file is wrong.
            if let Ok(mut connection) = self.try_connect()
                && redis::cmd("PING").exec(&mut connection).is_ok()
            {
                return ask_version(&mut connection);
            }
            sleep(PAUSE);
        }
        Err(io::Error::new(io::ErrorKind::TimedOut, format!("no answer\n{}", self.log())))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.supervisor.stdin.take());
        // The supervisor ends with the server; its folder may go only after that.
        let _ = self.supervisor.wait();
    }
}

fn ask_version(connection: &mut Connection) -> io::Result<Version> {
    let info = command(connection, &["INFO", "server"]).map_err(io::Error::other)?;
    let text = as_bytes(&info).map(String::from_utf8_lossy).unwrap_or_default();
    text.lines()
        .find_map(|line| line.strip_prefix("redis_version:"))
        .and_then(Version::parse)
        .ok_or_else(|| io::Error::other(format!("no version in INFO\n{text}")))
}

const SOCKET: &str = "socket";
const LOG: &str = "log";
const RDB: &str = "dump.rdb";

/// The version of a server. Ordered, so that a test can ask for `>= Version::new(7, 2, 0)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    major: u32,
    minor: u32,
    patch: u32,
}

impl Version {
    /// A version to compare with.
    #[must_use]
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().split('.').map(|part| part.parse().ok());
        Some(Self::new(parts.next()??, parts.next()??, parts.next()??))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}
