//! Facts about single responses.

use super::{Progress, Response, ResponseDecoder, WireError};
use crate::head::{MAX_HEAD_BYTES, MAX_HEADERS};

fn decode_as(request_was_head: bool, input: &[u8]) -> Result<Progress, WireError> {
    let mut decoder = ResponseDecoder::new();
    decoder.start(request_was_head);
    decoder.decode(input)
}

fn complete(status: u16, keep_alive: bool, body_bytes: u64, consumed: usize) -> Progress {
    let response = Response { status, keep_alive, body_bytes };
    Progress::Complete { response, consumed }
}

#[test]
fn a_response_ends_where_its_framing_says() {
    let cases = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", complete(200, true, 2, 40)),
        ("HTTP/1.1 200 OK\nContent-Length: 2\n\nhi!", complete(200, true, 2, 37)),
        (
            "HTTP/1.1 500\r\nConnection: Close\r\ncontent-length: 0\r\n\r\n",
            complete(500, false, 0, 54),
        ),
        ("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", complete(200, false, 2, 40)),
        (
            "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
            complete(200, true, 0, 62),
        ),
        ("HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n", complete(204, true, 0, 46)),
        (
            "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n",
            complete(304, true, 0, 57),
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
            complete(200, true, 2, 59),
        ),
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 E\r\nLink: x\r\n\r\nHTTP/1.1 204 N\r\n\r\n",
            complete(204, true, 0, 70),
        ),
        ("\r\n\nHTTP/1.1 204 N\r\n\r\n", complete(204, true, 0, 21)),
    ];
    for (input, expected) in cases {
        assert_eq!(decode_as(false, input.as_bytes()), Ok(expected), "{input:?}");
    }
}

#[test]
fn the_response_to_head_has_no_body_whatever_its_fields_say() {
    for framing in ["Content-Length: 99", "Content-Length: x", "Transfer-Encoding: chunked", "A: b"]
    {
        let head = format!("HTTP/1.1 200 OK\r\n{framing}\r\n\r\n");
        let expected = complete(200, true, 0, head.len());
        assert_eq!(decode_as(true, head.as_bytes()), Ok(expected), "{framing}");
    }
}

#[test]
fn a_coding_and_a_length_together_end_the_connection() {
    let input =
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    assert_eq!(decode_as(false, input), Ok(complete(200, false, 0, input.len())));
}

#[test]
fn what_is_not_http_is_refused_with_its_cause() {
    let interim = "HTTP/1.1 102 P\r\n\r\n".repeat(17);
    let fields = format!("HTTP/1.1 200 OK\r\n{}\r\n", "A: b\r\n".repeat(MAX_HEADERS + 1));
    let cases = [
        ("SSH-2.0-OpenSSH_9.6\r\n", WireError::BadHead),
        ("\x15\x03\x01\x00\x02\x02\x46", WireError::BadHead),
        ("HTTP/2 200\r\n\r\n", WireError::BadHead),
        ("HTTP/1.1 099 X\r\n\r\n", WireError::BadHead),
        ("HTTP/1.1 200 OK\r\nbad name: x\r\n\r\n", WireError::BadHead),
        ("HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n", WireError::BadHead),
        ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", WireError::BadContentLength),
        ("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", WireError::BadTransferEncoding),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n", WireError::BadChunk),
        ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", WireError::UnexpectedUpgrade),
        (&interim, WireError::TooManyInterim),
        (&fields, WireError::TooManyHeaders),
    ];
    for (input, expected) in cases {
        assert_eq!(decode_as(false, input.as_bytes()), Err(expected), "{input:?}");
    }
}

#[test]
fn sixteen_interim_responses_are_skipped() {
    let input = "HTTP/1.1 102 P\r\n\r\n".repeat(16) + "HTTP/1.1 204 N\r\n\r\n";
    let expected = complete(204, true, 0, input.len());
    assert_eq!(decode_as(false, input.as_bytes()), Ok(expected));
}

#[test]
fn a_head_holds_128_fields() {
    let input = format!("HTTP/1.1 204 N\r\n{}\r\n", "A: b\r\n".repeat(MAX_HEADERS));
    assert_eq!(decode_as(false, input.as_bytes()), Ok(complete(204, true, 0, input.len())));
}

