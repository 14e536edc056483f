"""From the steps of a run to its answer: the highest load that held, the lowest that broke.

    stop reason          both known    only a held load    only a broken one    neither
    broken               found         —                   below_floor          inconclusive
    floor                found         —                   below_floor          inconclusive
    ceiling              —             above_ceiling       —                    inconclusive
    budget, interrupted  found         inconclusive        inconclusive         inconclusive
    untrusted            untrusted, whatever is known; inconclusive if the last step was undecided

An untrusted answer carries no number: what held before stays in the run's own record.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from breakstep.analysis.words import counted
from breakstep.model.plan import Arrivals
from breakstep.model.record import Answer, RunRecord, Status, StepRecord
from breakstep.model.slo import Slo, quantile_name
from breakstep.model.units import format_rate
from breakstep.search.controller import Done
from breakstep.search.ladder import Ladder, Rung

ARRIVAL_LAW: dict[Arrivals, str] = {
    "poisson": "Arrivals were random (Poisson), as those of independent users are; evenly spaced "
    "ones would be carried to a higher rate.",
    "uniform": "Arrivals were evenly spaced (uniform); independent users arrive at random and "
    "break the service at a lower rate.",
}
POINT_ESTIMATE = (
    "One run, judged on measured shares as they are: another run may break a little earlier or "
    "later."
)
FEW_BEYOND = 5


@dataclass(frozen=True, slots=True)
class Terms:
    """What the answer holds for: the SLOs, whether they were assumed, the arrival law."""

    slos: tuple[Slo, ...]
    assumed: bool
    arrivals: Arrivals


def answer(history: Sequence[StepRecord], done: Done, terms: Terms) -> Answer:
    """The breaking point, or why there is none, with what it depends on."""
    ladder = Ladder.of(history)
    status = _status(history, done, ladder)
    held = None if status == "untrusted" else _rate(ladder.sustainable)
    broken = None if status == "untrusted" else _rate(ladder.broken)
    return Answer(
        status,
        sustainable_per_s=held,
        broken_per_s=broken,
        range_per_s=None if held is None or broken is None else (held, broken),
        capacity_per_s=None if status == "untrusted" else capacity_per_s(history),
        caveats=_caveats(history, ladder, terms),
    )


def run_record(history: Sequence[StepRecord], done: Done, seed: int) -> RunRecord:
    """The run as it is stored."""
    ladder = Ladder.of(history)
    held, broken = _rate(ladder.sustainable), _rate(ladder.broken)
    return RunRecord(seed, done.stop_reason, done.why, held, broken, tuple(history))


def capacity_per_s(history: Sequence[StepRecord]) -> float | None:
    """The highest rate of ok arrivals among valid steps whose queue was stable."""
    carried = (
        step.ok / (step.window_to - step.window_from)
        for step in history
        if step.queue == "stable"
        and step.verdict.name != "invalid"
        and step.window_to > step.window_from
    )
    return max(carried, default=None)


def _status(history: Sequence[StepRecord], done: Done, ladder: Ladder) -> Status:
    held, broken = ladder.sustainable is not None, ladder.broken is not None
    if done.stop_reason == "untrusted":
        undecided = bool(history) and history[-1].verdict.name == "undecided"
        return "inconclusive" if undecided else "untrusted"
    if held and broken:
        return "found"
    if broken and done.stop_reason in ("broken", "floor"):
        return "below_floor"
    if held and done.stop_reason == "ceiling":
        return "above_ceiling"
    return "inconclusive"


def _rate(rung: Rung | None) -> float | None:
    return None if rung is None else rung.rate_per_s


def _caveats(history: Sequence[StepRecord], ladder: Ladder, terms: Terms) -> tuple[str, ...]:
    if not history:
        return ()
    held = ladder.sustainable
    at_held = [step for step in history if held and step.offered_per_s == held.rate_per_s]
    return (
        *_assumed(terms),
        ARRIVAL_LAW[terms.arrivals],
        POINT_ESTIMATE,
        *_overruled(ladder),
        *_out_of_order(ladder),
        *_growing(at_held),
        *_few(at_held, terms.slos),
        *_noisy(history),
    )


def _assumed(terms: Terms) -> list[str]:
    if not terms.assumed:
        return []
    slos = ", ".join(map(str, terms.slos))
    return [f"No SLO was given; assumed: {slos}. Name your own with --slo."]


def _out_of_order(ladder: Ladder) -> list[str]:
    above, broken = ladder.out_of_order, ladder.broken
    if above is None or broken is None:
        return []
    says = (
        f"{format_rate(above.rate_per_s)}/s held although {format_rate(broken.rate_per_s)}/s "
        "failed: the service does not simply get worse with load."
    )
    return [says]


def _overruled(ladder: Ladder) -> list[str]:
    return [
        f"{rung.failed} of {rung.measured} windows at {format_rate(rung.rate_per_s)}/s failed, and "
        "it counts as held: chance, or something other than load, such as a pause of the service."
        for rung in ladder.rungs
        if rung.standing == "pass" and rung.failed
    ]


def _growing(at_held: Sequence[StepRecord]) -> list[str]:
    if not any(step.queue == "growing" for step in at_held):
        return []
    rate = format_rate(at_held[0].offered_per_s)
    return [f"At {rate}/s the queue was still growing: a longer --hold may break it there."]


def _few(at_held: Sequence[StepRecord], slos: Sequence[Slo]) -> list[str]:
    """The latency SLO with the fewest arrivals beyond its quantile, if they are few."""
    judged = [(slo, _arrivals_of(slo, at_held)) for slo in slos if slo.kind == "latency"]
    if not at_held or not judged:
        return []
    slo, arrivals = min(judged, key=lambda pair: pair[1] * (1.0 - pair[0].quantile))
    if arrivals * (1.0 - slo.quantile) >= FEW_BEYOND:
        return []
    of = "" if slo.request is None else f" of {slo.request}"
    says = (
        f"{quantile_name(slo.quantile)}{of} was judged on {counted(arrivals)} arrivals, too few to "
        "know it well: hold longer."
    )
    return [says]


def _arrivals_of(slo: Slo, steps: Sequence[StepRecord]) -> int:
    if slo.request is None:
        return sum(step.arrivals for step in steps)
    found = (step.requests.get(slo.request) for step in steps)
    return sum(record.arrivals for record in found if record is not None)


def _noisy(history: Sequence[StepRecord]) -> list[str]:
    noisy = sorted({s.offered_per_s for s in history if s.trust.verdict == "noisy"})
    if not noisy:
        return []
    rates = ", ".join(f"{format_rate(rate)}/s" for rate in noisy)
    return [f"The generator was under strain at {rates}: see the trust checks."]
