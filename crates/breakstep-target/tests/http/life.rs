//! Starting, stopping, and what is left behind.

use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use breakstep_target::{Server, StartError};

use crate::client::{Client, connect, parameters, start, wait_for};

/// A file of this name for this test run, removed at the end.
struct TestFile(PathBuf);

impl TestFile {
    fn new(name: &str) -> Self {
        let name = format!("breakstep-target-{}-{name}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    fn text(&self) -> String {
        self.0.display().to_string()
    }
}

impl Drop for TestFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn a_socket_file_serves_and_is_removed_at_the_end() {
    let file = TestFile::new("serves.sock");
    let address = format!("unix:{}", file.text());
    let server = start(&[("listen", &address), ("service", "constant:1ms")]);
    assert_eq!(server.address(), address);
    assert_eq!(Client::new(UnixStream::connect(&file.0).unwrap()).get("/").status, 200);
    server.stop().unwrap();
    assert!(!file.0.exists());
}

#[test]
fn an_ipv6_address_is_written_in_brackets() {
    match Server::start(parameters(&[("listen", "[::1]:0")])) {
        Ok(server) => {
            assert!(server.address().starts_with("[::1]:"), "{}", server.address());
            assert_eq!(connect(&server).get("/truth").status, 200);
        }
        // A host without IPv6 has no such address.
        Err(fault) => assert!(matches!(fault, StartError::Listen { .. })),
    }
}

#[test]
fn an_address_in_use_is_refused_with_a_remedy() {
    let first = start(&[]);
    let second = Server::start(parameters(&[("listen", &first.address())]));
    let fault = second.err().unwrap().to_string();
    assert!(fault.contains(&first.address()) && fault.contains("port 0"), "{fault}");
}

#[test]
fn an_arrival_log_that_cannot_be_written_is_refused_with_a_remedy() {
    let second = Server::start(parameters(&[("arrival-log", "/nowhere/arrivals.bin")]));
    let fault = second.err().unwrap().to_string();
    assert!(fault.contains("/nowhere") && fault.contains("--arrival-log"), "{fault}");
}

#[test]
fn a_server_stops_at_once_though_it_is_frozen_and_owes_an_answer() {
    let server = start(&[("stall-once", "1h@0s")]);
    let mut client = connect(&server);
    client.send(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    wait_for(&server, r#""arrivals":1"#);
    // Were it to wait for the freeze's end, this test would never end.
    server.stop().unwrap();
    assert_eq!(client.rest(), "");
}

#[test]
fn dropping_a_server_frees_its_address() {
    let server = start(&[]);
    let address = server.address();
    drop(server);
    start(&[("listen", &address)]).stop().unwrap();
}

#[test]
fn the_arrival_log_has_every_arrival_in_order() {
    let file = TestFile::new("arrivals.bin");
    let server = start(&[("service", "0"), ("arrival-log", &file.text())]);
    let mut client = connect(&server);
    for _ in 0..1000 {
        client.get("/");
        client.get("/truth");
    }
    server.stop().unwrap();
    let instants = logged(&file.0);
    assert_eq!(instants.len(), 1000);
    assert!(instants.is_sorted());
}

#[test]
fn an_arrival_in_a_freeze_is_logged_at_its_end() {
    let file = TestFile::new("frozen.bin");
    let server =
        start(&[("service", "0"), ("stall-once", "200ms@0s"), ("arrival-log", &file.text())]);
    let mut client = connect(&server);
    client.get("/");
    server.stop().unwrap();
    // The machine may have been too busy to send it within the freeze.
    assert!(logged(&file.0)[0] >= 200_000_000);
}

fn logged(path: &Path) -> Vec<u64> {
    let bytes = std::fs::read(path).unwrap();
    bytes.chunks_exact(8).map(|chunk| u64::from_le_bytes(chunk.try_into().unwrap())).collect()
}
