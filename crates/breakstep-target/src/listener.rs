//! Listening, on TCP or a socket file.

use std::io;
use std::path::PathBuf;
use std::rc::Rc;

use tokio::net::{TcpListener, UnixListener};
use tokio::task::spawn_local;

use crate::connection::serve;
use crate::parameters::Listen;
use crate::serving::Serving;

/// Connections the kernel keeps for us: a generator may open thousands at once.
const BACKLOG: i32 = 4096;

pub(crate) enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener, SocketFile),
}

impl Listener {
    /// Listens from now on. To be called within a runtime.
    pub(crate) fn bind(listen: &Listen) -> io::Result<Self> {
        match listen {
            Listen::Tcp(address) => {
                let listener = std::net::TcpListener::bind(address)?;
                // std asks for a backlog of 128 and has no way to ask for more.
                rustix::net::listen(&listener, BACKLOG)?;
                listener.set_nonblocking(true)?;
                TcpListener::from_std(listener).map(Self::Tcp)
            }
            Listen::Unix(path) => {
                let listener = UnixListener::bind(path)?;
                let file = SocketFile(path.clone());
                rustix::net::listen(&listener, BACKLOG)?;
                Ok(Self::Unix(listener, file))
            }
        }
    }

    /// `IP:PORT`, `[IPv6]:PORT` or `unix:PATH`.
    pub(crate) fn address(&self) -> io::Result<String> {
        match self {
            Self::Tcp(listener) => listener.local_addr().map(|address| address.to_string()),
            Self::Unix(_, SocketFile(path)) => Ok(Listen::Unix(path.clone()).to_string()),
        }
    }

    /// Accepts one connection and gives it a task of its own.
    pub(crate) async fn accept(&self, serving: &Rc<Serving>) -> io::Result<()> {
        match self {
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept().await?;
                // Where it fails the client has gone already, and the connection's task finds out.
                let _ = stream.set_nodelay(true);
                spawn_local(serve(serving.clone(), stream));
            }
            Self::Unix(listener, _) => {
                let (stream, _) = listener.accept().await?;
                spawn_local(serve(serving.clone(), stream));
            }
        }
        Ok(())
    }
}

/// A socket file, removed when the server ends.
pub(crate) struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        // Someone may have removed it before; there is nobody left to tell.
        let _ = std::fs::remove_file(&self.0);
    }
}
