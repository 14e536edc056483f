"""A histogram as the mean, quantiles and maximum of a result."""

from breakstep.analysis.measured import Histogram
from breakstep.model.record import Durations
from breakstep.model.units import NS_PER_MS

NOTHING = Durations(0, None, None, None, None, None, None, None, None, None, None)


def summarise(histogram: Histogram) -> Durations:
    """Mean, quantiles and maximum, ms; all None when nothing was recorded."""
    if histogram.count == 0:
        return NOTHING

    def quantile_ms(quantile: float) -> float:
        return histogram.quantile_ns(quantile) / NS_PER_MS

    return Durations(
        count=histogram.count,
        mean=histogram.mean_ns / NS_PER_MS,
        p50=quantile_ms(0.50),
        p75=quantile_ms(0.75),
        p90=quantile_ms(0.90),
        p95=quantile_ms(0.95),
        p98=quantile_ms(0.98),
        p99=quantile_ms(0.99),
        p99_9=quantile_ms(0.999),
        p99_99=quantile_ms(0.9999),
        max=histogram.max_ns / NS_PER_MS,
    )
