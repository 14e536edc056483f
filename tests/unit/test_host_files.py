"""What the kernel's files say, read from copies of them."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.engine.host.cgroup import Throttling, cpu_paths, read_throttling
from breakstep.engine.host.cores import CoreTimes, parse_stat
from breakstep.engine.host.packets import Packets, parse_dev
from breakstep.engine.host.segments import Segments, parse_snmp
from breakstep.engine.host.settings import read_settings

STAT = """cpu  30 0 10 160 0 0 0 20 5 0
cpu0 10 0 5 80 5 0 0 10 5 0
cpu1 20 0 5 80 0 0 0 10 0 0
intr 1 2 3
ctxt 99
"""
SNMP = """Ip: Forwarding DefaultTTL
Ip: 1 64
Tcp: RtoAlgorithm RtoMin ActiveOpens InSegs OutSegs RetransSegs InErrs
Tcp: 1 200 7 500 600 3 0
TcpExt: Nothing
"""


def test_a_core_is_busy_when_it_is_neither_idle_nor_waiting_for_a_disk() -> None:
    """Guest time is part of user time and is not counted twice."""
    cores = parse_stat(STAT)
    assert cores == {0: CoreTimes(85, 10, 110), 1: CoreTimes(80, 10, 115)}
    assert cores[1].busy_share == pytest.approx(35 / 115)
    assert cores[1].steal_share == pytest.approx(10 / 115)


def test_an_old_kernel_has_no_steal() -> None:
    """Its lines are shorter."""
    assert parse_stat("cpu0 1 2 3 4 5 6\n") == {0: CoreTimes(9, 0, 21)}


def test_a_count_that_steps_back_is_no_time() -> None:
    """The kernel's idle count may; a share stays between 0 and 1."""
    passed = CoreTimes(10, 0, 50).since(CoreTimes(12, 0, 40))
    assert passed == CoreTimes(0, 0, 10)
    assert passed.busy_share == 1.0
    assert CoreTimes().busy_share == 0.0


def test_segments_are_found_by_name() -> None:
    """Their columns have moved before."""
    assert parse_snmp(SNMP) == Segments(600, 3)
    assert parse_snmp("") == Segments()


@given(st.text(alphabet="cpu0123456789 \nTcp:OutSegs-.x", max_size=200))
def test_no_text_is_too_odd_to_read(text: str) -> None:
    """A file that is not what we know gives numbers or a ValueError, and nothing else."""
    for parse in (parse_stat, parse_snmp, lambda odd: list(cpu_paths(odd))):
        with suppress(ValueError):
            parse(text)


def write(root: Path, files: dict[str, str]) -> Path:
    """A machine made of files."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_throttling_of_version_2_counts_our_group_and_those_above(tmp_path: Path) -> None:
    """A limit above us holds us back as well, and the tightest limit is the one that counts."""
    root = write(
        tmp_path,
        {
            "proc/self/cgroup": "0::/pods/one\n",
            "sys/fs/cgroup/pods/one/cpu.stat": "usage_usec 9\nnr_periods 8\nnr_throttled 3\n",
            "sys/fs/cgroup/pods/one/cpu.max": "max 100000\n",
            "sys/fs/cgroup/pods/cpu.stat": "nr_throttled 2\n",
            "sys/fs/cgroup/pods/cpu.max": "150000 100000\n",
            "sys/fs/cgroup/cpu.stat": "usage_usec 9\n",
        },
    )
    assert read_throttling(root) == Throttling(5, 1.5)


def test_throttling_of_version_1(tmp_path: Path) -> None:
    """The controller has a tree of its own; −1 is no limit."""
    root = write(
        tmp_path,
        {
            "proc/self/cgroup": "9:name=systemd:/\n3:cpu,cpuacct:/box\n0::/\n",
            "sys/fs/cgroup/cpu,cpuacct/box/cpu.stat": "nr_periods 4\nnr_throttled 4\n",
            "sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us": "50000\n",
            "sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us": "100000\n",
            "sys/fs/cgroup/cpu,cpuacct/cpu.stat": "nr_throttled 0\n",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "-1\n",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
        },
    )
    assert read_throttling(root) == Throttling(4, 0.5)


def test_inside_a_container_our_group_is_at_the_top(tmp_path: Path) -> None:
    """Its path names groups that are not mounted here."""
    root = write(
        tmp_path,
        {"proc/self/cgroup": "0::/docker/1f\n", "sys/fs/cgroup/cpu.stat": "nr_throttled 7\n"},
    )
    assert read_throttling(root) == Throttling(7, None)


def test_without_a_cpu_controller_nothing_is_claimed(tmp_path: Path) -> None:
    """Not zero: nobody counts."""
    assert read_throttling(tmp_path) is None


def test_settings_that_are_not_there_are_none(tmp_path: Path) -> None:
    """A virtual machine often says nothing of its clock rates."""
    settings = read_settings(tmp_path)
    assert (settings.governor, settings.turbo, settings.smt) == (None, None, None)
    assert (settings.pressure, settings.quota_cores) == (None, None)


def test_settings_are_read(tmp_path: Path) -> None:
    """Intel says whether turbo is off, the others whether boost is on."""
    cpu = "sys/devices/system/cpu"
    root = write(
        tmp_path,
        {
            f"{cpu}/cpu0/cpufreq/scaling_governor": "powersave\n",
            f"{cpu}/intel_pstate/no_turbo": "1\n",
            f"{cpu}/smt/active": "1\n",
            "proc/pressure/cpu": "some avg10=43.10 avg60=2.0 avg300=1.0 total=9\nfull avg10=0\n",
            "proc/sys/net/ipv4/ip_local_port_range": "1024\t65535\n",
        },
    )
    settings = read_settings(root)
    assert (settings.governor, settings.turbo, settings.smt) == ("powersave", False, True)
    assert settings.pressure == pytest.approx(0.431)
    assert settings.local_ports == (1024, 65535)


def test_packets_are_summed_over_all_interfaces() -> None:
    """Receiving and sending; `drop` and `fifo` are both dropped."""
    text = (
        "Inter-|   Receive                |  Transmit\n"
        " face |bytes    packets errs drop fifo frame compressed multicast|bytes\n"
        "    lo: 100 10 0 0 0 0 0 0 100 10 0 0 0 0 0 0\n"
        "  eth0:900 80 1 2 3 0 0 0 500 40 0 4 5 0 0 0\n"
    )
    assert parse_dev(text) == Packets(140, 14)
    assert parse_dev(text).since(Packets(40, 20)) == Packets(100, 0)
    assert parse_dev("") == Packets()
