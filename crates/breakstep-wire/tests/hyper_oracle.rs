//! hyper as the oracle: both clients must see the same response in the same bytes.

mod common;

use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use common::respond;

/// Status and payload, or that the response was refused.
type Seen = Option<(u16, u64)>;

const GET: [&str; 27] = [
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\ncontent-length:   5  \r\nX: y\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 404 Not Found\nContent-Length: 2\n\nno",
    "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\nA\r\n0123456789\r\n1\r\nx\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b;c=\"d\"\r\nhello\r\n0;last\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n005 \r\nhello\r\n000\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nA: b\r\nC: d\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n1\r\nx\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nuntil the close",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 102 P\r\n\r\nHTTP/1.1 204 N\r\n\r\n",
    "HTTP/1.1 204 No Content\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n",
    "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.0 200 OK\r\n\r\nuntil the close",
    "HTTP/1.1 200 OK\r\n\r\n",
    "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the close",
    "\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nok",
];

const HEAD: [&str; 3] = [
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    "HTTP/1.1 200 OK\r\n\r\n",
];

const REFUSED: [&str; 13] = [
    "",
    "HTTP/1.1 200 OK\r\n",
    "SSH-2.0-OpenSSH\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
    "HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\nhello!",
    "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551616\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000000\r\n",
    "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n",
];

#[tokio::test]
async fn hyper_sees_the_same_responses_to_get() {
    for text in GET {
        assert!(agree(Method::GET, text).await.is_some(), "{text:?}");
    }
}

#[tokio::test]
async fn hyper_sees_the_same_responses_to_head() {
    for text in HEAD {
        assert!(agree(Method::HEAD, text).await.is_some(), "{text:?}");
    }
}

#[tokio::test]
async fn hyper_refuses_the_same_responses() {
    for text in REFUSED {
        assert_eq!(agree(Method::GET, text).await, None, "{text:?}");
    }
}

/// What both clients see, in whatever pieces ours gets it.
async fn agree(method: Method, text: &'static str) -> Seen {
    let hyper = hyper_sees(method.clone(), text).await;
    for step in [1, 2, 3, 5, 17, 1000] {
        let pieces = text.as_bytes().chunks(step);
        let ours = respond(method == Method::HEAD, pieces).ok();
        let ours = ours.map(|(response, _)| (response.status, response.body_bytes));
        assert_eq!(ours, hyper, "{text:?} by {step}");
    }
    hyper
}

async fn hyper_sees(method: Method, text: &'static str) -> Seen {
    let (client, server) = tokio::io::duplex(64 * 1024);
    tokio::spawn(serve(server, text));
    let (mut sender, connection) = http1::handshake(TokioIo::new(client)).await.ok()?;
    tokio::spawn(connection);
    let request = Request::builder().method(method).uri("/").header("host", "a");
    let request = request.body(Empty::<Bytes>::new()).ok()?;
    let response = sender.send_request(request).await.ok()?;
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.ok()?.to_bytes();
    Some((status, body.len() as u64))
}

/// Answers only what was asked: hyper refuses a response that is there before its request.
async fn serve(mut server: DuplexStream, text: &'static str) -> std::io::Result<()> {
    let mut request = [0; 1024];
    let _received = server.read(&mut request).await?;
    server.write_all(text.as_bytes()).await
}
