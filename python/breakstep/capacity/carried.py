"""What a node carried in each run, and which runs no plan can rest on."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from breakstep.analysis.likeness import unlike
from breakstep.analysis.words import percent
from breakstep.model.capacity import Range
from breakstep.model.errors import PlanError
from breakstep.model.record import Answer, Result
from breakstep.search.repeats import USABLE_SPREAD

NAMED = 3
"""So many runs are named in a sentence, the others counted."""


@dataclass(frozen=True, slots=True)
class Carried:
    """What each run carried, as knees or as the loads that held; `around` is one run's interval."""

    per_s: tuple[float, ...]
    knees: bool
    around: Range | None
    caveats: tuple[str, ...]


def carried(results: Sequence[Result], measured_on: int) -> Carried:
    """What a node carried in each run. Raises PlanError with every run that does not say."""
    faults = [fault for result in results if (fault := _fault(result)) is not None]
    faults += _together(results)
    if faults:
        raise PlanError(faults)
    answers = [result.answer for result in results]
    knees = [answer.knee_per_s for answer in answers if answer.knee_per_s is not None]
    repeated = any(len(result.runs) > 1 for result in results)
    by_knee = len(knees) == len(results) and not repeated
    loads = knees if by_knee else [load for result in results for load in _held(result)]
    around = _around(answers[0], loads[0]) if len(loads) == 1 else None
    return Carried(
        tuple(load / measured_on for load in loads),
        by_knee,
        around and (around[0] / measured_on, around[1] / measured_on),
        (*_caveats(results), *_apart(loads)),
    )


def _fault(result: Result) -> str | None:
    if result.command != "find":
        return f"{result.id}: {result.command} finds no breaking load; name a run of find"
    answer = result.answer
    if answer.status in ("found", "above_ceiling") and answer.sustainable_per_s:
        return None
    return (
        f"{result.id}: no load held that a plan could rest on (its answer is {answer.status}); "
        "see `breakstep report` of it, and search again"
    )


def _together(results: Sequence[Result]) -> list[str]:
    """The faults of runs that do not go together."""
    ids = [result.id for result in results]
    faults = [f"{name}: named twice; it is one run" for name in ids if ids.count(name) > 1]
    for other in results[1:]:
        decisive = [d for d in unlike(results[0], other) if d.weight == "decisive"]
        faults += [
            f"{other.id}: its {d.name} is {d.after}, that of {results[0].id} {d.before}; plan with "
            "runs on the same terms"
            for d in decisive
        ]
    return list(dict.fromkeys(faults))


def _held(result: Result) -> list[float]:
    """The loads that held, a pass each; that of the answer where a pass kept none."""
    held = [run.sustainable_per_s for run in result.runs if run.sustainable_per_s is not None]
    return held if len(result.runs) > 1 else [result.answer.sustainable_per_s or held[-1]]


def _around(answer: Answer, load: float) -> Range:
    if answer.knee_interval_per_s is not None:
        return answer.knee_interval_per_s
    return (load, answer.broken_per_s or load)


def _caveats(results: Sequence[Result]) -> tuple[str, ...]:
    held = [result.id for result in results if result.answer.status == "above_ceiling"]
    even = [result.id for result in results if result.plan.get("arrivals") == "uniform"]
    noisy = [result.id for result in results if result.trust.verdict == "noisy"]
    found = []
    if held:
        found.append(
            f"Did not break: {_some(held)}. A node carries more; search higher to need fewer."
        )
    if even:
        found.append(
            f"Evenly spaced arrivals: {_some(even)}. Independent users break a node earlier."
        )
    if noisy:
        found.append(f"Measured under strain, see their trust checks: {_some(noisy)}.")
    return tuple(found)


def _apart(loads: Sequence[float]) -> tuple[str, ...]:
    """The same bound as for the passes of a repeated search."""
    apart = (max(loads) - min(loads)) / median(loads)
    if apart <= USABLE_SPREAD:
        return ()
    says = (
        f"The runs lie {percent(apart)} apart, too much for one service: find out what differs "
        "(caches, restarts, neighbours), for the plan pays for it."
    )
    return (says,)


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"
