//! One client's connection: its requests one after the other, pipelined or not.

use std::io;
use std::ops::Range;
use std::rc::Rc;

use breakstep_wire::{RequestDecoder, RequestHead, RequestProgress};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::model::Status;
use crate::response::{head, plain};
use crate::serving::Serving;
use crate::slot::Slot;

const READ_BYTES: usize = 4 * 1024;
/// Longest request, body included.
const MAX_REQUEST_BYTES: usize = 16 << 20;
/// Most input that is read and thrown away so that the client gets to see the last response.
const MAX_LINGER_BYTES: usize = 1 << 20;

/// Serves a connection until either side closes it.
pub(crate) async fn serve<S: AsyncRead + AsyncWrite + Unpin>(serving: Rc<Serving>, stream: S) {
    let connection = Connection {
        serving,
        stream,
        decoder: RequestDecoder::new(),
        buffer: vec![0; READ_BYTES].into_boxed_slice(),
        unread: 0..0,
        slot: Rc::default(),
    };
    // A client that broke off is no fault of the server's: its job runs on in the model.
    let _ = connection.run().await;
}

struct Connection<S> {
    serving: Rc<Serving>,
    stream: S,
    decoder: RequestDecoder,
    buffer: Box<[u8]>,
    /// Where in the buffer the bytes are that were not decoded yet.
    unread: Range<usize>,
    slot: Rc<Slot>,
}

/// What came next on a connection.
enum Next {
    Request(RequestHead),
    Closed,
    /// The connection cannot go on; the text says why.
    Bad(&'static str, String),
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    async fn run(mut self) -> io::Result<()> {
        loop {
            match self.next().await? {
                Next::Request(request) => {
                    let written = self.respond(request).await?;
                    if !written || !request.keep_alive {
                        return self.close().await;
                    }
                }
                Next::Closed => return Ok(()),
                Next::Bad(status_line, why) => {
                    self.refuse(status_line, &why).await?;
                    return self.close().await;
                }
            }
        }
    }

    async fn next(&mut self) -> io::Result<Next> {
        let mut taken = 0;
        loop {
            if self.unread.is_empty() && !self.fill().await? {
                return Ok(Next::Closed);
            }
            match self.decoder.decode(&self.buffer[self.unread.clone()]) {
                Ok(RequestProgress::Complete { request, consumed }) => {
                    self.unread.start += consumed;
                    return Ok(Next::Request(request));
                }
                Ok(RequestProgress::Incomplete) => taken += std::mem::take(&mut self.unread).len(),
                Err(fault) => return Ok(Next::Bad("400 Bad Request", fault.to_string())),
            }
            if taken > MAX_REQUEST_BYTES {
                let why = format!("the request is longer than {MAX_REQUEST_BYTES} bytes");
                return Ok(Next::Bad("413 Content Too Large", why));
            }
        }
    }

    /// False at the end of the input.
    async fn fill(&mut self) -> io::Result<bool> {
        self.unread = 0..self.stream.read(&mut self.buffer).await?;
        Ok(!self.unread.is_empty())
    }

    /// False if the client had gone before its answer was due.
    async fn respond(&mut self, request: RequestHead) -> io::Result<bool> {
        let (is_head, keep_alive) = (request.is_head, request.keep_alive);
        if request.path.as_bytes() == b"/truth" {
            return self.tell_truth(is_head, keep_alive).await;
        }
        self.serving.arrive(&self.slot);
        let Some(status) = self.answer().await? else { return Ok(false) };
        let bytes = self.serving.responses.bytes(status, is_head, keep_alive);
        self.stream.write_all(bytes).await?;
        Ok(true)
    }

    /// Waits for the answer; `None` if the client closes first. What it sends meanwhile is the
    /// next request: up to a buffer of it is read, and the kernel keeps the rest.
    async fn answer(&mut self) -> io::Result<Option<Status>> {
        if self.unread.is_empty() {
            tokio::select! {
                biased;
                status = self.slot.take() => return Ok(Some(status)),
                read = self.stream.read(&mut self.buffer) => self.unread = 0..read?,
            }
            if self.unread.is_empty() {
                return Ok(None);
            }
        }
        Ok(Some(self.slot.take().await))
    }

    async fn tell_truth(&mut self, is_head: bool, keep_alive: bool) -> io::Result<bool> {
        self.serving.pass(&self.slot);
        if self.answer().await?.is_none() {
            return Ok(false);
        }
        let truth = self.serving.shared.truth();
        let kind = "application/json";
        let bytes = if is_head {
            head("200 OK", kind, truth.len(), keep_alive)
        } else {
            plain("200 OK", kind, &truth, keep_alive)
        };
        self.stream.write_all(&bytes).await?;
        Ok(true)
    }

    async fn refuse(&mut self, status_line: &str, why: &str) -> io::Result<()> {
        self.serving.pass(&self.slot);
        self.slot.take().await;
        let bytes = plain(status_line, "text/plain", &format!("{why}\n"), false);
        self.stream.write_all(&bytes).await
    }

    /// Closing with input unread would reset the connection and could take the response with it.
    async fn close(mut self) -> io::Result<()> {
        self.stream.shutdown().await?;
        let mut dropped = 0;
        while dropped < MAX_LINGER_BYTES && self.fill().await? {
            dropped += self.unread.len();
        }
        Ok(())
    }
}
