//! Laws of the schedule.

use proptest::prelude::*;

use crate::mix::Mix;
use crate::schedule::{Due, Law, Load, Schedule, Segment};

const S: u64 = 1_000_000_000;

fn open(start_ns: u64, duration_ns: u64, from_per_s: f64, to_per_s: f64, law: Law) -> Segment {
    let load = Load::Open { from_per_s, to_per_s, law };
    Segment { start_ns, duration_ns, load, seed: 0, rows: false }
}

fn append_all(schedule: &mut Schedule, segments: &[Segment]) {
    for segment in segments {
        schedule.append(*segment);
    }
}

fn arrivals(segments: &[Segment], worker: u64, workers: u64) -> Vec<Due> {
    let mut schedule = Schedule::new(worker, workers);
    append_all(&mut schedule, segments);
    rest(&mut schedule).collect()
}

fn rest(schedule: &mut Schedule) -> impl Iterator<Item = Due> {
    std::iter::from_fn(|| schedule.pop())
}

fn starts(segments: &[Segment], worker: u64, workers: u64) -> Vec<u64> {
    arrivals(segments, worker, workers).iter().map(|due| due.at_ns).collect()
}

/// The parts of all workers, in one order.
fn union(parts: impl Iterator<Item = Vec<Due>>) -> Vec<(u64, u64)> {
    let mut union: Vec<_> = parts.flatten().map(|due| (due.at_ns, due.bits)).collect();
    union.sort_unstable();
    union
}

fn any_law() -> impl Strategy<Value = Law> {
    prop_oneof![Just(Law::Uniform), Just(Law::Poisson)]
}

fn any_segments() -> impl Strategy<Value = Vec<Segment>> {
    let one = (1..3 * S, 0..S, 0.0..2_000.0, 0.0..2_000.0, any_law(), any::<u64>());
    prop::collection::vec(one, 1..5).prop_map(|parts| {
        let mut start_ns = 0;
        let place = |(duration_ns, gap_ns, from, to, law, seed)| {
            let segment = Segment { seed, ..open(start_ns, duration_ns, from, to, law) };
            start_ns += duration_ns + gap_ns;
            segment
        };
        parts.into_iter().map(place).collect()
    })
}

proptest! {
    #[test]
    fn intended_starts_are_monotone_and_inside_their_segments(segments in any_segments()) {
        let starts = starts(&segments, 0, 1);
        prop_assert!(starts.is_sorted());
        for at in starts {
            prop_assert!(segments.iter().any(|s| s.start_ns <= at && at < s.end_ns()));
        }
    }

    #[test]
    fn the_workers_together_offer_what_one_would(segments in any_segments(), workers in 1..9_u64) {
        let parts = (0..workers).map(|worker| arrivals(&segments, worker, workers));
        prop_assert_eq!(union(parts), union([arrivals(&segments, 0, 1)].into_iter()));
    }

    #[test]
    fn the_workers_agree_after_a_cut_however_far_each_had_looked_ahead(
        before in 0.0..50.0_f64, after in 1.0..200.0_f64, at in 0..S, workers in 1..9_u64,
    ) {
        let cut = open(0, S, before, before, Law::Poisson);
        let next = open(S, S, after, after, Law::Poisson);
        let parts = (0..workers).map(|worker| {
            let mut schedule = Schedule::new(worker, workers);
            schedule.append(cut);
            schedule.cut(at);
            schedule.append(next);
            rest(&mut schedule).filter(|due| due.at_ns >= S).collect()
        });
        prop_assert_eq!(union(parts), union([arrivals(&[next], 0, 1)].into_iter()));
    }

    #[test]
    fn the_gap_before_an_arrival_does_not_tell_what_it_performs(seed in any::<u64>()) {
        let segment = Segment { seed, ..open(0, 20 * S, 1_000.0, 1_000.0, Law::Poisson) };
        let (due, mix) = (arrivals(&[segment], 0, 1), Mix::new(&[1.0, 1.0]));
        let short = due.windows(2).filter(|pair| pair[1].at_ns - pair[0].at_ns < S / 1_000);
        let (mut counts, short) = ([0_u32; 2], short.map(|pair| pair[1].bits));
        short.for_each(|bits| counts[usize::from(mix.choose(bits))] += 1);
        let [first, second] = counts.map(f64::from);
        prop_assert!((first - second).abs() < 6.0 * (first + second).sqrt(), "{counts:?}");
    }

    #[test]
    fn uniform_counts_follow_the_integral_within_one_across_segments(
        rates in prop::collection::vec(0.0..5_000.0_f64, 2..6),
    ) {
        let segments: Vec<_> = rates.windows(2).zip(0..)
            .map(|(r, i)| open(i * S, S, r[0], r[1], Law::Uniform)).collect();
        let starts = starts(&segments, 0, 1);
        let mut expected = 0.0;
        for (r, i) in rates.windows(2).zip(1..) {
            expected += f64::midpoint(r[0], r[1]);
            let count = starts.partition_point(|at| *at < i * S) as f64;
            prop_assert!((count - expected).abs() <= 1.0 + 1e-6, "{count} of {expected}");
        }
    }

    #[test]
    fn a_segment_appended_while_running_changes_nothing_before_it(
        segments in any_segments(), taken in 0..2_000_usize,
    ) {
        let (first, others) = segments.split_first().expect("never empty");
        let mut schedule = Schedule::new(0, 1);
        schedule.append(*first);
        let mut seen: Vec<_> = (0..taken).map_while(|_| schedule.pop()).collect();
        append_all(&mut schedule, others);
        seen.extend(rest(&mut schedule));
        prop_assert_eq!(seen, arrivals(&segments, 0, 1));
    }

    #[test]
    fn a_cut_keeps_what_was_due_before_it(segments in any_segments(), at in 0..10 * S) {
        let mut schedule = Schedule::new(0, 1);
        append_all(&mut schedule, &segments);
        schedule.cut(at);
        let kept: Vec<_> = rest(&mut schedule).collect();
        let mut whole = arrivals(&segments, 0, 1);
        whole.retain(|due| due.at_ns < at);
        prop_assert_eq!(kept, whole);
    }
}

