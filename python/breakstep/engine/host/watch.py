"""Watches the host while something is measured: wake-ups on the generator's cores, and counters."""

from collections.abc import Sequence
from dataclasses import dataclass

from breakstep._engine import WakeProbe, WakeSample
from breakstep.engine.host.counters import HostUse, between, read_counters
from breakstep.model.errors import EngineError


@dataclass(frozen=True, slots=True)
class HostSample:
    """What the host did between two takes. `cores` are those watched by name, as given."""

    cores: tuple[int, ...]
    wakes: Sequence[WakeSample]
    use: HostUse


class HostWatch:
    """Takes say what happened since the last. The probe takes about 2 % of each of its cores."""

    def __init__(self, cores: Sequence[int] = (), *, late_ns: int = 1_000_000) -> None:
        self._cores = tuple(sorted(set(cores)))
        self._probe = WakeProbe(self._cores, late_ns=late_ns)

    def start(self) -> None:
        """Raises EngineError for a core that is not there."""
        try:
            self._probe.start()
        except OSError as error:
            cores = ", ".join(map(str, self._cores))
            raise EngineError(
                f"no thread may run on core {cores}: {error}; choose others with --pin"
            ) from error
        self._before = read_counters()

    def take(self) -> HostSample:
        """What happened since the last take, or since the start."""
        wakes, after = self._probe.take(), read_counters()
        use, self._before = between(self._before, after), after
        return HostSample(self._cores, wakes, use)

    def stop(self) -> None:
        """Ends the probe's threads."""
        self._probe.stop()
