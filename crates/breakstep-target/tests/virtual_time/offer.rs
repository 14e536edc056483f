//! Offers arrivals to a model and collects what became of each.

use breakstep_target::Parameters;
use breakstep_target::model::{Decision, Model, Status};
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;

pub(crate) const MS: u64 = 1_000_000;
pub(crate) const S: u64 = 1_000 * MS;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) arrived_ns: u64,
    pub(crate) answered_ns: u64,
    pub(crate) status: Status,
}

impl Outcome {
    pub(crate) fn response_ns(&self) -> u64 {
        self.answered_ns - self.arrived_ns
    }
}

pub(crate) fn model(pairs: &[(&str, &str)]) -> Model {
    let owned = pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    Model::new(&Parameters::parse(&owned.collect::<Vec<_>>()).unwrap())
}

pub(crate) fn responses(outcomes: &[Outcome]) -> Vec<u64> {
    outcomes.iter().map(Outcome::response_ns).collect()
}

/// The outcomes in order of arrival.
pub(crate) fn offer(model: &mut Model, arrivals: &[u64]) -> Vec<Outcome> {
    let mut outcomes: Vec<Outcome> = Vec::with_capacity(arrivals.len());
    let mut waiting = Vec::new();
    for &arrived_ns in arrivals {
        collect(model, arrived_ns, &waiting, &mut outcomes);
        let mut outcome = Outcome { arrived_ns, answered_ns: arrived_ns, status: Status::Ok };
        match model.arrive(arrived_ns) {
            Decision::Answer(status) => outcome.status = status,
            Decision::Wait(number) => {
                assert_eq!(number, waiting.len() as u64, "numbers are consecutive");
                waiting.push(outcomes.len());
            }
        }
        outcomes.push(outcome);
    }
    collect(model, u64::MAX - 1, &waiting, &mut outcomes);
    outcomes
}

fn collect(model: &mut Model, until_ns: u64, waiting: &[usize], outcomes: &mut [Outcome]) {
    while let Some(event_ns) = model.next_event_ns().filter(|event_ns| *event_ns <= until_ns) {
        while let Some(answer) = model.advance(event_ns) {
            let outcome = &mut outcomes[waiting[answer.number as usize]];
            outcome.answered_ns = answer.at_ns;
            outcome.status = answer.status;
        }
    }
}

/// `n` arrivals at a constant gap, from 0.
pub(crate) fn uniform(n: u64, gap_ns: u64) -> Vec<u64> {
    (0..n).map(|k| k * gap_ns).collect()
}

/// `n` arrivals of a Poisson process.
pub(crate) fn poisson(n: usize, rate_per_s: f64, seed: u64) -> Vec<u64> {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut at_ns = 0.0;
    let mut next = || {
        let unit = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        at_ns -= libm::log(1.0 - unit) / rate_per_s * 1e9;
        at_ns as u64
    };
    (0..n).map(|_| next()).collect()
}

/// Mean response time of those answered 200, in units of `unit_ns`.
pub(crate) fn mean_response(outcomes: &[Outcome], unit_ns: u64) -> f64 {
    let ok = outcomes.iter().filter(|outcome| outcome.status == Status::Ok);
    let (count, sum) =
        ok.fold((0_u64, 0.0), |(n, sum), outcome| (n + 1, sum + outcome.response_ns() as f64));
    sum / count as f64 / unit_ns as f64
}

pub(crate) fn share(outcomes: &[Outcome], counts: impl Fn(&Outcome) -> bool) -> f64 {
    outcomes.iter().filter(|outcome| counts(outcome)).count() as f64 / outcomes.len() as f64
}

pub(crate) fn assert_near(actual: f64, expected: f64, tolerance: f64, what: &str) {
    let error = actual / expected - 1.0;
    assert!(error.abs() <= tolerance, "{what}: {actual}, not {expected} ({error:+.3})");
}
