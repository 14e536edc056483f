//! Freezes: nothing is read, answered or worked on.

use breakstep_target::model::{Decision, Status};

use crate::offer::{MS, S, model, offer, responses, uniform};

#[test]
fn work_in_progress_is_shifted_by_the_freeze() {
    for discipline in ["fcfs", "ps"] {
        let mut model = model(&[
            ("service", "constant:20ms"),
            ("stall", "200ms/5s"),
            ("discipline", discipline),
        ]);
        let before_freeze = [5 * S - 10 * MS, 10 * S - 21 * MS, 15 * S - 20 * MS];
        let responses = responses(&offer(&mut model, &before_freeze));
        assert_eq!(responses, [220 * MS, 20 * MS, 220 * MS], "{discipline}");
    }
}

#[test]
fn what_arrives_in_a_freeze_is_treated_as_arriving_at_its_end() {
    let mut model = model(&[("servers", "2"), ("service", "constant:20ms"), ("stall", "200ms/5s")]);
    let in_freeze = [5 * S, 5 * S + 10 * MS, 5 * S + 199 * MS];
    let answered: Vec<_> =
        offer(&mut model, &in_freeze).iter().map(|outcome| outcome.answered_ns).collect();
    assert_eq!(answered, [220, 220, 240].map(|ms| 5 * S + ms * MS));
}

#[test]
fn without_service_all_that_is_due_in_the_freeze_is_answered_at_its_end() {
    let mut model = model(&[("service", "0"), ("stall", "200ms/5s")]);
    for outcome in offer(&mut model, &uniform(60_000, MS)) {
        let into_ns = outcome.arrived_ns % (5 * S);
        let frozen = outcome.arrived_ns >= 5 * S && into_ns < 200 * MS;
        let expected_ns = if frozen { 200 * MS - into_ns } else { 0 };
        assert_eq!(outcome.response_ns(), expected_ns, "at {}", outcome.arrived_ns);
    }
}

#[test]
fn refusals_fast_errors_and_give_ups_wait_for_the_end_of_the_freeze() {
    let stall = ("stall-once", "1s@2s");
    let mut full = model(&[("queue", "0"), ("service", "constant:500ms"), stall]);
    let outcomes = offer(&mut full, &[1_900 * MS, 2_500 * MS]);
    assert_eq!((outcomes[1].status, outcomes[1].answered_ns), (Status::Refused, 3 * S));

    let mut failing = model(&[("errors", "100%"), ("fast-errors", "true"), stall]);
    let outcomes = offer(&mut failing, &[2_500 * MS]);
    assert_eq!((outcomes[0].status, outcomes[0].answered_ns), (Status::Error, 3 * S));

    let mut impatient = model(&[("service", "constant:5s"), ("give-up", "1s"), stall]);
    let outcomes = offer(&mut impatient, &[1_500 * MS]);
    assert_eq!((outcomes[0].status, outcomes[0].answered_ns), (Status::GaveUp, 3 * S));
}

#[test]
fn the_front_counts_its_patience_from_when_it_could_see_the_request() {
    let mut model =
        model(&[("service", "constant:5s"), ("give-up", "1s"), ("stall-once", "1s@2s")]);
    assert_eq!(offer(&mut model, &[2_500 * MS])[0].answered_ns, 4 * S);
}

#[test]
fn requests_outside_the_model_wait_for_the_end_of_the_freeze_too_and_are_not_counted() {
    let mut model = model(&[("stall-once", "1s@2s"), ("give-up", "10ms")]);
    assert_eq!(model.pass(S), Decision::Answer(Status::Ok));
    assert_eq!(model.pass(2 * S), Decision::Wait(0));
    assert_eq!(model.next_event_ns(), Some(3 * S));
    assert_eq!(model.advance(3 * S - 1), None);
    assert_eq!(model.advance(3 * S).map(|answer| answer.status), Some(Status::Ok));
    assert_eq!(model.seen().arrivals, 0);
}

#[test]
fn freezes_lower_the_capacity_by_their_share() {
    let mut model = model(&[("service", "constant:10ms"), ("stall", "1s/4s")]);
    // 75 a second is three quarters of 100: after each freeze the backlog is just worked off.
    let outcomes = offer(&mut model, &uniform(75 * 400, S / 75));
    let slowest = responses(&outcomes).into_iter().max();
    assert!(slowest < Some(1_100 * MS), "{slowest:?}");
}
