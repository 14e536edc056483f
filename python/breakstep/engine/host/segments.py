"""TCP counters of this network namespace: `/proc/net/snmp` and `netstat`, loopback included."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Segments:
    """Sent for the first time, and sent again, since boot."""

    sent: int = 0
    retransmitted: int = 0

    def since(self, before: "Segments") -> "Segments":
        """What was added."""
        return Segments(self.sent - before.sent, self.retransmitted - before.retransmitted)


def parse_snmp(text: str) -> Segments:
    """Zeros where there are none."""
    counters = parse_table(text, "Tcp")
    return Segments(counters.get("OutSegs", 0), counters.get("RetransSegs", 0))


def parse_table(text: str, protocol: str) -> Mapping[str, int]:
    """The counters of a protocol by name: their order is the kernel's affair. Empty without any."""
    start = f"{protocol}:"
    rows = [line.split()[1:] for line in text.splitlines() if line.startswith(start)]
    if len(rows) != 2:  # noqa: PLR2004  names and values
        return {}
    return {name: int(value) for name, value in zip(*rows, strict=False)}
