//! Sans-I/O codecs: bytes in, values out. No runtime, no clock, no socket.
//!
//! - [`encode_request`] turns a checked [`RequestSpec`] into the bytes of one HTTP/1.1 request.
//! - [`ResponseDecoder`] follows the responses of one client connection.
//! - [`RequestDecoder`] follows the requests of one server connection.
//!
//! Both decoders count bodies instead of keeping them, copy a head only when it arrives in
//! pieces, and hold a bounded amount of memory whatever the peer sends.

mod body;
mod chunked;
mod error;
mod fields;
mod head;
mod lines;
mod request;
mod request_decoder;
mod request_fault;
mod response;

pub use error::WireError;
pub use request::{RequestSpec, encode_request};
pub use request_decoder::{RequestDecoder, RequestHead, RequestPath, RequestProgress};
pub use request_fault::RequestFault;
pub use response::{Progress, Response, ResponseDecoder};
