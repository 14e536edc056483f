//! What a model server is told to be; read from pairs of name and text, all faults at once.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use crate::freeze::Freezes;
use crate::service::Service;
use crate::text::{parse_duration, parse_share};

const MAX_SERVERS: usize = 100_000;
const MAX_QUEUE: usize = 1_000_000_000;
const MAX_BODY_BYTES: usize = 16 << 20;

/// Where the server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// An address; port 0 means any free one.
    Tcp(SocketAddr),
    /// A socket file, which must not exist yet.
    Unix(PathBuf),
}

/// `IP:PORT`, `[IPv6]:PORT` or `unix:PATH`.
impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => write!(f, "{address}"),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// How the servers share the jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisciplineName {
    /// First come, first served.
    Fcfs,
    /// Egalitarian processor sharing.
    Ps,
}

/// A freeze and when it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    /// Length of the freeze.
    pub length_ns: u64,
    /// The period, or the only instant.
    pub at_ns: u64,
}

/// A model server's parameters; `docs/target.md` explains each.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Where it listens.
    pub listen: Listen,
    /// At least 1.
    pub servers: usize,
    /// Service law: how long a job takes.
    pub service: Service,
    /// How the servers share the jobs.
    pub discipline: DisciplineName,
    /// Waiting places beyond the servers; `None` is no bound.
    pub queue: Option<usize>,
    /// When the front answers 504, counted from the arrival.
    pub give_up_ns: Option<u64>,
    /// A freeze that comes again each `at_ns`. At most one of the two stalls is set.
    pub stall: Option<Stall>,
    /// A single freeze.
    pub stall_once: Option<Stall>,
    /// Share of arrivals that fail, 0 to 1.
    pub error_share: f64,
    /// Whether those fail at once, without service.
    pub fast_errors: bool,
    /// Length of a response's body.
    pub body_bytes: usize,
    /// Seed of services and errors.
    pub seed: u64,
    /// File for the instant of each arrival.
    pub arrival_log: Option<PathBuf>,
}

impl Parameters {
    /// Reads pairs of name (as the flag, without dashes in front) and text; a flag without a
    /// value has the text `true`. What is not named keeps its default.
    ///
    /// The error lists every fault, each with its remedy.
    ///
    /// ```
    /// # use breakstep_target::Parameters;
    /// let pairs = [("servers".to_owned(), "0".to_owned()), ("speed".to_owned(), "9".to_owned())];
    /// assert_eq!(Parameters::parse(&pairs).unwrap_err().len(), 2);
    /// ```
    pub fn parse(pairs: &[(String, String)]) -> Result<Self, Vec<String>> {
        let mut reader = Reader::new(pairs);
        let parameters = read_all(&mut reader);
        reader.refuse_leftovers();
        parameters.add_contradictions(&mut reader.faults);
        if reader.faults.is_empty() { Ok(parameters) } else { Err(reader.faults) }
    }

    /// Requests a second that the servers can do: servers / mean service. `None` is no limit.
    pub fn capacity_per_s(&self) -> Option<f64> {
        let mean_ns = self.service.mean_ns();
        (mean_ns > 0.0).then(|| self.servers as f64 * 1e9 / mean_ns)
    }

    pub(crate) fn freezes(&self) -> Freezes {
        match (self.stall, self.stall_once) {
            (Some(Stall { length_ns, at_ns }), _) => Freezes::every(length_ns, at_ns),
            (None, Some(Stall { length_ns, at_ns })) => Freezes::once(length_ns, at_ns),
            (None, None) => Freezes::NONE,
        }
    }

    fn add_contradictions(&self, faults: &mut Vec<String>) {
        if self.stall.is_some() && self.stall_once.is_some() {
            faults.push("--stall and --stall-once exclude each other: give one".to_owned());
        }
        let share_has_fault = faults.iter().any(|fault| fault.starts_with("--errors:"));
        if self.fast_errors && self.error_share == 0.0 && !share_has_fault {
            faults.push("--fast-errors needs errors: give their share too, --errors 2%".to_owned());
        }
    }
}

