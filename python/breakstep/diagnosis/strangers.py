"""CPU of a full host that no probed program used: something else runs there."""

from dataclasses import dataclass

from breakstep.diagnosis.consumers import consumers, of_machine, use
from breakstep.diagnosis.host_rooms import used_cores
from breakstep.diagnosis.observed import Observed
from breakstep.diagnosis.roles import machine_of
from breakstep.diagnosis.room import FULL
from breakstep.diagnosis.track import Point, Track
from breakstep.model.signal import label_of

STRANGE = 0.5
"""Of the CPU used: so much by programs that nobody probed, and they filled the host."""


@dataclass(frozen=True, slots=True)
class Strangers:
    """What others used of a full host, in cores, of all that was used."""

    host: Track
    peak: Point
    cores: float
    of_cores: float


def strangers(observed: Observed) -> Strangers | None:
    """The programs nobody probed, if they used most of a full host whose service was probed."""
    hosts = (track for track in observed.tracks("host", "cpu") if not label_of(track.name))
    for host in hosts:
        peak = host.top(observed.break_per_s or 0.0)
        known = of_machine(observed, machine_of(host.source))
        served = [one for one in known if one in consumers(observed)]
        total = used_cores(observed, host)
        if peak is None or peak.value < FULL or not served or total is None:
            continue
        others = total - sum(use(observed, one) for one in known)
        if others >= STRANGE * total:
            return Strangers(host, peak, others, total)
    return None
