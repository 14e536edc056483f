//! The model's times on a real clock: medians and ratios, for the machine may be busy.

use std::thread;
use std::time::Duration;

use breakstep_target::Server;

use crate::client::{connect, median, start};

fn median_response(server: &Server, requests: usize) -> Duration {
    let mut client = connect(server);
    median((0..requests).map(|_| client.timed_get()).collect())
}

#[test]
fn a_constant_service_takes_its_time_and_hardly_more() {
    let server = start(&[("service", "constant:20ms")]);
    let mut client = connect(&server);
    let responses: Vec<_> = (0..40).map(|_| client.timed_get()).collect();
    assert!(responses.iter().all(|response| *response >= Duration::from_millis(20)));
    let ratio = median(responses).as_secs_f64() / 0.020;
    assert!(ratio < 1.25, "{ratio} of the service time");
}

#[test]
fn twice_the_service_takes_twice_the_time() {
    let [once, twice] = ["constant:20ms", "constant:40ms"]
        .map(|service| median_response(&start(&[("service", service)]), 30).as_secs_f64());
    assert!((1.7..2.3).contains(&(twice / once)), "{}", twice / once);
}

/// Clients that each wait for their answer: n of them on one server of either discipline take n
/// times as long, and on n servers as long as one.
#[test]
fn clients_wait_for_each_other_only_when_servers_are_short() {
    for discipline in ["fcfs", "ps"] {
        let times = ["1", "4"].map(|servers| {
            let pairs =
                [("service", "constant:10ms"), ("servers", servers), ("discipline", discipline)];
            concurrent_median(&start(&pairs), 4).as_secs_f64()
        });
        let ratio = times[0] / times[1];
        assert!((3.0..5.0).contains(&ratio), "{discipline}: {ratio}");
    }
}

fn concurrent_median(server: &Server, clients: usize) -> Duration {
    let run = || median_response(server, 30);
    let medians = thread::scope(|scope| {
        let threads: Vec<_> = (0..clients).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    median(medians)
}

#[test]
fn what_arrives_in_a_freeze_is_answered_when_it_ends() {
    let server = start(&[("service", "0"), ("stall-once", "300ms@0s")]);
    let frozen = connect(&server).timed_get();
    let thawed = median_response(&server, 20);
    assert!(frozen > 10 * thawed, "{frozen:?} against {thawed:?}");
}
