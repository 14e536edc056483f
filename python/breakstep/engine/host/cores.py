"""What the cores did: `/proc/stat`, in ticks of the kernel."""

from collections.abc import Mapping
from dataclasses import dataclass

_IDLE, _IOWAIT, _STEAL = 3, 4, 7
_FIELDS = 8


@dataclass(frozen=True, slots=True)
class CoreTimes:
    """Ticks of one core since boot. `steal`: runnable, and the hypervisor ran something else."""

    idle: int = 0
    steal: int = 0
    total: int = 0

    def since(self, before: "CoreTimes") -> "CoreTimes":
        """What was added; never negative, though the kernel's idle count may step back."""
        return CoreTimes(
            max(0, self.idle - before.idle),
            max(0, self.steal - before.steal),
            max(0, self.total - before.total),
        )

    @property
    def busy_share(self) -> float:
        """The share in which anything ran; 0 when no tick passed."""
        return 1.0 - self.idle / self.total if self.total else 0.0

    @property
    def steal_share(self) -> float:
        """The share that the hypervisor withheld."""
        return self.steal / self.total if self.total else 0.0


def parse_stat(text: str) -> Mapping[int, CoreTimes]:
    """By core. Lines that are not a core's are passed over; an old kernel's have no steal."""
    rows = (line.split() for line in text.splitlines())
    return {int(row[0][3:]): _times(row[1:]) for row in rows if _is_core(row)}


def _is_core(row: list[str]) -> bool:
    if not row or not row[0].startswith("cpu"):
        return False
    return row[0][3:].isdecimal() and len(row) > _IOWAIT + 1


def _times(fields: list[str]) -> CoreTimes:
    # Guest time is contained in user time: the fields past steal would count it twice.
    ticks = [int(field) for field in fields[:_FIELDS]]
    steal = ticks[_STEAL] if len(ticks) > _STEAL else 0
    return CoreTimes(ticks[_IDLE] + ticks[_IOWAIT], steal, sum(ticks))
