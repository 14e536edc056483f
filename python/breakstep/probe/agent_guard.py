"""What is taken of an agent's word: bounded in number, in time and in rate."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from breakstep.model.errors import ProbeError
from breakstep.model.probe import ProbeKind
from breakstep.model.signal import Sample, Signal
from breakstep.probe.agent_protocol import Row, Rows
from breakstep.probe.sampler import as_written

NEAR_S = 60.0
"""A sample further from now than this was not taken now."""
SERIES_OF_AGENT_MAX = 5_000
ROWS_PER_S = 5_000
BYTES_PER_S = 1_000_000
BURST_S = 10.0
"""A network that stood still delivers so much at once."""


@dataclass(slots=True)
class Allowance:
    """So much a second, saved up over `BURST_S`."""

    what: str
    per_s: float
    left: float = 0.0
    at_s: float = 0.0

    def spend(self, amount: int, now_s: float) -> None:
        """Takes some; `now_s` is monotonic. Raises ProbeError when overdrawn."""
        saved = self.left + (now_s - self.at_s) * self.per_s
        self.left = min(saved, BURST_S * self.per_s) - amount
        self.at_s = now_s
        if self.left < 0.0:
            raise ProbeError(
                f"it sends more than {self.per_s:,.0f} {self.what} a second: "
                "sample less often there, or fewer series"
            )


@dataclass(slots=True)
class Guard:
    """Turns an agent's rows into samples on our clock. `dropped` counts the others by reason.

    `source` goes before each label, so that the signals of two agents stay apart. A signal keeps
    the clock offset of its first sample: it is the same series all along.
    """

    source: str
    kinds: Mapping[str, ProbeKind]
    dropped: Counter[str] = field(default_factory=Counter)
    signals: dict[tuple[str, str, str], Signal] = field(default_factory=dict)

    def samples(self, given: Rows, offset_s: float, now_s: float) -> Iterator[Sample]:
        """What is to be kept of the rows; `now_s` is the time on our clock."""
        self._drop(given.senseless, "made no sense")
        if given.label not in self.kinds:
            self._drop(len(given.rows), "came from no probe that it has")
            return
        for row in given.rows:
            at_s = row.at_s - offset_s
            if abs(at_s - now_s) > NEAR_S:
                self._drop(1, f"were more than {NEAR_S:.0f} s from now")
            elif (signal := self._signal(given.label, row, offset_s)) is None:
                self._drop(1, f"went beyond {SERIES_OF_AGENT_MAX} series")
            else:
                yield as_written(signal, at_s, row.value)

    def _drop(self, count: int, why: str) -> None:
        if count:
            self.dropped[why] += count

    def _signal(self, label: str, row: Row, offset_s: float) -> Signal | None:
        key = label, row.name, row.unit
        if key not in self.signals and len(self.signals) < SERIES_OF_AGENT_MAX:
            self.signals[key] = Signal(
                source=f"{self.source}/{label}",
                kind=self.kinds[label],
                name=row.name,
                unit=row.unit,
                clock_offset_s=round(offset_s, 6),
            )
        return self.signals.get(key)
