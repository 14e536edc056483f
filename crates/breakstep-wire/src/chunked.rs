//! The chunked transfer coding (RFC 9112 §7.1), counted and thrown away.

use crate::WireError;
use crate::body::take;
use crate::lines::BlankLine;

/// Longest chunk line (size and extensions), bytes.
const MAX_LINE_BYTES: u16 = 4 * 1024;
/// Longest trailer section, bytes.
const MAX_TRAILER_BYTES: usize = 16 * 1024;

/// A chunked body in progress.
///
/// | state          | input            | next                                      |
/// |----------------|------------------|-------------------------------------------|
/// | `Start`        | hex digit d      | `Size(d)`                                 |
/// | `Size(n)`      | hex digit d      | `Size(16n + d)`                           |
/// | `Size(n)`      | SP, HTAB         | `Space(n)`                                |
/// | `Size(n)`      | `;`              | `Extension(n)`                            |
/// | `Size(n)`      | CR               | `LineEnd(n)`                              |
/// | `Space(n)`     | SP, HTAB, `;` CR | as `Size(n)`                              |
/// | `Extension(n)` | CR               | `LineEnd(n)`                              |
/// | `Extension(n)` | any but LF       | `Extension(n)`                            |
/// | `LineEnd(n)`   | LF               | `Data(n)`, or `Trailers` if n = 0         |
/// | `Data(n)`      | k bytes          | `Data(n − k)`, or `DataCr` if n = k       |
/// | `DataCr`       | CR               | `DataLf`                                  |
/// | `DataLf`       | LF               | `Start`                                   |
/// | `Trailers`     | blank line       | the body's end                            |
/// | any            | else             | `BadChunk`                                |
///
/// Line ends are CRLF here, as httparse and hyper insist: a lenient reader of chunk lines is a
/// known way to smuggle. Trailers are fields, and read like those of a head.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunked {
    state: State,
    /// Bytes of the current chunk line, at most [`MAX_LINE_BYTES`].
    line_bytes: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Start,
    Size(u64),
    Space(u64),
    Extension(u64),
    LineEnd(u64),
    Data(u64),
    DataCr,
    DataLf,
    /// The search for the end, and the bytes so far: at most [`MAX_TRAILER_BYTES`].
    Trailers(BlankLine, u16),
}

impl Chunked {
    pub(crate) const fn new() -> Self {
        Self { state: State::Start, line_bytes: 0 }
    }

    /// Feeds `input`, adds the payload in it to `payload`: where the body ends, or `None`.
    pub(crate) fn feed(
        &mut self,
        input: &[u8],
        payload: &mut u64,
    ) -> Result<Option<usize>, WireError> {
        let mut at = 0;
        while at < input.len() {
            match self.state {
                State::Data(left) => {
                    let taken = self.data(left, &input[at..]);
                    *payload = payload.saturating_add(taken as u64);
                    at += taken;
                }
                State::Trailers(end, before) => {
                    let found = self.trailers(end, before, &input[at..])?;
                    return Ok(found.map(|length| at + length));
                }
                state => {
                    self.state = self.line(state, input[at])?;
                    at += 1;
                }
            }
        }
        Ok(None)
    }

    fn data(&mut self, mut left: u64, input: &[u8]) -> usize {
        let taken = take(&mut left, input);
        self.state = if left == 0 { State::DataCr } else { State::Data(left) };
        taken
    }

    fn trailers(
        &mut self,
        mut end: BlankLine,
        before: u16,
        input: &[u8],
    ) -> Result<Option<usize>, WireError> {
        let found = end.find(input);
        let length = usize::from(before) + found.unwrap_or(input.len());
        if length > MAX_TRAILER_BYTES {
            return Err(WireError::TrailersTooLarge);
        }
        self.state = State::Trailers(end, length as u16);
        Ok(found)
    }

    /// One byte outside of the data and the trailers.
    fn line(&mut self, state: State, byte: u8) -> Result<State, WireError> {
        self.line_bytes += 1;
        if self.line_bytes > MAX_LINE_BYTES {
            return Err(WireError::ChunkLineTooLong);
        }
        match (state, byte) {
            (State::Start, _) => hex(byte).map(State::Size),
            (State::Size(n) | State::Space(n), b' ' | b'\t') => Ok(State::Space(n)),
            (State::Size(n) | State::Space(n), b';') => Ok(State::Extension(n)),
            (State::Size(n) | State::Space(n) | State::Extension(n), b'\r') => {
                Ok(State::LineEnd(n))
            }
            (State::Size(n), _) => with_digit(n, byte).map(State::Size),
            (State::Extension(n), byte) if byte != b'\n' => Ok(State::Extension(n)),
            (State::LineEnd(n), b'\n') => Ok(self.after_line(n)),
            (State::DataCr, b'\r') => Ok(State::DataLf),
            (State::DataLf, b'\n') => Ok(self.next_line()),
            _ => Err(WireError::BadChunk),
        }
    }

