"""Where a control group keeps its files: in version 1 each controller has its own directory."""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from breakstep.engine.host.cgroup import upwards
from breakstep.model.errors import ProbeError

_V1, _V2 = "cgroup", "cgroup2"
_DIRECTORIES_MAX = 50_000
_CONTAINER = re.compile(r"[0-9a-f]{12,64}")
_MONITOR = "conmon"
"""Beside each container of podman runs a monitor in a group that is named alike."""
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Mount:
    """One hierarchy of groups. In version 1 `controllers` are those that it has."""

    path: Path
    version: int
    controllers: frozenset[str] = frozenset()

    @property
    def unified(self) -> bool:
        """Version 2: one directory a group, for every controller."""
        return self.version > 1


@dataclass(frozen=True, slots=True)
class Group:
    """A group. `cpu` and `memory`: its directory and those above, innermost first.

    `use` counts CPU time and `pressure` waiting; None where there is none.
    """

    cpu: tuple[Path, ...]
    memory: tuple[Path, ...]
    use: Path | None
    pressure: Path | None


def find_group(where: str, root: Path = Path("/")) -> Group:
    """The group of a path below the hierarchy, an absolute path, or a container's id.

    Raises ProbeError when there is none, or more than one.
    """
    mounts = parse_mounts(_text(root / "proc/self/mounts"), root)
    if not mounts:
        raise ProbeError("no control groups are mounted here: /proc/self/mounts lists none")
    group = _group(mounts, _path(where, mounts, root))
    if not group.cpu and not group.memory and group.use is None:
        raise ProbeError(
            f"there is no control group {where}: `cat /proc/PID/cgroup` shows that of a process,"
            " and a container's id has at least 12 digits"
        )
    return group


def parse_mounts(text: str, root: Path = Path("/")) -> tuple[Mount, ...]:
    """The hierarchies in `/proc/self/mounts`. Lines of another kind are left out.

    >>> parse_mounts("cgroup2 /sys/fs/cgroup cgroup2 rw 0 0")[0].version
    2
    """
    rows = (line.split() for line in text.splitlines())
    return tuple(_mount(row, root) for row in rows if row[2:3] == [_V1] or row[2:3] == [_V2])


def _mount(row: list[str], root: Path) -> Mount:
    _, path, kind, options, *_ = [*row, ""]
    version = 2 if kind == _V2 else 1
    return Mount(root / path.lstrip("/"), version, frozenset(options.split(",")))


def _group(mounts: Iterable[Mount], path: str) -> Group:
    found = [mount for mount in mounts if (mount.path / path).is_dir()]
    unified = next((mount for mount in found if mount.unified), None)
    cpu = _with(found, path, "cpu", "cpu.stat")
    memory = _with(found, path, "memory", "memory.current", "memory.usage_in_bytes")
    # Version 2 counts CPU time even where version 1 has the controller.
    use = _with(found, path, "cpuacct", "cpuacct.usage") or unified
    return Group(
        cpu=tuple(upwards(cpu.path, path)) if cpu else (),
        memory=tuple(upwards(memory.path, path)) if memory else (),
        use=use.path / path if use else None,
        pressure=unified.path / path if unified else None,
    )


def _with(found: Iterable[Mount], path: str, controller: str, *files: str) -> Mount | None:
    """The hierarchy of a controller; of version 1 where both are mounted, as it then has it."""
    for mount in sorted(found, key=lambda one: one.version):
        has = mount.unified or controller in mount.controllers
        if has and any((mount.path / path / file).is_file() for file in files):
            return mount
    return None


def _path(where: str, mounts: tuple[Mount, ...], root: Path) -> str:
    for mount in mounts:
        shown = "/" + str(mount.path.relative_to(root))
        if where == shown or where.startswith(f"{shown}/"):
            return where.removeprefix(shown).strip("/")
    path = where.strip("/")
    if _CONTAINER.fullmatch(path) and not any((one.path / path).is_dir() for one in mounts):
        return _container(path, mounts)
    return path


def _container(number: str, mounts: tuple[Mount, ...]) -> str:
    paths = sorted({path for mount in mounts for path in _named(number, mount.path)}, key=_depth)
    shallowest = [path for path in paths if _depth(path) == _depth(paths[0])]
    if len(shallowest) > 1:
        raise ProbeError(
            f"{number} is in the name of {len(shallowest)} control groups, such as"
            f" {', '.join(shallowest[:_SHOWN])}: give more digits, or the path"
        )
    return shallowest[0] if shallowest else number


def _named(number: str, mount: Path) -> Iterator[str]:
    """The paths below a mount whose last name holds the id."""
    walked = 0
    for directory, names, _ in os.walk(mount):
        walked += len(names)
        for name in names:
            if number in name and _MONITOR not in name:
                yield str(Path(directory, name).relative_to(mount))
        if walked > _DIRECTORIES_MAX:
            return


def _depth(path: str) -> int:
    return path.count("/")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
