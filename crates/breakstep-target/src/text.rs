//! How people write durations and shares.

const UNITS_NS: [(&str, f64); 7] =
    [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3600e9)];

/// A day, ns: sums of a few such durations fit `u64` and are exact in `f64`.
const MAX_NS: f64 = 24.0 * 3600e9;

/// Nanoseconds of `200ms`, `1.5s`, `50us`.
pub(crate) fn parse_duration(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let unit_at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let size_ns = UNITS_NS.iter().find(|(name, _)| *name == unit).map(|(_, size_ns)| size_ns);
    match (number.parse::<f64>(), size_ns) {
        (Ok(number), Some(size_ns)) if number * size_ns <= MAX_NS => {
            Ok(libm::round(number * size_ns) as u64)
        }
        (Ok(_), Some(_)) => Err(format!("{text:?} is too long: write at most 24h")),
        _ => Err(format!("{text:?} is no duration: write a number with a unit, such as 200ms")),
    }
}

/// The fraction that `2%` is.
pub(crate) fn parse_share(text: &str) -> Result<f64, String> {
    match text.trim().strip_suffix('%').map(str::parse) {
        Some(Ok(percent)) if (0.0..=100.0).contains(&percent) => Ok(percent / 100.0),
        _ => Err(format!("{text:?} is no share: write a percentage from 0% to 100%, such as 2%")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_a_number_with_a_unit() {
        for (text, ns) in [
            ("0s", 0),
            ("50us", 50_000),
            ("50µs", 50_000),
            ("1.5s", 1_500_000_000),
            ("24h", 86_400_000_000_000),
        ] {
            assert_eq!(parse_duration(text), Ok(ns), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        for text in ["", "5", "ms", "-5ms", "5 ms", "1e3ms", "1.2.3s", "5parsecs", "25h", "."] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn shares_are_percentages() {
        assert_eq!(parse_share("2%"), Ok(0.02));
        assert_eq!(parse_share("100%"), Ok(1.0));
        for text in ["2", "101%", "-1%", "%", "NaN%"] {
            assert!(parse_share(text).is_err(), "{text}");
        }
    }
}
