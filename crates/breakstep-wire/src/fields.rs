//! The header fields that decide how long a message is and whether its connection lives on.

use httparse::Header;

use crate::WireError;

/// How the end of a body is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    Length(u64),
    Chunked,
    UntilClose,
}

/// What the fields of one head say, unjudged: which of it matters depends on the message.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fields {
    length: Length,
    coding: Coding,
    close: bool,
    keep_alive: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Length {
    #[default]
    Absent,
    Given(u64),
    Invalid,
}

/// The final transfer coding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Coding {
    #[default]
    Absent,
    Chunked,
    Other,
}

impl Fields {
    /// Reads the fields of a head.
    pub(crate) fn read(headers: &[Header<'_>]) -> Self {
        let mut fields = Self::default();
        for header in headers {
            fields.add(header);
        }
        fields
    }

    /// Comparing lengths first skips nearly every field of a typical head.
    #[inline]
    fn add(&mut self, header: &Header<'_>) {
        let is = |name: &str| header.name.eq_ignore_ascii_case(name);
        match header.name.len() {
            10 if is("connection") => self.add_connection(header.value),
            14 if is("content-length") => self.add_length(header.value),
            17 if is("transfer-encoding") => self.add_coding(header.value),
            _ => {}
        }
    }

    fn add_connection(&mut self, value: &[u8]) {
        for option in elements(value) {
            self.close |= option.eq_ignore_ascii_case(b"close");
            self.keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
        }
    }

    /// A list of equal numbers is what some proxies make of a repeated field (RFC 9112 §6.3).
    fn add_length(&mut self, value: &[u8]) {
        for element in elements(value) {
            self.length = match (self.length, number(element)) {
                (Length::Absent, Some(n)) => Length::Given(n),
                (Length::Given(before), Some(n)) if before == n => Length::Given(n),
                _ => Length::Invalid,
            };
        }
    }

    fn add_coding(&mut self, value: &[u8]) {
        for coding in elements(value) {
            let chunked = coding.eq_ignore_ascii_case(b"chunked");
            self.coding = if chunked { Coding::Chunked } else { Coding::Other };
        }
    }

    /// How a response's body ends (RFC 9112 §6.3), for one that may have a body.
    pub(crate) fn response_framing(self, minor_version: u8) -> Result<Framing, WireError> {
        Ok(self.framing(minor_version)?.unwrap_or(Framing::UntilClose))
    }

    /// How a request's body ends: never with the connection, for then nothing could be answered.
    pub(crate) fn request_framing(self, minor_version: u8) -> Result<Framing, WireError> {
        match self.framing(minor_version)? {
            Some(Framing::UntilClose) => Err(WireError::BadTransferEncoding),
            framing => Ok(framing.unwrap_or(Framing::Length(0))),
        }
    }

    /// A transfer coding overrides a length; HTTP/1.0 has no transfer codings.
    fn framing(self, minor_version: u8) -> Result<Option<Framing>, WireError> {
        match (self.coding, self.length) {
            (Coding::Absent, Length::Absent) => Ok(None),
            (Coding::Absent, Length::Given(length)) => Ok(Some(Framing::Length(length))),
            (Coding::Absent, Length::Invalid) => Err(WireError::BadContentLength),
            _ if minor_version == 0 => Err(WireError::BadTransferEncoding),
            (Coding::Chunked, _) => Ok(Some(Framing::Chunked)),
            (Coding::Other, _) => Ok(Some(Framing::UntilClose)),
        }
    }

    /// Whether the sender will take another message on this connection.
    ///
    /// A message with both a transfer coding and a length may be an attempt at smuggling: its
    /// connection is not used again (RFC 9112 §6.1).
    pub(crate) fn keep_alive(self, minor_version: u8) -> bool {
        let two_framings = self.coding != Coding::Absent && self.length != Length::Absent;
        let offered = minor_version >= 1 || self.keep_alive;
        offered && !self.close && !two_framings
    }
}

/// The elements of a comma-separated list, without the white space around them.
fn elements(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    list.split(|&byte| byte == b',').map(<[u8]>::trim_ascii)
}

fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |n, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        n.checked_mul(10)?.checked_add(digit)
    })
}

