"""Why an endpoint suffers under another's load: the same rules as for a service that breaks.

The two loads of a pair are shown to them as two loads of a search: alone it held, under both it
broke. Nothing else of a search is made up.
"""

from collections.abc import Sequence
from dataclasses import replace

from breakstep.analysis.interference import harms, ok_per_s
from breakstep.analysis.signals import Series
from breakstep.diagnosis.diagnose import diagnose
from breakstep.diagnosis.observed import observed_of
from breakstep.model.finding import Finding
from breakstep.model.interfere import Interference, Pair
from breakstep.model.probe import ProbeState
from breakstep.model.record import Answer, Result, RunRecord, StepRecord, Verdict


def why(
    result: Result, found: Interference, series: Sequence[Series], states: Sequence[ProbeState]
) -> Finding:
    """What saturated under both loads that had not under the one."""
    runs = tuple(_run(pair, harmed=harmed(found)) for pair in found.pairs)
    broken = max((step.offered_per_s for run in runs for step in run.steps), default=None)
    answer = Answer("found" if harmed(found) else "inconclusive", None, None)
    if harmed(found):
        answer = replace(answer, broken_per_s=broken)
    shown = replace(result, runs=runs, answer=answer)
    return diagnose(observed_of(shown, series, states))


def harmed(found: Interference) -> bool:
    """Whether the median of either ratio says so."""
    throughput, tail = found.throughput_ratio, found.p99_ratio
    return harms(throughput and throughput[1], tail and tail[1])


def _run(pair: Pair, *, harmed: bool) -> RunRecord:
    low = pair.alone.offered_per_s
    both = _asked(pair.alone, pair.under_load) + pair.bully.offered_per_s
    steps = (
        replace(pair.alone, verdict=Verdict("pass")),
        replace(
            pair.under_load,
            offered_per_s=max(both, 1.001 * low),
            verdict=Verdict("fail" if harmed else "pass"),
        ),
    )
    return RunRecord(0, "broken", "", low, None, steps)


def _asked(alone: StepRecord, under_load: StepRecord) -> float:
    """What the victim's users would have had: a closed load asks for less when it gets less."""
    return max(under_load.offered_per_s, ok_per_s(alone))
