//! Decoding requests: the server's side, for the model server.

use httparse::ParserConfig;

use crate::WireError;
use crate::body::Body;
use crate::fields::{Fields, Framing};
use crate::head::{HeadBuffer, Parsed, header_slots};

/// Longest path that is kept, bytes.
const MAX_PATH_BYTES: usize = 64;

/// Follows the requests of one connection, one after the other.
///
/// | state  | input          | next                                    |
/// |--------|----------------|-----------------------------------------|
/// | `Head` | part of a head | `Head`                                  |
/// | `Head` | end of a head  | `Body`                                  |
/// | `Body` | part of a body | `Body`                                  |
/// | `Body` | end of a body  | `Head`, and the request is complete     |
///
/// After an error the connection is to be closed: nothing that follows can be understood.
///
/// ```
/// use breakstep_wire::{RequestDecoder, RequestProgress};
///
/// let mut decoder = RequestDecoder::new();
/// let input = b"GET /truth HTTP/1.1\r\nHost: a\r\n\r\n";
/// let RequestProgress::Complete { request, consumed } = decoder.decode(input)? else {
///     unreachable!("the request is whole");
/// };
/// assert_eq!((request.path.as_bytes(), consumed), (b"/truth".as_slice(), input.len()));
/// # Ok::<(), breakstep_wire::WireError>(())
/// ```
#[derive(Debug)]
pub struct RequestDecoder {
    state: State,
    head: HeadBuffer,
}

#[derive(Debug)]
enum State {
    Head,
    /// The head, with its body still uncounted.
    Body(RequestHead, Body),
}

/// How far a request got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestProgress {
    /// All input was taken; the request goes on.
    Incomplete,
    /// The request is whole.
    Complete {
        /// The request.
        request: RequestHead,
        /// Bytes of the input it took; the rest belongs to the next request (pipelining).
        consumed: usize,
    },
}

/// What the model server wants to know of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestHead {
    /// Where the request goes.
    pub path: RequestPath,
    /// The method is HEAD: the response must have no body.
    pub is_head: bool,
    /// The client will send another request on this connection.
    pub keep_alive: bool,
    /// Payload that came with the request, bytes.
    pub body_bytes: u64,
}

/// The path of a request, without its query, held in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestPath {
    bytes: [u8; MAX_PATH_BYTES],
    len: u8,
}

impl RequestPath {
    /// The path's first 64 bytes: enough to tell any shorter route from all other paths.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    fn of_target(target: &str) -> Self {
        let path = target.split_once('?').map_or(target, |(path, _)| path);
        let len = path.len().min(MAX_PATH_BYTES);
        let mut bytes = [0; MAX_PATH_BYTES];
        bytes[..len].copy_from_slice(&path.as_bytes()[..len]);
        Self { bytes, len: len as u8 }
    }
}

impl Default for RequestDecoder {
    fn default() -> Self {
        Self::new()
    }
}

impl RequestDecoder {
    /// A decoder before its first request.
    pub const fn new() -> Self {
        Self { state: State::Head, head: HeadBuffer::new() }
    }

    /// Feeds what was read; feed the rest again once the request is complete.
    pub fn decode(&mut self, input: &[u8]) -> Result<RequestProgress, WireError> {
        let mut at = 0;
        loop {
            match &mut self.state {
                State::Head => {
                    let Some(((request, framing), len)) =
                        self.head.feed(&input[at..], parse_head)?
                    else {
                        return Ok(RequestProgress::Incomplete);
                    };
                    at += len;
                    self.state = State::Body(request, Body::new(framing));
                }
                State::Body(request, body) => {
                    let Some(len) = body.feed(&input[at..])? else {
                        return Ok(RequestProgress::Incomplete);
                    };
                    let request = RequestHead { body_bytes: body.received(), ..*request };
                    self.state = State::Head;
                    return Ok(RequestProgress::Complete { request, consumed: at + len });
                }
            }
        }
    }
}