#[test]
fn after_a_pause_a_segment_starts_afresh() {
    let later = open(2 * S, S, 3.3, 3.3, Law::Uniform);
    let alone = starts(&[later], 0, 1);
    assert_eq!(starts(&[open(0, S, 2.5, 2.5, Law::Uniform), later], 0, 1)[3..], alone);
}

#[test]
fn poisson_counts_have_the_variance_of_poisson_counts() {
    let segment = Segment { seed: 7, ..open(0, 1_000 * S, 100.0, 100.0, Law::Poisson) };
    let mut counts = vec![0_u32; 10_000];
    for at in starts(&[segment], 0, 1) {
        counts[(at / (S / 10)) as usize] += 1;
    }
    let mean = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
    let variance = counts.iter().map(|c| (f64::from(*c) - mean).powi(2)).sum::<f64>()
        / (counts.len() - 1) as f64;
    // Four standard errors of the mean and of the dispersion index.
    assert!((mean - 10.0).abs() < 4.0 * (10.0 / 10_000.0_f64).sqrt(), "{mean}");
    assert!((variance / mean - 1.0).abs() < 4.0 * (2.0 / 10_000.0_f64).sqrt(), "{variance}");
}

#[test]
fn a_seed_is_the_same_schedule_on_every_platform_and_version() {
    let segment = Segment { seed: 42, ..open(0, S, 1_000.0, 1_000.0, Law::Poisson) };
    assert_eq!(starts(&[segment], 0, 1)[..5], GOLDEN_SEED_42);
}

const GOLDEN_SEED_42: [u64; 5] = [852_357, 995_427, 1_435_384, 1_690_801, 1_815_930];

#[test]
fn a_closed_user_comes_back_after_thinking_until_its_segment_ends() {
    let load = Load::Closed { concurrency: 2, think_ns: 300 };
    let mut schedule = Schedule::new(0, 1);
    schedule.append(Segment { start_ns: 1_000, duration_ns: 1_000, load, seed: 0, rows: false });
    schedule.append(open(2_000, S, 1.0, 1.0, Law::Uniform));
    let next = |schedule: &mut Schedule| schedule.pop().map(|due| due.at_ns);
    assert_eq!((next(&mut schedule), next(&mut schedule)), (Some(1_000), Some(1_000)));
    assert_eq!(schedule.next_ns(), Some(2_000), "both users wait for their answers");
    schedule.answered(1_000, 1_100);
    schedule.answered(1_000, 1_800);
    assert_eq!(next(&mut schedule), Some(1_400));
    assert_eq!(next(&mut schedule), Some(2_000), "the user due at 2 100 has left with its segment");
}
