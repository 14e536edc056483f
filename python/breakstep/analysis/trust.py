"""Whether the generator was fit to measure a step; an unfit one can neither pass nor fail it.

    check              noisy                          invalid
    generator_cpu      > 80 % of a core               > 95 %
    generator_lag_p50                                 > max(1 ms, 10 % of the tightest bound)
    generator_lag_p99  > max(2 ms, 10 % of it)
    lag_of_<SLO>                                    > max(2 ms, 20 % of the SLO's own bound)
    arrivals_offered                                  < 99.9 % of those the schedule made due

Lag is the generator's own lateness; waiting for a connection is the service's and is not held
against the generator. What else is checked, of the host and of the sends, has its own modules:
`host_noise`, `dispersion`, `halves`, `periodicity`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from breakstep.analysis.host_noise import wait_checks
from breakstep.analysis.measured import Histogram
from breakstep.analysis.verdict import tightest_bound_ns
from breakstep.analysis.words import percent
from breakstep.model.record import (
    Check,
    Generator,
    StepRecord,
    StopReason,
    Trust,
    TrustName,
    Verdict,
)
from breakstep.model.slo import Slo
from breakstep.model.units import NS_PER_MS, format_duration, format_rate

CPU_NOISY = 0.80
CPU_INVALID = 0.95
LAG_P50_FLOOR_NS = NS_PER_MS
LAG_P99_FLOOR_NS = 2 * NS_PER_MS
LAG_SHARE_OF_BOUND = 0.10
LAG_TAIL_OF_BOUND = 0.20
OFFERED_SHARE = 0.999

_RANK: dict[TrustName, int] = {"trusted": 0, "noisy": 1, "invalid": 2}


@dataclass(frozen=True, slots=True)
class GeneratorFacts:
    """What the generator measured of itself over a step's window.

    `due` is the number of arrivals the schedule put into the window, None where nobody counted;
    `arrivals` those the engine accounted for. A spinning generator uses its whole core on
    purpose: then only its lag is judged.
    """

    generator: Generator
    lag: Histogram
    arrivals: int
    due: int | None = None
    spinning: bool = False


def check_step(facts: GeneratorFacts, slos: Sequence[Slo], more: Sequence[Check] = ()) -> Trust:
    """Every self-check of the generator over one step, and the worst of them.

    `more` are checks of the host and of the sends, made elsewhere.
    """
    return trust_of(
        [
            *_cpu_check(facts),
            *_lag_checks(facts.lag, slos),
            *_offered_check(facts),
            *([] if facts.spinning else wait_checks(facts.generator)),
            *more,
        ]
    )


def trust_of(checks: Sequence[Check]) -> Trust:
    """The checks, and the worst verdict among them."""
    worst = max(checks, key=lambda check: _RANK[check.verdict], default=None)
    return Trust("trusted" if worst is None else worst.verdict, tuple(checks))


def with_halves(
    trust: Trust, halves: Sequence[Check], step: StepRecord | None, rate_per_s: float
) -> Trust:
    """The trust and the check of the step's halves; `step` is the one before it, if any.

    Unlike halves are noise; unlike halves again, at the same rate, are a service or a host that
    does not hold still, and no verdict on either step is worth anything.
    """
    if step is None or step.offered_per_s != rate_per_s:
        return trust_of([*trust.checks, *halves])
    before = {check.name for check in step.trust.checks if check.verdict != "trusted"}
    again = [
        replace(check, verdict="invalid", says=f"again, {check.says}")
        if check.verdict == "noisy" and check.name in before
        else check
        for check in halves
    ]
    return trust_of([*trust.checks, *again])


def apply_trust(verdict: Verdict, trust: Trust) -> Verdict:
    """The verdict, or `invalid` with the failed checks as reasons when trust is lacking."""
    if trust.verdict != "invalid":
        return verdict
    reasons = tuple(check.says for check in trust.checks if check.verdict == "invalid")
    return replace(verdict, name="invalid", reasons=reasons)


def run_trust(history: Sequence[StepRecord], stop_reason: StopReason) -> Trust:
    """The worst of each check over the steps that the answer rests on.

    An invalid step that was measured again takes no part, unless it is what stopped the run.
    """
    judged = [step for step in history if step.verdict.name != "invalid"]
    steps = history if stop_reason == "untrusted" or not judged else judged
    worst: dict[str, Check] = {}
    for step in steps:
        for check in step.trust.checks:
            if check.name not in worst or _worse(check, worst[check.name]):
                worst[check.name] = _at(step, check)
    return trust_of(list(worst.values()))


def _worse(check: Check, than: Check) -> bool:
    return _RANK[check.verdict] > _RANK[than.verdict]


def _at(step: StepRecord, check: Check) -> Check:
    if check.verdict == "trusted":
        return check
    return replace(check, says=f"at {format_rate(step.offered_per_s)}/s {check.says}")


def _cpu_check(facts: GeneratorFacts) -> list[Check]:
    if facts.spinning:
        return []
    share = facts.generator.busiest_worker_share
    says = f"the busiest generator thread used {percent(share)} of a core"
    verdict: TrustName = "trusted"
    if share > CPU_NOISY:
        verdict = "invalid" if share > CPU_INVALID else "noisy"
        says += ": give it more --workers, or run the generator on a machine of its own"
    limit = CPU_INVALID if verdict == "invalid" else CPU_NOISY
    return [Check("generator_cpu", share, limit, verdict, says)]


def _lag_checks(lag: Histogram, slos: Sequence[Slo]) -> list[Check]:
    if lag.count == 0:
        return []
    of_bound_ns = LAG_SHARE_OF_BOUND * (tightest_bound_ns(slos) or 0)
    return [
        _lag_check(lag, 0.50, max(LAG_P50_FLOOR_NS, of_bound_ns), "invalid"),
        _lag_check(lag, 0.99, max(LAG_P99_FLOOR_NS, of_bound_ns), "noisy"),
        *_tail_lag_checks(lag, slos),
    ]


def _tail_lag_checks(lag: Histogram, slos: Sequence[Slo]) -> list[Check]:
    """At the quantile that an SLO is about, where lag would pass for the service's own slowness."""
    return [
        replace(_lag_check(lag, slo.quantile, _tail_limit_ns(slo), "invalid"), name=f"lag_of_{slo}")
        for slo in slos
        if slo.kind == "latency"
    ]


