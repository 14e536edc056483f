//! What can be wrong with a request before it is sent.

use crate::request::RequestSpec;

/// A fault of a request: what, where, and the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestFault {
    /// The method is empty or has a character no token may have.
    #[error("method {method:?} is not an HTTP token: use letters such as GET, without spaces")]
    Method {
        /// As given.
        method: String,
    },
    /// The target is not a path, nor `*` for OPTIONS.
    #[error("target {target:?} does not start with '/': give the path and query, not a whole URL")]
    TargetForm {
        /// As given.
        target: String,
    },
    /// The target has a character that must be percent-encoded, or a fragment.
    #[error(
        "target {target:?} has {found:?} at byte {at}: percent-encode it, and leave out fragments"
    )]
    TargetCharacter {
        /// As given.
        target: String,
        /// The first such character.
        found: char,
        /// Its place, bytes from the start.
        at: usize,
    },
    /// The host is empty or has a character no authority may have.
    #[error("host {host:?} is not a host and port: write it like shop.test:8080")]
    Host {
        /// As given.
        host: String,
    },
    /// More than one `Host` field, which every server must refuse.
    #[error("headers give Host {count} times: keep one")]
    RepeatedHost {
        /// How many.
        count: usize,
    },
    /// A field's name is empty or has a character no token may have.
    #[error("header {index}: name {name:?} is not an HTTP token: use letters, digits and '-'")]
    HeaderName {
        /// Place in the list, from 0.
        index: usize,
        /// As given.
        name: String,
    },
    /// A field's value has a control character, which could start a field of its own.
    #[error("header {index} ({name:?}): value has {found:?} at byte {at}: remove it")]
    HeaderValue {
        /// Place in the list, from 0.
        index: usize,
        /// The field's name.
        name: String,
        /// The first such character.
        found: char,
        /// Its place, bytes from the start.
        at: usize,
    },
    /// The given `Content-Length` is not the body's.
    #[error(
        "headers give Content-Length {given:?} but the body has {actual} bytes: leave the header out"
    )]
    ContentLength {
        /// As given.
        given: String,
        /// The body's length, bytes.
        actual: usize,
    },
    /// A `Transfer-Encoding` was given; bodies are sent whole, with their length.
    #[error("headers give Transfer-Encoding: leave it out, the body is sent with its length")]
    TransferEncoding,
}

/// All faults of a request, in the order of its parts.
pub(crate) fn faults(spec: &RequestSpec<'_>) -> Vec<RequestFault> {
    let mut faults = Vec::new();
    faults.extend(method_fault(spec.method));
    faults.extend(target_fault(spec.method, spec.target));
    faults.extend(host_fault(spec));
    for (index, (name, value)) in spec.headers.iter().enumerate() {
        faults.extend(name_fault(index, name));
        faults.extend(value_fault(index, name, value));
    }
    faults.extend(length_faults(spec));
    faults.extend(spec.values("Transfer-Encoding").next().map(|_| RequestFault::TransferEncoding));
    faults
}

fn method_fault(method: &str) -> Option<RequestFault> {
    (!is_token(method)).then(|| RequestFault::Method { method: method.to_owned() })
}

fn target_fault(method: &str, target: &str) -> Option<RequestFault> {
    if method == "OPTIONS" && target == "*" {
        return None;
    }
    if !target.starts_with('/') {
        return Some(RequestFault::TargetForm { target: target.to_owned() });
    }
    let (at, found) = target.char_indices().find(|(_, c)| !c.is_ascii_graphic() || *c == '#')?;
    Some(RequestFault::TargetCharacter { target: target.to_owned(), found, at })
}

/// The given host is not looked at where a header takes its place.
fn host_fault(spec: &RequestSpec<'_>) -> Option<RequestFault> {
    match spec.values("Host").count() {
        0 if !is_authority(spec.host) => Some(RequestFault::Host { host: spec.host.to_owned() }),
        0 | 1 => None,
        count => Some(RequestFault::RepeatedHost { count }),
    }
}

fn name_fault(index: usize, name: &str) -> Option<RequestFault> {
    (!is_token(name)).then(|| RequestFault::HeaderName { index, name: name.to_owned() })
}

fn value_fault(index: usize, name: &str, value: &str) -> Option<RequestFault> {
    let forbidden = |c: char| c.is_ascii_control() && c != '\t';
    let (at, found) = value.char_indices().find(|(_, c)| forbidden(*c))?;
    Some(RequestFault::HeaderValue { index, name: name.to_owned(), found, at })
}

fn length_faults(spec: &RequestSpec<'_>) -> impl Iterator<Item = RequestFault> {
    let actual = spec.body.len();
    let wrong = move |given: &&str| !is_number(given, actual);
    let fault = move |given: &str| RequestFault::ContentLength { given: given.to_owned(), actual };
    spec.values("Content-Length").filter(wrong).map(fault)
}

