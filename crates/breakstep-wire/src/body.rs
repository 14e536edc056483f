//! Following a body to its end without keeping it.

use crate::WireError;
use crate::chunked::Chunked;
use crate::fields::Framing;

/// A body in progress.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    /// Payload so far, bytes: chunk sizes, extensions and trailers do not count.
    received: u64,
    rest: Rest,
}

/// What has still to come.
#[derive(Clone, Copy, Debug)]
enum Rest {
    Bytes(u64),
    Chunked(Chunked),
    UntilClose,
}

impl Body {
    pub(crate) const fn new(framing: Framing) -> Self {
        let rest = match framing {
            Framing::Length(length) => Rest::Bytes(length),
            Framing::Chunked => Rest::Chunked(Chunked::new()),
            Framing::UntilClose => Rest::UntilClose,
        };
        Self { received: 0, rest }
    }

    /// Feeds `input`: where in it the body ends, or `None` if it goes on.
    pub(crate) fn feed(&mut self, input: &[u8]) -> Result<Option<usize>, WireError> {
        match &mut self.rest {
            Rest::Bytes(left) => {
                let taken = take(left, input);
                self.received += taken as u64;
                Ok((*left == 0).then_some(taken))
            }
            Rest::Chunked(chunked) => chunked.feed(input, &mut self.received),
            Rest::UntilClose => {
                self.received += input.len() as u64;
                Ok(None)
            }
        }
    }

    pub(crate) const fn received(&self) -> u64 {
        self.received
    }

    /// Whether the end of the connection is the end of this body.
    pub(crate) const fn ends_at_close(&self) -> bool {
        matches!(self.rest, Rest::UntilClose)
    }
}

/// Takes up to `left` bytes from the front of `input`; how many there were.
pub(crate) fn take(left: &mut u64, input: &[u8]) -> usize {
    let available = input.len() as u64;
    let taken = available.min(*left);
    *left -= taken;
    taken as usize
}

#[cfg(test)]
mod tests {
    use super::{Body, Framing};

    #[test]
    fn an_empty_body_ends_before_the_first_byte() {
        assert_eq!(Body::new(Framing::Length(0)).feed(b"next"), Ok(Some(0)));
        assert_eq!(Body::new(Framing::Length(0)).feed(b""), Ok(Some(0)));
    }

    #[test]
    fn a_counted_body_ends_at_its_length() {
        let mut body = Body::new(Framing::Length(5));
        assert_eq!(body.feed(b"abc"), Ok(None));
        assert_eq!(body.feed(b"denext"), Ok(Some(2)));
        assert_eq!(body.received(), 5);
    }

    #[test]
    fn a_close_delimited_body_never_ends_by_itself() {
        let mut body = Body::new(Framing::UntilClose);
        assert_eq!(body.feed(b"abc"), Ok(None));
        assert!(body.ends_at_close());
        assert_eq!(body.received(), 3);
    }
}
