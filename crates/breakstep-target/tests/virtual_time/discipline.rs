//! The disciplines, exactly: deterministic cases, and each against a slow oracle.

use breakstep_target::discipline::{Discipline, Job};
use breakstep_target::fcfs::Fcfs;
use breakstep_target::sharing::ProcessorSharing;
use proptest::prelude::*;

use crate::offer::{MS, model, offer, responses, uniform};

#[test]
fn at_capacity_uniform_arrivals_never_wait() {
    let mut model = model(&[("servers", "8"), ("service", "constant:20ms")]);
    let outcomes = offer(&mut model, &uniform(100_000, 2_500_000));
    assert!(outcomes.iter().all(|outcome| outcome.response_ns() == 20 * MS));
}

#[test]
fn above_capacity_the_wait_grows_by_what_is_missing() {
    let mut model = model(&[("servers", "8"), ("service", "constant:20ms")]);
    let outcomes = offer(&mut model, &uniform(80_000, 2_400_000));
    // Each round of 8 arrivals comes 8 · 0.1 ms sooner than the servers are free.
    for (k, outcome) in (0_u64..).zip(&outcomes) {
        assert_eq!(outcome.response_ns(), 20 * MS + k / 8 * 800_000);
    }
    assert!(model.seen().max_in_system > 300);
}

#[test]
fn a_service_of_no_length_is_answered_on_arrival() {
    let mut model = model(&[("service", "0")]);
    let outcomes = offer(&mut model, &uniform(1000, MS));
    assert!(outcomes.iter().all(|outcome| outcome.response_ns() == 0));
    assert_eq!(model.seen().max_in_system, 1);
}

#[test]
fn two_jobs_that_share_a_server_each_run_at_half_its_speed() {
    let mut model = model(&[("service", "constant:20ms"), ("discipline", "ps")]);
    let outcomes = offer(&mut model, &[0, 10 * MS]);
    // 10 ms alone, 20 ms shared; then the second has 10 ms left, alone.
    assert_eq!(responses(&outcomes), [30 * MS, 30 * MS]);
}

#[test]
fn jobs_up_to_the_number_of_servers_do_not_slow_each_other() {
    let mut model = model(&[("servers", "2"), ("service", "constant:20ms"), ("discipline", "ps")]);
    assert_eq!(responses(&offer(&mut model, &[0, MS])), [20 * MS, 20 * MS]);
}

/// Finish instants by job, from gaps and services.
fn finishes(mut discipline: impl Discipline, jobs: &[(u64, u64)]) -> Vec<u64> {
    let mut finishes = vec![0; jobs.len()];
    let mut take_until = |discipline: &mut dyn Discipline, until_ns| {
        while let Some(at_ns) = discipline.next_finish_ns().filter(|at_ns| *at_ns <= until_ns) {
            let job = discipline.take_finished().unwrap();
            finishes[job.number as usize] = at_ns;
        }
    };
    for (number, (at_ns, (_, service_ns))) in (0..).zip(arrivals(jobs).zip(jobs)) {
        take_until(&mut discipline, at_ns);
        discipline.arrive(Job { number, fails: false }, at_ns, *service_ns);
    }
    take_until(&mut discipline, u64::MAX);
    finishes
}

fn arrivals(jobs: &[(u64, u64)]) -> impl Iterator<Item = u64> {
    jobs.iter().scan(0, |at_ns, (gap_ns, _)| {
        *at_ns += gap_ns;
        Some(*at_ns)
    })
}

/// Kiefer and Wolfowitz: the least loaded of the servers takes the job.
fn slow_fcfs(servers: usize, jobs: &[(u64, u64)]) -> Vec<u64> {
    let mut free_ns = vec![0; servers];
    let assign = |(at_ns, (_, service_ns)): (u64, &(u64, u64))| {
        free_ns.sort_unstable();
        free_ns[0] = free_ns[0].max(at_ns) + service_ns;
        free_ns[0]
    };
    arrivals(jobs).zip(jobs).map(assign).collect()
}

/// Every job's remaining work is kept and reduced from event to event.
fn slow_sharing(servers: usize, jobs: &[(u64, u64)]) -> Vec<f64> {
    let mut remaining: Vec<f64> = jobs.iter().map(|(_, service_ns)| *service_ns as f64).collect();
    let mut finishes = vec![f64::NAN; jobs.len()];
    let mut present: Vec<usize> = Vec::new();
    let mut now = 0.0;
    let mut coming = arrivals(jobs).map(|at_ns| at_ns as f64).enumerate().peekable();
    loop {
        let rate = (servers as f64 / present.len() as f64).min(1.0);
        let least = present.iter().map(|job| remaining[*job]).fold(f64::INFINITY, f64::min);
        let next_arrival = coming.peek().map_or(f64::INFINITY, |(_, at)| *at);
        let next = next_arrival.min(now + least / rate);
        if next.is_infinite() {
            return finishes;
        }
        for job in &present {
            remaining[*job] -= (next - now) * rate;
        }
        now = next;
        present.retain(|job| {
            remaining[*job] > 1e-6 || {
                finishes[*job] = now;
                false
            }
        });
        while let Some((job, _)) = coming.next_if(|(_, at)| *at <= now) {
            present.push(job);
        }
    }
}

proptest! {
    #[test]
    fn fcfs_agrees_with_the_slow_oracle(
        servers in 1_usize..5, jobs in prop::collection::vec((0_u64..50, 0_u64..100), 1..200)
    ) {
        prop_assert_eq!(finishes(Fcfs::new(servers), &jobs), slow_fcfs(servers, &jobs));
    }

    #[test]
    fn sharing_agrees_with_the_slow_oracle(
        servers in 1_usize..5,
        jobs in prop::collection::vec((0_u64..5_000_000, 1_u64..10_000_000), 1..100)
    ) {
        let fast = finishes(ProcessorSharing::new(servers), &jobs);
        for (fast_ns, slow_ns) in fast.iter().zip(slow_sharing(servers, &jobs)) {
            // Up to 1 ns of rounding for each event before it, and never early.
            let late_ns = *fast_ns as f64 - slow_ns;
            prop_assert!((-0.1..=100.0).contains(&late_ns), "{} ns late", late_ns);
        }
    }
}