/// Digits only: `parse` alone would take a sign, which a server would not.
fn is_number(text: &str, number: usize) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse() == Ok(number)
}

/// RFC 9110 §5.6.2.
fn is_token(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(allowed)
}

/// Loosely RFC 3986 §3.2 without user information: enough to keep the request in one piece.
fn is_authority(host: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_graphic() && !b"/?#@\\".contains(&byte);
    !host.is_empty() && host.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::{RequestFault, RequestSpec, faults};

    fn found(
        method: &str,
        target: &str,
        host: &str,
        headers: &[(&str, &str)],
    ) -> Vec<RequestFault> {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let headers: Vec<_> = headers.iter().map(own).collect();
        faults(&RequestSpec {
            method,
            target,
            host,
            headers: &headers,
            body: b"hi",
            keep_alive: true,
        })
    }

    fn messages(faults: &[RequestFault]) -> Vec<String> {
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn all_faults_are_reported_at_once_with_place_and_remedy() {
        let headers = [
            ("Bad Name", "ok"),
            ("X", "a\r\nInjected: 1"),
            ("Content-Length", "3"),
            ("transfer-encoding", "chunked"),
        ];
        let expected = [
            "method \"G T\" is not an HTTP token: use letters such as GET, without spaces",
            "target \"/a b\" has ' ' at byte 2: percent-encode it, and leave out fragments",
            "host \"a b\" is not a host and port: write it like shop.test:8080",
            "header 0: name \"Bad Name\" is not an HTTP token: use letters, digits and '-'",
            "header 1 (\"X\"): value has '\\r' at byte 1: remove it",
            "headers give Content-Length \"3\" but the body has 2 bytes: leave the header out",
            "headers give Transfer-Encoding: leave it out, the body is sent with its length",
        ];
        assert_eq!(messages(&found("G T", "/a b", "a b", &headers)), expected);
    }

    #[test]
    fn a_target_is_a_visible_ascii_path_without_fragment() {
        for target in ["", "a", "*", "http://a/", "/a b", "/\r\n", "/a#b", "/é", "/\u{7f}", "/\0"]
        {
            assert_eq!(found("GET", target, "a", &[]).len(), 1, "{target:?}");
        }
        for target in ["/", "//", "/a?b=c&d=%20", "/~{}|^\"<>\\"] {
            assert_eq!(found("GET", target, "a", &[]), [], "{target:?}");
        }
    }

    #[test]
    fn only_options_may_ask_of_the_server_as_a_whole() {
        assert_eq!(found("OPTIONS", "*", "a", &[]), []);
        assert_eq!(found("GET", "*", "a", &[]).len(), 1);
    }

    #[test]
    fn names_and_methods_are_tokens() {
        for token in ["", "a b", "a:", "a\r", "é", "a\0", "(a)", "a/b"] {
            assert_eq!(found(token, "/", "a", &[]).len(), 1, "{token:?}");
            assert_eq!(found("GET", "/", "a", &[(token, "v")]).len(), 1, "{token:?}");
        }
    }

    #[test]
    fn a_value_has_no_control_character_but_the_tab() {
        for value in ["\n", "a\r", "\0", "\u{1}", "a\u{7f}"] {
            assert_eq!(found("GET", "/", "a", &[("A", value)]).len(), 1, "{value:?}");
        }
        for value in ["", " ", "a\tb", "é", "\"q\""] {
            assert_eq!(found("GET", "/", "a", &[("A", value)]), [], "{value:?}");
        }
    }

    #[test]
    fn a_length_that_is_not_the_bodys_is_a_fault() {
        for given in ["3", "", "+2", "2, 2", " 2", "x"] {
            assert_eq!(found("GET", "/", "a", &[("content-length", given)]).len(), 1, "{given:?}");
        }
        assert_eq!(found("GET", "/", "a", &[("content-length", "2")]), []);
    }

    #[test]
    fn a_host_header_takes_the_place_of_the_host_but_only_one() {
        assert_eq!(found("GET", "/", "", &[("host", "b")]), []);
        let twice = found("GET", "/", "a", &[("host", "b"), ("Host", "b")]);
        assert_eq!(twice, [RequestFault::RepeatedHost { count: 2 }]);
    }

    #[test]
    fn a_host_is_a_name_or_address_with_an_optional_port() {
        for host in ["", "a b", "a/b", "u@a", "a\r\nX: y", "é"] {
            assert_eq!(found("GET", "/", host, &[]).len(), 1, "{host:?}");
        }
        for host in ["a", "a:80", "127.0.0.1:80", "[::1]:80", "xn--e-fga.test"] {
            assert_eq!(found("GET", "/", host, &[]), [], "{host:?}");
        }
    }
}