#[test]
fn a_head_is_at_most_64_kib_however_it_arrives() {
    let head = |length: usize| {
        let rest = "HTTP/1.1 204 N\r\nA: \r\n\r\n".len();
        format!("HTTP/1.1 204 N\r\nA: {}\r\n\r\n", "x".repeat(length - rest))
    };
    for step in [1, 1000, 100_000] {
        let last = |length| feed(&mut ResponseDecoder::new(), head(length).as_bytes(), step);
        assert!(matches!(last(MAX_HEAD_BYTES), Ok(Progress::Complete { .. })), "{step}");
        assert_eq!(last(MAX_HEAD_BYTES + 1), Err(WireError::HeadTooLarge), "{step}");
    }
}

/// The progress at the last piece.
fn feed(decoder: &mut ResponseDecoder, input: &[u8], step: usize) -> Result<Progress, WireError> {
    let mut progress = Progress::Incomplete;
    for piece in input.chunks(step) {
        progress = decoder.decode(piece)?;
    }
    Ok(progress)
}

#[test]
fn a_close_ends_a_body_that_nothing_else_delimits() {
    let mut decoder = ResponseDecoder::new();
    let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nabc";
    assert_eq!(decoder.decode(head), Ok(Progress::Incomplete));
    let expected = Response { status: 200, keep_alive: false, body_bytes: 3 };
    assert_eq!(decoder.finish(), Ok(expected));
}

#[test]
fn a_close_before_the_end_tells_whether_anything_came() {
    let cases = [
        ("", WireError::EmptyReply),
        ("H", WireError::UnexpectedEof),
        ("HTTP/1.1 100 C\r\n\r\n", WireError::UnexpectedEof),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nh", WireError::UnexpectedEof),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", WireError::UnexpectedEof),
    ];
    for (input, expected) in cases {
        let mut decoder = ResponseDecoder::new();
        decoder.start(false);
        assert_eq!(decoder.decode(input.as_bytes()), Ok(Progress::Incomplete), "{input:?}");
        assert_eq!(decoder.started(), !input.is_empty());
        assert_eq!(decoder.finish(), Err(expected), "{input:?}");
    }
}

#[test]
fn a_start_forgets_the_response_before() {
    let mut decoder = ResponseDecoder::new();
    assert_eq!(
        decoder.decode(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"),
        Ok(Progress::Incomplete)
    );
    decoder.start(true);
    assert!(!decoder.started());
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
    assert_eq!(decoder.decode(head), Ok(complete(200, true, 0, head.len())));
}

#[test]
fn an_idle_decoder_is_small_and_keeps_no_large_buffer() {
    let mut decoder = ResponseDecoder::new();
    assert!(size_of_val(&decoder) <= 96, "{} bytes", size_of_val(&decoder));
    let head = format!("HTTP/1.1 200 OK\r\nA: {}", "x".repeat(60_000));
    assert_eq!(decoder.decode(head.as_bytes()), Ok(Progress::Incomplete));
    assert!(decoder.head.capacity() >= head.len());
    decoder.start(false);
    assert_eq!(decoder.head.capacity(), 0);
}

#[test]
fn a_head_in_one_piece_is_not_copied() {
    let mut decoder = ResponseDecoder::new();
    assert!(decoder.decode(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe").is_ok());
    assert_eq!(decoder.head.capacity(), 0);
}

#[test]
fn an_endless_stream_is_cut_off_and_never_kept() {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let cases = [
        ("", "\r\n", WireError::HeadTooLarge),
        ("HTTP/1.1 200 OK\r\n", "A: b\r\n", WireError::HeadTooLarge),
        ("HTTP/1.1 200 ", "O", WireError::HeadTooLarge),
        ("", "HTTP/1.1 100 C\r\n\r\n", WireError::TooManyInterim),
        (&format!("{chunked}1;"), "x", WireError::ChunkLineTooLong),
        (chunked, "0", WireError::ChunkLineTooLong),
        (&format!("{chunked}0\r\n"), "A: b\r\n", WireError::TrailersTooLarge),
    ];
    for (start, endless, expected) in cases {
        let stream = start.bytes().chain(endless.bytes().cycle());
        let mut decoder = ResponseDecoder::new();
        let error = stream.take(100_000).find_map(|byte| decoder.decode(&[byte]).err());
        assert_eq!(error, Some(expected), "{start:?} {endless:?}");
        assert!(decoder.head.capacity() <= 2 * MAX_HEAD_BYTES);
    }
}
