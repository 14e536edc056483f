//! The truth about a model server, as JSON: its parameters in machine units and what it has seen.

use std::fmt::Write;
use std::path::Path;

use crate::model::{Lateness, Seen};
use crate::parameters::{DisciplineName, Parameters, Stall};
use crate::service::Service;

/// One JSON object, in the order of `docs/target.md`. `address` is where the server really
/// listens.
pub(crate) fn truth(parameters: &Parameters, address: &str, seen: &Seen) -> String {
    let fields = [
        ("listen", quoted(address)),
        ("servers", parameters.servers.to_string()),
        ("service", service(&parameters.service)),
        ("discipline", quoted(discipline(parameters.discipline))),
        ("queue", or_null(parameters.queue)),
        ("give_up_ms", or_null(parameters.give_up_ns.map(ms))),
        ("stall", stall(parameters.stall, "every_ms")),
        ("stall_once", stall(parameters.stall_once, "at_ms")),
        ("error_share", float(parameters.error_share)),
        ("fast_errors", parameters.fast_errors.to_string()),
        ("body_bytes", parameters.body_bytes.to_string()),
        ("seed", parameters.seed.to_string()),
        ("arrival_log", or_null(parameters.arrival_log.as_deref().map(path))),
        ("capacity_per_s", or_null(parameters.capacity_per_s().map(float))),
        ("seen", counters(seen)),
        ("lateness_us", lateness(&seen.lateness)),
    ];
    object(&fields)
}

fn counters(seen: &Seen) -> String {
    object(&[
        ("arrivals", seen.arrivals.to_string()),
        ("answered", seen.answered.to_string()),
        ("refused", seen.refused.to_string()),
        ("gave_up", seen.gave_up.to_string()),
        ("errors", seen.errors.to_string()),
        ("in_system", seen.in_system.to_string()),
        ("max_in_system", seen.max_in_system.to_string()),
    ])
}

/// The mean is null until an answer had to wait.
fn lateness(lateness: &Lateness) -> String {
    let mean_us = lateness.sum_ns as f64 / 1e3 / lateness.answers as f64;
    object(&[
        ("mean", or_null((lateness.answers > 0).then(|| float(mean_us)))),
        ("max", float(lateness.max_ns as f64 / 1e3)),
    ])
}

fn service(service: &Service) -> String {
    let mean = ("mean_ms", float(service.mean_ns() / 1e6));
    match *service {
        Service::Zero => object(&[("law", quoted("zero")), mean]),
        Service::Constant { .. } => object(&[("law", quoted("constant")), mean]),
        Service::Exponential { .. } => object(&[("law", quoted("exponential")), mean]),
        Service::Uniform { from_ns, to_ns } => object(&[
            ("law", quoted("uniform")),
            mean,
            ("from_ms", ms(from_ns)),
            ("to_ms", ms(to_ns)),
        ]),
        Service::Lognormal { median_ns, sigma } => object(&[
            ("law", quoted("lognormal")),
            mean,
            ("median_ms", ms(median_ns)),
            ("sigma", float(sigma)),
        ]),
    }
}

fn discipline(name: DisciplineName) -> &'static str {
    match name {
        DisciplineName::Fcfs => "fcfs",
        DisciplineName::Ps => "ps",
    }
}

fn stall(stall: Option<Stall>, at: &str) -> String {
    let fields =
        |stall: Stall| object(&[("length_ms", ms(stall.length_ns)), (at, ms(stall.at_ns))]);
    or_null(stall.map(fields))
}

fn ms(ns: u64) -> String {
    float(ns as f64 / 1e6)
}

/// Shortest text that reads back as the same number, always with a point: a float in any reader.
fn float(value: f64) -> String {
    format!("{value:?}")
}

fn path(path: &Path) -> String {
    quoted(&path.to_string_lossy())
}

fn or_null(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "null".to_owned(), |value| value.to_string())
}

fn object(fields: &[(&str, String)]) -> String {
    let members = fields.iter().map(|(name, value)| format!("\"{name}\":{value}"));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

fn quoted(text: &str) -> String {
    let mut json = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            c if c < ' ' => drop(write!(json, "\\u{:04x}", u32::from(c))),
            c => json.push(c),
        }
    }
    json.push('"');
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(pairs: &[(&str, &str)]) -> Parameters {
        let owned = pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        Parameters::parse(&owned.collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn the_truth_is_in_machine_units() {
        let parameters = parse(&[
            ("servers", "8"),
            ("service", "uniform:5ms,15ms"),
            ("give-up", "1.5s"),
            ("stall", "200ms/5s"),
            ("errors", "2%"),
        ]);
        let lateness = Lateness { answers: 2, sum_ns: 75_000, max_ns: 50_000 };
        let seen = Seen { arrivals: 9, max_in_system: 3, lateness, ..Seen::default() };
        assert_eq!(
            truth(&parameters, "127.0.0.1:80", &seen),
            concat!(
                r#"{"listen":"127.0.0.1:80","servers":8,"#,
                r#""service":{"law":"uniform","mean_ms":10.0,"from_ms":5.0,"to_ms":15.0},"#,
                r#""discipline":"fcfs","queue":null,"give_up_ms":1500.0,"#,
                r#""stall":{"length_ms":200.0,"every_ms":5000.0},"stall_once":null,"#,
                r#""error_share":0.02,"fast_errors":false,"body_bytes":100,"seed":0,"#,
                r#""arrival_log":null,"capacity_per_s":800.0,"#,
                r#""seen":{"arrivals":9,"answered":0,"refused":0,"gave_up":0,"errors":0,"#,
                r#""in_system":0,"max_in_system":3},"#,
                r#""lateness_us":{"mean":37.5,"max":50.0}}"#
            )
        );
    }

    #[test]
    fn a_capacity_without_limit_is_null() {
        let json = truth(&parse(&[("service", "0")]), "", &Seen::default());
        assert!(json.contains(r#""service":{"law":"zero","mean_ms":0.0}"#), "{json}");
        assert!(json.contains(r#""capacity_per_s":null"#), "{json}");
    }

    #[test]
    fn text_is_escaped() {
        assert_eq!(quoted("a\"b\\c\nd"), r#""a\"b\\c\u000ad""#);
    }
}
