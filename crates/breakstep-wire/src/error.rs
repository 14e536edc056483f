//! The ways in which a peer's bytes are not HTTP/1.1.

/// Why a message could not be decoded; the connection is of no further use.
///
/// A closed set with fixed texts, so that causes can be counted without growing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{}", self.as_str())]
pub enum WireError {
    /// The head is not the head of an HTTP/1.0 or HTTP/1.1 message.
    BadHead,
    /// One head is longer than 64 KiB.
    HeadTooLarge,
    /// One head has more than 128 header fields.
    TooManyHeaders,
    /// `Content-Length` is not a number below 2⁶⁴, or its values differ.
    BadContentLength,
    /// `Transfer-Encoding` in HTTP/1.0, or a request whose final coding is not `chunked`.
    BadTransferEncoding,
    /// A chunk's size or its line ends are malformed.
    BadChunk,
    /// A chunk's size and extensions are longer than 4 KiB.
    ChunkLineTooLong,
    /// The trailer section is longer than 16 KiB.
    TrailersTooLarge,
    /// More than 16 interim (1xx) responses came before the final one.
    TooManyInterim,
    /// The server switched protocols (101), which no request of ours asks for.
    UnexpectedUpgrade,
    /// The connection was closed before a single byte of the response.
    EmptyReply,
    /// The connection was closed in the middle of a message.
    UnexpectedEof,
}

impl WireError {
    /// The fixed text of this cause.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BadHead => "malformed HTTP head",
            Self::HeadTooLarge => "HTTP head larger than 64 KiB",
            Self::TooManyHeaders => "more than 128 header fields",
            Self::BadContentLength => "invalid or conflicting Content-Length",
            Self::BadTransferEncoding => "invalid Transfer-Encoding",
            Self::BadChunk => "malformed chunk",
            Self::ChunkLineTooLong => "chunk line longer than 4 KiB",
            Self::TrailersTooLarge => "trailers larger than 16 KiB",
            Self::TooManyInterim => "more than 16 interim responses",
            Self::UnexpectedUpgrade => "unexpected switch of protocols",
            Self::EmptyReply => "connection closed before any reply",
            Self::UnexpectedEof => "connection closed in the middle of a message",
        }
    }
}

/// httparse's finer reasons all mean that the head is malformed, but for the count of fields.
impl From<httparse::Error> for WireError {
    fn from(error: httparse::Error) -> Self {
        match error {
            httparse::Error::TooManyHeaders => Self::TooManyHeaders,
            _ => Self::BadHead,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::WireError;

    #[test]
    fn an_error_displays_its_fixed_text() {
        assert_eq!(WireError::EmptyReply.to_string(), WireError::EmptyReply.as_str());
    }

    #[test]
    fn only_the_count_of_fields_is_told_from_a_bad_head() {
        assert_eq!(WireError::from(httparse::Error::TooManyHeaders), WireError::TooManyHeaders);
        assert_eq!(WireError::from(httparse::Error::Version), WireError::BadHead);
    }
}
