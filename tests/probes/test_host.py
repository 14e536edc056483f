"""The host probe, on copies of the kernel's files and on this machine."""

import os
import socket
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.probe.host import Host
from breakstep.probe.host_files import (
    Traffic,
    parse_disks,
    parse_interfaces,
    parse_keyed,
    parse_pressure,
)
from probes.watching import burn, during, now, probing

STAT = """cpu  300 0 100 1600 0 0 0 20 0 0
cpu0 100 0 50 800 50 0 0 10 0 0
cpu1 200 0 50 800 0 0 0 10 0 0
procs_running 4
"""
DISKS = """   7 0 loop0 9 0 9 9 9 9 9 9 9 9 9
 254 0 vda 100 5 40 7 200 5 80 9 0 3000 12
 254 1 vda1 100 5 40 7 200 5 80 9 0 3000 12
 254 16 vdb 0 0 0 0 0 0 0 0 0 0 0
"""
NET = """Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes packets errs drop fifo
    lo: 1000 9 0 1 0 0 0 0 1000 9 0 0 0 0 0 0
  eth0:  500 9 0 2 0 0 0 0  300 9 0 4 0 0 0 0
"""
NETSTAT = """TcpExt: SyncookiesSent ListenOverflows ListenDrops
TcpExt: 0 11 13
"""


def write(root: Path, files: dict[str, str]) -> Path:
    """A machine made of files."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_cores_are_busy_when_neither_idle_nor_waiting_for_a_disk(tmp_path: Path) -> None:
    """In seconds of a hundred ticks; steal is busy and counted apart; the reader is not queued."""
    host = Host(write(tmp_path, {"proc/stat": STAT}))
    values = now(host)
    assert values["cpu{core=0}"] == pytest.approx(1.6)
    assert values["cpu{core=1}"] == pytest.approx(2.6)
    assert values["cpu"] == pytest.approx(2.1)
    assert values["steal"] == pytest.approx(0.1)
    assert values["cores"] == 2
    assert values["run_queue"] == 3


def test_a_kernel_without_pressure_says_so_once_and_gives_the_rest(tmp_path: Path) -> None:
    """No signal of it, no failure, one remark."""
    host = Host(write(tmp_path, {"proc/stat": STAT}))
    assert host.remark is not None
    assert "PSI" in host.remark
    assert not [name for name in now(host) if "pressure" in name]


def test_pressure_is_the_time_somebody_waited(tmp_path: Path) -> None:
    """In seconds; that everybody waited for a core means nothing for a whole machine."""
    text = "some avg10=1.00 avg60=0 avg300=0 total=2500000\nfull avg10=0 avg60=0 total=500000\n"
    files = {f"proc/pressure/{name}": text for name in ("cpu", "io", "memory")}
    host = Host(write(tmp_path, files))
    assert host.remark is None
    assert now(host) == {
        "cpu_pressure": 2.5,
        "io_pressure": 2.5,
        "io_pressure_full": 0.5,
        "memory_pressure": 2.5,
        "memory_pressure_full": 0.5,
    }


def test_disks_are_whole_and_at_work(tmp_path: Path) -> None:
    """No partition, nothing in memory, none that never did anything."""
    files = {"proc/diskstats": DISKS, "sys/block/vda/size": "1", "sys/block/vdb/size": "1"}
    values = now(Host(write(tmp_path, files)))
    assert values == {
        "disk_busy{disk=vda}": 3.0,
        "disk_read{disk=vda}": 40 * 512,
        "disk_written{disk=vda}": 80 * 512,
    }


def test_the_network_leaves_out_loopback_but_not_its_losses() -> None:
    """Received, sent, and dropped either way."""
    assert parse_interfaces(NET) == Traffic(500, 300, 7)


def test_lost_connections_are_found_by_name(tmp_path: Path) -> None:
    """The kernel's columns have moved before."""
    values = now(Host(write(tmp_path, {"proc/net/netstat": NETSTAT})))
    assert values == {"listen_overflows": 11, "listen_drops": 13}


@given(st.text(alphabet="cpu sometotal=avg:vda\n 0123456789-.x²", max_size=200))
def test_no_file_is_too_odd_to_read(text: str) -> None:
    """It gives numbers or a ValueError, and nothing else."""
    for parse in (parse_pressure, parse_keyed, parse_interfaces, lambda odd: parse_disks(odd, ())):
        with suppress(ValueError):
            parse(text)


def test_a_busy_core_shows_on_this_machine() -> None:
    """Half a second of work is at least nine tenths of it on some core, and never more than all."""
    with probing("host") as host:
        values = during(host, lambda: burn(0.5))
    assert max(values[f"cpu{{core={core}}}"] for core in os.sched_getaffinity(0)) > 0.4
    shares = [value for name, value in values.items() if name.startswith(("cpu", "steal"))]
    assert all(0.0 <= share <= 1.0 for share in shares)
    assert values["memory_available"] > 1e6


def test_a_full_accept_queue_is_counted() -> None:
    """Connections beyond the queue of a server that accepts nothing are lost, and said to be."""
    with probing("host") as host, socket.create_server(("127.0.0.1", 0), backlog=1) as server:
        clients = [socket.socket() for _ in range(6)]

        def connect() -> None:
            for client in clients:
                client.settimeout(0.0)
                client.connect_ex(server.getsockname())

        values = during(host, connect)
        for client in clients:
            client.close()
    assert values["listen_overflows"] > 0
    assert values["listen_drops"] >= values["listen_overflows"]


def test_what_is_written_reaches_the_disk() -> None:
    """Synchronous writing shows as bytes of some disk, and as the time that it was busy."""

    def write_through() -> None:
        # Beside the sources: the directory for temporary files may live in memory.
        with tempfile.TemporaryFile(dir=Path(__file__).parent) as file:
            # The kernel counts a disk's time in ticks: one of them is soon missed.
            until_s = time.monotonic() + 0.5
            while time.monotonic() < until_s:
                file.write(os.urandom(65536))
                file.flush()
                os.fsync(file.fileno())

    with probing("host") as host:
        values = during(host, write_through)
    for signal in ("disk_written", "disk_busy"):
        assert max(value for name, value in values.items() if name.startswith(signal)) > 0
