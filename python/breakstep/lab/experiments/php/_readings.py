"""What the runs of these experiments say, for truths and figures."""

from collections.abc import Callable

from breakstep.analysis.step_signals import request_costs, step_signals
from breakstep.analysis.words import percent
from breakstep.lab.experiment import Found, Held, Measured, Truth
from breakstep.lab.knees import knee_of, why_none
from breakstep.model.record import StepRecord


def cost_ms(measured: Measured, source: str) -> float | None:
    """What a request adds to the CPU of a program, ms; None where too few loads tell."""
    costs = () if measured.result is None else request_costs(measured.result)
    return next((cost.ms_per_request for cost in costs if cost.source == source), None)


def cost_text(key: str, source: str) -> Callable[[Found], str]:
    """The same as a figure of a report."""

    def read(found: Found) -> str:
        cost = cost_ms(found[key], source)
        return "too few loads to tell" if cost is None else f"{cost:.2f} ms"

    return read


def knee_text(*keys: str) -> Callable[[Found], str]:
    """Where these runs broke, as a figure of a report."""
    return lambda found: "; ".join(
        f"{key} {knee_of(found[key]) or why_none(found[key])}" for key in keys
    )


def highest(measured: Measured, source: str, name: str) -> float | None:
    """The largest sample of a signal in any step."""
    every = () if measured.result is None else step_signals(measured.result)
    mine = [one.max for one in every if (one.source, one.name) == (source, name)]
    return max(mine, default=None)


def highest_text(key: str, source: str, name: str) -> Callable[[Found], str]:
    """The same as a figure of a report."""

    def read(found: Found) -> str:
        most = highest(found[key], source, name)
        return "not sampled" if most is None else f"at most {most:.3g}"

    return read


def heaviest(measured: Measured) -> StepRecord | None:
    """The step with the highest load, if it can be trusted."""
    steps = () if measured.result is None else measured.result.steps
    last = max(steps, key=lambda step: step.offered_per_s, default=None)
    return last if last is not None and last.trust.verdict != "invalid" else None


def in_the_heaviest(says: str, key: str, judge: Callable[[Measured, StepRecord], Held]) -> Truth:
    """A truth about the step with the highest load."""

    def judged(found: Found) -> Held:
        step = heaviest(found[key])
        if step is None:
            return Held(None, f"the highest load of {key} was not trusted")
        return judge(found[key], step)

    return Truth(says, (key,), judged)


def status_share(step: StepRecord, status: int) -> float:
    """The share of a step's arrivals that were answered with this status."""
    return step.statuses.get(status, 0) / step.arrivals if step.arrivals else 0.0


def shares_text(step: StepRecord) -> str:
    """What a step's arrivals came to, by status."""
    return ", ".join(
        f"{percent(status_share(step, status))} {status}" for status in sorted(step.statuses)
    )
