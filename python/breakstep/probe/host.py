"""The machine that the probe runs on: its cores, memory, disks and network, by `/proc`."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from breakstep.engine.host.cores import CoreTimes, parse_stat
from breakstep.model.errors import ProbeError
from breakstep.model.probe import ProbeSpec
from breakstep.model.signal import labelled
from breakstep.probe.host_files import (
    parse_disks,
    parse_interfaces,
    parse_keyed,
    parse_pressure,
)
from breakstep.probe.reading import Reading
from breakstep.probe.tcp_counters import listen_readings, segment_readings

_PRESSURES = ("cpu", "io", "memory")
_NO_PRESSURE = "this kernel counts no pressure (PSI); Linux 4.20 and newer do, some with psi=1"
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def open_probe(_spec: ProbeSpec) -> "Host":
    """Reads everything once. Raises ProbeError."""
    host = Host()
    if not host.read():
        raise ProbeError("/proc is empty: the host probe needs Linux with /proc mounted")
    return host


class Host:
    """An open probe. It holds nothing."""

    def __init__(self, root: Path = Path("/")) -> None:
        self._root = root
        # The file may be there and refuse to be read: psi=0.
        self.remark = None if self._text("proc/pressure/cpu") else _NO_PRESSURE

    def read(self) -> Sequence[Reading]:
        """Everything now; a file that this kernel does not have costs its own signals only.

        Raises ProbeError.
        """
        try:
            return [
                *_cores(self._text("proc/stat")),
                *self._pressures(),
                *_memory(self._text("proc/meminfo"), self._text("proc/vmstat")),
                *self._disks(),
                *_network(self._text("proc/net/dev")),
                *listen_readings(self._root),
                *segment_readings(self._root),
            ]
        except ValueError as error:
            raise ProbeError(f"/proc says something that is not known here: {error}") from error

    def close(self) -> None:
        """Nothing is held."""

    def _pressures(self) -> Iterator[Reading]:
        for resource in _PRESSURES:
            waited = parse_pressure(self._text(f"proc/pressure/{resource}"))
            if "some" in waited:
                yield Reading(f"{resource}_pressure", "share", waited["some"], counter=True)
            # That all tasks wait for a core says nothing of a whole machine.
            if "full" in waited and resource != "cpu":
                yield Reading(f"{resource}_pressure_full", "share", waited["full"], counter=True)

    def _disks(self) -> Iterator[Reading]:
        blocks = self._root / "sys/block"
        whole = {path.name for path in blocks.iterdir()} if blocks.is_dir() else set()
        for name, disk in parse_disks(self._text("proc/diskstats"), whole).items():
            for signal, unit, value in (
                ("disk_busy", "share", disk.busy_s),
                ("disk_read", "bytes/s", disk.read_bytes),
                ("disk_written", "bytes/s", disk.written_bytes),
            ):
                yield Reading(labelled(signal, disk=name), unit, value, counter=True)

    def _text(self, path: str) -> str:
        try:
            return (self._root / path).read_text(encoding="ascii", errors="replace")
        except OSError:
            return ""


def _cores(text: str) -> Iterator[Reading]:
    cores = parse_stat(text)
    if not cores:
        return
    ticks = _TICKS_PER_S * len(cores)
    yield Reading("cpu", "share", sum(map(_busy, cores.values())) / ticks, counter=True)
    for core, times in cores.items():
        yield Reading(
            labelled("cpu", core=core), "share", _busy(times) / _TICKS_PER_S, counter=True
        )
    yield Reading("cores", "count", len(cores))
    steal = sum(times.steal for times in cores.values())
    yield Reading("steal", "share", steal / ticks, counter=True)
    running = parse_keyed(text).get("procs_running")
    if running is not None:
        # The thread that reads this is running, or it would not.
        yield Reading("run_queue", "tasks", max(0, running - 1))


def _busy(times: CoreTimes) -> int:
    return times.total - times.idle


def _memory(meminfo: str, vmstat: str) -> Iterator[Reading]:
    memory, pages = parse_keyed(meminfo), parse_keyed(vmstat)
    if "MemAvailable" in memory:
        yield Reading("memory_available", "bytes", memory["MemAvailable"] * 1024)
    for name, counter in (("swap_in", "pswpin"), ("swap_out", "pswpout")):
        if counter in pages:
            yield Reading(name, "bytes/s", pages[counter] * _PAGE_BYTES, counter=True)


def _network(text: str) -> Iterator[Reading]:
    if not text:
        return
    traffic = parse_interfaces(text)
    yield Reading("net_received", "bytes/s", traffic.received_bytes, counter=True)
    yield Reading("net_sent", "bytes/s", traffic.sent_bytes, counter=True)
    yield Reading("net_dropped", "1/s", traffic.dropped, counter=True)
