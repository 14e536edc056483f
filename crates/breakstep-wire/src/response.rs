//! Decoding responses: the client's side, on the hot path.

use httparse::ParserConfig;

use crate::WireError;
use crate::body::Body;
use crate::fields::{Fields, Framing};
use crate::head::{HeadBuffer, Parsed, header_slots};

/// Most interim responses before the final one.
const MAX_INTERIM: u8 = 16;

/// Follows the responses of one connection, one request at a time.
///
/// | state  | input                        | next                                  |
/// |--------|------------------------------|---------------------------------------|
/// | `Head` | part of a head               | `Head`                                |
/// | `Head` | end of an interim (1xx) head | `Head`; at most 16 times              |
/// | `Head` | end of a 101 head            | `UnexpectedUpgrade`                   |
/// | `Head` | end of a final head          | `Body`                                |
/// | `Body` | part of a body               | `Body`                                |
/// | `Body` | end of a body                | `Head`, and the response is complete  |
/// | `Head` | end of the connection        | `EmptyReply` or `UnexpectedEof`       |
/// | `Body` | end of the connection        | complete if nothing else delimits the body, else `UnexpectedEof` |
///
/// Call [`start`](Self::start) before each request. After an error the connection is to be
/// closed: nothing that follows can be understood.
///
/// ```
/// use breakstep_wire::{Progress, ResponseDecoder};
///
/// let mut decoder = ResponseDecoder::new();
/// decoder.start(false);
/// assert_eq!(decoder.decode(b"HTTP/1.1 200 OK\r\nContent-Le")?, Progress::Incomplete);
/// let Progress::Complete { response, .. } = decoder.decode(b"ngth: 2\r\n\r\nhi")? else {
///     unreachable!("the response is whole");
/// };
/// assert_eq!((response.status, response.body_bytes), (200, 2));
/// # Ok::<(), breakstep_wire::WireError>(())
/// ```
#[derive(Debug)]
pub struct ResponseDecoder {
    state: State,
    head: HeadBuffer,
    request_was_head: bool,
    started: bool,
    /// Interim responses so far, at most [`MAX_INTERIM`].
    interim: u8,
}

#[derive(Debug)]
enum State {
    Head,
    Body { status: u16, keep_alive: bool, body: Body },
}

/// A head as it was parsed: which of its fields count depends on the status and the request.
struct Head {
    status: u16,
    minor_version: u8,
    fields: Fields,
}

/// How far a response got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// All input was taken; the response goes on.
    Incomplete,
    /// The response is whole.
    Complete {
        /// The response.
        response: Response,
        /// Bytes of the input it took. Less than all: the server sent bytes nobody asked for.
        consumed: usize,
    },
}

/// A finished response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response {
    /// Status code, 200–999.
    pub status: u16,
    /// The server will take another request on this connection.
    pub keep_alive: bool,
    /// Payload, bytes, without chunk framing and trailers.
    pub body_bytes: u64,
}

impl Default for ResponseDecoder {
    fn default() -> Self {
        Self::new()
    }
}

impl ResponseDecoder {
    /// A decoder before its first request.
    pub const fn new() -> Self {
        Self {
            state: State::Head,
            head: HeadBuffer::new(),
            request_was_head: false,
            started: false,
            interim: 0,
        }
    }

    /// Prepares for the response to the next request; a HEAD request is answered without body.
    pub fn start(&mut self, request_was_head: bool) {
        self.head.clear();
        self.state = State::Head;
        self.request_was_head = request_was_head;
        self.started = false;
        self.interim = 0;
    }

    /// Whether any byte of this response has been received.
    pub fn started(&self) -> bool {
        self.started
    }

    /// Feeds what was read: how far the response got.
    pub fn decode(&mut self, input: &[u8]) -> Result<Progress, WireError> {
        self.started |= !input.is_empty();
        let mut at = 0;
        loop {
            match &mut self.state {
                State::Head => {
                    let Some((head, len)) = self.head.feed(&input[at..], parse_head)? else {
                        return Ok(Progress::Incomplete);
                    };
                    at += len;
                    self.state = self.after(&head)?;
                }
                State::Body { status, keep_alive, body } => {
                    let Some(len) = body.feed(&input[at..])? else {
                        return Ok(Progress::Incomplete);
                    };
                    let response = complete(*status, *keep_alive, body);
                    self.state = State::Head;
                    return Ok(Progress::Complete { response, consumed: at + len });
                }
            }
        }
    }

    /// The server closed the connection: the response if that was its end, else what is missing.
    pub fn finish(&mut self) -> Result<Response, WireError> {
        match &self.state {
            State::Body { status, body, .. } if body.ends_at_close() => {
                let response = complete(*status, false, body);
                self.state = State::Head;
                Ok(response)
            }
            _ if self.started => Err(WireError::UnexpectedEof),
            _ => Err(WireError::EmptyReply),
        }
    }

    fn after(&mut self, head: &Head) -> Result<State, WireError> {
        match head.status {
            101 => Err(WireError::UnexpectedUpgrade),
            100..=199 if self.interim == MAX_INTERIM => Err(WireError::TooManyInterim),
            100..=199 => {
                self.interim += 1;
                Ok(State::Head)
            }
            _ => self.final_response(head),
        }
    }

    fn final_response(&self, head: &Head) -> Result<State, WireError> {
        let framing = self.framing(head)?;
        Ok(State::Body {
            status: head.status,
            keep_alive: framing != Framing::UntilClose
                && head.fields.keep_alive(head.minor_version),
            body: Body::new(framing),
        })
    }

    /// Responses without a body may carry any framing fields; those describe another response.
    fn framing(&self, head: &Head) -> Result<Framing, WireError> {
        if self.request_was_head || matches!(head.status, 204 | 304) {
            return Ok(Framing::Length(0));
        }
        head.fields.response_framing(head.minor_version)
    }
}

fn complete(status: u16, keep_alive: bool, body: &Body) -> Response {
    Response { status, keep_alive, body_bytes: body.received() }
}

fn parse_head(bytes: &[u8]) -> Parsed<Head> {
    let mut slots = header_slots();
    let mut response = httparse::Response::new(&mut []);
    let status = ParserConfig::default().parse_response_with_uninit_headers(
        &mut response,
        bytes,
        &mut slots,
    )?;
    let httparse::Status::Complete(len) = status else {
        return Ok(None);
    };
    let head = Head {
        // httparse guarantees three digits; 0 and the like are no status.
        status: response.code.filter(|code| *code >= 100).ok_or(WireError::BadHead)?,
        minor_version: response.version.unwrap_or(0),
        fields: Fields::read(response.headers),
    };
    Ok(Some((head, len)))
}

#[cfg(test)]
mod tests;
