"""A service-level objective: a bound on a response-time quantile, an error share or the goodput."""

import re
from dataclasses import dataclass, replace
from typing import Literal

from breakstep.model.units import exact_duration, parse_duration

QUANTILES = {
    "p50": 0.50,
    "p75": 0.75,
    "p90": 0.90,
    "p95": 0.95,
    "p98": 0.98,
    "p99": 0.99,
    "p99.9": 0.999,
}

_LATENCY = re.compile(r"(p\d+(?:\.\d+)?)\s*<=?\s*(\S+)")
_SHARE = re.compile(r"(errors\s*<|goodput\s*>)=?\s*(\d+(?:\.\d+)?)\s*%")


@dataclass(frozen=True, slots=True)
class Slo:
    """One bound. `kind` says which field holds it.

    `latency`: the `quantile` of response time is at most `bound_ns`, failed arrivals being worse
    than any bound. `errors`: at most `share` of arrivals fail. `goodput`: at least `share` of
    arrivals succeed within the tightest latency bound.

    With a `request` only the arrivals that performed it are judged.
    """

    kind: Literal["latency", "errors", "goodput"]
    quantile: float = 0.0
    bound_ns: int = 0
    share: float = 0.0
    request: str | None = None

    def __str__(self) -> str:
        of = "" if self.request is None else f"{self.request}: "
        if self.kind == "latency":
            return f"{of}{quantile_name(self.quantile)}<{exact_duration(self.bound_ns)}"
        sign = "<" if self.kind == "errors" else ">"
        return f"{of}{self.kind}{sign}{100 * self.share:g}%"


def parse_slo(text: str) -> Slo:
    """Reads `p95<200ms`, `errors<1%` or `goodput>97%`, each also as `NAME: p95<200ms`.

    Raises ValueError that says what an SLO looks like.
    """
    # No bound has a colon, a name may.
    name, colon, bound = text.rpartition(":")
    if not colon:
        return _bound(text)
    if not name.strip():
        msg = f"{text!r}: no request is named before the colon; leave it out to judge them all"
        raise ValueError(msg)
    return replace(_bound(bound), request=name.strip())


def quantile_name(quantile: float) -> str:
    """`p95`, `p99.9`: the way people write a quantile."""
    return f"p{100 * quantile:g}"


def _bound(text: str) -> Slo:
    if match := _SHARE.fullmatch(text.strip()):
        kind: Literal["errors", "goodput"] = (
            "errors" if match[1].startswith("errors") else "goodput"
        )
        return _share_slo(text, kind, float(match[2]) / 100)
    match = _LATENCY.fullmatch(text.strip())
    if match is None:
        msg = f"{text!r} is not an SLO: write p95<200ms, errors<1% or goodput>97%"
        raise ValueError(msg)
    if match[1] not in QUANTILES:
        msg = f"{text!r}: {match[1]} is not judged; use one of {', '.join(QUANTILES)}"
        raise ValueError(msg)
    bound_ns = parse_duration(match[2])
    if bound_ns == 0:
        msg = f"{text!r}: a bound of zero can never be met"
        raise ValueError(msg)
    return Slo("latency", quantile=QUANTILES[match[1]], bound_ns=bound_ns)


def _share_slo(text: str, kind: Literal["errors", "goodput"], share: float) -> Slo:
    if share > 1.0:
        msg = f"{text!r}: a share lies between 0% and 100%"
        raise ValueError(msg)
    return Slo(kind, share=share)
