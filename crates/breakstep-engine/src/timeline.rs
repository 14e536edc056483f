//! The grid of intervals: up to a second each, never reaching across a segment's edge.

use crate::schedule::Segment;

/// The length of an interval, ns.
pub const INTERVAL_NS: u64 = 1_000_000_000;

/// The extent of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Number of the segment; None between segments.
    pub segment: Option<u32>,
    /// First instant.
    pub from_ns: u64,
    /// First instant that no longer belongs to it.
    pub to_ns: u64,
    /// Whether a row is kept of each of its arrivals.
    pub rows: bool,
}

impl Span {
    #[inline]
    pub(crate) fn contains(&self, at_ns: u64) -> bool {
        self.from_ns <= at_ns && at_ns < self.to_ns
    }
}

/// Where the segments lie.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    /// By number.
    segments: Vec<Extent>,
}

#[derive(Clone, Copy, Debug)]
struct Extent {
    start_ns: u64,
    end_ns: u64,
    rows: bool,
}

impl Timeline {
    pub(crate) fn append(&mut self, segment: &Segment) {
        let &Segment { start_ns, rows, .. } = segment;
        self.segments.push(Extent { start_ns, end_ns: segment.end_ns(), rows });
    }

    pub(crate) fn cut(&mut self, at_ns: u64) {
        // What was to come lies at the cut, empty: the next segment may start before it was to.
        for segment in &mut self.segments {
            segment.start_ns = segment.start_ns.min(at_ns);
            segment.end_ns = segment.end_ns.min(at_ns);
        }
    }

    /// The interval that holds an instant.
    pub(crate) fn locate(&self, at_ns: u64) -> Span {
        let after = self.segments.partition_point(|segment| segment.start_ns <= at_ns);
        let last = after.checked_sub(1).map(|number| (number, self.segments[number]));
        match last {
            Some((number, extent)) if at_ns < extent.end_ns => {
                interval(Some(number as u32), extent, at_ns)
            }
            _ => {
                let start_ns = last.map_or(0, |(_, segment)| segment.end_ns);
                let end_ns = self.segments.get(after).map_or(u64::MAX, |next| next.start_ns);
                interval(None, Extent { start_ns, end_ns, rows: false }, at_ns)
            }
        }
    }

    /// Whether load is still to come at or after an instant.
    pub(crate) fn load_after(&self, at_ns: u64) -> bool {
        self.segments.last().is_some_and(|segment| at_ns < segment.end_ns)
    }
}

/// The second of a segment, or of a gap, that holds an instant.
fn interval(segment: Option<u32>, extent: Extent, at_ns: u64) -> Span {
    let from_ns = at_ns - (at_ns - extent.start_ns) % INTERVAL_NS;
    let to_ns = extent.end_ns.min(from_ns + INTERVAL_NS);
    Span { segment, from_ns, to_ns, rows: extent.rows }
}

#[cfg(test)]
mod tests {
    use super::{INTERVAL_NS as S, Span, Timeline};
    use crate::schedule::{Load, Segment};

    fn timeline() -> Timeline {
        let mut timeline = Timeline::default();
        for (start_ns, duration_ns) in [(S / 2, 5 * S / 2), (3 * S, S / 4), (9 * S, S)] {
            let load = Load::Closed { concurrency: 1, think_ns: 0 };
            timeline.append(&Segment { start_ns, duration_ns, load, seed: 0, rows: false });
        }
        timeline
    }

    fn span(segment: Option<u32>, from_ns: u64, to_ns: u64) -> Span {
        Span { segment, from_ns, to_ns, rows: false }
    }

    #[test]
    fn intervals_start_with_their_segment_and_end_with_it() {
        let timeline = timeline();
        assert_eq!(timeline.locate(0), span(None, 0, S / 2));
        assert_eq!(timeline.locate(S / 2), span(Some(0), S / 2, 3 * S / 2));
        assert_eq!(timeline.locate(3 * S - 1), span(Some(0), 5 * S / 2, 3 * S));
        assert_eq!(timeline.locate(3 * S), span(Some(1), 3 * S, 13 * S / 4));
        assert_eq!(timeline.locate(13 * S / 4 + S), span(None, 17 * S / 4, 21 * S / 4));
        assert_eq!(timeline.locate(20 * S), span(None, 20 * S, 21 * S));
    }

    #[test]
    fn a_cut_segment_ends_at_the_cut_and_later_ones_are_empty() {
        let mut timeline = timeline();
        timeline.cut(2 * S);
        assert_eq!(timeline.locate(2 * S - 1), span(Some(0), 3 * S / 2, 2 * S));
        assert_eq!(timeline.locate(2 * S).segment, None);
        assert_eq!(timeline.locate(19 * S / 2).segment, None);
        assert!(!timeline.load_after(10 * S));
    }

    #[test]
    fn a_segment_may_follow_a_cut_before_the_cut_ones_were_to_start() {
        let mut timeline = timeline();
        timeline.cut(2 * S);
        let load = Load::Closed { concurrency: 1, think_ns: 0 };
        timeline.append(&Segment {
            start_ns: 5 * S / 2,
            duration_ns: S,
            load,
            seed: 0,
            rows: false,
        });
        assert_eq!(timeline.locate(9 * S / 4), span(None, 2 * S, 5 * S / 2));
        assert_eq!(timeline.locate(3 * S), span(Some(3), 5 * S / 2, 7 * S / 2));
    }
}
