"""The cgroup probe, on trees of files as both versions keep them, and on this machine's own."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.model.errors import ProbeError
from breakstep.probe.cgroup import Cgroup
from breakstep.probe.cgroup_places import find_group, parse_mounts
from probes.watching import burn, during, eventually, now, probing

ID = "4f5e0d7a" * 8
V2 = "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n"
V1 = """tmpfs /sys/fs/cgroup tmpfs rw 0 0
cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,nosuid,cpu,cpuacct 0 0
cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0
cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0
"""
TREE_V2 = {
    "proc/self/mounts": V2,
    "sys/fs/cgroup/cpu.stat": "usage_usec 90000000\n",
    "sys/fs/cgroup/pods/cpu.stat": "usage_usec 9000000\nnr_periods 100\nnr_throttled 10\n",
    "sys/fs/cgroup/pods/cpu.max": "150000 100000\n",
    "sys/fs/cgroup/pods/memory.max": "900\n",
    f"sys/fs/cgroup/pods/docker-{ID}.scope/cpu.stat": (
        "usage_usec 2500000\nnr_periods 40\nnr_throttled 4\nthrottled_usec 500000\n"
    ),
    f"sys/fs/cgroup/pods/docker-{ID}.scope/cpu.max": "200000 100000\n",
    f"sys/fs/cgroup/pods/docker-{ID}.scope/memory.current": "700\n",
    f"sys/fs/cgroup/pods/docker-{ID}.scope/memory.max": "max\n",
    f"sys/fs/cgroup/pods/docker-{ID}.scope/cpu.pressure": "some avg10=0.00 total=3000000\n",
    f"sys/fs/cgroup/pods/libpod-conmon-{ID}.scope/cpu.stat": "usage_usec 1\n",
}
TREE_V1 = {
    "proc/self/mounts": V1,
    "sys/fs/cgroup/cpu,cpuacct/box/cpuacct.usage": "2500000000\n",
    "sys/fs/cgroup/cpu,cpuacct/box/cpu.stat": (
        "nr_periods 40\nnr_throttled 4\nthrottled_time 500000000\n"
    ),
    "sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us": "50000\n",
    "sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us": "100000\n",
    "sys/fs/cgroup/memory/box/memory.usage_in_bytes": "700\n",
    "sys/fs/cgroup/memory/box/memory.limit_in_bytes": "9223372036854771712\n",
}


def write(root: Path, files: dict[str, str]) -> Path:
    """A machine made of files."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.mark.parametrize(
    "where", [ID, ID[:12], f"/pods/docker-{ID}.scope", f"/sys/fs/cgroup/pods/docker-{ID}.scope/"]
)
def test_a_group_of_version_2_is_found_by_id_and_by_path(tmp_path: Path, where: str) -> None:
    """Its limits are the tightest at or above it; a monitor that is named alike is none."""
    group = Cgroup(where, find_group(where, write(tmp_path, TREE_V2)))
    assert now(group) == {
        "cpu": 2.5,
        "quota": 1.5,
        "throttled": 0.0,
        "memory": 700,
        "memory_limit": 900,
        "cpu_pressure": 3.0,
    }


def test_a_group_of_version_1_keeps_its_files_by_controller(tmp_path: Path) -> None:
    """Its way of saying that there is no memory limit is a very large one."""
    group = Cgroup("box", find_group("box", write(tmp_path, TREE_V1)))
    assert now(group) == {"cpu": 2.5, "quota": 0.5, "throttled": 0.0, "memory": 700}


