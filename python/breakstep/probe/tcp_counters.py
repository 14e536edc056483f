"""Connections that the kernel lost, and what TCP had to do again, in this network namespace."""

from collections.abc import Iterator
from pathlib import Path

from breakstep.engine.host.segments import parse_table
from breakstep.probe.reading import Reading

_EXTENDED = {"listen_overflows": "ListenOverflows", "listen_drops": "ListenDrops"}
_BASIC = {"retransmits": "RetransSegs", "resets": "OutRsts"}


def listen_readings(root: Path) -> Iterator[Reading]:
    """Connections lost to a full accept queue, and for any reason. None where nobody counts."""
    yield from _readings(root / "proc/net/netstat", "TcpExt", _EXTENDED)


def segment_readings(root: Path) -> Iterator[Reading]:
    """Segments sent again, and resets sent."""
    yield from _readings(root / "proc/net/snmp", "Tcp", _BASIC)


def _readings(path: Path, protocol: str, names: dict[str, str]) -> Iterator[Reading]:
    try:
        table = parse_table(path.read_text(encoding="ascii", errors="replace"), protocol)
    except OSError:
        return
    for name, counter in names.items():
        if counter in table:
            yield Reading(name, "1/s", table[counter], counter=True)
