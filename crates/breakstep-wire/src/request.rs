//! Requests as bytes: checked once, encoded once, sent many times.

use std::io::Write;

use crate::request_fault::{RequestFault, faults};

const USER_AGENT: &str = concat!("breakstep/", env!("CARGO_PKG_VERSION"));

/// A request in the user's words.
#[derive(Clone, Copy, Debug)]
pub struct RequestSpec<'a> {
    /// Any token; written as given, for methods are case-sensitive.
    pub method: &'a str,
    /// Path and query, percent-encoded; or `*` for OPTIONS.
    pub target: &'a str,
    /// Host and port, unless `headers` has a `Host`.
    pub host: &'a str,
    /// Further fields, sent in this order.
    pub headers: &'a [(String, String)],
    /// Payload, bytes; may be empty.
    pub body: &'a [u8],
    /// Otherwise the server is asked to close the connection.
    pub keep_alive: bool,
}

/// The bytes of the request, or everything that is wrong with it.
///
/// Adds `Host`, `User-Agent`, `Accept`, `Content-Length` and `Connection: close` where they are
/// needed and not given. Never adds `Accept-Encoding`: a compressed response is another workload.
///
/// ```
/// use breakstep_wire::{RequestSpec, encode_request};
///
/// let headers = [("Accept".to_owned(), "text/html".to_owned())];
/// let spec = RequestSpec {
///     method: "GET", target: "/", host: "shop.test", headers: &headers, body: b"", keep_alive: true,
/// };
/// let bytes = encode_request(&spec).expect("a valid request");
/// assert!(bytes.starts_with(b"GET / HTTP/1.1\r\nHost: shop.test\r\n"));
/// ```
pub fn encode_request(spec: &RequestSpec<'_>) -> Result<Vec<u8>, Vec<RequestFault>> {
    let faults = faults(spec);
    if faults.is_empty() { Ok(spec.encode()) } else { Err(faults) }
}

impl RequestSpec<'_> {
    fn encode(&self) -> Vec<u8> {
        let mut head = Head(Vec::with_capacity(256 + self.body.len()));
        head.line(format_args!("{} {} HTTP/1.1", self.method, self.target));
        if !self.gives("Host") {
            head.field("Host", self.host);
        }
        for (name, value) in self.headers {
            head.field(name, value);
        }
        self.add_missing(&mut head);
        head.line(format_args!(""));
        head.0.extend_from_slice(self.body);
        head.0
    }

    fn add_missing(&self, head: &mut Head) {
        if !self.gives("User-Agent") {
            head.field("User-Agent", USER_AGENT);
        }
        if !self.gives("Accept") {
            head.field("Accept", "*/*");
        }
        if self.announces_length() && !self.gives("Content-Length") {
            head.line(format_args!("Content-Length: {}", self.body.len()));
        }
        if !self.keep_alive && !self.asks_to_close() {
            head.field("Connection", "close");
        }
    }

    /// Methods that usually carry a body say so when it is empty (RFC 9110 §8.6).
    fn announces_length(&self) -> bool {
        !self.body.is_empty() || matches!(self.method, "POST" | "PUT" | "PATCH")
    }

    fn asks_to_close(&self) -> bool {
        let options = self.values("Connection").flat_map(|value| value.split(','));
        options.map(str::trim).any(|option| option.eq_ignore_ascii_case("close"))
    }

    fn gives(&self, name: &str) -> bool {
        self.values(name).next().is_some()
    }

    /// The values the user gave for a field.
    pub(crate) fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        let named = move |(given, _): &&(String, String)| given.eq_ignore_ascii_case(name);
        self.headers.iter().filter(named).map(|(_, value)| value.as_str())
    }
}

/// A head being written.
struct Head(Vec<u8>);

impl Head {
    fn field(&mut self, name: &str, value: &str) {
        self.line(format_args!("{name}: {value}"));
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        write!(self.0, "{text}\r\n").expect("writing to a Vec never fails");
    }
}

#[cfg(test)]
mod tests {
    use super::{RequestSpec, encode_request};

    const GET: RequestSpec<'_> = RequestSpec {
        method: "GET",
        target: "/",
        host: "shop.test",
        headers: &[],
        body: b"",
        keep_alive: true,
    };

    fn fields(lines: &[(&str, &str)]) -> Vec<(String, String)> {
        lines.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn encoded(spec: &RequestSpec<'_>) -> String {
        let bytes = encode_request(spec).expect("a valid request");
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn host_comes_first_and_the_rest_is_added_at_the_end() {
        let headers = fields(&[("X-Trace", "1")]);
        let spec = RequestSpec { headers: &headers, keep_alive: false, ..GET };
        let version = env!("CARGO_PKG_VERSION");
        let expected = format!(
            "GET / HTTP/1.1\r\nHost: shop.test\r\nX-Trace: 1\r\nUser-Agent: breakstep/{version}\r\n\
             Accept: */*\r\nConnection: close\r\n\r\n"
        );
        assert_eq!(encoded(&spec), expected);
    }

    #[test]
    fn what_the_user_gives_is_not_added() {
        let headers = fields(&[
            ("host", "other.test"),
            ("USER-AGENT", "mine"),
            ("accept", "a/b"),
            ("content-length", "2"),
            ("connection", "foo, Close"),
        ]);
        let spec = RequestSpec {
            method: "POST",
            headers: &headers,
            body: b"hi",
            keep_alive: false,
            ..GET
        };
        let expected = "POST / HTTP/1.1\r\nhost: other.test\r\nUSER-AGENT: mine\r\naccept: a/b\r\n\
                        content-length: 2\r\nconnection: foo, Close\r\n\r\nhi";
        assert_eq!(encoded(&spec), expected);
    }

    #[test]
    fn a_length_is_sent_with_a_body_and_with_methods_that_expect_one() {
        let cases: [(&str, &[u8], Option<&str>); 6] = [
            ("GET", b"", None),
            ("DELETE", b"", None),
            ("GET", b"abc", Some("Content-Length: 3\r\n")),
            ("POST", b"", Some("Content-Length: 0\r\n")),
            ("PUT", b"", Some("Content-Length: 0\r\n")),
            ("PATCH", b"", Some("Content-Length: 0\r\n")),
        ];
        for (method, body, expected) in cases {
            let text = encoded(&RequestSpec { method, body, ..GET });
            let line = text.split_inclusive('\n').find(|line| line.starts_with("Content-Length"));
            assert_eq!(line, expected, "{method}");
        }
    }

    #[test]
    fn any_token_is_a_method_and_options_may_ask_of_the_server_as_a_whole() {
        assert!(encoded(&RequestSpec { method: "m-SEARCH!", ..GET }).starts_with("m-SEARCH! / "));
        let options = RequestSpec { method: "OPTIONS", target: "*", ..GET };
        assert!(encoded(&options).starts_with("OPTIONS * HTTP/1.1\r\n"));
    }

    #[test]
    fn no_encoding_is_asked_for() {
        assert!(!encoded(&GET).to_ascii_lowercase().contains("accept-encoding"));
    }
}
