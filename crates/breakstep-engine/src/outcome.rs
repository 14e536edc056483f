//! How an arrival ended.

/// The ways an arrival can end: a closed set, counted, never merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Outcome {
    /// A complete response that counts as success.
    Ok,
    /// A complete response that failed a check of the scenario.
    CheckFailed,
    /// A complete response with status 400 or above.
    HttpError,
    /// Sent, and not answered within the timeout from its intended start.
    Timeout,
    /// No connection could be opened.
    Connect,
    /// The TLS handshake failed.
    Tls,
    /// The server closed or reset the connection before the response was complete.
    Reset,
    /// The bytes received are not a valid HTTP response.
    Protocol,
    /// Intended and never sent.
    Dropped,
}

impl Outcome {
    /// Every outcome, in the order of its index.
    pub const ALL: [Outcome; 9] = [
        Outcome::Ok,
        Outcome::CheckFailed,
        Outcome::HttpError,
        Outcome::Timeout,
        Outcome::Connect,
        Outcome::Tls,
        Outcome::Reset,
        Outcome::Protocol,
        Outcome::Dropped,
    ];

    /// The name used in every output.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Ok => "ok",
            Outcome::CheckFailed => "check_failed",
            Outcome::HttpError => "http_error",
            Outcome::Timeout => "timeout",
            Outcome::Connect => "connect",
            Outcome::Tls => "tls",
            Outcome::Reset => "reset",
            Outcome::Protocol => "protocol",
            Outcome::Dropped => "dropped",
        }
    }

    /// Whether the arrival ended after a wait that a user would have felt as a failure.
    ///
    /// Its time then belongs beside the response times: a lower bound for timeout and drop.
    pub(crate) fn failed_after_a_wait(self) -> bool {
        matches!(
            self,
            Outcome::CheckFailed | Outcome::HttpError | Outcome::Timeout | Outcome::Dropped
        )
    }
}

/// Why an arrival did not end as ok, with a cause out of a bounded set of fixed texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The outcome it is counted under.
    pub outcome: Outcome,
    /// What happened, in words.
    pub cause: &'static str,
}

impl Failure {
    pub(crate) fn new(outcome: Outcome, cause: &'static str) -> Self {
        Self { outcome, cause }
    }

    pub(crate) fn timeout() -> Self {
        Self::new(Outcome::Timeout, "no complete response within the timeout")
    }

    pub(crate) fn dropped_late() -> Self {
        Self::new(Outcome::Dropped, "no connection came free within the timeout")
    }

    /// The system's error as a cause; `otherwise` where the error has no text of its own here.
    pub(crate) fn io(outcome: Outcome, error: &std::io::Error, otherwise: &'static str) -> Self {
        Self::new(outcome, cause_of(error).unwrap_or(otherwise))
    }
}

fn cause_of(error: &std::io::Error) -> Option<&'static str> {
    use std::io::ErrorKind as Kind;
    if error.raw_os_error() == Some(rustix::io::Errno::MFILE.raw_os_error()) {
        return Some("too many open files on the generator");
    }
    Some(match error.kind() {
        Kind::ConnectionRefused => "connection refused",
        Kind::ConnectionReset => "connection reset by the server",
        Kind::BrokenPipe => "connection closed by the server while sending",
        Kind::HostUnreachable => "host unreachable",
        Kind::NetworkUnreachable => "network unreachable",
        Kind::TimedOut => "connection timed out in the kernel",
        Kind::AddrNotAvailable => "no local port left on the generator",
        Kind::NotFound => "no such unix socket",
        Kind::PermissionDenied => "permission denied",
        Kind::WouldBlock => "the unix socket's backlog is full",
        _ => return None,
    })
}
