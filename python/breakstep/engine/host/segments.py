"""TCP segments of this network namespace: `/proc/net/snmp`, loopback included."""

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
    """The counters by name: their order is the kernel's affair. Zeros where there are none."""
    rows = [line.split()[1:] for line in text.splitlines() if line.startswith("Tcp:")]
    if len(rows) != 2:  # noqa: PLR2004  names and values
        return Segments()
    counters = dict(zip(*rows, strict=False))
    return Segments(int(counters.get("OutSegs", 0)), int(counters.get("RetransSegs", 0)))
