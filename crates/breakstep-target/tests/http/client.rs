//! A plain blocking client, and servers to try it on.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use breakstep_target::{Parameters, Server};

pub(crate) fn parameters(pairs: &[(&str, &str)]) -> Parameters {
    let owned = pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    Parameters::parse(&owned.collect::<Vec<_>>()).unwrap()
}

pub(crate) fn start(pairs: &[(&str, &str)]) -> Server {
    Server::start(parameters(pairs)).unwrap()
}

pub(crate) fn connect(server: &Server) -> Client<TcpStream> {
    Client::new(TcpStream::connect(server.address()).unwrap())
}

pub(crate) struct Client<S> {
    stream: BufReader<S>,
}

#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) fields: HashMap<String, String>,
    pub(crate) body: String,
}

impl<S: Read + Write> Client<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self { stream: BufReader::new(stream) }
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.stream.get_mut().write_all(bytes).unwrap();
    }

    /// One response and its body.
    pub(crate) fn receive(&mut self) -> Response {
        let mut response = self.receive_head();
        let length = response.fields["content-length"].parse().unwrap();
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).unwrap();
        response.body = String::from_utf8(body).unwrap();
        response
    }

    pub(crate) fn receive_head(&mut self) -> Response {
        let status = self.line().split(' ').nth(1).unwrap().parse().unwrap();
        let lines = std::iter::from_fn(|| Some(self.line()).filter(|line| !line.is_empty()));
        let pairs = lines.map(|line| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_lowercase(), value.to_owned())
        });
        Response { status, fields: pairs.collect(), body: String::new() }
    }

    pub(crate) fn get(&mut self, path: &str) -> Response {
        self.send(format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n").as_bytes());
        self.receive()
    }

    pub(crate) fn timed_get(&mut self) -> Duration {
        let sent = Instant::now();
        self.get("/");
        sent.elapsed()
    }

    /// What the server sends until it closes.
    pub(crate) fn rest(&mut self) -> String {
        let mut rest = String::new();
        self.stream.read_to_string(&mut rest).unwrap();
        rest
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}

pub(crate) fn median(mut durations: Vec<Duration>) -> Duration {
    durations.sort_unstable();
    durations[durations.len() / 2]
}

/// Looks at the truth until it contains `text`.
pub(crate) fn wait_for(server: &Server, text: &str) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !server.truth().contains(text) {
        assert!(Instant::now() < deadline, "never {text}: {}", server.truth());
        std::thread::sleep(Duration::from_millis(1));
    }
}
