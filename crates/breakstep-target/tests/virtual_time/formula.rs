//! Simulated queues against the formulas of queueing theory.
//!
//! c servers, mean service S = 20 ms, load ρ = λS/c, a = λS. Erlang B: B₀ = 1,
//! `B_k` = a·B_{k−1} / (k + a·B_{k−1}); Erlang C: C = B / (1 − ρ(1 − B)).

use breakstep_target::model::Status;

use crate::offer::{MS, Outcome, assert_near, mean_response, model, offer, poisson, share};

const SERVICE_NS: u64 = 20 * MS;
const ARRIVALS: usize = 400_000;

fn erlang_c(servers: u32, load: f64) -> f64 {
    let a = load * f64::from(servers);
    let b = (1..=servers).fold(1.0, |b, k| a * b / (f64::from(k) + a * b));
    b / (1.0 - load * (1.0 - b))
}

/// Mean wait of M/M/c in units of S: C / (c(1 − ρ)).
fn mmc_wait(servers: u32, load: f64) -> f64 {
    erlang_c(servers, load) / (f64::from(servers) * (1.0 - load))
}

/// M/D/c, Cosmetatos (1976): better than 2 % here; exact, and Pollaczek's ρ/(2(1 − ρ)), for c = 1.
fn mdc_wait(servers: u32, load: f64) -> f64 {
    let c = f64::from(servers);
    let correction = (1.0 - load) * (c - 1.0) * ((4.0 + 5.0 * c).sqrt() - 2.0) / (16.0 * load * c);
    mmc_wait(servers, load) * (1.0 + correction) / 2.0
}

fn run(
    law: &str,
    discipline: &str,
    servers: u32,
    load: f64,
    more: &[(&str, &str)],
) -> Vec<Outcome> {
    let servers_text = servers.to_string();
    let service = format!("{law}:20ms");
    let mut pairs = vec![
        ("servers", servers_text.as_str()),
        ("service", service.as_str()),
        ("discipline", discipline),
        ("seed", "3"),
    ];
    pairs.extend(more);
    let rate_per_s = load * f64::from(servers) / 0.020;
    offer(&mut model(&pairs), &poisson(ARRIVALS, rate_per_s, 11))
}

#[test]
fn the_mean_wait_is_that_of_theory() {
    for (servers, load) in [(1, 0.5), (1, 0.7), (2, 0.8), (8, 0.8), (8, 0.9)] {
        for (law, wait) in
            [("exponential", mmc_wait(servers, load)), ("constant", mdc_wait(servers, load))]
        {
            let mean = mean_response(&run(law, "fcfs", servers, load, &[]), SERVICE_NS);
            let what = format!("{law} c={servers} ρ={load}");
            assert_near(mean, 1.0 + wait, 0.03, &what);
        }
    }
}

/// ρ at which p99 = T: method, section 4.2 (Franx 2001 for M/D/c).
#[test]
fn one_in_a_hundred_is_slower_than_the_p99_of_theory() {
    for (law, servers, bound, load) in [
        ("constant", 1, 3, 0.3195),
        ("constant", 8, 2, 0.7733),
        ("exponential", 1, 10, 0.5395),
        ("exponential", 8, 5, 0.7731),
    ] {
        let outcomes = run(law, "fcfs", servers, load, &[]);
        let slower = share(&outcomes, |outcome| outcome.response_ns() > bound * SERVICE_NS);
        assert_near(slower, 0.01, 0.15, &format!("{law} c={servers} T/S={bound}"));
    }
}

/// M/G/1-PS: R = S / (1 − ρ) whatever the service law. M/M/c-PS has as many jobs in the system
/// as M/M/c, hence the same mean response.
#[test]
fn shared_servers_take_as_long_as_theory_says() {
    for (law, servers, load, response) in [
        ("exponential", 1, 0.5, 2.0),
        ("exponential", 1, 0.7, 1.0 / 0.3),
        ("constant", 1, 0.7, 1.0 / 0.3),
        ("exponential", 4, 0.8, 1.0 + mmc_wait(4, 0.8)),
    ] {
        let mean = mean_response(&run(law, "ps", servers, load, &[]), SERVICE_NS);
        assert_near(mean, response, 0.03, &format!("{law} PS c={servers} ρ={load}"));
    }
}

/// M/M/c/K: `p_n` ∝ aⁿ/n! up to c, then ∝ (a/c)ⁿ⁻ᶜ; a share `p_K` is refused. c = 1: ρᴷ(1−ρ)/(1−ρᴷ⁺¹).
#[test]
fn a_bounded_queue_refuses_the_share_that_theory_says() {
    for (servers, queue, load) in [(1, 0, 0.5), (1, 4, 0.9), (4, 8, 1.2)] {
        let a = load * f64::from(servers);
        let weights = (1..=servers + queue).scan(1.0, |weight, n| {
            *weight *= a / f64::from(n.min(servers));
            Some(*weight)
        });
        let weights: Vec<f64> = weights.collect();
        let blocked = weights[weights.len() - 1] / (1.0 + weights.iter().sum::<f64>());
        for discipline in ["fcfs", "ps"] {
            let queue = queue.to_string();
            let outcomes = run("exponential", discipline, servers, load, &[("queue", &queue)]);
            let refused = share(&outcomes, |outcome| outcome.status == Status::Refused);
            assert_near(refused, blocked, 0.03, &format!("{discipline} c={servers} K+{queue}"));
        }
    }
}
