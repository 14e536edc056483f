"""Reads one probe at its own pace in a thread of its own, so that it can only fail alone."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite

from breakstep.model.errors import ProbeError
from breakstep.model.probe import ProbeSpec, ProbeState
from breakstep.model.signal import Sample, Signal
from breakstep.model.units import NS_PER_S
from breakstep.probe.reading import PartialError, Probe, Reading

SERIES_MAX = 1_000
"""Of one probe over a whole run: an exporter may have any number, and new ones at every read."""
STOP_S = 1.0
"""How long a read may hang before its thread is left behind."""
DIGITS = 6

Deliver = Callable[[Sequence[Sample]], None]


@dataclass(slots=True)
class Rates:
    """Makes rates of counters. The first reading of one, and one that fell, give none."""

    before: dict[str, tuple[float, float]] = field(default_factory=dict)

    def value(self, reading: Reading, at_s: float) -> tuple[float, float] | None:
        """When and what; in the middle of two readings for a counter."""
        if not reading.counter:
            return at_s, reading.value
        before = self.before.get(reading.name)
        self.before[reading.name] = at_s, reading.value
        if before is None or reading.value < before[1] or at_s <= before[0]:
            return None
        rate = (reading.value - before[1]) / (at_s - before[0])
        # Ticks and our own clock are read apart: a whole core may seem 1.01 of one.
        return (at_s + before[0]) / 2.0, min(rate, 1.0) if reading.unit == "share" else rate


def as_written(signal: Signal, at_s: float, value: float) -> Sample:
    """A sample as it is written to the disk, so that a stored run is explained alike."""
    return Sample(signal, round(at_s, 3), float(f"{value:.{DIGITS}g}"))


class Sampler:
    """Samples a probe until stopped. A read that fails costs its samples and nothing else."""

    def __init__(self, spec: ProbeSpec, probe: Probe, deliver: Deliver) -> None:
        self._spec = spec
        self._probe = probe
        self._deliver = deliver
        self._rates = Rates()
        self._names: set[str] = set()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=spec.kind[:15], daemon=True)
        self._samples = 0
        self._failures = 0
        self._says: str | None = getattr(probe, "remark", None)
        self._last_s: float | None = None

    def start(self) -> None:
        """Begins to sample."""
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread; one that hangs in a read is left to itself."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join(STOP_S)
        self._probe.close()

    def state(self) -> ProbeState:
        """How it fares."""
        last_s = self._last_s
        silent_s = None if last_s is None else time.monotonic() - last_s
        return ProbeState(
            label=self._spec.label,
            kind=self._spec.kind,
            samples=self._samples,
            failures=self._failures,
            silent_s=silent_s,
            says=self._says,
        )

    def _run(self) -> None:
        every_s = self._spec.every_ns / NS_PER_S
        due_s = time.monotonic()
        while not self._stop.wait(max(0.0, due_s - time.monotonic())):
            self._once()
            # A slow read skips its beats instead of catching up on them.
            due_s = max(due_s + every_s, time.monotonic())

    def _once(self) -> None:
        from_s = time.time()
        try:
            readings = self._read()
            samples = list(self._samples_of(readings, (from_s + time.time()) / 2.0))
        except ProbeError as error:
            self._failed(str(error))
        except Exception as error:  # noqa: BLE001  whatever a server sent must not end the run
            self._failed(f"{type(error).__name__}: {error}")
        else:
            self._samples += len(samples)
            self._last_s = time.monotonic()
            if not self._stop.is_set():
                self._deliver(samples)

    def _read(self) -> Sequence[Reading]:
        try:
            return self._probe.read()
        except PartialError as error:
            self._failed(str(error))
            return error.readings

    def _samples_of(self, readings: Sequence[Reading], at_s: float) -> Iterator[Sample]:
        spec = self._spec
        for reading in filter(self._keeps, readings):
            found = self._rates.value(reading, at_s)
            if found is not None and isfinite(found[1]):
                signal = Signal(spec.label, spec.kind, reading.name, reading.unit)
                yield as_written(signal, *found)

    def _keeps(self, reading: Reading) -> bool:
        if reading.name not in self._names and len(self._names) >= SERIES_MAX:
            self._says = f"only the first {SERIES_MAX} series are kept"
            return False
        self._names.add(reading.name)
        return True

    def _failed(self, says: str) -> None:
        self._failures += 1
        self._says = says
