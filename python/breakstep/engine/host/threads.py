"""Our own threads: what each used and how long it waited, `/proc/self/task/*/schedstat`."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ThreadTimes:
    """Of one thread since it began. `core`: the only one it may run on, None with a choice."""

    name: str
    core: int | None
    cpu_ns: int
    run_delay_ns: int


def read_threads(tasks: Path = Path("/proc/self/task")) -> Mapping[int, ThreadTimes]:
    """By thread id. A thread that ends while we look is left out."""
    found = ((int(task.name), _times(task)) for task in tasks.iterdir())
    return {thread: times for thread, times in found if times is not None}


def _times(task: Path) -> ThreadTimes | None:
    try:
        name = (task / "comm").read_text(encoding="utf-8", errors="replace").strip()
        cpu_ns, run_delay_ns, *_ = (task / "schedstat").read_text(encoding="ascii").split()
        cores = os.sched_getaffinity(int(task.name))
    except (OSError, ValueError):
        return None
    return ThreadTimes(
        name, cores.pop() if len(cores) == 1 else None, int(cpu_ns), int(run_delay_ns)
    )
