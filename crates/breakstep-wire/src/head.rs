//! Collecting a head that may arrive in pieces.

use std::mem::MaybeUninit;

use crate::WireError;
use crate::lines::BlankLine;

/// Longest head, bytes, with the blank lines before it.
pub(crate) const MAX_HEAD_BYTES: usize = 64 * 1024;
/// Most header fields of one head.
pub(crate) const MAX_HEADERS: usize = 128;
/// Largest buffer that is kept for the next head, bytes.
const MAX_SPARE_BYTES: usize = 4 * 1024;

/// Room for the fields of one head. Uninitialized, so 128 of them cost no more than 10.
pub(crate) type HeaderSlots<'a> = [MaybeUninit<httparse::Header<'a>>; MAX_HEADERS];

/// Fresh room for the fields of one head.
pub(crate) const fn header_slots<'a>() -> HeaderSlots<'a> {
    [const { MaybeUninit::uninit() }; MAX_HEADERS]
}

/// A parsed head and its length in bytes; `None` while its end is missing.
pub(crate) type Parsed<T> = Result<Option<(T, usize)>, WireError>;

/// The bytes of a head whose end has not been seen; empty, and not allocated, between heads.
///
/// A head that is complete in one read is parsed where it lies. Otherwise its bytes are kept
/// and the end is searched for incrementally, so that a peer sending one byte at a time causes
/// two parses and linear work, not a parse for each byte.
#[derive(Debug)]
pub(crate) struct HeadBuffer {
    /// At most [`MAX_HEAD_BYTES`] long.
    bytes: Vec<u8>,
    end: BlankLine,
}

impl HeadBuffer {
    pub(crate) const fn new() -> Self {
        Self { bytes: Vec::new(), end: BlankLine::after_text() }
    }

    /// Feeds `input`; once the head is complete, its parsed form and how much of `input` it took.
    pub(crate) fn feed<T>(&mut self, input: &[u8], parse: fn(&[u8]) -> Parsed<T>) -> Parsed<T> {
        if self.bytes.is_empty()
            && let Some((head, len)) = parse(input)?
        {
            return if len > MAX_HEAD_BYTES {
                Err(WireError::HeadTooLarge)
            } else {
                Ok(Some((head, len)))
            };
        }
        self.feed_piece(input, parse)
    }

    #[cold]
    fn feed_piece<T>(&mut self, input: &[u8], parse: fn(&[u8]) -> Parsed<T>) -> Parsed<T> {
        let end = self.end.find(input);
        let piece = &input[..end.unwrap_or(input.len())];
        if self.bytes.len() + piece.len() > MAX_HEAD_BYTES {
            return Err(WireError::HeadTooLarge);
        }
        self.bytes.extend_from_slice(piece);
        if end.is_none() {
            return Ok(None);
        }
        let (head, _) = parse(&self.bytes)?.ok_or(WireError::BadHead)?;
        self.clear();
        Ok(Some((head, piece.len())))
    }

    /// Forgets the head so far, and the buffer too if it is large.
    pub(crate) fn clear(&mut self) {
        self.end = BlankLine::after_text();
        self.bytes.clear();
        if self.bytes.capacity() > MAX_SPARE_BYTES {
            self.bytes = Vec::new();
        }
    }

    /// Bytes allocated.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }
}
