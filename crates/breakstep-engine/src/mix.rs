//! The requests of a plan and which of them an arrival performs.
//!
//! The choice has no state: it is a function of 64 bits that the schedule draws from the segment's
//! seed and the arrival's number, so it is the same whatever the number of workers.

/// A request, as it goes out.
#[derive(Clone, Debug)]
pub struct Request {
    /// Head and body.
    pub bytes: Vec<u8>,
    /// Whether its responses have no body whatever they say: it is a HEAD.
    pub head_only: bool,
    /// The share of arrivals that perform it is this over the sum of all weights.
    pub weight: f64,
}

/// More could not be told apart in a row.
pub const REQUESTS_MAX: usize = 1 << 16;

/// What is wrong with these weights, or None.
pub fn fault(weights: &[f64]) -> Option<String> {
    if weights.is_empty() || weights.len() > REQUESTS_MAX {
        return Some(format!("requests: between 1 and {REQUESTS_MAX}"));
    }
    let sound = weights.iter().all(|weight| *weight > 0.0) && weights.iter().sum::<f64>() < 1e300;
    (!sound).then(|| "requests: every weight is above 0, and their sum finite".to_owned())
}

/// Chooses among requests by weight, by Walker's method: each request has a cell of equal size,
/// and what it leaves of its cell belongs to another.
#[derive(Debug)]
pub struct Mix {
    cells: Vec<Cell>,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    /// Of 2³², the part of the cell that is the request's own.
    own: u64,
    /// Whose the rest is.
    other: u16,
}

impl Mix {
    /// For sound weights, see [`fault`]: `weights[i]` is that of request `i`.
    pub fn new(weights: &[f64]) -> Self {
        let mean = weights.iter().sum::<f64>() / weights.len() as f64;
        let mut filled: Vec<f64> = weights.iter().map(|weight| weight / mean).collect();
        let mut cells = vec![Cell { own: 1 << 32, other: 0 }; weights.len()];
        let (mut lacking, mut full): (Vec<usize>, Vec<usize>) =
            (0..weights.len()).partition(|i| filled[*i] < 1.0);
        // A cell that rounding leaves over at the end is full but for that rounding.
        while let (Some(poor), Some(rich)) = (lacking.pop(), full.pop()) {
            let own = (filled[poor] * f64::from(u32::MAX)) as u64;
            cells[poor] = Cell { own, other: rich as u16 };
            filled[rich] -= 1.0 - filled[poor];
            if filled[rich] < 1.0 { lacking.push(rich) } else { full.push(rich) }
        }
        Self { cells }
    }

    /// The request that these bits stand for: the upper half chooses the cell, the lower its part.
    #[inline]
    pub fn choose(&self, bits: u64) -> u16 {
        let i = ((bits >> 32) * self.cells.len() as u64) >> 32;
        let cell = self.cells[i as usize];
        if bits & u64::from(u32::MAX) < cell.own { i as u16 } else { cell.other }
    }
}

/// The bits of arrival `number` under a seed: the sequence that `SplitMix64` makes of the seed,
/// read at that place.
#[inline]
pub fn bits_of(seed: u64, number: u64) -> u64 {
    // Neighbouring seeds are sent far apart, or one's sequence would be the other's, shifted.
    scrambled(scrambled(seed ^ OTHER_USE).wrapping_add(number.wrapping_mul(STRIDE)))
}

const STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;

/// The seed also draws the gaps between arrivals; this keeps the two uses apart.
const OTHER_USE: u64 = 0x6d69_7865_6420_6c64;

#[inline]
fn scrambled(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Mix, bits_of, fault};

    fn shares(weights: &[f64], seed: u64, arrivals: u64) -> Vec<f64> {
        let mix = Mix::new(weights);
        let mut counts = vec![0_u32; weights.len()];
        for number in 0..arrivals {
            counts[usize::from(mix.choose(bits_of(seed, number)))] += 1;
        }
        counts.into_iter().map(|count| f64::from(count) / arrivals as f64).collect()
    }

    proptest! {
        #[test]
        fn shares_follow_the_weights(
            weights in prop::collection::vec(0.01..100.0_f64, 1..50), seed in any::<u64>(),
        ) {
            let (arrivals, sum) = (20_000, weights.iter().sum::<f64>());
            for (share, weight) in shares(&weights, seed, arrivals).into_iter().zip(&weights) {
                let expected = weight / sum;
                // Six standard deviations: of thousands of comparisons none may stray by chance.
                let strays = 6.0 * (expected * (1.0 - expected) / arrivals as f64).sqrt();
                prop_assert!((share - expected).abs() <= strays + 2e-4, "{share} of {expected}");
            }
        }
    }

    #[test]
    fn one_request_is_performed_by_every_arrival() {
        let mix = Mix::new(&[0.3]);
        assert!([0, 1, u64::from(u32::MAX), u64::MAX].iter().all(|bits| mix.choose(*bits) == 0));
    }

    #[test]
    fn equal_weights_are_exactly_equal() {
        let mix = Mix::new(&[5.0; 4]);
        let quarters = (0..4).map(|quarter| mix.choose((quarter << 62) + (quarter << 20)));
        assert!(quarters.eq(0..4));
    }

    #[test]
    fn weights_far_apart_are_kept_apart() {
        let found = shares(&[1e-9, 1e9, 1.0], 7, 100_000);
        assert_eq!(found, [0.0, 1.0, 0.0]);
    }

    #[test]
    fn weights_without_sense_are_faults() {
        let bad: [&[f64]; 5] = [&[], &[0.0], &[1.0, -1.0], &[f64::NAN], &[f64::INFINITY]];
        assert!(bad.iter().all(|weights| fault(weights).is_some()));
        assert_eq!(fault(&[1e-9, 1e9]), None);
        assert!(fault(&vec![1.0; 70_000]).is_some());
    }

    #[test]
    fn a_seed_is_the_same_choice_on_every_platform_and_version() {
        let bits = [0, 1, 2].map(|number| bits_of(42, number));
        assert_eq!(bits, [0x53ca_66ab_1313_5f3a, 0xaec3_4429_53ab_a77a, 0x3a70_e8d4_9cad_b5c3]);
    }
}
