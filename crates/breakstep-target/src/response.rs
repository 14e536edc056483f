//! Response bytes, rendered ahead.

use crate::model::Status;

/// A response whose body can be left off for HEAD.
struct Response {
    bytes: Vec<u8>,
    head_bytes: usize,
}

impl Response {
    fn render(status: Status, body: &[u8], keep_alive: bool) -> Self {
        let mut bytes = head(status_line(status), "text/plain", body.len(), keep_alive);
        let head_bytes = bytes.len();
        bytes.extend_from_slice(body);
        Self { bytes, head_bytes }
    }
}

/// Every response the model can ask for.
pub(crate) struct Responses {
    /// By status; then for a connection that is closed, and for one that is kept.
    by_status: [[Response; 2]; 4],
}

impl Responses {
    pub(crate) fn new(body_bytes: usize) -> Self {
        let body = vec![b'x'; body_bytes];
        let both = |status| [false, true].map(|keep| Response::render(status, &body, keep));
        let statuses = [Status::Ok, Status::Error, Status::Refused, Status::GaveUp];
        Self { by_status: statuses.map(both) }
    }

    pub(crate) fn bytes(&self, status: Status, is_head: bool, keep_alive: bool) -> &[u8] {
        let response = &self.by_status[status as usize][usize::from(keep_alive)];
        let end = if is_head { response.head_bytes } else { response.bytes.len() };
        &response.bytes[..end]
    }
}

fn status_line(status: Status) -> &'static str {
    match status {
        Status::Ok => "200 OK",
        Status::Error => "500 Internal Server Error",
        Status::Refused => "503 Service Unavailable",
        Status::GaveUp => "504 Gateway Timeout",
    }
}

/// A response that is not the model's, such as the truth or a refusal of bad input.
pub(crate) fn plain(status_line: &str, kind: &str, body: &str, keep_alive: bool) -> Vec<u8> {
    let mut bytes = head(status_line, kind, body.len(), keep_alive);
    bytes.extend_from_slice(body.as_bytes());
    bytes
}

/// A head that announces `length` bytes of body.
pub(crate) fn head(status_line: &str, kind: &str, length: usize, keep_alive: bool) -> Vec<u8> {
    let connection = if keep_alive { "keep-alive" } else { "close" };
    format!(
        "HTTP/1.1 {status_line}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
         Connection: {connection}\r\n\r\n"
    )
    .into_bytes()
}
