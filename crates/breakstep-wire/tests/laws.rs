//! Laws that hold for every message: splits do not matter, and what we encode we can decode.

mod common;

use breakstep_wire::{
    RequestDecoder, RequestHead, RequestProgress, RequestSpec, Response, WireError, encode_request,
};
use proptest::collection::vec;
use proptest::prelude::*;

use common::respond;

/// A valid response, whether it answers HEAD, and what it says.
#[derive(Clone, Debug)]
struct Case {
    bytes: Vec<u8>,
    request_was_head: bool,
    expected: Response,
}

#[derive(Clone, Debug)]
enum BodyKind {
    Length(usize),
    Chunked { sizes: Vec<usize>, extension: &'static str, trailers: &'static str },
    UntilClose(usize),
}

impl BodyKind {
    fn field(&self, end: &str) -> String {
        match self {
            Self::Length(length) => format!("Content-Length: {length}{end}"),
            Self::Chunked { .. } => format!("Transfer-Encoding: gzip, Chunked{end}"),
            Self::UntilClose(_) => String::new(),
        }
    }

    fn bytes(&self) -> String {
        match self {
            Self::Length(length) | Self::UntilClose(length) => "x".repeat(*length),
            Self::Chunked { sizes, extension, trailers } => {
                let chunk = |n: &usize| format!("{n:x}{extension}\r\n{}\r\n", "\n".repeat(*n));
                let chunks: String = sizes.iter().map(chunk).collect();
                format!("{chunks}0{extension}\r\n{trailers}\r\n")
            }
        }
    }

    fn payload(&self) -> usize {
        match self {
            Self::Length(length) | Self::UntilClose(length) => *length,
            Self::Chunked { sizes, .. } => sizes.iter().sum(),
        }
    }
}

fn body_kind() -> impl Strategy<Value = BodyKind> {
    let extension = prop_oneof![Just(""), Just(";a"), Just(" ;a=\"b c\"")];
    let trailers = prop_oneof![Just(""), Just("A: b\r\n"), Just("A: b\nC: d\r\n")];
    prop_oneof![
        (0..300_usize).prop_map(BodyKind::Length),
        (vec(1..40_usize, 0..4), extension, trailers).prop_map(|(sizes, extension, trailers)| {
            BodyKind::Chunked { sizes, extension, trailers }
        }),
        (0..300_usize).prop_map(BodyKind::UntilClose),
    ]
}

/// How a head is written, whatever it says.
#[derive(Clone, Debug)]
struct Manner {
    line_end: &'static str,
    blank_lines: usize,
    interim: usize,
    fields: usize,
}

fn manner() -> impl Strategy<Value = Manner> {
    let line_end = prop_oneof![Just("\r\n"), Just("\n")];
    (line_end, 0..3_usize, 0..3_usize, 0..20_usize).prop_map(
        |(line_end, blank_lines, interim, fields)| Manner {
            line_end,
            blank_lines,
            interim,
            fields,
        },
    )
}

fn case() -> impl Strategy<Value = Case> {
    let status = prop_oneof![Just(200_u16), Just(204), Just(304), Just(404), Just(999)];
    (status, any::<bool>(), any::<bool>(), body_kind(), manner())
        .prop_map(|(status, head, close, body, manner)| build(status, head, close, &body, &manner))
}

fn build(status: u16, head: bool, close: bool, body: &BodyKind, manner: &Manner) -> Case {
    let Manner { line_end, blank_lines, interim, fields } = manner;
    let has_body = !head && !matches!(status, 204 | 304);
    let text = [
        line_end.repeat(*blank_lines),
        format!("HTTP/1.1 103 Hints{line_end}Link: x{line_end}{line_end}").repeat(*interim),
        format!("HTTP/1.1 {status} A reason{line_end}"),
        format!("X-Field: some text{line_end}").repeat(*fields),
        body.field(line_end),
        if close { format!("Connection: Close{line_end}") } else { String::new() },
        (*line_end).to_owned(),
        if has_body { body.bytes() } else { String::new() },
    ];
    let until_close = has_body && matches!(body, BodyKind::UntilClose(_));
    let body_bytes = if has_body { body.payload() as u64 } else { 0 };
    let expected = Response { status, keep_alive: !close && !until_close, body_bytes };
    Case { bytes: text.concat().into_bytes(), request_was_head: head, expected }
}

