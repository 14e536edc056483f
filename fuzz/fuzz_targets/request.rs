//! A stream of requests means the same however its bytes are split.
//!
//! The first byte of an input is the size of a piece less one, the rest is the stream.

#![no_main]

use breakstep_wire::{RequestDecoder, RequestHead, RequestProgress, WireError};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((piece_bytes, stream)) = data.split_first() else {
        return;
    };
    let (whole, refused_whole) = requests(stream.chunks(stream.len().max(1)));
    let (split, refused_split) = requests(stream.chunks(usize::from(*piece_bytes) + 1));
    assert_eq!(whole, split);
    // A head in one piece is refused before its end, one in pieces at its end.
    assert!(refused_whole.is_some() || refused_split.is_none());
});

/// All requests of the stream, and why it could not be read further.
fn requests<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<RequestHead>, Option<WireError>) {
    let mut decoder = RequestDecoder::new();
    let mut found = Vec::new();
    for piece in pieces {
        if let Err(error) = read(&mut decoder, piece, &mut found) {
            return (found, Some(error));
        }
    }
    (found, None)
}

fn read(
    decoder: &mut RequestDecoder,
    mut rest: &[u8],
    found: &mut Vec<RequestHead>,
) -> Result<(), WireError> {
    while let RequestProgress::Complete { request, consumed } = decoder.decode(rest)? {
        found.push(request);
        rest = &rest[consumed..];
    }
    Ok(())
}
