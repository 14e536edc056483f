"""The statistical search: up until a load fails, narrow both edges, confirm both with fresh steps.

    no load yet                    the first load
    no load fails                  × 1.5 after a pass, × √1.5 after an undecided load; or `to`
    every load fails               ÷ 4, until one passes, or load is seen not to matter, or 1/s
    pass … undecided … fail        the middle, in ln λ, of the wider gap pass–undecided or
                                   undecided–fail, until each is at most `width`
    the gaps are closed            `high`, then `low`, in one fresh step of full length each; right
                                   after a load that failed `low` first: see `confirming`
    a confirmation disagrees       the latest verdict stands: the edge falls back to the next load
    a pass above a failing load    both once more
    a load is invalid              once more, then the end
    the budget is spent            the end, with what is known

    the edges lie far apart        with no line to tell the knee: undecided loads between them whose
                                   shares were within, once more at full length

A brief search takes its edges as they are after one undecided confirmation. Leisurely ones go on:

    the knee is still vague        a few more loads between the edges, where the measured share
                                   crosses what is allowed or, of full length, in the widest gap
    an edge was seen one way only  once more, coming from the other
    every fourth step              a canary at a quarter of the first guess of the knee

The *low* edge is the highest load that passes below all that fail, the *high* edge the lowest that
fails. The history alone decides: the kinds of its steps are found by searching it again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log, log2, sqrt

from breakstep.analysis.effort import LEISURELY_FROM
from breakstep.analysis.knee import crossing_gap, knee
from breakstep.model.plan import Step
from breakstep.model.record import StepRecord
from breakstep.model.units import NS_PER_S, format_duration, format_rate
from breakstep.search.confirming import VERDICTS_MAX, comes_down, confirm, revisit
from breakstep.search.controller import Done, StepShape
from breakstep.search.floor import indifferent
from breakstep.search.rates import legible, midway
from breakstep.search.trials import Bracket, Choice, Load, Trial, counting, left_open, rates

UP = 1.5
DOWN = 4.0
LOWEST_PER_S = 1.0
SEARCH_MAX = 25
"""Search steps from the first fail on."""
STEPS_MAX = 80
"""From 1/s to a million takes 35 to climb."""
REOPENED = 2.0
"""A gap that a confirmation left is narrowed again when it is so many widths wide."""
SHARPER = 4.0
"""Loads between the edges are no closer than this part of the width."""
AIMED = 2.0
"""Widths that the interval is to have."""
QUARTER = 2
"""Looks back from the last."""
NEAR_BY, NEAR_BY_MAX = 1.15, 4
"""Down by so much, for so many steps, where a prediction was too high."""
VAGUE = 3.0
"""An interval of so many widths is narrowed with a few more loads between the edges."""
SHARPEN_MAX = 8
FALLBACKS_MAX, FALLBACKS_OF_BRIEF = 4, 1
"""Confirmations that stay undecided; then the edges are what they are."""
RETRIES_MAX, RETRIES_OF_BRIEF = 6, 4
"""Full steps at searched loads that stayed undecided, confirmations among them."""
RAMP_HALVINGS = 3
"""Looks before the usual first one while nothing has failed: low loads pass on little."""
DESCENT_LOOK = 1_500
"""The shortest look while nothing has passed: at a low rate arrivals take their time."""
EXHAUSTED = 0.5
"""Of a core: so busy a worker no longer keeps its schedule beside anything else."""
CANARY_EVERY = 4
CANARY_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class Standard:
    """Searches from `from_per_s`, up to `to_per_s` if given; see `model.plan.Search`.

    No hold has its first look before `shape.hold_ns` has passed.
    """

    from_per_s: float
    to_per_s: float | None
    first_look: int
    looks: int
    width: float
    shape: StepShape
    foretold_per_s: tuple[float, float] | None = None
    """Where the breaking load should lie; the search begins at both ends of it."""
    budget_ns: int | None = None
    """No step begins when so much time has passed since the first one did."""

    def next_step(self, history: Sequence[StepRecord]) -> Step | Done:
        """The load that tells most about where the service breaks."""
        return self._next(self.trials(history))

    def trials(self, history: Sequence[StepRecord]) -> list[Trial]:
        """The history with the steps as this search asked for them."""
        trials: list[Trial] = []
        for record in history:
            step = self._next(trials)
            if isinstance(step, Done):
                break
            trials.append(Trial(step, record))
        return trials

    def _next(self, trials: Sequence[Trial]) -> Step | Done:
        chosen = _after_invalid(trials)
        if chosen is None:
            chosen = self._next_rate(trials)
            if not comes_down(trials, chosen):
                chosen = self._canary(trials) or chosen
        if isinstance(chosen, Done):
            return chosen
        if len(trials) >= STEPS_MAX:
            return Done("budget", f"{STEPS_MAX} steps did not settle it")
        if self.budget_ns is not None and self._spent_ns(trials) >= self.budget_ns:
            return Done("budget", f"{format_duration(self.budget_ns)} did not settle it")
        return self._step(len(trials), chosen, self._halvings(Bracket.of(trials)))

    def _spent_ns(self, trials: Sequence[Trial]) -> int:
        """Since the first step began; a wait before it is not known here."""
        if not trials:
            return 0
        first, last = trials[0].record, trials[-1].record
        before_ns = self.shape.ramp_ns + self.shape.warmup_ns
        return before_ns + round((last.window_to - first.window_from) * NS_PER_S)

    def _next_rate(self, trials: Sequence[Trial]) -> Choice | Done:
        bracket = Bracket.of(trials)
        if not bracket.loads:
            return Choice(self.from_per_s if self._around is None else self._around[0])
        if bracket.high is None:
            return self._up(trials, bracket)
        if bracket.low is None:
            return self._near_by(trials, bracket) or _down(trials, bracket)
        return (
            self._narrow(trials, bracket)
            or confirm(trials, bracket, FALLBACKS_OF_BRIEF if self._brief else FALLBACKS_MAX)
            or self._refine(trials, bracket)
            or _settled(bracket)
        )

    @property
    def _brief(self) -> bool:
        return self.first_look < LEISURELY_FROM

    def _refine(self, trials: Sequence[Trial], bracket: Bracket) -> Choice | None:
        """What makes an answer narrower, or surer: who is in a hurry goes without most of it."""
        if self._brief:
            return self._retry(trials, bracket, RETRIES_OF_BRIEF)
        return (
            self._sharpen(trials, bracket)
            or self._retry(trials, bracket, RETRIES_MAX)
            or revisit(trials, bracket)
        )

    def _up(self, trials: Sequence[Trial], bracket: Bracket) -> Choice | Done:
        top = bracket.loads[-1]
        if self._around is not None and top.rate_per_s < self._around[1]:
            return Choice(self._around[1])
        if self.to_per_s is not None and top.rate_per_s >= self.to_per_s:
            return self._at_ceiling(trials, top)
        rate = legible(top.rate_per_s * (sqrt(UP) if top.standing == "undecided" else UP))
        return Choice(rate if self.to_per_s is None else min(rate, self.to_per_s))

    def _at_ceiling(self, trials: Sequence[Trial], top: Load) -> Choice | Done:
        rate = f"{format_rate(top.rate_per_s)}/s, the highest allowed,"
        if top.standing == "pass" and top.confirmed:
            return Done("ceiling", f"{rate} held twice")
        if len(top.verdicts) < VERDICTS_MAX and len(trials) < STEPS_MAX:
            return Choice(top.rate_per_s, "confirm")
        return Done("budget", f"{rate} could not be told from the breaking load")

    def _narrow(self, trials: Sequence[Trial], bracket: Bracket) -> Choice | None:
        confirming = any(trial.step.kind == "confirm" for trial in trials)
        width = self.width * (REOPENED if confirming else 1.0)
        low, high = max(bracket.edges, key=lambda gap: log(gap[1] / gap[0]))
        if high <= low * (1.0 + width) or _searched(trials) >= SEARCH_MAX:
            return None
        return None if self._is_known(trials, bracket) else Choice(midway(low, high))

    @property
    def _around(self) -> tuple[float, float] | None:
        """The first two loads of a search that knows where to begin."""
        if self.foretold_per_s is None:
            return None
        low, high = self.foretold_per_s
        ends = legible(low / (1.0 + self.width)), legible(high * (1.0 + self.width))
        return ends if self.to_per_s is None or ends[1] <= self.to_per_s else None

    def _near_by(self, trials: Sequence[Trial], bracket: Bracket) -> Choice | None:
        """Below a prediction that was too high, first in small steps."""
        lowest = bracket.loads[0].rate_per_s
        if self._around is None or len(counting(trials)) > NEAR_BY_MAX or lowest <= LOWEST_PER_S:
            return None
        return Choice(legible(lowest / NEAR_BY))

    def _is_known(self, trials: Sequence[Trial], bracket: Bracket) -> bool:
        """Whether the line tells the knee as well as it is to be known, gaps or none.

        Only near a prediction: there the first loads lie close enough for the line to be straight.
        """
        if self._around is None:
            return False
        low_per_s, high_per_s = bracket.inside[0][0], bracket.inside[-1][1]
        found = knee([t.record for t in counting(trials)], low_per_s, high_per_s)
        low, high = found.interval_per_s
        return found.slo is not None and high <= low * (1.0 + AIMED * self.width)

    def _sharpen(self, trials: Sequence[Trial], bracket: Bracket) -> Choice | None:
        """One more load between the edges while the knee is not known well enough."""
        edges, steps = bracket.inside, [trial.record for trial in counting(trials)]
        low_per_s, high_per_s = edges[0][0], edges[-1][1]
        found = knee(steps, low_per_s, high_per_s)
        if found.slo is None:
            gap = crossing_gap(steps, low_per_s, high_per_s)
            wide = gap[1] > gap[0] * (1.0 + self.width / SHARPER)
            return Choice(midway(*gap)) if wide and _searched(trials) < SEARCH_MAX else None
        low, high = found.interval_per_s
        if high <= low * (1.0 + VAGUE * self.width) or _sharpened(trials) >= SHARPEN_MAX:
            return None
        # At full length whatever is seen: what may end early when it strays is no fair sample.
        return Choice(midway(*max(edges, key=lambda gap: gap[1] / gap[0])), "confirm")

    def _retry(self, trials: Sequence[Trial], bracket: Bracket, retries_max: int) -> Choice | None:
        """An undecided load once more, while it alone keeps the edges apart.

        A disturbance leaves loads undecided that the service would hold. Where a line tells the
        knee the edges matter less.
        """
        steps = [trial.record for trial in counting(trials)]
        low_per_s, high_per_s = bracket.inside[0][0], bracket.inside[-1][1]
        wide = high_per_s > low_per_s * (1.0 + VAGUE * self.width)
        if not wide or left_open(trials) >= retries_max:
            return None
        if knee(steps, low_per_s, high_per_s).slo is not None:
            return None
        within_per_s = crossing_gap(steps, low_per_s, high_per_s)[0]
        again = [
            load.rate_per_s
            for load in bracket.loads
            if low_per_s < load.rate_per_s <= within_per_s and len(load.verdicts) < VERDICTS_MAX
        ]
        middle = midway(low_per_s, within_per_s)
        nearest = min(again, key=lambda rate: abs(log(rate / middle)), default=None)
        return None if nearest is None else Choice(nearest, "confirm")

    def _canary(self, trials: Sequence[Trial]) -> Choice | Done | None:
        if self._brief:
            return None
        canaries = [trial for trial in trials if trial.step.kind == "canary"]
        if not canaries:
            return self._first_canary(trials)
        rate = canaries[0].step.rate_per_s
        if trials[-1].step.kind == "canary" and trials[-1].verdict == "fail":
            again = len(trials) > 1 and trials[-2].step.kind == "canary"
            return _drifted(trials[-1]) if again else Choice(rate, "canary")
        since = len(trials) - 1 - max(i for i, t in enumerate(trials) if t.step.kind == "canary")
        return Choice(rate, "canary") if since >= CANARY_EVERY else None

    def _first_canary(self, trials: Sequence[Trial]) -> Choice | None:
        bracket = Bracket.of(trials)
        if bracket.low is None or bracket.high is None:
            return None
        guess = midway(bracket.low.rate_per_s, bracket.high.rate_per_s)
        return Choice(legible(CANARY_SHARE * guess), "canary")

    def _halvings(self, bracket: Bracket) -> int:
        """Looks before the usual first one, each half as long as the next."""
        if bracket.high is None:
            return RAMP_HALVINGS
        if bracket.low is None:
            return min(RAMP_HALVINGS, max(0, int(log2(self.first_look / DESCENT_LOOK))))
        return 0

    def _step(self, index: int, chosen: Choice, halvings: int) -> Step:
        looks_ns = self._looks_ns(chosen, halvings)
        step = self.shape.step(index, chosen.rate_per_s)
        return replace(step, hold_ns=looks_ns[-1], looks_ns=looks_ns, kind=chosen.kind)

    def _looks_ns(self, chosen: Choice, halvings: int) -> tuple[int, ...]:
        """Doubling from the first look; a confirmation only has the last one.

        Near a prediction the edges lie so far from the knee that a quarter of it may be enough.
        """
        first_ns = self.first_look / chosen.rate_per_s * NS_PER_S
        if chosen.kind == "canary":
            # As long as a first look at the knee takes.
            return (max(self.shape.hold_ns, round(first_ns * CANARY_SHARE)),)
        numbers = range(-halvings, self.looks)
        least_ns = self.shape.hold_ns
        looks = sorted({max(least_ns, round(first_ns * 2.0**number)) for number in numbers})
        if chosen.kind != "confirm":
            return tuple(looks)
        full, early = looks[-1], looks[-1 - QUARTER] if len(looks) > QUARTER else looks[-1]
        return tuple(sorted({early, full})) if self._around and chosen.edge else (full,)


def _after_invalid(trials: Sequence[Trial]) -> Choice | Done | None:
    """An invalid step once more; invalid twice is the end, the generator's own ceiling perhaps."""
    if not trials or trials[-1].verdict != "invalid":
        return None
    last = trials[-1]
    rate = last.step.rate_per_s
    before = trials[-2] if len(trials) > 1 else None
    if before is None or before.verdict != "invalid" or before.step.rate_per_s != rate:
        return Choice(rate, last.step.kind)
    bracket = Bracket.of(trials)
    reason = last.record.verdict.reasons[0] if last.record.verdict.reasons else "no reason is known"
    if bracket.low is not None and bracket.high is None and _exhausted(last.record):
        held = format_rate(bracket.low.rate_per_s)
        says = f"{held}/s held, and {format_rate(rate)}/s could not be offered: {reason}"
        return Done("ceiling", says)
    return Done("untrusted", f"{format_rate(rate)}/s was invalid twice: {reason}")