    fn after_line(&mut self, size: u64) -> State {
        self.line_bytes = 0;
        if size == 0 { State::Trailers(BlankLine::first(), 0) } else { State::Data(size) }
    }

    fn next_line(&mut self) -> State {
        self.line_bytes = 0;
        State::Start
    }
}

fn with_digit(size: u64, byte: u8) -> Result<u64, WireError> {
    let digit = hex(byte)?;
    size.checked_mul(16).map(|size| size + digit).ok_or(WireError::BadChunk)
}

fn hex(byte: u8) -> Result<u64, WireError> {
    let digit = char::from(byte).to_digit(16).ok_or(WireError::BadChunk)?;
    Ok(u64::from(digit))
}

#[cfg(test)]
mod tests {
    use super::{Chunked, MAX_LINE_BYTES, MAX_TRAILER_BYTES, WireError};

    /// The payload and the end of a body fed in pieces of `step` bytes.
    fn read(input: &[u8], step: usize) -> Result<Option<(u64, usize)>, WireError> {
        let (mut chunked, mut payload, mut before) = (Chunked::new(), 0, 0);
        for piece in input.chunks(step) {
            if let Some(end) = chunked.feed(piece, &mut payload)? {
                return Ok(Some((payload, before + end)));
            }
            before += piece.len();
        }
        Ok(None)
    }

    #[test]
    fn a_valid_body_ends_after_its_trailers() {
        let cases = [
            ("0\r\n\r\nnext", 0, 5),
            ("5\r\nhello\r\n0\r\n\r\nnext", 5, 15),
            ("A\r\n0123456789\r\n1\r\nx\r\n0\r\n\r\n", 11, 26),
            ("0005 \t;a=b;c=\"d\"\r\nhello\r\n000;last\r\n\r\n", 5, 37),
            ("1\r\nx\r\n0\r\nA: b\r\nC: d\r\n\r\nnext", 1, 23),
            ("1\r\nx\r\n0\r\nA: b\n\nnext", 1, 15),
        ];
        for (input, payload, end) in cases {
            for step in [1, 2, 3, 7, input.len()] {
                let found = read(input.as_bytes(), step);
                assert_eq!(found, Ok(Some((payload, end))), "{input:?} by {step}");
            }
        }
    }

    #[test]
    fn a_malformed_chunk_is_refused() {
        let cases = [
            "\r\n",
            "x\r\n",
            ";a\r\n",
            " 5\r\n",
            "-5\r\n",
            "0x5\r\n",
            "5 5\r\n",
            "5\n",
            "5\rx",
            "5;a\n",
            "5;a\rb",
            "5\r\nhello!",
            "5\r\nhello\n",
            "5\r\nhello\rx",
            "10000000000000000\r\n",
        ];
        for input in cases {
            for step in [1, input.len()] {
                assert_eq!(read(input.as_bytes(), step), Err(WireError::BadChunk), "{input:?}");
            }
        }
    }

    #[test]
    fn the_largest_size_is_two_to_the_64_less_one() {
        assert_eq!(read(b"ffffffffffffffff\r\nabc", 99), Ok(None));
    }

    #[test]
    fn a_chunk_line_is_at_most_4_kib() {
        let line = |length: usize| format!("0;{}\r\n\r\n", "e".repeat(length - 4));
        let longest = usize::from(MAX_LINE_BYTES);
        for step in [1, 100_000] {
            assert!(read(line(longest).as_bytes(), step).is_ok_and(|end| end.is_some()));
            let refused = read(line(longest + 1).as_bytes(), step);
            assert_eq!(refused, Err(WireError::ChunkLineTooLong));
        }
    }

    #[test]
    fn trailers_are_at_most_16_kib() {
        let body = |length: usize| format!("0\r\nA: {}\r\n\r\n", "t".repeat(length - 7));
        for step in [1, 100_000] {
            let longest = read(body(MAX_TRAILER_BYTES).as_bytes(), step);
            assert!(longest.is_ok_and(|end| end.is_some()));
            let refused = read(body(MAX_TRAILER_BYTES + 1).as_bytes(), step);
            assert_eq!(refused, Err(WireError::TrailersTooLarge));
        }
    }
}