fn read_all(reader: &mut Reader) -> Parameters {
    let loopback = Listen::Tcp(SocketAddr::from(([127, 0, 0, 1], 0)));
    let usual = Service::Constant { d_ns: 20_000_000 };
    Parameters {
        listen: reader.take("listen", parse_listen).unwrap_or(loopback),
        servers: reader.take("servers", |text| parse_count(text, 1, MAX_SERVERS)).unwrap_or(1),
        service: reader.take("service", Service::parse).unwrap_or(usual),
        discipline: reader.take("discipline", parse_discipline).unwrap_or(DisciplineName::Fcfs),
        queue: reader.take("queue", |text| parse_count(text, 0, MAX_QUEUE)),
        give_up_ns: reader.take("give-up", parse_duration),
        stall: reader.take("stall", parse_stall),
        stall_once: reader.take("stall-once", parse_stall_once),
        error_share: reader.take("errors", parse_share).unwrap_or(0.0),
        fast_errors: reader.take("fast-errors", parse_switch).unwrap_or(false),
        body_bytes: reader
            .take("body-bytes", |text| parse_count(text, 0, MAX_BODY_BYTES))
            .unwrap_or(100),
        seed: reader.take("seed", parse_seed).unwrap_or(0),
        arrival_log: reader.take("arrival-log", |text| Ok(PathBuf::from(text))),
    }
}

/// Hands out each parameter's text once and collects the faults.
struct Reader<'a> {
    left: Vec<(String, &'a str)>,
    known: Vec<&'static str>,
    faults: Vec<String>,
}

impl<'a> Reader<'a> {
    fn new(pairs: &'a [(String, String)]) -> Self {
        let left = pairs.iter().map(|(name, text)| (name.replace('_', "-"), text.as_str()));
        Self { left: left.collect(), known: Vec::new(), faults: Vec::new() }
    }

    fn take<T>(
        &mut self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        self.known.push(name);
        let index = self.left.iter().position(|(given, _)| given == name)?;
        let (_, text) = self.left.remove(index);
        parse(text).map_err(|fault| self.faults.push(format!("--{name}: {fault}"))).ok()
    }

    fn refuse_leftovers(&mut self) {
        for (name, _) in &self.left {
            self.faults.push(if self.known.contains(&name.as_str()) {
                format!("--{name} is given twice: give it once")
            } else {
                format!("--{name} is no parameter: there are {}", self.known.join(", "))
            });
        }
    }
}

fn parse_listen(text: &str) -> Result<Listen, String> {
    match text.strip_prefix("unix:") {
        Some("") => Err("the socket file has no name: write unix:/tmp/target.sock".to_owned()),
        Some(path) => Ok(Listen::Unix(PathBuf::from(path))),
        None => text.parse().map(Listen::Tcp).map_err(|_| {
            format!(
                "{text:?} is no address: write IP:PORT such as 127.0.0.1:0, [::1]:8080, or unix:PATH"
            )
        }),
    }
}

fn parse_discipline(text: &str) -> Result<DisciplineName, String> {
    match text {
        "fcfs" => Ok(DisciplineName::Fcfs),
        "ps" => Ok(DisciplineName::Ps),
        _ => Err(format!("{text:?} is no discipline: write fcfs or ps")),
    }
}

fn parse_count(text: &str, least: usize, most: usize) -> Result<usize, String> {
    let count = text.trim().parse().ok().filter(|count| (least..=most).contains(count));
    count.ok_or_else(|| format!("{text:?} does not do: write a whole number, {least} to {most}"))
}

fn parse_seed(text: &str) -> Result<u64, String> {
    let fault = || format!("{text:?} is no seed: write a whole number from 0 to 2^64 − 1");
    text.trim().parse().map_err(|_| fault())
}

fn parse_switch(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| format!("{text:?} is neither: write true or false"))
}

fn parse_stall(text: &str) -> Result<Stall, String> {
    let (length, period) =
        text.split_once('/').ok_or(format!("{text:?} wants a length and a period: 200ms/5s"))?;
    let stall = Stall { length_ns: parse_duration(length)?, at_ns: parse_duration(period)? };
    if stall.length_ns < stall.at_ns {
        return Ok(stall);
    }
    Err(format!("{text:?} leaves no time for work: make the period longer than the stall"))
}

