//! Driving a decoder over input that arrives in pieces.

use breakstep_wire::{Progress, Response, ResponseDecoder, WireError};

/// The response at the end of the pieces, and how many bytes it took. A server that has nothing
/// more to send closes.
pub(crate) fn respond<'a>(
    request_was_head: bool,
    pieces: impl Iterator<Item = &'a [u8]>,
) -> Result<(Response, usize), WireError> {
    let mut decoder = ResponseDecoder::new();
    decoder.start(request_was_head);
    let mut before = 0;
    for piece in pieces {
        if let Progress::Complete { response, consumed } = decoder.decode(piece)? {
            return Ok((response, before + consumed));
        }
        before += piece.len();
    }
    decoder.finish().map(|response| (response, before))
}
