"""Whether goodput stays flat beyond the breaking point: what the open questions have in common."""

from collections.abc import Callable, Sequence

from breakstep.lab.experiment import Found, Held, Measured, Truth
from breakstep.lab.experiments.php._loads import Shares, limit_of, workers_over_wait
from breakstep.lab.steps import trusted_steps

WORKERS = 10
SHARES = (0.7, 1.5, 3.0)
"""Of N/W: a load that the site carries, and two that it cannot."""
BEYOND = Shares(
    "/api/slow", SHARES, workers_over_wait, {"hold": "6s", "warmup": "4s", "abort": False}
)


def goodput(key: str) -> Callable[[Found], str]:
    """The goodput at each load, both as shares of N/W, as a figure of a report."""
    return lambda found: ", ".join(f"{load:.2g} → {good:.2f}" for load, good in _shares(found[key]))


def stays_flat(key: str, *, at_least: float) -> Truth:
    """However much is offered, goodput is at least this share of N/W."""

    def judge(found: Found) -> Held:
        goods = _whole(found[key])
        return _held(goods, found, key, ok=bool(goods) and min(goods) >= at_least)

    says = f"{key}: goodput stays above {at_least:g} of N/W at every load"
    return Truth(says, (key,), judge)


def falls(key: str, *, at_most: float) -> Truth:
    """Beyond N/W goodput falls to this share of it, or lower."""

    def judge(found: Found) -> Held:
        goods = _whole(found[key])
        return _held(goods, found, key, ok=bool(goods) and goods[-1] <= at_most)

    says = f"{key}: goodput falls below {at_most:g} of N/W at {SHARES[-1]:g} times N/W"
    return Truth(says, (key,), judge)


def _held(goods: Sequence[float], found: Found, key: str, *, ok: bool) -> Held:
    if not goods:
        return Held(None, "not every load was trusted")
    return Held(ok, goodput(key)(found))


def _whole(measured: Measured) -> Sequence[float]:
    """The goodput at every load; none where one of them was not trusted."""
    goods = [good for _, good in _shares(measured)]
    return goods if len(goods) == len(SHARES) else ()


def _shares(measured: Measured) -> Sequence[tuple[float, float]]:
    """Load and goodput. A load that failed is held twice: the second time its queue has settled."""
    limit = limit_of(measured)
    last = {step.offered_per_s: step for step in trusted_steps(measured)}
    return [(load / limit, step.goodput_per_s / limit) for load, step in last.items()]
