//! The model in virtual time: what a server would do with these arrivals, without waiting for it.

use crate::Parameters;
use crate::model::{Decision, Model, Status};

/// How an arrival ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// When, on the arrivals' clock.
    pub at_ns: u64,
    /// What it was answered.
    pub status: Status,
}

/// The ends of `arrivals_ns`, which are in order of time, in the order of the arrivals.
///
/// ```
/// # use breakstep_target::{Parameters, simulate::simulate};
/// let service = ("service".to_owned(), "constant:10ms".to_owned());
/// let ends = simulate(&Parameters::parse(&[service]).unwrap(), &[0, 1_000_000]);
/// assert_eq!(ends.iter().map(|end| end.at_ns).collect::<Vec<_>>(), [10_000_000, 20_000_000]);
/// ```
pub fn simulate(parameters: &Parameters, arrivals_ns: &[u64]) -> Vec<Ended> {
    let mut model = Model::new(parameters);
    let mut run = Run { ends: Vec::with_capacity(arrivals_ns.len()), waiting: Vec::new() };
    for &at_ns in arrivals_ns {
        run.advance(&mut model, at_ns);
        run.arrive(&mut model, at_ns);
    }
    while let Some(next_ns) = model.next_event_ns() {
        run.advance(&mut model, next_ns);
    }
    run.ends
}

/// Until its end is known, an arrival stands as ended at its own instant.
struct Run {
    ends: Vec<Ended>,
    /// The arrival behind each number that the model has given, in order of the numbers.
    waiting: Vec<usize>,
}

impl Run {
    fn arrive(&mut self, model: &mut Model, at_ns: u64) {
        let status = match model.arrive(at_ns) {
            Decision::Answer(status) => status,
            Decision::Wait(number) => {
                debug_assert_eq!(number, self.waiting.len() as u64, "numbers count up from 0");
                self.waiting.push(self.ends.len());
                Status::Ok
            }
        };
        self.ends.push(Ended { at_ns, status });
    }

    fn advance(&mut self, model: &mut Model, now_ns: u64) {
        while let Some(answer) = model.advance(now_ns) {
            let arrival = self.waiting[answer.number as usize];
            self.ends[arrival] = Ended { at_ns: answer.at_ns, status: answer.status };
        }
    }
}
