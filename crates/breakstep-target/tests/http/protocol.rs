//! HTTP/1.1 as the server speaks it.

use std::io::Write;

use crate::client::{connect, start};

const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";

#[test]
fn a_connection_is_kept_for_the_next_request() {
    let server = start(&[("service", "0"), ("body-bytes", "7")]);
    let mut client = connect(&server);
    for _ in 0..100 {
        let response = client.get("/");
        assert_eq!((response.status, response.body.as_str()), (200, "xxxxxxx"));
        assert_eq!(response.fields["connection"], "keep-alive");
    }
}

#[test]
fn a_client_that_asks_for_it_is_disconnected_after_the_response() {
    let server = start(&[("service", "constant:1ms"), ("body-bytes", "7")]);
    let requests: [&[u8]; 2] =
        [b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", b"GET / HTTP/1.0\r\n\r\n"];
    for request in requests {
        let mut client = connect(&server);
        client.send(request);
        let response = client.receive();
        assert_eq!(response.fields["connection"], "close");
        assert_eq!((response.body.as_str(), client.rest().as_str()), ("xxxxxxx", ""));
    }
}

#[test]
fn head_is_answered_without_a_body() {
    let server = start(&[("service", "constant:1ms"), ("body-bytes", "7")]);
    let mut client = connect(&server);
    for path in ["/", "/truth"] {
        client.send(format!("HEAD {path} HTTP/1.1\r\nHost: a\r\n\r\n").as_bytes());
        let head = client.receive_head();
        let get = client.get(path);
        assert_eq!((head.status, get.status), (200, 200));
        if path == "/" {
            assert_eq!(head.fields["content-length"], "7");
        }
    }
}

#[test]
fn pipelined_requests_are_answered_one_after_the_other() {
    for service in ["0", "constant:2ms"] {
        let server = start(&[("service", service), ("servers", "8")]);
        let mut client = connect(&server);
        client.send(&GET.repeat(500));
        for _ in 0..500 {
            assert_eq!(client.receive().status, 200);
        }
        // One connection has one request in the model at a time.
        assert!(server.truth().contains(r#""max_in_system":1}"#), "{}", server.truth());
    }
}

#[test]
fn a_request_may_come_in_pieces_and_carry_a_body() {
    let server = start(&[("service", "constant:1ms")]);
    let mut client = connect(&server);
    let requests: [&[u8]; 3] = [
        GET,
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    ];
    for request in requests {
        for byte in request {
            client.send(std::slice::from_ref(byte));
        }
        assert_eq!(client.receive().status, 200);
    }
    assert!(server.truth().contains(r#""arrivals":3"#));
}

#[test]
fn what_is_not_http_is_answered_400_and_disconnected() {
    let server = start(&[]);
    let endless = [b"GET / HTTP/1.1\r\nA: ".as_slice(), &b"a".repeat(100_000)].concat();
    for bytes in [b"hello\r\n\r\n".as_slice(), b"GET / HTTP/9.9\r\n\r\n", &endless] {
        let mut client = connect(&server);
        client.send(bytes);
        let response = client.receive();
        assert_eq!((response.status, response.fields["connection"].as_str()), (400, "close"));
        assert_eq!(client.rest(), "");
    }
    assert!(server.truth().contains(r#""arrivals":0"#), "it never reaches the model");
}

#[test]
fn a_request_without_end_is_cut_off() {
    let server = start(&[]);
    let mut client = connect(&server);
    client.send(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n");
    // A little more than the bound of 16 MiB, which the server reads so that we get its answer.
    client.send(&b"x".repeat((16 << 20) + 10_000));
    assert_eq!(client.receive().status, 413);
}

#[test]
fn the_truth_is_told_outside_the_queue() {
    let server = start(&[("service", "constant:1h"), ("servers", "3"), ("queue", "0")]);
    let mut client = connect(&server);
    for _ in 0..2 {
        let response = client.get("/truth?again");
        assert_eq!(response.fields["content-type"], "application/json");
        assert!(response.body.contains(r#""servers":3,"#), "{}", response.body);
        assert!(response.body.contains(r#""arrivals":0,"#), "{}", response.body);
        assert!(response.body.contains(&server.address()), "{}", response.body);
    }
}

#[test]
fn a_full_queue_is_503_and_lost_patience_504_and_an_error_500() {
    let full = start(&[("service", "constant:1h"), ("queue", "0")]);
    let mut first = connect(&full);
    first.send(GET);
    crate::client::wait_for(&full, r#""in_system":1"#);
    assert_eq!(connect(&full).get("/").status, 503);

    let impatient = start(&[("service", "constant:1h"), ("give-up", "20ms")]);
    assert_eq!(connect(&impatient).get("/").status, 504);

    for more in [[].as_slice(), &[("fast-errors", "true")]] {
        let failing = start(&[&[("service", "constant:1ms"), ("errors", "100%")], more].concat());
        assert_eq!(connect(&failing).get("/").status, 500);
    }
}

#[test]
fn a_client_that_leaves_takes_nothing_with_it() {
    let server = start(&[("service", "constant:50ms")]);
    let mut leaving = std::net::TcpStream::connect(server.address()).unwrap();
    leaving.write_all(GET).unwrap();
    crate::client::wait_for(&server, r#""in_system":1"#);
    drop(leaving);
    assert_eq!(connect(&server).get("/").status, 200);
    crate::client::wait_for(&server, r#""answered":2"#);
}