fn parse_head(bytes: &[u8]) -> Parsed<(RequestHead, Framing)> {
    let mut slots = header_slots();
    let mut request = httparse::Request::new(&mut []);
    let status = ParserConfig::default().parse_request_with_uninit_headers(
        &mut request,
        bytes,
        &mut slots,
    )?;
    let httparse::Status::Complete(len) = status else {
        return Ok(None);
    };
    let fields = Fields::read(request.headers);
    let minor_version = request.version.unwrap_or(0);
    let head = RequestHead {
        path: RequestPath::of_target(request.path.unwrap_or_default()),
        is_head: request.method == Some("HEAD"),
        keep_alive: fields.keep_alive(minor_version),
        body_bytes: 0,
    };
    Ok(Some(((head, fields.request_framing(minor_version)?), len)))
}

#[cfg(test)]
mod tests {
    use super::{RequestDecoder, RequestHead, RequestPath, RequestProgress, WireError};

    fn decode(input: &str) -> Result<RequestProgress, WireError> {
        RequestDecoder::new().decode(input.as_bytes())
    }

    fn whole(input: &str) -> RequestHead {
        match decode(input) {
            Ok(RequestProgress::Complete { request, .. }) => request,
            other => panic!("{input:?}: {other:?}"),
        }
    }

    #[test]
    fn the_path_is_the_target_without_its_query() {
        for (target, path) in
            [("/", "/"), ("/truth", "/truth"), ("/truth?a=/b?c", "/truth"), ("*", "*")]
        {
            let request = whole(&format!("GET {target} HTTP/1.1\r\n\r\n"));
            assert_eq!(request.path.as_bytes(), path.as_bytes());
        }
    }

    #[test]
    fn of_a_long_path_the_first_64_bytes_are_kept() {
        let long = format!("/{}", "é".repeat(40));
        assert_eq!(RequestPath::of_target(&long).as_bytes(), &long.as_bytes()[..64]);
    }

    #[test]
    fn only_the_method_head_is_head() {
        for (method, is_head) in [("HEAD", true), ("GET", false), ("head", false)] {
            let request = whole(&format!("{method} / HTTP/1.1\r\n\r\n"));
            assert_eq!(request.is_head, is_head, "{method}");
        }
    }

    #[test]
    fn the_connection_is_kept_by_version_and_option() {
        assert!(whole("GET / HTTP/1.1\r\n\r\n").keep_alive);
        assert!(!whole("GET / HTTP/1.0\r\n\r\n").keep_alive);
        assert!(!whole("GET / HTTP/1.1\r\nConnection: close\r\n\r\n").keep_alive);
        assert!(whole("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").keep_alive);
    }

    #[test]
    fn bodies_are_skipped_and_pipelined_requests_left() {
        let cases = [
            ("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", 3),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", 3),
            ("POST / HTTP/1.1\r\n\r\n", 0),
        ];
        for (first, body_bytes) in cases {
            let mut decoder = RequestDecoder::new();
            let input = format!("{first}GET /b HTTP/1.1\r\n\r\n");
            let progress = decoder.decode(input.as_bytes());
            let Ok(RequestProgress::Complete { request, consumed }) = progress else {
                panic!("{progress:?}");
            };
            assert_eq!((request.body_bytes, consumed), (body_bytes, first.len()));
            let next = decoder.decode(&input.as_bytes()[consumed..]);
            assert!(matches!(next, Ok(RequestProgress::Complete { .. })), "{next:?}");
        }
    }

    #[test]
    fn what_cannot_be_framed_is_refused() {
        let cases = [
            ("GET / HTTP/2.0\r\n\r\n", WireError::BadHead),
            ("GET /a b HTTP/1.1\r\n\r\n", WireError::BadHead),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", WireError::BadTransferEncoding),
            ("POST / HTTP/1.1\r\nContent-Length: 1, 2\r\n\r\n", WireError::BadContentLength),
        ];
        for (input, expected) in cases {
            assert_eq!(decode(input), Err(expected), "{input:?}");
        }
    }
}
