//! Service laws: how long a job takes.

use rand_core::Rng;

use crate::text::parse_duration;

/// How long a job occupies one whole server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Service {
    /// Answered at once: the server has no capacity to exhaust.
    Zero,
    /// Always `d_ns`.
    Constant {
        /// The duration.
        d_ns: u64,
    },
    /// Exponential with this mean: the M of M/M/c.
    Exponential {
        /// 1/μ.
        mean_ns: u64,
    },
    /// Even between two bounds.
    Uniform {
        /// Lower bound.
        from_ns: u64,
        /// Upper bound.
        to_ns: u64,
    },
    /// `median · e^(σZ)`, Z standard normal: most jobs are short, a few very long.
    Lognormal {
        /// Half of the jobs are shorter.
        median_ns: u64,
        /// σ of the logarithm.
        sigma: f64,
    },
}

const FORMS: &str =
    "write constant:20ms, exponential:20ms, uniform:5ms,15ms, lognormal:20ms,0.5 or 0";

/// Beyond this σ the mean is above e^12 medians, and no run would ever see it.
const MAX_SIGMA: f64 = 5.0;

impl Service {
    /// Reads `constant:20ms`, `exponential:20ms`, `uniform:5ms,15ms`, `lognormal:20ms,0.5` or `0`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text == "0" {
            return Ok(Self::Zero);
        }
        let (law, arguments) = text.split_once(':').unwrap_or((text, ""));
        match law {
            "constant" => parse_positive(arguments).map(|d_ns| Self::Constant { d_ns }),
            "exponential" => parse_positive(arguments).map(|mean_ns| Self::Exponential { mean_ns }),
            "uniform" => parse_uniform(arguments),
            "lognormal" => parse_lognormal(arguments),
            _ => Err(format!("{text:?} is no service law: {FORMS}")),
        }
    }

    /// The law's mean, ns; E[median · e^(σZ)] = median · e^(σ²/2).
    pub fn mean_ns(&self) -> f64 {
        match *self {
            Self::Zero => 0.0,
            Self::Constant { d_ns: mean_ns } | Self::Exponential { mean_ns } => mean_ns as f64,
            Self::Uniform { from_ns, to_ns } => f64::midpoint(from_ns as f64, to_ns as f64),
            Self::Lognormal { median_ns, sigma } => {
                median_ns as f64 * libm::exp(sigma * sigma / 2.0)
            }
        }
    }

    /// One service time, ns.
    pub fn draw(&self, random: &mut impl Rng) -> u64 {
        let ns = match *self {
            Self::Zero => 0.0,
            Self::Constant { d_ns } => return d_ns,
            Self::Exponential { mean_ns } => mean_ns as f64 * exponential(random),
            Self::Uniform { from_ns, to_ns } => {
                from_ns as f64 + (to_ns - from_ns) as f64 * unit(random)
            }
            Self::Lognormal { median_ns, sigma } => {
                median_ns as f64 * libm::exp(sigma * normal(random))
            }
        };
        libm::round(ns) as u64
    }
}

/// Even in [0, 1), 53 bits.
pub(crate) fn unit(random: &mut impl Rng) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Exponential with mean 1, by inversion.
fn exponential(random: &mut impl Rng) -> f64 {
    -libm::log(1.0 - unit(random))
}

/// Standard normal (Box and Muller 1958); the second value of the pair is let go.
fn normal(random: &mut impl Rng) -> f64 {
    let radius = libm::sqrt(2.0 * exponential(random));
    radius * libm::cos(std::f64::consts::TAU * unit(random))
}

fn parse_positive(text: &str) -> Result<u64, String> {
    match parse_duration(text)? {
        0 => Err("a service of no length is written 0".to_owned()),
        ns => Ok(ns),
    }
}

fn parse_uniform(text: &str) -> Result<Service, String> {
    let (from, to) = text.split_once(',').ok_or("uniform wants two bounds: uniform:5ms,15ms")?;
    let (from_ns, to_ns) = (parse_duration(from)?, parse_positive(to)?);
    if from_ns > to_ns {
        return Err(format!("uniform:{text} ends before it begins: write uniform:{to},{from}"));
    }
    Ok(Service::Uniform { from_ns, to_ns })
}

fn parse_lognormal(text: &str) -> Result<Service, String> {
    let wanted = "lognormal wants a median and a sigma: lognormal:20ms,0.5";
    let (median, sigma) = text.split_once(',').ok_or(wanted)?;
    let median_ns = parse_positive(median)?;
    match sigma.trim().parse() {
        Ok(sigma) if (0.0..=MAX_SIGMA).contains(&sigma) => {
            Ok(Service::Lognormal { median_ns, sigma })
        }
        _ => Err(format!("{sigma:?} is no sigma: write a number from 0 to {MAX_SIGMA}")),
    }
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;
    use rand_pcg::Pcg64;

    use super::*;

    #[test]
    fn the_drawn_mean_is_the_laws_mean() {
        for text in ["constant:20ms", "exponential:20ms", "uniform:5ms,15ms", "lognormal:20ms,0.5"]
        {
            let service = Service::parse(text).unwrap();
            let mut random = Pcg64::seed_from_u64(7);
            let n = 200_000;
            let sum: f64 = (0..n).map(|_| service.draw(&mut random) as f64).sum();
            let ratio = sum / f64::from(n) / service.mean_ns();
            assert!((ratio - 1.0).abs() < 0.01, "{text}: {ratio}");
        }
    }

    #[test]
    fn half_of_the_lognormal_draws_are_below_the_median() {
        let service = Service::parse("lognormal:20ms,1").unwrap();
        let mut random = Pcg64::seed_from_u64(7);
        let below = (0..100_000).filter(|_| service.draw(&mut random) < 20_000_000).count();
        assert!((49_500..50_500).contains(&below), "{below}");
    }

    #[test]
    fn uniform_draws_stay_within_their_bounds() {
        let service = Service::parse("uniform:5ms,15ms").unwrap();
        let mut random = Pcg64::seed_from_u64(7);
        let bounds = 5_000_000..=15_000_000;
        assert!((0..100_000).all(|_| bounds.contains(&service.draw(&mut random))));
    }

    #[test]
    fn a_fault_says_what_to_write_instead() {
        for (text, remedy) in [
            ("gamma:20ms", "write constant:20ms"),
            ("constant", "write a number with a unit"),
            ("constant:0ms", "is written 0"),
            ("uniform:5ms", "uniform:5ms,15ms"),
            ("uniform:15ms,5ms", "write uniform:5ms,15ms"),
            ("lognormal:20ms", "lognormal:20ms,0.5"),
            ("lognormal:20ms,x", "from 0 to 5"),
        ] {
            let fault = Service::parse(text).unwrap_err();
            assert!(fault.contains(remedy), "{text}: {fault}");
        }
    }
}