def _tail_limit_ns(slo: Slo) -> float:
    return max(LAG_P99_FLOOR_NS, LAG_TAIL_OF_BOUND * slo.bound_ns)


def _lag_check(lag: Histogram, quantile: float, limit_ns: float, breach: TrustName) -> Check:
    value_ns = lag.quantile_ns(quantile)
    late = value_ns > limit_ns
    says = (
        f"{percent(1.0 - quantile)} of requests left at least {format_duration(value_ns)} late "
        "through the generator's own lag"
    )
    if late:
        says += (
            f", and {format_duration(limit_ns)} is the limit: free a core for the generator, "
            "or give it more --workers"
        )
    return Check(
        f"generator_lag_p{100 * quantile:g}",
        value_ns / NS_PER_MS,
        limit_ns / NS_PER_MS,
        breach if late else "trusted",
        says,
    )


def _offered_check(facts: GeneratorFacts) -> list[Check]:
    if not facts.due:
        return []
    share = facts.arrivals / facts.due
    says = f"{percent(share)} of the arrivals that were due were offered"
    verdict: TrustName = "trusted"
    if share < OFFERED_SHARE:
        verdict = "invalid"
        says += ": the generator could not keep the schedule; give it more --workers"
    return [Check("arrivals_offered", share, OFFERED_SHARE, verdict, says)]
