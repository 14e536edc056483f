"""A result as test cases: one for each objective at the load that counts, one for trust.

The load that counts is the one of a gate; of a search the highest that held, or else the lowest
that broke. A case that neither passed nor failed is an error: nobody knows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from breakstep.model.record import Criterion, Result, StepRecord, TrustName, VerdictName
from breakstep.model.units import format_rate
from breakstep.report.told import is_search
from breakstep.store.check_json import SECTION, gate_of

Standing = Literal["passed", "failed", "error"]
_OF_VERDICT: dict[VerdictName, Standing] = {
    "pass": "passed",
    "fail": "failed",
    "undecided": "error",
    "invalid": "error",
}
_OF_TRUST: dict[TrustName, Standing] = {"trusted": "passed", "noisy": "passed", "invalid": "error"}
TRUST = "trust"


@dataclass(frozen=True, slots=True)
class Case:
    """One test case; `kind` is the verdict or the trust it stands for."""

    name: str
    standing: Standing
    kind: str
    says: str
    took_s: float = 0.0


def cases_of(result: Result) -> Sequence[Case]:
    """The objectives in their order, then trust; of a verb without objectives trust alone."""
    gated = SECTION in result.sections
    judged = list(_of_gate(result) if gated else _of_step(that_counts(result)))
    if not judged and (gated or is_search(result)):
        judged = [_nothing(result)]
    return [*judged, _trust(result)]


def that_counts(result: Result) -> StepRecord | None:
    """The last step at the highest load that held; else at the lowest that broke."""
    answer = result.answer
    for rate_per_s, verdict in (
        (answer.sustainable_per_s, "pass"),
        (answer.broken_per_s, "fail"),
    ):
        at_rate = [
            step
            for step in result.steps
            if step.offered_per_s == rate_per_s and step.verdict.name == verdict
        ]
        if at_rate:
            return at_rate[-1]
    return None


def _of_step(step: StepRecord | None) -> Iterator[Case]:
    if step is None:
        return
    took_s = step.window_to - step.window_from
    for criterion in step.verdict.criteria:
        yield _case(criterion, step.offered_per_s, took_s)


def _of_gate(result: Result) -> Iterator[Case]:
    gate = gate_of(result)
    took_s = sum(step.window_to - step.window_from for step in result.steps)
    invalid = gate.verdict == "invalid"
    for criterion in gate.criteria:
        case = _case(criterion, gate.offered_per_s, took_s)
        yield Case(case.name, "error", "invalid", case.says, took_s) if invalid else case


def _case(criterion: Criterion, rate_per_s: float, took_s: float) -> Case:
    name = f"{criterion.slo} at {format_rate(rate_per_s)}/s"
    verdict = criterion.verdict
    return Case(name, _OF_VERDICT[verdict], verdict, criterion.says, took_s)


def _nothing(result: Result) -> Case:
    why = result.runs[-1].why if result.runs else "nothing was measured"
    return Case("verdict", "error", result.answer.status, f"no load was judged: {why}")


def _trust(result: Result) -> Case:
    found = result.trust
    breached = [check.says for check in found.checks if check.verdict != "trusted"]
    says = "; ".join(breached) or f"{len(found.checks)} self-checks of generator and host held"
    return Case(TRUST, _OF_TRUST[found.verdict], found.verdict, says)
