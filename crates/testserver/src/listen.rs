//! The addresses on which a server listens, and its connections.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;

/// The addresses on which a server listens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listen {
    /// A port on 127.0.0.1; 0 for any free one.
    pub port: Option<u16>,
    /// The path of a unix socket. An existing socket is replaced.
    pub unix: Option<PathBuf>,
}

/// A socket that accepts connections.
#[derive(Debug)]
pub(crate) enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener, PathBuf),
}

/// A connection.
#[derive(Debug)]
pub(crate) enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Listen {
    pub(crate) fn open(&self) -> io::Result<Vec<Listener>> {
        let mut all = Vec::new();
        if let Some(port) = self.port {
            all.push(Listener::Tcp(TcpListener::bind(("127.0.0.1", port))?));
        }
        if let Some(path) = &self.unix {
            match std::fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
            all.push(Listener::Unix(UnixListener::bind(path)?, path.clone()));
        }
        Ok(all)
    }
}

impl Listener {
    pub(crate) fn accept(&self) -> io::Result<Stream> {
        Ok(match self {
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept()?;
                stream.set_nodelay(true)?;
                Stream::Tcp(stream)
            }
            Self::Unix(listener, _) => Stream::Unix(listener.accept()?.0),
        })
    }

    pub(crate) fn port(&self) -> Option<u16> {
        let Self::Tcp(listener) = self else { return None };
        listener.local_addr().ok().map(|address| address.port())
    }

    /// Connects to itself, which wakes a thread that is waiting in `accept`.
    pub(crate) fn knock(&self) {
        // An error means that the socket accepts no connections, so no thread waits for one.
        let _ = match self {
            Self::Tcp(listener) => {
                listener.local_addr().and_then(TcpStream::connect).map(Stream::Tcp)
            }
            Self::Unix(_, path) => UnixStream::connect(path).map(Stream::Unix),
        };
    }
}

impl Stream {
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        Ok(match self {
            Self::Tcp(stream) => Self::Tcp(stream.try_clone()?),
            Self::Unix(stream) => Self::Unix(stream.try_clone()?),
        })
    }

    /// Closes the connection for every clone.
    pub(crate) fn hang_up(&self) {
        // The peer may have closed it already.
        let _ = match self {
            Self::Tcp(stream) => stream.shutdown(Shutdown::Both),
            Self::Unix(stream) => stream.shutdown(Shutdown::Both),
        };
    }
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(into),
            Self::Unix(stream) => stream.read(into),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            Self::Unix(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.flush(),
            Self::Unix(stream) => stream.flush(),
        }
    }
}
