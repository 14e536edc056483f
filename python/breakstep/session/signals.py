"""The signals of a run: sampled from before the first request, written as they come, kept."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from breakstep.analysis.signals import Series, SeriesBuilder, Summary, summaries
from breakstep.analysis.words import counted
from breakstep.model.probe import ProbeSpec, ProbeState
from breakstep.model.record import Result, RunRecord
from breakstep.probe.desk import ProbeDesk
from breakstep.store.writer import RunWriter

SILENT_S = 10.0
"""Without a sample for so long a probe is said to have fallen silent."""


@dataclass(slots=True)
class SignalBook:
    """What the probes of a run delivered."""

    desk: ProbeDesk
    _builder: SeriesBuilder = field(default_factory=SeriesBuilder)

    def keep(self, writer: RunWriter | None) -> None:
        """Takes what came since the last call."""
        samples = self.desk.take()
        self._builder.add(samples)
        if writer is not None and samples:
            writer.signals(samples)

    def series(self) -> tuple[Series, ...]:
        """Everything kept so far."""
        return self._builder.build()

    def states(self) -> list[ProbeState]:
        """How each probe fared."""
        return self.desk.states()

    @property
    def lost(self) -> int:
        """Samples that nothing here has seen: there was no room for more."""
        return self.desk.lost + self._builder.left_out


@contextmanager
def sampling(specs: Sequence[ProbeSpec]) -> Iterator[SignalBook]:
    """Samples these probes until left. Raises ProbeError if one cannot be opened."""
    desk = ProbeDesk.open(specs)
    try:
        desk.start()
        yield SignalBook(desk)
    finally:
        desk.stop()


def with_signals(
    result: Result, series: Sequence[Series], states: Sequence[ProbeState], lost: int
) -> Result:
    """The result with what was sampled meanwhile, and with the troubles of the probes said."""
    if not states:
        return result
    troubles = [text for state in states if (text := _trouble(state))]
    if lost:
        troubles.append(
            f"{counted(lost)} samples of the probes are missing: more came than there was room "
            "for. Sample less often (every=1s), or fewer things."
        )
    return replace(
        result,
        answer=replace(result.answer, caveats=(*result.answer.caveats, *troubles)),
        sections={**result.sections, "signals": _section(result.runs, series, states)},
    )


def _section(
    runs: Sequence[RunRecord], series: Sequence[Series], states: Sequence[ProbeState]
) -> Mapping[str, Any]:
    return {
        "sources": [asdict(state) for state in states],
        "steps": [
            {
                "run": number,
                "index": step.index,
                "signals": [
                    _summary_json(summary)
                    for summary in summaries(series, step.window_from, step.window_to)
                ],
            }
            for number, run in enumerate(runs)
            for step in run.steps
        ],
    }


def _summary_json(summary: Summary) -> Mapping[str, Any]:
    signal = summary.signal
    return {
        "source": signal.source,
        "kind": signal.kind,
        "name": signal.name,
        "unit": signal.unit,
        "samples": summary.count,
        "mean": summary.mean,
        "min": summary.min,
        "max": summary.max,
        "last": summary.last,
    }


def _trouble(state: ProbeState) -> str | None:
    says = f": {state.says}" if state.says else ""
    if state.samples == 0:
        return f"The probe {state.label} delivered nothing{says}."
    if state.silent_s is not None and state.silent_s > SILENT_S:
        return f"The probe {state.label} fell silent {state.silent_s:.0f} s before the end{says}."
    if state.failures:
        return f"The probe {state.label} failed {state.failures} times{says}."
    return f"The probe {state.label}{says}." if state.says else None
