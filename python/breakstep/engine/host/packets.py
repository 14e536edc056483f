"""Packets of all network interfaces, loopback too: `/proc/net/dev`."""

from dataclasses import dataclass

_PACKETS, _DROPPED = (1, 9), (3, 4, 11, 12)
"""Columns of receiving and sending; dropped: `drop` and `fifo` of both."""
_COLUMNS = 16


@dataclass(frozen=True, slots=True)
class Packets:
    """Handled, and dropped for want of room, since boot."""

    handled: int = 0
    dropped: int = 0

    def since(self, before: "Packets") -> "Packets":
        """What was added; never negative, though an interface may go."""
        return Packets(max(0, self.handled - before.handled), max(0, self.dropped - before.dropped))


def parse_dev(text: str) -> Packets:
    """The sum over all interfaces. Lines that are not an interface's are passed over."""
    rows = [line.partition(":")[2].split() for line in text.splitlines() if ":" in line]
    columns = [[int(field) for field in row] for row in rows if len(row) == _COLUMNS]
    return Packets(
        sum(row[number] for row in columns for number in _PACKETS),
        sum(row[number] for row in columns for number in _DROPPED),
    )
