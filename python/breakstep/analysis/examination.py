"""What `breakstep doctor` found out about a machine."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from breakstep.analysis.judgeable import Judgeable
from breakstep.analysis.periodicity import Periodicity
from breakstep.engine.host.calibration import Calibration
from breakstep.engine.host.clock import ClockCost
from breakstep.engine.host.settings import Settings
from breakstep.model.record import Trust

if TYPE_CHECKING:
    from breakstep.engine.host.null_target import Generated
    from breakstep.engine.host.watch import HostSample


@dataclass(frozen=True, slots=True)
class Examination:
    """What doctor found. A part that was not reached before an interrupt is None."""

    id: str
    settings: Settings
    environment: Mapping[str, Any]
    quiet: "HostSample"
    clock: ClockCost | None
    calibration: Calibration | None
    loaded: "HostSample | None"
    generated: "Generated | None"
    judged: tuple[Judgeable, ...]
    judged_loaded: tuple[Judgeable, ...]
    """While load was generated; empty if that was not reached."""
    trust: Trust
    interrupted: bool


@dataclass(frozen=True, slots=True)
class Noise:
    """Late wake-ups over a longer time, by second of the minute."""

    id: str
    watched_ns: int
    by_second: tuple[int, ...]
    watched_by_second: tuple[float, ...]
    """How often each second of the minute was watched."""
    worst_ns: int
    forgotten: int
    period: Periodicity | None
    trust: Trust
    environment: Mapping[str, Any]
    interrupted: bool
