"""The breaking load foretold from light loads, and held against what was measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from breakstep.analysis.prediction import Prediction, compare, lone_times_ns, predict
from breakstep.analysis.rows import Rows
from breakstep.model.plan import Plan, Search
from breakstep.model.record import Answer
from breakstep.model.units import format_rate

NARROW = 0.25
"""A prediction with an interval up to so wide is where the search begins."""


@dataclass(frozen=True, slots=True)
class Foresight:
    """A prediction, or why there is none."""

    servers: int
    found: Prediction | None
    says: str

    def start_of(self, plan: Plan) -> Plan:
        """The plan with its search beginning at both ends of a narrow prediction."""
        if self.found is None or not isinstance(plan.load, Search):
            return plan
        low, high = self.found.interval_per_s
        if plan.load.from_per_s is not None or high > low * (1.0 + NARROW):
            return plan
        return replace(plan, load=replace(plan.load, foretold_per_s=(low, high)))

    def held_against(self, answer: Answer) -> tuple[str, ...]:
        """What it means that the service broke where it did; nothing if it was not found."""
        measured = answer.knee_per_s or answer.sustainable_per_s
        if self.found is None or measured is None or answer.status != "found":
            return ()
        return (compare(self.found, measured),)

    @property
    def section(self) -> Mapping[str, Any]:
        """For `result.json`."""
        found = self.found
        return {
            "servers": self.servers,
            "knee_per_s": None if found is None else found.knee_per_s,
            "interval_per_s": None if found is None else list(found.interval_per_s),
            "lone_arrivals": None if found is None else found.lone,
            "says": self.says,
        }


def foresee(plan: Plan, light: Sequence[Rows]) -> Foresight:
    """From the arrivals of light loads; the SLO that should break first is the one foretold."""
    servers, times_ns = plan.servers or 1, lone_times_ns(light)
    bounds = [slo for slo in plan.slos if slo.kind == "latency" and slo.request is None]
    if not bounds:
        return Foresight(
            servers, None, "No prediction: no SLO is about the response times of all requests."
        )
    tried = [predict(times_ns, slo, servers) for slo in bounds]
    refused = next((one for one in tried if isinstance(one, str)), None)
    if refused is not None:
        return Foresight(servers, None, f"No prediction: {refused}.")
    found = min((one for one in tried if isinstance(one, Prediction)), key=lambda p: p.knee_per_s)
    low, high = (format_rate(rate) for rate in found.interval_per_s)
    says = (
        f"Foretold from light loads: {found.slo} should break near "
        f"{format_rate(found.knee_per_s)}/s ({low} to {high}/s) with {servers} servers."
    )
    return Foresight(servers, found, says)