def test_being_held_back_counts_from_the_first_look_and_at_any_level(tmp_path: Path) -> None:
    """The share is that of the level that bit hardest, of the periods since the last look."""
    group = Cgroup(ID, find_group(ID, write(tmp_path, TREE_V2)))
    now(group)
    assert now(group)["throttled_periods"] == 0.0
    write(
        tmp_path,
        {
            "sys/fs/cgroup/pods/cpu.stat": "nr_periods 110\nnr_throttled 18\nthrottled_usec 900\n",
            f"sys/fs/cgroup/pods/docker-{ID}.scope/cpu.stat": (
                "usage_usec 2500000\nnr_periods 50\nnr_throttled 6\nthrottled_usec 750000\n"
            ),
        },
    )
    values = now(group)
    assert values["throttled_periods"] == pytest.approx(0.8)
    assert values["throttled"] == pytest.approx(0.25)
    assert now(group)["throttled_periods"] == 0.0
    assert now(group)["throttled"] == pytest.approx(0.25)


def test_without_a_limit_nothing_is_said_of_limits(tmp_path: Path) -> None:
    """The top has none."""
    assert now(Cgroup("/", find_group("/", write(tmp_path, TREE_V2)))) == {"cpu": 90.0}


def test_a_group_that_is_not_there_is_an_error_that_says_how_to_find_it(tmp_path: Path) -> None:
    """Whatever was asked for."""
    root = write(tmp_path, TREE_V2)
    for where in ("/nowhere", "0123456789ab", "../../etc"):
        with pytest.raises(ProbeError, match="there is no control group"):
            find_group(where, root)


def test_an_id_that_fits_two_groups_is_not_guessed(tmp_path: Path) -> None:
    """Both are shown."""
    other = ID[:16] + "0" * 48
    files = {f"sys/fs/cgroup/pods/docker-{other}.scope/cpu.stat": "usage_usec 1\n"}
    with pytest.raises(ProbeError, match=r"2 control groups.*give more digits"):
        find_group(ID[:12], write(tmp_path, TREE_V2 | files))


def test_a_group_that_ends_is_an_error(tmp_path: Path) -> None:
    """At the next look."""
    group = Cgroup("box", find_group("box", write(tmp_path, TREE_V1)))
    group.read()
    (tmp_path / "sys/fs/cgroup/cpu,cpuacct/box/cpuacct.usage").unlink()
    with pytest.raises(ProbeError):
        group.read()


@given(st.text(max_size=200))
def test_no_list_of_mounts_is_too_odd_to_read(text: str) -> None:
    """It gives hierarchies, or none."""
    with suppress(ValueError):
        parse_mounts(text)


def test_the_top_group_of_this_machine_counts_what_is_used() -> None:
    """Half a second of our own work is in it."""
    with probing("cgroup:/") as probe:
        assert during(probe, lambda: burn(0.5))["cpu"] > 0.5


OWN = Path("/sys/fs/cgroup/cpu" if Path("/sys/fs/cgroup/cpu").is_dir() else "/sys/fs/cgroup")
"""Where this machine limits CPU."""


@contextmanager
def limited(cores: float) -> Iterator[tuple[str, Path]]:
    """A group of this machine that may use so much: its absolute path, and who belongs to it."""
    group = OWN / f"breakstep-{os.getpid()}"
    group.mkdir()
    try:
        limit = str(round(cores * 100_000))
        if (group / "cpu.cfs_quota_us").exists():
            (group / "cpu.cfs_quota_us").write_text(limit)
        else:
            (OWN / "cgroup.subtree_control").write_text("+cpu")
            (group / "cpu.max").write_text(f"{limit} 100000")
        yield str(group), group / "cgroup.procs"
    finally:
        eventually(lambda: not (group / "cgroup.procs").read_text())
        group.rmdir()


@pytest.mark.skipif(not os.access(OWN, os.W_OK), reason="this user may not make control groups")
def test_a_group_of_this_machine_is_held_back_at_its_limit() -> None:
    """A busy process with a fifth of a core is held back in nearly every period."""
    with (
        limited(0.2) as (where, members),
        probing(f"cgroup:{where}") as probe,
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy,
    ):
        members.write_text(str(busy.pid))
        time.sleep(0.3)
        probe.read()
        values = during(probe, lambda: time.sleep(1.0))
        busy.kill()
    assert values["quota"] == pytest.approx(0.2)
    assert values["throttled_periods"] > 0.7
    assert values["throttled"] > 0.5