/// Cuts `bytes` at the given places, taken modulo the length.
fn cut<'a>(bytes: &'a [u8], places: &[usize]) -> Vec<&'a [u8]> {
    let mut places: Vec<_> = places.iter().map(|place| place % bytes.len().max(1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places.dedup();
    places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}

/// Bytes that get further into a decoder than noise would.
fn near_http() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        Just("HTTP/1.1 200 OK\r\n"),
        Just("HTTP/1.0 200 OK\n"),
        Just("HTTP/1.1 100 C\r\n\r\n"),
        Just("POST / HTTP/1.1\r\n"),
        Just("Transfer-Encoding: chunked\r\n"),
        Just("Content-Length: 5\r\n"),
        Just("\r\n"),
        Just("\n"),
        Just("\r"),
        Just("5"),
        Just("0\r\n"),
        Just("5\r\nhello\r\n"),
        Just(";x"),
        Just(": "),
        Just("\0"),
    ];
    prop_oneof![vec(any::<u8>(), 0..300), vec(word, 0..20).prop_map(|w| w.concat().into_bytes())]
}

fn requests(pieces: &[&[u8]]) -> Result<Vec<RequestHead>, WireError> {
    let mut decoder = RequestDecoder::new();
    let mut found = Vec::new();
    for piece in pieces {
        let mut rest = *piece;
        while let RequestProgress::Complete { request, consumed } = decoder.decode(rest)? {
            found.push(request);
            rest = &rest[consumed..];
        }
    }
    Ok(found)
}

fn header() -> impl Strategy<Value = (String, String)> {
    ("X-[a-zA-Z0-9!#$%&'*+.^_`|~-]{0,12}", "[ -~\té]{0,20}")
}

proptest! {
    #[test]
    fn a_valid_response_says_what_was_meant_however_it_is_split(
        case in case(),
        places in vec(any::<usize>(), 0..30),
    ) {
        let expected = Ok((case.expected, case.bytes.len()));
        let head = case.request_was_head;
        let byte_by_byte = case.bytes.chunks(1);
        prop_assert_eq!(respond(head, [case.bytes.as_slice()].into_iter()), expected);
        prop_assert_eq!(respond(head, cut(&case.bytes, &places).into_iter()), expected);
        prop_assert_eq!(respond(head, byte_by_byte), expected);
    }

    /// The cause of a failure may differ: a head in one piece is refused before its end.
    #[test]
    fn any_bytes_mean_the_same_however_they_are_split(
        bytes in near_http(),
        head in any::<bool>(),
        places in vec(any::<usize>(), 0..30),
    ) {
        let whole = respond(head, cut(&bytes, &[]).into_iter()).ok();
        let split = respond(head, cut(&bytes, &places).into_iter()).ok();
        prop_assert_eq!(whole, split);
        let whole = requests(&cut(&bytes, &[])).ok();
        let split = requests(&cut(&bytes, &places)).ok();
        // A refused head may still be unfinished when it comes in pieces.
        if let (Some(whole), Some(split)) = (whole, split) {
            prop_assert_eq!(whole, split);
        }
    }

    #[test]
    fn what_is_encoded_is_decoded(
        method in "[A-Z]{1,8}",
        path in "/[a-z0-9/%]{0,62}",
        query in "(\\?[!-\"$-~]{0,20})?",
        headers in vec(header(), 0..10),
        body in vec(any::<u8>(), 0..200),
        keep_alive in any::<bool>(),
        places in vec(any::<usize>(), 0..30),
    ) {
        let target = format!("{path}{query}");
        let spec = RequestSpec {
            method: &method,
            target: &target,
            host: "shop.test:8080",
            headers: &headers,
            body: &body,
            keep_alive,
        };
        let bytes = encode_request(&spec).expect("a valid request");
        let found = requests(&cut(&bytes, &places));
        let Ok([request]) = found.as_deref() else {
            return Err(TestCaseError::fail(format!("{found:?}")));
        };
        prop_assert_eq!(request.path.as_bytes(), path.as_bytes());
        prop_assert_eq!(request.is_head, method == "HEAD");
        prop_assert_eq!(request.keep_alive, keep_alive);
        prop_assert_eq!(request.body_bytes, body.len() as u64);
    }
}
