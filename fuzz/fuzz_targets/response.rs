//! A response means the same however its bytes are split.
//!
//! The first byte of an input is the manner, the rest the stream: bit 7 says that the request
//! was HEAD, the other bits are the size of a piece less one.

#![no_main]

use breakstep_wire::{Progress, Response, ResponseDecoder, WireError};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((manner, stream)) = data.split_first() else {
        return;
    };
    let request_was_head = manner & 0x80 != 0;
    let piece_bytes = usize::from(manner & 0x7f) + 1;
    let whole = respond(request_was_head, stream.chunks(stream.len().max(1)));
    let split = respond(request_was_head, stream.chunks(piece_bytes));
    // The cause of a failure may differ: a head in one piece is refused before its end.
    assert_eq!(whole.ok(), split.ok());
});

/// The response at the end of the pieces, and how many bytes it took. Then the server closes.
fn respond<'a>(
    request_was_head: bool,
    pieces: impl Iterator<Item = &'a [u8]>,
) -> Result<(Response, usize), WireError> {
    let mut decoder = ResponseDecoder::new();
    decoder.start(request_was_head);
    let mut before = 0;
    for piece in pieces {
        if let Progress::Complete { response, consumed } = decoder.decode(piece)? {
            assert!(consumed <= piece.len());
            return Ok((response, before + consumed));
        }
        before += piece.len();
    }
    decoder.finish().map(|response| (response, before))
}
