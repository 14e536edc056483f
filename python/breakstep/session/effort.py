"""What a search took in the end, beside what was said before any load."""

from collections.abc import Mapping, Sequence
from typing import Any

from breakstep.analysis.effort import Spent, attained, forecast
from breakstep.engine.contact import Contact
from breakstep.model.plan import Plan, Search
from breakstep.model.record import Answer, RunRecord
from breakstep.model.units import NS_PER_S
from breakstep.session.contact import guess


def effort_section(
    plan: Plan, contact: Contact, runs: Sequence[RunRecord], found: Answer
) -> Mapping[str, Any]:
    """The section `effort` of `result.json`; nothing where nothing was searched for.

    `plan` is the settled one.
    """
    if not isinstance(plan.load, Search) or plan.predict_only or not any(r.steps for r in runs):
        return {}
    expected, spent = forecast(plan.load, guess(plan, contact)), _spent(plan, runs)
    interval = found.knee_interval_per_s
    width = None if interval is None else interval[1] / interval[0] - 1.0
    return {
        "effort": {
            "forecast": {
                "requests": expected.arrivals * plan.repeat,
                "duration_s": expected.duration_ns * plan.repeat / NS_PER_S,
                "width": expected.width,
            },
            "attained": {
                "requests": spent.arrivals,
                "duration_s": spent.duration_ns / NS_PER_S,
                "width": width,
            },
            "says": attained(spent, width),
        }
    }


def _spent(plan: Plan, runs: Sequence[RunRecord]) -> Spent:
    """Over all runs. Ramps and warm-ups count by their plan, waits between steps by the clock."""
    before_s = (plan.ramp_ns + plan.warmup_ns) / NS_PER_S
    unjudged_s = (plan.ramp_ns / 2.0 + plan.warmup_ns) / NS_PER_S
    steps = [step for run in runs for step in run.steps]
    arrivals = sum(step.arrivals + step.offered_per_s * unjudged_s for step in steps)
    seconds = sum(
        run.steps[-1].window_to - run.steps[0].window_from + before_s for run in runs if run.steps
    )
    return Spent(round(arrivals), round(seconds * NS_PER_S))
