//! The front: refusals, give-ups and errors; and the seed that fixes it all.

use breakstep_target::model::{Decision, Model, Status};

use crate::offer::{MS, S, model, offer, poisson, responses, share, uniform};

#[test]
fn a_full_queue_refuses_at_once() {
    let mut model = model(&[("servers", "2"), ("queue", "1"), ("service", "constant:20ms")]);
    let decisions: Vec<Decision> = (0..4).map(|_| model.arrive(0)).collect();
    let waits = (0..3).map(Decision::Wait);
    let expected: Vec<_> = waits.chain([Decision::Answer(Status::Refused)]).collect();
    assert_eq!(decisions, expected);
    assert_eq!(model.arrive(20 * MS), Decision::Wait(3), "a finish makes room at its instant");
}

#[test]
fn the_front_gives_up_and_the_worker_still_does_the_work() {
    let mut model = model(&[("service", "constant:20ms"), ("give-up", "30ms")]);
    let outcomes = offer(&mut model, &[0, 0, 0, 55 * MS]);
    let statuses: Vec<_> = outcomes.iter().map(|outcome| outcome.status).collect();
    assert_eq!(statuses, [Status::Ok, Status::GaveUp, Status::GaveUp, Status::Ok]);
    assert_eq!(outcomes[1].response_ns(), 30 * MS);
    // The work given up keeps the server busy until 60 ms.
    assert_eq!(outcomes[3].response_ns(), 25 * MS);
}

#[test]
fn an_answer_that_comes_at_the_deadline_is_in_time() {
    for discipline in ["fcfs", "ps"] {
        let pairs = [("service", "constant:20ms"), ("give-up", "20ms"), ("discipline", discipline)];
        assert_eq!(offer(&mut model(&pairs), &[0])[0].status, Status::Ok);
    }
}

/// Twice the capacity: with give-ups alone all work is for nobody; with a short queue as well
/// the servers' whole capacity is of use.
#[test]
fn giving_up_without_refusing_collapses_and_a_short_queue_prevents_it() {
    let pairs = [("servers", "4"), ("service", "exponential:20ms"), ("give-up", "1s")];
    let arrivals = poisson(40_000, 400.0, 5);
    let ok_of_the_later_half = |model: &mut Model| {
        share(&offer(model, &arrivals)[20_000..], |outcome| outcome.status == Status::Ok)
    };
    let collapsed = ok_of_the_later_half(&mut model(&pairs));
    assert!(collapsed < 0.001, "{collapsed}");
    let bounded = [pairs.as_slice(), &[("queue", "50")]].concat();
    let kept = ok_of_the_later_half(&mut model(&bounded));
    assert!((0.48..0.52).contains(&kept), "{kept}");
}

#[test]
fn jobs_given_up_count_as_in_the_system_until_they_are_done() {
    let mut model = model(&[("service", "constant:20ms"), ("give-up", "5ms")]);
    let _ = model.arrive(0);
    assert_eq!(model.advance(10 * MS).map(|answer| answer.at_ns), Some(5 * MS));
    assert_eq!((model.seen().gave_up, model.seen().in_system), (1, 1));
    assert_eq!(model.advance(20 * MS), None);
    assert_eq!((model.seen().answered, model.seen().in_system), (0, 0));
}

#[test]
fn errors_take_their_service_and_have_their_share() {
    let mut model = model(&[("service", "constant:1ms"), ("errors", "2%")]);
    let outcomes = offer(&mut model, &uniform(100_000, 2 * MS));
    let errors = share(&outcomes, |outcome| outcome.status == Status::Error);
    assert!((0.0185..0.0215).contains(&errors), "{errors}");
    assert!(outcomes.iter().all(|outcome| outcome.response_ns() == MS));
}

#[test]
fn fast_errors_are_the_same_errors_without_service() {
    let slow = [("service", "exponential:1ms"), ("errors", "10%"), ("seed", "8")];
    let fast = [slow.as_slice(), &[("fast-errors", "true")]].concat();
    let arrivals = uniform(10_000, 100 * MS);
    let slow = offer(&mut model(&slow), &arrivals);
    for (slow, fast) in slow.iter().zip(offer(&mut model(&fast), &arrivals)) {
        assert_eq!(slow.status, fast.status);
        let expected = if slow.status == Status::Error { 0 } else { slow.response_ns() };
        assert_eq!(fast.response_ns(), expected);
    }
}

#[test]
fn every_arrival_is_counted_once() {
    let mut model = model(&[
        ("servers", "2"),
        ("service", "exponential:20ms"),
        ("queue", "20"),
        ("give-up", "150ms"),
        ("errors", "5%"),
        ("stall", "200ms/1s"),
    ]);
    let outcomes = offer(&mut model, &poisson(20_000, 120.0, 4));
    let count = |status| outcomes.iter().filter(|outcome| outcome.status == status).count() as u64;
    let seen = model.seen();
    assert_eq!(seen.arrivals, 20_000);
    assert_eq!(
        [seen.answered, seen.errors, seen.refused, seen.gave_up],
        [Status::Ok, Status::Error, Status::Refused, Status::GaveUp].map(count)
    );
    assert!(seen.refused > 0 && seen.gave_up > 0 && seen.errors > 0);
    assert_eq!((seen.in_system, seen.max_in_system), (0, 22));
}

#[test]
fn the_seed_fixes_every_outcome() {
    let run = |seed: &str| {
        let pairs = [("service", "lognormal:5ms,1"), ("errors", "5%"), ("seed", seed)];
        offer(&mut model(&pairs), &poisson(5_000, 50.0, 1))
    };
    assert_eq!(run("1"), run("1"));
    assert_ne!(run("1"), run("2"));
}

/// Golden: the draws may not change between versions, or stored runs could not be repeated.
#[test]
fn the_first_draws_of_seed_1_are_these() {
    let first = |service: &str| {
        let mut model = model(&[("service", service), ("seed", "1")]);
        responses(&offer(&mut model, &uniform(3, S)))
    };
    assert_eq!(first("exponential:20ms"), [36_635_843, 349_001, 2_418_548]);
    assert_eq!(first("uniform:5ms,15ms"), [13_398_737, 5_172_987, 6_139_017]);
    assert_eq!(first("lognormal:20ms,0.5"), [51_785_461, 25_539_523, 7_104_115]);
}

#[test]
fn a_caller_that_comes_late_shifts_nothing() {
    let pairs = [("servers", "2"), ("service", "exponential:20ms"), ("give-up", "100ms")];
    let arrivals = poisson(5_000, 95.0, 2);
    let prompt = offer(&mut model(&pairs), &arrivals);
    let mut late_model = model(&pairs);
    for &at_ns in &arrivals {
        let _ = late_model.arrive(at_ns);
    }
    while let Some(answer) = late_model.advance(u64::MAX - 1) {
        let outcome = prompt[answer.number as usize];
        assert_eq!((outcome.answered_ns, outcome.status), (answer.at_ns, answer.status));
    }
}

#[test]
fn the_lateness_of_the_caller_is_kept() {
    let mut model = model(&[("service", "constant:20ms")]);
    let _ = (model.arrive(0), model.arrive(0));
    let _ = (model.advance(21 * MS), model.advance(44 * MS));
    let lateness = model.seen().lateness;
    assert_eq!((lateness.answers, lateness.sum_ns, lateness.max_ns), (2, 5 * MS, 4 * MS));
}
