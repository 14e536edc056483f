"""A service that answers at once and freezes 200 ms every 5 s, as its users meet it.

Of 1 000 evenly spaced arrivals a second for 20 s, 800 are due inside a freeze and wait its rest,
0 to 200 ms: 4 % of all. So the mean is 0.04 · 100 = 4 ms, and quantile q beyond 0.96 is
200 · (q − 0.96) / 0.04 ms.
"""

from pathlib import Path
from typing import Any

import pytest

import breakstep
from acceptance.again import TRIES
from acceptance.files import response_times
from acceptance.target import target
from breakstep import Result

pytestmark = pytest.mark.sockets

MS = 1_000_000


def measure(url: str, out: Path) -> Result:
    """One step over four freezes."""
    return breakstep.find(
        url,
        slo="p99<1s",
        steps=[1000],
        hold="20s",
        warmup="0s",
        arrivals="uniform",
        out=out,
    )


def off(out: Path, result: Result) -> dict[str, float | None]:
    """What is not as it must be, by name."""
    step, times = result.steps[-1], response_times(out)
    found = step.response_ms
    waited = times.count - times.count_at_or_below(10 * MS)
    expected: dict[str, tuple[float | None, Any]] = {
        # Two where the machine was too busy to measure the first time; the files have both.
        "steps": (len(result.steps), pytest.approx(1, abs=0)),
        "arrivals": (step.arrivals, pytest.approx(20_000, abs=0)),
        "ok": (step.ok, pytest.approx(20_000, abs=0)),
        "times": (times.count, pytest.approx(20_000, abs=0)),
        # Of 200 arrivals due in a freeze, those of its last 10 ms wait less than that.
        "waited over 10 ms": (waited, pytest.approx(760, rel=0.04)),
        "mean": (found.mean, pytest.approx(4.0, abs=0.5)),
        "p97.5": (times.quantile_ns(0.975) / MS, pytest.approx(75, rel=0.04)),
        "p98": (found.p98, pytest.approx(100, rel=0.04)),
        "p99": (found.p99, pytest.approx(150, rel=0.04)),
        "p99.9": (found.p99_9, pytest.approx(195, rel=0.04)),
        "max": (found.max, pytest.approx(200, rel=0.04)),
        "service times": (step.service_ms.count, pytest.approx(20_000, abs=0)),
        "median service ms": (step.service_ms.p50, pytest.approx(0.0, abs=1.0)),
    }
    return {name: value for name, (value, truth) in expected.items() if value != truth}


def test_every_user_who_met_a_freeze_is_counted_with_the_time_it_cost(tmp_path: Path) -> None:
    """All quantiles are right at once; p99 alone would be, by luck, with three quarters omitted.

    A busy machine only ever adds time, so one undisturbed measurement of three is proof.
    """
    with target("--service", "0", "--stall", "200ms/5s") as url:
        for attempt in range(TRIES):
            out = tmp_path / str(attempt)
            wrong = off(out, measure(url, out))
            if not wrong:
                break
    assert wrong == {}
