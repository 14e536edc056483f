"""The section `interfere` of `result.json`."""

from collections.abc import Sequence
from typing import Any

from breakstep.analysis.interference import ok_per_s
from breakstep.model.interfere import Interference, InterferePlan
from breakstep.model.record import StepRecord
from breakstep.store.result_json import step_to_json

SECTION = "interfere"


def to_section(plan: InterferePlan, found: Interference) -> dict[str, Any]:
    """The section as JSON values: the middle repeat as the victim's, and every repeat."""
    middle = _middle(found)
    return {
        "victim": {
            "alone": None if middle is None else _side(found.pairs[middle].alone),
            "under_load": None if middle is None else _side(found.pairs[middle].under_load),
        },
        "bully": None if middle is None else _side(found.pairs[middle].bully),
        "offered": {"victim": str(plan.victim_offer), "bully": str(plan.bully_offer)},
        "throughput_ratio": _list(found.throughput_ratio),
        "p99_ratio": _list(found.p99_ratio),
        "why": found.why or None,
        "headroom": {
            "busiest_worker_share": max(
                (pair.alone.generator.busiest_worker_share for pair in found.pairs), default=None
            )
        },
        "repeats": [
            {
                "alone": _side(pair.alone),
                "under_load": _side(pair.under_load),
                "bully": _side(pair.bully),
            }
            for pair in found.pairs
        ],
    }


def _side(step: StepRecord) -> dict[str, Any]:
    """A step as in a search, but for its verdict: nothing was judged."""
    values = step_to_json(step)
    for name in ("verdict", "reasons", "criteria", "queue", "goodput_per_s"):
        values.pop(name, None)
    return {**values, "ok_per_s": ok_per_s(step)}


def _middle(found: Interference) -> int | None:
    """The repeat whose throughput fell as the median did; the upper one of two."""
    if not found.pairs:
        return None
    falls = [ok_per_s(p.under_load) / (ok_per_s(p.alone) or 1.0) for p in found.pairs]
    return sorted(range(len(falls)), key=falls.__getitem__)[len(falls) // 2]


def _list(values: Sequence[float] | None) -> list[float] | None:
    return None if values is None else list(values)