#[cfg(test)]
mod tests {
    use super::{Fields, Framing, Header, WireError};

    fn fields(lines: &[(&str, &str)]) -> Fields {
        let headers: Vec<_> =
            lines.iter().map(|(name, value)| Header { name, value: value.as_bytes() }).collect();
        Fields::read(&headers)
    }

    #[test]
    fn a_length_is_a_number_below_two_to_the_64_or_a_list_of_equal_ones() {
        let cases = [
            ("0", Ok(0)),
            ("0042", Ok(42)),
            ("18446744073709551615", Ok(u64::MAX)),
            ("7, 7,7", Ok(7)),
            ("18446744073709551616", Err(WireError::BadContentLength)),
            ("7, 8", Err(WireError::BadContentLength)),
            ("7,", Err(WireError::BadContentLength)),
            ("8, x, 8", Err(WireError::BadContentLength)),
            ("+7", Err(WireError::BadContentLength)),
            ("-1", Err(WireError::BadContentLength)),
            ("0x7", Err(WireError::BadContentLength)),
            ("", Err(WireError::BadContentLength)),
        ];
        for (value, expected) in cases {
            let framing = fields(&[("content-length", value)]).response_framing(1);
            assert_eq!(framing, expected.map(Framing::Length), "{value:?}");
        }
    }

    #[test]
    fn repeated_lengths_must_agree() {
        let twice = |a, b| fields(&[("Content-Length", a), ("CONTENT-LENGTH", b)]);
        assert_eq!(twice("5", "5").response_framing(1), Ok(Framing::Length(5)));
        assert_eq!(twice("5", "6").response_framing(1), Err(WireError::BadContentLength));
        assert_eq!(twice("x", "6").response_framing(1), Err(WireError::BadContentLength));
    }

    #[test]
    fn the_final_coding_decides() {
        let cases = [
            ("chunked", Framing::Chunked),
            ("Chunked", Framing::Chunked),
            ("gzip, chunked", Framing::Chunked),
            ("chunked, gzip", Framing::UntilClose),
            ("gzip", Framing::UntilClose),
            ("xchunked", Framing::UntilClose),
            ("chunked;q=1", Framing::UntilClose),
            ("", Framing::UntilClose),
        ];
        for (value, expected) in cases {
            let framing = fields(&[("Transfer-Encoding", value)]).response_framing(1);
            assert_eq!(framing, Ok(expected), "{value:?}");
        }
    }

    #[test]
    fn a_request_must_end_before_its_connection() {
        let gzip = fields(&[("transfer-encoding", "gzip")]);
        assert_eq!(gzip.request_framing(1), Err(WireError::BadTransferEncoding));
        assert_eq!(fields(&[]).request_framing(1), Ok(Framing::Length(0)));
    }

    #[test]
    fn http_1_0_has_no_transfer_coding() {
        let chunked = fields(&[("transfer-encoding", "chunked")]);
        assert_eq!(chunked.response_framing(0), Err(WireError::BadTransferEncoding));
    }

    #[test]
    fn a_coding_beats_a_length_and_the_connection_is_not_reused() {
        let both = fields(&[("content-length", "5"), ("transfer-encoding", "chunked")]);
        assert_eq!(both.response_framing(1), Ok(Framing::Chunked));
        assert!(!both.keep_alive(1));
    }

    #[test]
    fn the_connection_lives_on_by_version_and_option() {
        // option, HTTP/1.1, HTTP/1.0
        let cases = [
            ("", true, false),
            ("keep-alive", true, true),
            ("Keep-Alive", true, true),
            ("close", false, false),
            ("CLOSE", false, false),
            ("foo, Close ,bar", false, false),
            ("keep-alive, close", false, false),
            ("closed", true, false),
        ];
        for (option, http_1_1, http_1_0) in cases {
            let fields = fields(&[("Connection", option)]);
            assert_eq!(
                (fields.keep_alive(1), fields.keep_alive(0)),
                (http_1_1, http_1_0),
                "{option:?}"
            );
        }
    }
}
