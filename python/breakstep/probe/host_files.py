"""What the kernel's files about the whole machine say. Each parser raises ValueError only."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

_SECTOR_BYTES = 512
"""Of `/proc/diskstats`, whatever the disk's own."""
_READ, _WRITTEN, _BUSY = 5, 9, 12
_RECEIVED, _RECEIVED_DROPPED, _SENT, _SENT_DROPPED = 0, 3, 8, 11
_MEMORY_DISKS = ("loop", "ram", "zram")
_LOOPBACK = "lo"


@dataclass(frozen=True, slots=True)
class Disk:
    """Since boot. `busy_s`: it had at least one request."""

    busy_s: float
    read_bytes: int
    written_bytes: int


@dataclass(frozen=True, slots=True)
class Traffic:
    """Since boot, bytes of all interfaces but loopback; packets dropped by all of them."""

    received_bytes: int = 0
    sent_bytes: int = 0
    dropped: int = 0


def parse_pressure(text: str) -> Mapping[str, float]:
    """Seconds in which `some` or all (`full`) tasks waited.

    >>> parse_pressure("some avg10=0.00 avg60=0.00 avg300=0.00 total=2500000")
    {'some': 2.5}
    """
    rows = (line.split() for line in text.splitlines())
    return {row[0]: _total_s(row) for row in rows if row and row[-1].startswith("total=")}


def parse_keyed(text: str) -> Mapping[str, int]:
    """Lines of a name and a number, as in `/proc/meminfo` and `/proc/vmstat`; others are left out.

    >>> parse_keyed("MemFree:  5 kB")
    {'MemFree': 5}
    """
    rows = (line.split() for line in text.splitlines())
    return {
        row[0].removesuffix(":"): int(row[1])
        for row in rows
        if len(row) > 1 and row[1].isdecimal() and row[1].isascii()
    }


def parse_disks(text: str, whole: Collection[str]) -> Mapping[str, Disk]:
    """The disks of `/proc/diskstats` that are no partitions, live not in memory, and ever worked.

    `whole` names those that are no partitions; empty if nobody knows.
    """
    rows = (line.split() for line in text.splitlines())
    return {
        row[2]: disk
        for row in rows
        if len(row) > _BUSY
        and not row[2].startswith(_MEMORY_DISKS)
        and (not whole or row[2] in whole)
        and (disk := _disk(row)).busy_s
    }


def parse_interfaces(text: str) -> Traffic:
    """The sums of `/proc/net/dev`."""
    rows = dict(_interface(line) for line in text.splitlines() if ":" in line)
    outside = [row for name, row in rows.items() if name != _LOOPBACK]
    return Traffic(
        sum(row[_RECEIVED] for row in outside),
        sum(row[_SENT] for row in outside),
        sum(row[_RECEIVED_DROPPED] + row[_SENT_DROPPED] for row in rows.values()),
    )


def _total_s(row: list[str]) -> float:
    return int(row[-1].removeprefix("total=")) / 1e6


def _disk(row: list[str]) -> Disk:
    return Disk(
        int(row[_BUSY]) / 1e3, int(row[_READ]) * _SECTOR_BYTES, int(row[_WRITTEN]) * _SECTOR_BYTES
    )


def _interface(line: str) -> tuple[str, list[int]]:
    # Old kernels write no space between the colon and the first number.
    name, _, counters = line.partition(":")
    row = [int(field) for field in counters.split()]
    if len(row) <= _SENT_DROPPED:
        raise ValueError(f"/proc/net/dev: {line.strip()!r} has too few columns")
    return name.strip(), row
