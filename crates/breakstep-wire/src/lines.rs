//! Finding the blank line that ends a head or a trailer section, piece by piece.

/// An incremental search: each byte is looked at once, however the input is split.
///
/// A line ends with CRLF or with a bare LF, as httparse accepts.
///
/// | line    | input        | next                                                  |
/// |---------|--------------|-------------------------------------------------------|
/// | `Empty` | CR           | `Cr`                                                  |
/// | `Empty` | LF           | found if a blank line ends the section, else `Empty`  |
/// | `Empty` | other        | `Text`                                                |
/// | `Cr`    | LF           | as `Empty` on LF                                      |
/// | `Cr`    | other        | `Text`                                                |
/// | `Text`  | LF           | `Empty`; from now on a blank line ends the section    |
/// | `Text`  | other        | `Text`                                                |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlankLine {
    line: Line,
    /// Blank lines before the first line of a head are skipped (RFC 9112 §2.2).
    ends_section: bool,
}

/// What the current line holds so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Empty,
    Cr,
    Text,
}

impl BlankLine {
    /// The blank line after at least one line of text.
    pub(crate) const fn after_text() -> Self {
        Self { line: Line::Empty, ends_section: false }
    }

    /// The first blank line, be it the very first line.
    pub(crate) const fn first() -> Self {
        Self { line: Line::Empty, ends_section: true }
    }

    /// The number of bytes of `input` up to and with the blank line; `None` if it ends later.
    pub(crate) fn find(&mut self, input: &[u8]) -> Option<usize> {
        let mut start = 0;
        for line_feed in memchr::memchr_iter(b'\n', input) {
            let blank = self.line.with(&input[start..line_feed]) != Line::Text;
            if blank && self.ends_section {
                return Some(line_feed + 1);
            }
            self.ends_section |= !blank;
            self.line = Line::Empty;
            start = line_feed + 1;
        }
        self.line = self.line.with(&input[start..]);
        None
    }
}

impl Line {
    /// This line with `more` at its end.
    fn with(self, more: &[u8]) -> Self {
        match (self, more) {
            (_, []) => self,
            (Self::Empty, [b'\r']) => Self::Cr,
            _ => Self::Text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::BlankLine;

    const CASES: [(&str, Option<usize>); 9] = [
        ("a\r\n\r\nrest", Some(5)),
        ("a\n\nrest", Some(3)),
        ("a\r\n\nrest", Some(4)),
        ("a\n\r\nrest", Some(4)),
        ("\r\n\n\r\na\r\n\r\nrest", Some(10)),
        ("a\r\nb\r\n\r\n", Some(8)),
        ("a\r\n\r\r\nrest", None),
        ("a\r\n \r\nrest", None),
        ("\r\n\r\n\r\n", None),
    ];

    #[test]
    fn a_head_ends_at_the_blank_line_after_its_text() {
        for (input, end) in CASES {
            assert_eq!(BlankLine::after_text().find(input.as_bytes()), end, "{input:?}");
        }
    }

    #[test]
    fn the_end_is_the_same_when_fed_byte_by_byte() {
        for (input, end) in CASES {
            let mut search = BlankLine::after_text();
            let found = input.bytes().position(|byte| search.find(&[byte]).is_some());
            assert_eq!(found.map(|at| at + 1), end, "{input:?}");
        }
    }

    #[test]
    fn a_trailer_section_may_be_empty() {
        assert_eq!(BlankLine::first().find(b"\r\nrest"), Some(2));
        assert_eq!(BlankLine::first().find(b"a: b\r\n\r\nrest"), Some(8));
    }
}
