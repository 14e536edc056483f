"""The answer in plain language, with the rule it was found by and what weakens it."""

from collections.abc import Sequence

from breakstep.model.record import Result, StepRecord, VerdictName
from breakstep.model.units import NS_PER_S, format_duration, format_rate
from breakstep.report.finding import finding_of
from breakstep.report.why import finding_text
from breakstep.search.floor import INDIFFERENT

NOTABLY_MORE = 1.01
"""A capacity is worth a sentence when it exceeds what held by more than a hundredth."""

_CUT_OFF = {
    "interrupted": "Interrupted after {steps}. ",
    "budget": "The time allowed was over after {steps}. ",
}


def conclusion(result: Result) -> str:
    """Headline, rule, capacity, caveats and warnings; a paragraph each, a line each."""
    found = headline(result)
    lines = [found, *_capacity(result), *_why(result), *_experiment(result), rule(result.steps)]
    lines += [f"Note: {caveat}" for caveat in result.answer.caveats]
    lines += [f"Warning: {warning}." for warning in warnings(result) if warning not in found]
    lines += _effort(result)
    return "\n".join(line for line in lines if line)


def _why(result: Result) -> list[str]:
    finding = finding_of(result)
    return [] if finding is None else [finding_text(finding)]


def _experiment(result: Result) -> list[str]:
    section = result.sections.get("experiment")
    return [] if section is None else [f"Experiment: {section['says']}"]


def _effort(result: Result) -> list[str]:
    section = result.sections.get("effort")
    return [] if section is None else [f"The search took {section['says']}."]


def headline(result: Result) -> str:
    """What was found, in one or two sentences."""
    return _cut_off(result) + {
        "found": _found,
        "below_floor": _below_floor,
        "above_ceiling": _above_ceiling,
        "untrusted": _untrusted,
        "inconclusive": _inconclusive,
    }[result.answer.status](result)


def rule(steps: Sequence[StepRecord]) -> str:
    """How the steps were judged; empty when none were."""
    judged = next((step for step in steps if step.verdict.criteria), None)
    if judged is None:
        return ""
    slos = ", ".join(criterion.slo for criterion in judged.verdict.criteria)
    whole = [step for step in steps if step.cut_short is None]
    window_s = max((step.window_to - step.window_from for step in whole), default=0.0)
    of = f" of {format_duration(window_s * NS_PER_S)}" if window_s > 0.0 else ""
    sure = judged.verdict.criteria[0].estimate is not None
    holds = "holds (or breaks) if it is 95 % sure that" if sure else "holds if"
    meets = "meets (or misses)" if sure else "meets"
    return (
        f"Rule: a rate {holds} its own window{of} {meets} {slos}; every request is timed from "
        "its intended start, and one that failed or was never sent counts as bad."
    )


def warnings(result: Result) -> tuple[str, ...]:
    """The self-checks of the generator that were breached."""
    return tuple(check.says for check in result.trust.checks if check.verdict != "trusted")


def why_at(steps: Sequence[StepRecord], rate_per_s: float | None, verdict: VerdictName) -> str:
    """The reasons of the last step at this rate with this verdict."""
    at_rate = [s for s in steps if s.offered_per_s == rate_per_s and s.verdict.name == verdict]
    return " and ".join(at_rate[-1].verdict.reasons) if at_rate else ""


def _found(result: Result) -> str:
    held, broken = result.answer.sustainable_per_s, result.answer.broken_per_s
    return (
        f"Breaks between {_rate(held)} and {_rate(broken)}: at {_rate(broken)} "
        f"{why_at(result.steps, broken, 'fail')}. "
        f"Highest rate that held, with every lower one: {_rate(held)}.{_knee(result)}"
    )


def _knee(result: Result) -> str:
    found = result.answer
    if found.knee_per_s is None or found.knee_interval_per_s is None:
        return ""
    low, high = found.knee_interval_per_s
    return f" The breaking rate is about {_rate(found.knee_per_s)} ({_rate(low)} to {_rate(high)})."


def _below_floor(result: Result) -> str:
    broken = result.answer.broken_per_s
    if INDIFFERENT in result.runs[-1].why:
        return f"Broken at every rate offered: {result.runs[-1].why}."
    return (
        f"Breaks at or below {_rate(broken)}, the lowest rate offered: there "
        f"{why_at(result.steps, broken, 'fail')}. "
        "Where it breaks is not known; offer less, or allow more with --slo."
    )


def _above_ceiling(result: Result) -> str:
    held = _rate(result.answer.sustainable_per_s)
    last = result.steps[-1]
    if last.verdict.name == "invalid":
        return (
            f"Did not break: {held} held, with every lower rate, and the generator could not "
            f"offer {_rate(last.offered_per_s)}: {'; '.join(last.verdict.reasons)}. "
            f"The service breaks above {held}."
        )
    return (
        f"Did not break: {held}, the highest rate offered, held, with every lower one. "
        "Offer more to find where it breaks."
    )


def _untrusted(result: Result) -> str:
    if not result.steps:
        return "No trustworthy answer: nothing was measured."
    last = result.steps[-1]
    return (
        f"No trustworthy answer: at {_rate(last.offered_per_s)} the measurement itself failed "
        f"twice: {'; '.join(last.verdict.reasons)}. No rate is given."
    )


def _inconclusive(result: Result) -> str:
    held, broken = result.answer.sustainable_per_s, result.answer.broken_per_s
    if held is not None:
        return f"No breaking point yet: {_rate(held)} held, with every lower rate."
    if broken is not None:
        reasons = why_at(result.steps, broken, "fail")
        return f"No breaking point yet: {_rate(broken)} failed ({reasons}), no lower rate held."
    if result.steps and result.steps[-1].verdict.reasons:
        return f"No answer: {'; '.join(result.steps[-1].verdict.reasons)}."
    return "No answer: no step was finished."


def _cut_off(result: Result) -> str:
    stop_reason = result.runs[-1].stop_reason if result.runs else "interrupted"
    count = len(result.steps)
    steps = "1 step" if count == 1 else f"{count} steps"
    return _CUT_OFF.get(stop_reason, "").format(steps=steps)


def _capacity(result: Result) -> list[str]:
    capacity, held = result.answer.capacity_per_s, result.answer.sustainable_per_s
    if capacity is None or result.answer.broken_per_s is None:
        return []
    if capacity < NOTABLY_MORE * (held or 0.0):
        return []
    return [f"Most it carried with a steady queue: {_rate(capacity)}."]


def _rate(rate_per_s: float | None) -> str:
    return "an unknown rate" if rate_per_s is None else f"{format_rate(rate_per_s)}/s"
