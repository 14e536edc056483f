//! Connections: TCP, unix socket, TLS over TCP; one stream type for all of them.

use std::cell::Cell;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::outcome::{Failure, Outcome};
use crate::tls;

/// Where the load goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// An IP address and a port.
    Tcp(SocketAddr),
    /// The path of a unix socket.
    Unix(PathBuf),
}

impl std::str::FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("unix:") {
            return Ok(Address::Unix(PathBuf::from(path)));
        }
        text.parse().map(Address::Tcp).map_err(|_| {
            format!("{text:?} is not an address: write IP:PORT, [IPv6]:PORT or unix:PATH")
        })
    }
}

/// How connections are opened.
#[derive(Clone)]
pub(crate) struct Transport {
    pub(crate) address: Address,
    pub(crate) tls: Option<(Arc<rustls::ClientConfig>, ServerName<'static>)>,
}

/// A connection to the server.
pub(crate) enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
    Tls(Box<TlsStream<TcpStream>>),
}

/// How far opening a connection has come.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stage {
    Connecting,
    Handshaking,
}

impl Stage {
    /// What it means that the timeout came at this stage.
    pub(crate) fn timeout(self) -> Failure {
        match self {
            Stage::Connecting => Failure::new(Outcome::Connect, "no connection within the timeout"),
            Stage::Handshaking => Failure::new(Outcome::Tls, "no TLS handshake within the timeout"),
        }
    }
}

impl Transport {
    /// Opens a connection; `stage` follows how far it has come.
    pub(crate) async fn connect(&self, stage: &Cell<Stage>) -> Result<Stream, Failure> {
        let failed = |e: io::Error| Failure::io(Outcome::Connect, &e, "connection failed");
        match (&self.address, &self.tls) {
            (Address::Unix(path), _) => {
                UnixStream::connect(path).await.map(Stream::Unix).map_err(failed)
            }
            (Address::Tcp(address), None) => {
                connect_tcp(*address).await.map(Stream::Tcp).map_err(failed)
            }
            (Address::Tcp(address), Some((config, name))) => {
                let tcp = connect_tcp(*address).await.map_err(failed)?;
                stage.set(Stage::Handshaking);
                let handshake = TlsConnector::from(config.clone()).connect(name.clone(), tcp);
                handshake.await.map(|s| Stream::Tls(Box::new(s))).map_err(|e| tls::failure(&e))
            }
        }
    }
}

async fn connect_tcp(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

impl AsyncRead for Stream {
    #[inline]
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Tcp(stream) => Pin::new(stream).poll_read(cx, buf),
            Stream::Unix(stream) => Pin::new(stream).poll_read(cx, buf),
            Stream::Tls(stream) => Pin::new(stream.as_mut()).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Stream {
    #[inline]
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Stream::Tcp(stream) => Pin::new(stream).poll_write(cx, bytes),
            Stream::Unix(stream) => Pin::new(stream).poll_write(cx, bytes),
            Stream::Tls(stream) => Pin::new(stream.as_mut()).poll_write(cx, bytes),
        }
    }

    #[inline]
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Tcp(_) | Stream::Unix(_) => Poll::Ready(Ok(())),
            Stream::Tls(stream) => Pin::new(stream.as_mut()).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Tcp(stream) => Pin::new(stream).poll_shutdown(cx),
            Stream::Unix(stream) => Pin::new(stream).poll_shutdown(cx),
            Stream::Tls(stream) => Pin::new(stream.as_mut()).poll_shutdown(cx),
        }
    }
}
