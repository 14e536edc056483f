"""The CPU limit of our own cgroup, and how often it bit: version 1 and version 2.

Only our own group is read. A limit on a group above it shows in that group's counter alone, so
each ancestor is read as well and the counts are added up.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Throttling:
    """`throttled`: periods in which the group was held back, since it exists.

    `quota_cores`: the tightest limit, in cores; None without one.
    """

    throttled: int = 0
    quota_cores: float | None = None


def read_throttling(root: Path = Path("/")) -> Throttling | None:
    """Of our own group and those above it; None where no CPU controller is to be seen."""
    found = [group for group in _groups(root) if (group / "cpu.stat").is_file()]
    if not found:
        return None
    quotas = [cores for group in found if (cores := quota(group)) is not None]
    return Throttling(sum(_throttled(group) for group in found), min(quotas, default=None))


def cpu_paths(cgroup: str) -> Iterator[tuple[int, str]]:
    """Version and path of the groups in `/proc/self/cgroup` that may limit CPU."""
    for line in cgroup.splitlines():
        number, controllers, path = [*line.split(":", 2), "", ""][:3]
        if "cpu" in controllers.split(","):
            yield 1, path
        elif number == "0" and not controllers:
            yield 2, path


def _groups(root: Path) -> Iterator[Path]:
    for version, path in cpu_paths(_text(root / "proc/self/cgroup")):
        for mount in _mounts(root / "sys/fs/cgroup", version):
            yield from upwards(mount, path)


def _mounts(base: Path, version: int) -> Iterable[Path]:
    """Where a version is usually mounted; a container sees its own group at the top."""
    return (base / "cpu", base / "cpu,cpuacct") if version == 1 else (base, base / "unified")


def upwards(mount: Path, path: str) -> Iterator[Path]:
    """The group at a path below a mount, and those above it."""
    group = mount / path.lstrip("/")
    while group != mount and mount in group.parents:
        yield group
        group = group.parent
    yield mount


def _throttled(group: Path) -> int:
    rows = (line.split() for line in _text(group / "cpu.stat").splitlines())
    return next((int(row[1]) for row in rows if row[:1] == ["nr_throttled"]), 0)


def quota(group: Path) -> float | None:
    """The CPU limit of this group alone, in cores; None without one."""
    v2 = _text(group / "cpu.max").split()
    if len(v2) == 2:  # noqa: PLR2004  quota and period
        return None if v2[0] == "max" else int(v2[0]) / int(v2[1])
    limit = _text(group / "cpu.cfs_quota_us").strip()
    period = _text(group / "cpu.cfs_period_us").strip()
    if not limit or not period or int(limit) < 0:
        return None
    return int(limit) / int(period)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