fn parse_stall_once(text: &str) -> Result<Stall, String> {
    let (length, at) =
        text.split_once('@').ok_or(format!("{text:?} wants a length and an instant: 1s@30s"))?;
    Ok(Stall { length_ns: parse_duration(length)?, at_ns: parse_duration(at)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(pairs: &[(&str, &str)]) -> Result<Parameters, Vec<String>> {
        let owned = pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        Parameters::parse(&owned.collect::<Vec<_>>())
    }

    #[test]
    fn every_parameter_is_read() {
        let parameters = parse(&[
            ("listen", "unix:/tmp/t.sock"),
            ("servers", "8"),
            ("service", "exponential:20ms"),
            ("discipline", "ps"),
            ("queue", "64"),
            ("give-up", "5s"),
            ("stall", "200ms/5s"),
            ("errors", "2%"),
            ("fast-errors", "true"),
            ("body-bytes", "10"),
            ("seed", "7"),
            ("arrival-log", "arrivals.bin"),
        ]);
        let expected = Parameters {
            listen: Listen::Unix(PathBuf::from("/tmp/t.sock")),
            servers: 8,
            service: Service::Exponential { mean_ns: 20_000_000 },
            discipline: DisciplineName::Ps,
            queue: Some(64),
            give_up_ns: Some(5_000_000_000),
            stall: Some(Stall { length_ns: 200_000_000, at_ns: 5_000_000_000 }),
            stall_once: None,
            error_share: 0.02,
            fast_errors: true,
            body_bytes: 10,
            seed: 7,
            arrival_log: Some(PathBuf::from("arrivals.bin")),
        };
        assert_eq!(parameters, Ok(expected));
    }

    #[test]
    fn without_a_word_it_is_one_server_of_20_ms_on_loopback() {
        let parameters = parse(&[]).unwrap();
        assert_eq!(parameters.listen, Listen::Tcp("127.0.0.1:0".parse().unwrap()));
        assert_eq!(parameters.capacity_per_s(), Some(50.0));
        assert_eq!(parameters.queue, None);
    }

    #[test]
    fn names_may_be_written_with_underscores() {
        assert_eq!(parse(&[("give_up", "5s")]).unwrap().give_up_ns, Some(5_000_000_000));
    }

    #[test]
    fn a_service_of_no_length_has_no_capacity_limit() {
        assert_eq!(parse(&[("service", "0")]).unwrap().capacity_per_s(), None);
    }

    #[test]
    fn every_fault_is_listed_at_once_with_its_remedy() {
        let faults = parse(&[
            ("listen", "localhost"),
            ("servers", "0"),
            ("service", "gamma:20ms"),
            ("discipline", "lifo"),
            ("queue", "-1"),
            ("give-up", "5"),
            ("stall", "5s/200ms"),
            ("stall-once", "1s"),
            ("errors", "2"),
            ("fast-errors", "yes"),
            ("body-bytes", "1GB"),
            ("seed", "x"),
            ("speed", "9"),
            ("seed", "1"),
        ])
        .unwrap_err();
        assert_eq!(faults.len(), 14, "{faults:#?}");
        assert!(faults.iter().all(|fault| fault.starts_with("--") && fault.contains(": ")));
    }

    #[test]
    fn contradictions_are_faults_too() {
        let faults = parse(&[("stall", "1s/5s"), ("stall-once", "1s@3s"), ("fast-errors", "true")]);
        assert_eq!(faults.unwrap_err().len(), 2);
        let once = parse(&[("errors", "2"), ("fast-errors", "true")]);
        assert_eq!(once.unwrap_err().len(), 1, "a share that cannot be read is one fault");
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(
            name in "listen|service|queue|give-up|stall|stall-once|errors|seed",
            text in "(unix|constant|uniform|lognormal)?:?[0-9.,/@%a-zµ\\[\\]-]{0,20}"
        ) {
            let _ = parse(&[(&name, &text)]);
        }
    }
}