def _exhausted(step: StepRecord) -> bool:
    """Whether the generator had come to its own limit; if not, something else disturbed it."""
    return step.generator.busiest_worker_share >= EXHAUSTED


def _down(trials: Sequence[Trial], bracket: Bracket) -> Choice | Done:
    lowest = bracket.loads[0].rate_per_s
    if says := indifferent(trials):
        return Done("floor", says)
    failed, far = bracket.loads[0].standing == "fail", lowest <= _rate(bracket.high) / DOWN**2
    if not failed and (far or lowest <= LOWEST_PER_S):
        rate = format_rate(lowest)
        return Done("budget", f"even {rate}/s could not be shown to pass with the arrivals allowed")
    if lowest > LOWEST_PER_S:
        return Choice(max(LOWEST_PER_S, legible(lowest / DOWN)))
    return Done("floor", f"{format_rate(lowest)}/s failed, and nothing lower is offered")


def _searched(trials: Sequence[Trial]) -> int:
    """The search steps from the first fail on."""
    counted = counting(trials)
    failed = [index for index, trial in enumerate(counted) if trial.verdict == "fail"]
    return sum(trial.step.kind == "search" for trial in counted[failed[0] :]) if failed else 0


def _sharpened(trials: Sequence[Trial]) -> int:
    """The loads that were held at full length without having been searched first."""
    return len(rates(trials, "confirm") - rates(trials, "search"))


def _rate(load: Load | None) -> float:
    return float("inf") if load is None else load.rate_per_s


def _settled(bracket: Bracket) -> Done:
    low, high = bracket.low, bracket.high
    if low is None or high is None:
        return Done("budget", "no load was left to try")
    rates = f"{format_rate(low.rate_per_s)}/s held and {format_rate(high.rate_per_s)}/s failed"
    if low.confirmed and high.confirmed:
        return Done("broken", f"{rates}, each in two independent steps")
    return Done("broken", f"{rates}, not always alike")


def _drifted(canary: Trial) -> Done:
    reason = canary.record.verdict.reasons[0] if canary.record.verdict.reasons else "it changed"
    rate = format_rate(canary.step.rate_per_s)
    return Done("untrusted", f"the service did not stay the same: at {rate}/s {reason}")
